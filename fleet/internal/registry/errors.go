package registry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"
)

// ErrTampered means that content does not match its digest or signature.
var ErrTampered = errors.New("tampered with")

// ErrImmutable means that a tag names other content and is not overwritten.
var ErrImmutable = errors.New("immutable tag")

// A RegistryError is an error of a registry or its content, with advice.
type RegistryError struct {
	text string
	err  error
}

func (e *RegistryError) Error() string { return e.text }

func (e *RegistryError) Unwrap() error { return e.err }

// HasAdvice reports that the message includes advice.
func (e *RegistryError) HasAdvice() bool { return true }

// advise returns a RegistryError that matches err.
func advise(err error, format string, args ...any) error {
	return &RegistryError{fmt.Sprintf(format, args...), err}
}

// A ReferenceError reports a malformed reference.
type ReferenceError struct{ reference string }

func (e *ReferenceError) Error() string {
	return fmt.Sprintf("%q names nothing in a registry: give REGISTRY/NAME:TAG or REGISTRY/NAME@sha256:..., with the "+
		"registry in front, "+
		"as docker.io/library/NAME", e.reference)
}

// explain converts an error to a RegistryError with advice. verb and what describe the request, as in "read",
// "shop:1.4".
func (r *Repository) explain(ctx context.Context, err error, verb, what string) error {
	var explained *RegistryError
	var answer *errcode.ErrorResponse
	host := r.ref.Registry
	switch {
	case err == nil || errors.As(err, &explained):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errSilent):
		return advise(err, "%s: %s has been silent for too long: try again, or give it longer with --timeout", what, host)
	case errors.Is(err, errSlow):
		return advise(err, "%s: %s has sent too little for too long: try again, or give it longer with --max-time",
			what, host)
	case errors.Is(err, errLoop), errors.Is(err, errdef.ErrTooManyPages):
		return advise(err, "%s: %s gives a list that never ends: tell those who run it", what, host)
	case errors.As(err, &answer):
		return r.explainAnswer(answer, verb, what)
	case errors.Is(err, auth.ErrBasicCredentialNotFound):
		return advise(err, "%s: %s lets nobody %s it without an account: %s", what, host, verb,
			r.credentials.advice(host))
	case errors.Is(err, errdef.ErrNotFound):
		return advise(err, "%s: %s has no such thing: check name and tag", what, host)
	case errors.Is(err, content.ErrMismatchedDigest), errors.Is(err, content.ErrTrailingData):
		return advise(errors.Join(ErrTampered, err),
			"%s: its content is not what its digest says: the registry or the way to it is damaged or has been tampered with",
			what)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return advise(err, "%s: %s sent only a part of it: try again; if that stays, push it again", what, host)
	}
	return explainConnection(err, what, host)
}

// isTemporary reports whether a later try can succeed.
func isTemporary(err error) bool {
	var answer *errcode.ErrorResponse
	if errors.As(err, &answer) {
		return answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode >= 500
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE)
}

// explainAnswer converts the error response of a registry.
func (r *Repository) explainAnswer(answer *errcode.ErrorResponse, verb, what string) error {
	host := r.ref.Registry
	if answer.URL != nil && answer.URL.Host != "" {
		host = answer.URL.Host // can be the token server
	}
	status := fmt.Sprintf("%d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
	said := ""
	if len(answer.Errors) > 0 {
		said = fmt.Sprintf(" (%.200s)", answer.Errors.Error())
	}
	switch code := answer.StatusCode; {
	case code == http.StatusUnauthorized:
		return advise(answer, "%s: %s does not accept the account, if any (%s): %s", what, host, status,
			r.credentials.advice(r.ref.Registry))
	case code == http.StatusForbidden:
		return advise(answer,
			"%s: %s denies the right to %s it (%s): ask its owner, or take another account: %s", what, host,
			verb, status, r.credentials.advice(r.ref.Registry))
	case code == http.StatusNotFound:
		return advise(errors.Join(errdef.ErrNotFound, answer), "%s: %s has no such thing%s: check name and tag", what,
			host, said)
	case code == http.StatusTooManyRequests, code >= 500:
		return advise(answer, "%s: %s cannot do that now (%s)%s: try again later", what, host, status, said)
	}
	return advise(answer, "%s: %s refuses to %s it (%s)%s", what, host, verb, status, said)
}

// explainOverwrite converts the error of a registry that keeps a tag as it is.
func (r *Repository) explainOverwrite(ctx context.Context, err error, d ocispec.Descriptor, tag string) error {
	var answer *errcode.ErrorResponse
	if !errors.As(err, &answer) || isTemporary(err) {
		return err
	}
	there, missing := r.remote.Manifests().Resolve(ctx, tag)
	if missing != nil || there.Digest == d.Digest {
		return err
	}
	return advise(errors.Join(ErrImmutable, err), "%s: it names %.19s, and %s refuses to overwrite it (%d %s): take another "+
		"tag, or exempt it from the registry's rule; promoted tags, those that end in .volume, and those that begin with %s- "+
		"change", r.Full(tag), there.Digest, r.ref.Registry, answer.StatusCode, http.StatusText(answer.StatusCode),
		d.Digest.Algorithm())
}

// explainConnection converts an error of the connection.
func explainConnection(err error, what, host string) error {
	text := err.Error()
	var in *url.Error
	if errors.As(err, &in) {
		text = in.Err.Error()
	}
	var opened *net.OpError
	var dns *net.DNSError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return advise(err, "%s: %s closed the connection: try again", what, host)
	case strings.Contains(text, "mismatch"): // headers and content differ
		return advise(errors.Join(ErrTampered, err),
			"%s: its content is not what its digest says (%s): the registry or the way to it is damaged or has been tampered "+
				"with", what, text)
	case strings.Contains(text, "server gave HTTP response to HTTPS client"):
		return advise(err, "%s: %s speaks plain HTTP: if that is meant, say --plain-http", what, host)
	case strings.Contains(text, "x509:"):
		return advise(err, "%s: %s has no certificate that this machine trusts (%s): install its authority's", what,
			host, text)
	case errors.As(err, &dns), errors.As(err, &opened):
		return advise(err, "%s: %s cannot be reached (%s): check the name, the network, and that it is running", what,
			host, text)
	}
	return advise(err, "%s: %s: %s", what, host, text)
}
