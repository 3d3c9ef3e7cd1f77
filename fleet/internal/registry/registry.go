// Package registry is a client of OCI registries that stores archives and attached artifacts.
//
//	repo, err := registry.Open("registry.example/shop:1.4", registry.Options{})
//	image, err := repo.Resolve(ctx, repo.Reference())
//	list, err := repo.Attached(ctx, image.Digest)
//
// Registries are not trusted. The client verifies the digest of content, and limits the size of everything except
// blobs.
//
// Errors describe the problem and the remedy in one line.
package registry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/retry"
)

// MaxManifest is the maximum size of a manifest or index in bytes.
const MaxManifest = 4 << 20

// Defaults of Options.
const (
	DefaultSilence = 30 * time.Second
	DefaultAll     = 10 * time.Minute
)

// LeastRate is the minimum transfer rate in bytes per second (see Options.All).
const LeastRate = 32 << 10

// maxRetries is the number of retries after a failure of the registry or the connection.
const maxRetries = 2

// Options configure a connection. The zero value uses HTTPS, or HTTP on loopback addresses. Credentials come from the
// file that REGISTRY_AUTH_FILE or DOCKER_CONFIG names, or from Docker's configuration in the home folder.
type Options struct {
	PlainHTTP *bool             // nil means on loopback addresses
	Silence   time.Duration     // timeout for each byte from the registry, 0 means DefaultSilence
	Base      http.RoundTripper // nil means a copy of http.DefaultTransport
	// All is the timeout for all requests together. Each LeastRate bytes in either direction add a second. 0 means
	// DefaultAll.
	All time.Duration
}

// A Repository is a repository of a registry.
type Repository struct {
	remote      *remote.Repository
	ref         registry.Reference
	credentials credentialFile
}

// Open returns the repository of a reference REGISTRY/NAME, REGISTRY/NAME:TAG or REGISTRY/NAME@DIGEST. It makes no
// request.
func Open(reference string, o Options) (*Repository, error) {
	ref, err := registry.ParseReference(reference)
	if err != nil {
		return nil, &ReferenceError{reference}
	}
	r := &remote.Repository{
		Reference: ref, PlainHTTP: isLoopback(ref.Registry), MaxMetadataBytes: MaxManifest,
		TagListMaxPages: 1000, ReferrerListMaxPages: 1000,
	}
	if o.PlainHTTP != nil {
		r.PlainHTTP = *o.PlainHTTP
	}
	file := findCredentials()
	credential, err := file.readAccount(ref)
	if err != nil {
		return nil, err
	}
	r.Client = newClient(o, credential)
	// Attach replaces the fallback of the library.
	if err := r.SetReferrersCapability(true); err != nil {
		return nil, err
	}
	return &Repository{r, ref, file}, nil
}

// newClient returns a client with the credentials of a file.
func newClient(o Options, credential auth.CredentialFunc) *auth.Client {
	patient := &timeoutTransport{base: o.Base, silence: o.Silence, all: o.All}
	if o.Silence <= 0 {
		patient.silence = DefaultSilence
	}
	if o.All <= 0 {
		patient.all = DefaultAll
	}
	if patient.base == nil {
		patient.base = http.DefaultTransport.(*http.Transport).Clone()
	}
	// MaxWait applies to the Retry-After header of a busy registry. Other waits are shorter than a second.
	policy := &retry.GenericPolicy{Retryable: retry.DefaultPredicate, Backoff: retry.DefaultBackoff,
		MinWait: 100 * time.Millisecond, MaxWait: patient.silence, MaxRetry: maxRetries}
	c := &auth.Client{
		Client:     &http.Client{Transport: &retry.Transport{Base: patient, Policy: func() retry.Policy { return policy }}},
		Credential: credential,
		Cache:      auth.NewCache(),
	}
	c.SetUserAgent("profarc-fleet")
	return c
}

// isLoopback reports whether host[:port] is a loopback name or address.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || ip != nil && ip.IsLoopback()
}

// Name returns REGISTRY/NAME.
func (r *Repository) Name() string { return r.ref.Registry + "/" + r.ref.Repository }

// Reference returns the tag or digest given to Open, or "latest".
func (r *Repository) Reference() string { return r.ref.ReferenceOrDefault() }

// Tag returns the tag given to Open, or "".
func (r *Repository) Tag() string {
	if r.ref.ValidateReferenceAsTag() != nil {
		return ""
	}
	return r.ref.Reference
}

// HasReference reports whether the reference given to Open has a tag or digest.
func (r *Repository) HasReference() bool { return r.ref.Reference != "" }

