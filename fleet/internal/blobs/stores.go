package blobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/azureblob" // azblob://
	_ "gocloud.dev/blob/fileblob"  // file://
	_ "gocloud.dev/blob/gcsblob"   // gs://
	_ "gocloud.dev/blob/s3blob"    // s3://
	"gocloud.dev/gcerrors"
)

// Errors to match with errors.Is.
var (
	ErrNotFound = errors.New("there is no such object")
	ErrExists   = errors.New("there is such an object already")
	ErrChanged  = errors.New("the object has changed")
	ErrDenied   = errors.New("access is denied: check the credentials and what they allow")
)

// Stores caches open buckets. It is safe for concurrent use.
type Stores struct {
	// Patience is the timeout of a request, and is extended by the same duration for each MiB. 0 means a minute.
	Patience time.Duration

	mu   sync.Mutex
	open map[string]*blob.Bucket
	read atomic.Int64
}

// BytesRead returns the number of bytes read from objects.
func (s *Stores) BytesRead() int64 { return s.read.Load() }

// Close closes all buckets.
func (s *Stores) Close() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, b := range s.open {
		err = errors.Join(err, b.Close())
	}
	s.open = nil
	return err
}

// openBucketForWriting is like bucket, but creates the directory of a bucket.
func (s *Stores) openBucketForWriting(ctx context.Context, l Location) (*blob.Bucket, error) {
	if dir, ok := l.directoryPath(); ok {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, explainError(ctx, l, err)
		}
	}
	return s.openBucket(ctx, l)
}

// openBucket returns the open bucket of a location.
func (s *Stores) openBucket(ctx context.Context, l Location) (*blob.Bucket, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.open[l.Bucket]; b != nil {
		return b, nil
	}
	address := l.Bucket
	if _, ok := l.directoryPath(); ok {
		address += "?metadata=skip&no_tmp_dir=true"
	}
	b, err := blob.OpenBucket(context.WithoutCancel(ctx), address)
	if err != nil {
		return nil, explainError(ctx, l, err)
	}
	if s.open == nil {
		s.open = map[string]*blob.Bucket{}
	}
	s.open[l.Bucket] = b
	return b, nil
}

// withTimeout returns a context with the timeout for a request that transfers bytes.
func (s *Stores) withTimeout(ctx context.Context, bytes int64) (context.Context, context.CancelFunc) {
	patience := s.Patience
	if patience <= 0 {
		patience = time.Minute
	}
	return context.WithTimeoutCause(ctx, patience*time.Duration(1+bytes>>20), errSlow)
}

var errSlow = errors.New("no answer in time")

// explainError converts the error of a request to a message with advice.
func explainError(ctx context.Context, l Location, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() == context.Canceled:
		return ctx.Err()
	}
	say := func(what string) error { return fmt.Errorf("%s: %s: %w", l, what, oneCause{err}) }
	switch code := gcerrors.Code(err); {
	case errors.Is(context.Cause(ctx), errSlow):
		return say("the store does not answer in time: try again, or allow more with --patience")
	case code == gcerrors.NotFound || errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", l, ErrNotFound)
	case code == gcerrors.FailedPrecondition:
		return fmt.Errorf("%s: %w", l, ErrExists)
	case code == gcerrors.PermissionDenied || errors.Is(err, os.ErrPermission) ||
		strings.Contains(err.Error(), "StatusCode: 403") || strings.Contains(err.Error(), "StatusCode: 401"):
		return fmt.Errorf("%s: %w: %w", l, ErrDenied, oneCause{err})
	case strings.Contains(err.Error(), "connection refused") || strings.Contains(err.Error(), "no such host"):
		return say("the store cannot be reached: check the URL and the network")
	}
	return say("the store failed")
}

// oneCause shortens the message of a client's error, which has the whole history of the request before its last cause.
type oneCause struct{ error }

func (c oneCause) Unwrap() error { return c.error }

func (c oneCause) Error() string {
	text := c.error.Error()
	if at := strings.LastIndex(text, "api error "); at >= 0 {
		return text[at+len("api error "):]
	}
	if at := strings.LastIndex(text, ": "); at >= 0 && len(text) > 200 {
		return text[at+2:]
	}
	return text
}

// An Object is an object of a store.
type Object struct {
	Location
	Size     int64
	Modified time.Time // time of the last write; zero unless List found the object below a prefix
	MD5      string    // MD5 of the content, 16 bytes; "" if the store does not list it
}

// List returns the object l, or the objects below the prefix l whose names end in suffix, sorted by name.
func (s *Stores) List(ctx context.Context, l Location, suffix string) ([]Object, error) {
	if l.Key != "" && !strings.HasSuffix(l.Key, "/") {
		size, err := s.Size(ctx, l)
		if err == nil {
			return []Object{{Location: l, Size: size}}, nil
		}
		if !errors.Is(err, ErrNotFound) {
			return nil, err
		}
		l = l.Prefix()
	}
	b, err := s.openBucket(ctx, l)
	if err != nil {
		return nil, err
	}
	var all []Object
	for each := b.List(&blob.ListOptions{Prefix: l.Key}); ; {
		limited, cancel := s.withTimeout(ctx, 0)
		o, err := each.Next(limited)
		explained := explainError(limited, l, err)
		cancel()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, explained
		}
		if !o.IsDir && strings.HasSuffix(o.Key, suffix) {
			all = append(all, Object{Location{l.Bucket, o.Key}, o.Size, o.ModTime, string(o.MD5)})
		}
	}
	slices.SortFunc(all, func(x, y Object) int { return strings.Compare(x.Key, y.Key) })
	return all, nil
}

// Size returns the size of an object. The error matches ErrNotFound if the object is missing.
func (s *Stores) Size(ctx context.Context, l Location) (int64, error) {
	b, err := s.openBucket(ctx, l)
	if err != nil {
		return 0, err
	}
	limited, cancel := s.withTimeout(ctx, 0)
	defer cancel()
	a, err := b.Attributes(limited, l.Key)
	if err != nil {
		return 0, explainError(limited, l, err)
	}
	return a.Size, nil
}
