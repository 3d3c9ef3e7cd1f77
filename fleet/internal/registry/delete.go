package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"
)

var attachmentForm = regexp.MustCompile(`^([a-z0-9]+)-([0-9a-f]{32,128})(\.[0-9a-f]{32})?$`)

// SubjectOf returns the digest of the subject of a tag that stands for the referrers API. ok is false for other tags.
func SubjectOf(tag string) (subject digest.Digest, ok bool) {
	parts := attachmentForm.FindStringSubmatch(tag)
	if parts == nil {
		return "", false
	}
	subject = digest.Digest(parts[1] + ":" + parts[2])
	return subject, subject.Validate() == nil
}

// Delete deletes a tag, or a manifest by its digest. Missing ones are no error. Registries need not delete tags alone.
func (r *Repository) Delete(ctx context.Context, reference string) error {
	ctx = auth.AppendRepositoryScope(ctx, r.ref, auth.ActionPull, auth.ActionDelete)
	scheme := "https"
	if r.remote.PlainHTTP {
		scheme = "http"
	}
	url := fmt.Sprintf("%s://%s/v2/%s/manifests/%s", scheme, r.ref.Host(), r.ref.Repository, reference)
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, url, nil)
	if err != nil {
		return err
	}
	answer, err := r.remote.Client.Do(req)
	if err != nil {
		return r.explain(ctx, err, "delete", r.Full(reference))
	}
	defer answer.Body.Close()
	switch code := answer.StatusCode; {
	case code == http.StatusNotFound || code < 300:
		return nil
	case code == http.StatusMethodNotAllowed:
		return advise(nil, "%s: %s deletes nothing (%d %s): ask those who run it to allow it", r.Full(reference),
			r.ref.Registry, code, http.StatusText(code))
	}
	err = &errcode.ErrorResponse{Method: req.Method, URL: req.URL, StatusCode: answer.StatusCode}
	return r.explain(ctx, err, "delete", r.Full(reference))
}

// DeleteManifest deletes a manifest with its tags. Some registries delete tags with their manifest only, others only
// manifests without tags.
func (r *Repository) DeleteManifest(ctx context.Context, d digest.Digest, tags ...string) error {
	for _, tag := range tags {
		_ = r.Delete(ctx, tag) // the next request tells
	}
	return r.Delete(ctx, d.String())
}

// Detach removes manifests from the index of a subject, with their tags, where the registry has no referrers API. It
// also removes missing ones, since registries refuse an index that lists them.
func (r *Repository) Detach(ctx context.Context, subject digest.Digest, attached []digest.Digest) error {
	index, err := r.fallbackIndex(ctx, subject)
	if err != nil {
		return err
	}
	whole := len(index.Manifests)
	var left []ocispec.Descriptor
	for _, d := range index.Manifests {
		if slices.Contains(attached, d.Digest) {
			continue
		}
		_, err := r.Resolve(ctx, d.Digest.String())
		if err == nil {
			left = append(left, d)
		} else if !IsMissing(err) {
			return err
		}
	}
	index.Manifests = left
	if len(index.Manifests) < whole {
		if err := r.replaceIndex(ctx, subject, index); err != nil {
			return err
		}
	}
	own, err := r.attachmentTags(ctx, subject)
	if err != nil {
		return err
	}
	for _, tag := range own {
		isOne := func(d digest.Digest) bool { return tag == attachmentTag(subject, d) }
		if slices.ContainsFunc(attached, isOne) || r.isDangling(ctx, tag) {
			_ = r.Delete(ctx, tag) // it goes with its manifest otherwise
		}
	}
	return nil
}

// isDangling reports whether the manifest of a tag is missing. Some registries keep such tags.
func (r *Repository) isDangling(ctx context.Context, tag string) bool {
	d, err := r.Resolve(ctx, tag)
	if err == nil {
		_, err = r.Resolve(ctx, d.Digest.String())
	}
	return IsMissing(err)
}

// replaceIndex writes the index of a subject, or deletes it if it is empty.
func (r *Repository) replaceIndex(ctx context.Context, subject digest.Digest, index *ocispec.Index) error {
	tag := fallbackTag(subject)
	if len(index.Manifests) > 0 {
		data, err := json.Marshal(index)
		if err == nil {
			_, err = r.PushManifest(ctx, ocispec.MediaTypeImageIndex, data, tag)
		}
		return err
	}
	d, err := r.Resolve(ctx, tag)
	if IsMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return r.DeleteManifest(ctx, d.Digest, tag)
}

// Short returns a digest as people tell digests apart.
func Short(d digest.Digest) string { return strings.TrimPrefix(fmt.Sprintf("%.19s", d), "sha256:") }