// Full returns REGISTRY/NAME@DIGEST or REGISTRY/NAME:TAG.
func (r *Repository) Full(reference string) string {
	if strings.Contains(reference, ":") {
		return r.Name() + "@" + reference
	}
	return r.Name() + ":" + reference
}

// Resolve returns the descriptor of a tag or digest.
func (r *Repository) Resolve(ctx context.Context, reference string) (ocispec.Descriptor, error) {
	d, err := r.remote.Manifests().Resolve(ctx, reference)
	return d, r.explain(ctx, err, "read", r.Full(reference))
}

// Manifest reads a manifest or index and verifies its digest.
func (r *Repository) Manifest(ctx context.Context, d ocispec.Descriptor) ([]byte, error) {
	if d.Size > MaxManifest {
		return nil, advise(ErrTampered, "%s: it has %d bytes, and no manifest of an archive has: name another one",
			r.Full(d.Digest.String()), d.Size)
	}
	data, err := content.FetchAll(ctx, r.remote.Manifests(), d)
	return data, r.explain(ctx, err, "read", r.Full(d.Digest.String()))
}

// Blob opens a blob. The caller must verify its digest and close it.
func (r *Repository) Blob(ctx context.Context, d ocispec.Descriptor) (io.ReadCloser, error) {
	body, err := r.remote.Blobs().Fetch(ctx, d)
	if err != nil {
		return nil, r.explain(ctx, err, "read", r.Full(d.Digest.String()))
	}
	return &explained{body, func(err error) error { return r.explain(ctx, err, "read", r.Full(d.Digest.String())) }}, nil
}

// explained is a body that converts errors by explain.
type explained struct {
	io.ReadCloser
	explain func(error) error
}

func (e *explained) Read(b []byte) (int, error) {
	n, err := e.ReadCloser.Read(b)
	if err != nil && err != io.EOF {
		err = e.explain(err)
	}
	return n, err
}

// SmallBlob reads a blob of at most MaxManifest bytes and verifies its digest.
func (r *Repository) SmallBlob(ctx context.Context, d ocispec.Descriptor) ([]byte, error) {
	if d.Size > MaxManifest {
		return nil, advise(ErrTampered, "%s: it has %d bytes, too many for what it is said to be",
			r.Full(d.Digest.String()), d.Size)
	}
	data, err := content.FetchAll(ctx, r.remote.Blobs(), d)
	return data, r.explain(ctx, err, "read", r.Full(d.Digest.String()))
}

// PushBlob uploads a blob unless the registry has it. The client cannot retry a request with a body, so PushBlob
// retries the whole upload. Its first request waits as long as the registry demands.
func (r *Repository) PushBlob(ctx context.Context, d ocispec.Descriptor, open func() (io.Reader, error)) error {
	there, err := r.remote.Blobs().Exists(ctx, d)
	if err != nil || there {
		return r.explain(ctx, err, "write to", r.Name())
	}
	for try := 0; ; try++ {
		data, err := open()
		if err != nil {
			return err
		}
		err = r.remote.Blobs().Push(ctx, d, io.NopCloser(data))
		if try == maxRetries || ctx.Err() != nil || !isTemporary(err) {
			return r.explain(ctx, err, "write to", r.Name())
		}
	}
}

// PushManifest uploads a manifest or index, tags it unless tag is "", and returns its descriptor.
func (r *Repository) PushManifest(ctx context.Context, mediaType string, data []byte,
	tag string) (ocispec.Descriptor, error) {
	d := ocispec.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(data), Size: int64(len(data))}
	var err error
	if tag == "" {
		err = r.remote.Manifests().Push(ctx, d, bytes.NewReader(data))
	} else {
		err = r.remote.Manifests().PushReference(ctx, d, bytes.NewReader(data), tag)
	}
	if err != nil && tag != "" {
		err = r.explainOverwrite(ctx, err, d, tag)
	}
	return d, r.explain(ctx, err, "write to", r.Name())
}

// CheckTag returns an error if tag is malformed.
func CheckTag(tag string) error {
	if (registry.Reference{Registry: "localhost", Repository: "a", Reference: tag}).ValidateReferenceAsTag() != nil {
		return fmt.Errorf("%q is no tag: a tag has letters, digits, and after the first of these . - _ too, 128 at most", tag)
	}
	return nil
}

// IsMissing reports whether an error means that content does not exist.
func IsMissing(err error) bool { return errors.Is(err, errdef.ErrNotFound) }
