package blobs

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"strings"

	"cloud.google.com/go/storage"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	azureblob "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"gocloud.dev/blob"

	"github.com/profarc/profarc/internal/cli"
)

// A Version identifies the content of an object, for [Stores.ReplaceFile]. The zero value stands for a missing object.
type Version struct {
	tag        string // ETag; in a directory the checksum of the content
	generation int64  // generation on Google Cloud Storage, which has it instead of tag
}

// FetchVersion copies an object to a new file by one request, and returns the version that it copied. If the object is
// missing, the version is zero and no file is made.
func (s *Stores) FetchVersion(ctx context.Context, l Location, name string) (Version, error) {
	size, err := s.Size(ctx, l)
	if errors.Is(err, ErrNotFound) {
		return Version{}, nil
	}
	if err != nil {
		return Version{}, err
	}
	bucket, err := s.openBucket(ctx, l)
	if err != nil {
		return Version{}, err
	}
	ctx, cancel := s.withTimeout(ctx, size)
	defer cancel()
	from, err := bucket.NewReader(ctx, l.Key, nil)
	if err != nil {
		return Version{}, explainError(ctx, l, err)
	}
	defer from.Close()
	sum := sha256.New()
	n, err := copyToFile(io.TeeReader(from, sum), name)
	s.read.Add(n)
	if err != nil {
		return Version{}, explainError(ctx, l, err)
	}
	if n != from.Size() {
		return Version{}, fmt.Errorf("%s: the store sent %d of %d bytes: try again", l, n, from.Size())
	}
	return versionOf(l, from, sum)
}

func copyToFile(from io.Reader, name string) (n int64, err error) {
	f, err := os.Create(name)
	if err != nil {
		return 0, err
	}
	n, err = io.Copy(f, from)
	return n, errors.Join(err, f.Close())
}

// versionOf returns the version of the object that from has read, whose checksum is sum.
func versionOf(l Location, from *blob.Reader, sum hash.Hash) (Version, error) {
	if _, ok := l.directoryPath(); ok {
		return Version{tag: string(sum.Sum(nil))}, nil
	}
	var v Version
	var onS3 s3.GetObjectOutput
	var onGoogle *storage.Reader
	var onAzure azureblob.DownloadStreamResponse
	switch {
	case from.As(&onS3) && onS3.ETag != nil:
		v.tag = *onS3.ETag
	case from.As(&onGoogle):
		v.generation = onGoogle.Attrs.Generation
	case from.As(&onAzure) && onAzure.ETag != nil:
		v.tag = string(*onAzure.ETag)
	}
	if v == (Version{}) {
		return v, fmt.Errorf("%s: the store tells no version of the object: use a store with conditional writes", l)
	}
	return v, nil
}

// Version returns the version that FetchVersion would return, without a copy. ok is false for a missing object, and in
// a directory.
func (s *Stores) Version(ctx context.Context, l Location) (v Version, ok bool, err error) {
	if l.InDirectory() {
		return Version{}, false, nil
	}
	bucket, err := s.openBucket(ctx, l)
	if err != nil {
		return Version{}, false, err
	}
	ctx, cancel := s.withTimeout(ctx, 0)
	defer cancel()
	a, err := bucket.Attributes(ctx, l.Key)
	if err != nil {
		err = explainError(ctx, l, err)
		if errors.Is(err, ErrNotFound) {
			err = nil
		}
		return Version{}, false, err
	}
	var onGoogle storage.ObjectAttrs
	if a.As(&onGoogle) {
		v.generation = onGoogle.Generation
	} else {
		v.tag = a.ETag
	}
	return v, v != Version{}, nil
}

// ReplaceFile is like WriteFile if the object still has the version old, and is still missing if old is zero. The error
// matches ErrChanged otherwise. The store decides this in the same step, and in a directory a lock.
func (s *Stores) ReplaceFile(ctx context.Context, l Location, name string, old Version) error {
	b, err := s.openBucketForWriting(ctx, l)
	if err != nil {
		return err
	}
	f, err := cli.OpenFile(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	ctx, cancel := s.withTimeout(ctx, info.Size())
	defer cancel() // aborts a write that was not closed
	if _, ok := l.directoryPath(); ok {
		return replaceInDirectory(ctx, l, f, old)
	}
	err = upload(ctx, cancel, b, l.Key, f, &blob.WriterOptions{IfNotExist: old == Version{},
		BeforeWrite: old.setCondition})
	return changedError(l, old, explainError(ctx, l, err))
}

// setCondition lets a write fail unless the object has the version.
func (v Version) setCondition(as func(any) bool) error {
	if v == (Version{}) {
		return nil
	}
	var onS3 *transfermanager.UploadObjectInput
	var onGoogle **storage.ObjectHandle
	var onAzure *azblob.UploadStreamOptions
	switch {
	case as(&onS3):
		onS3.IfMatch = &v.tag
	case as(&onGoogle):
		*onGoogle = (*onGoogle).If(storage.Conditions{GenerationMatch: v.generation})
	case as(&onAzure):
		tag := azcore.ETag(v.tag)
		onAzure.AccessConditions = &azblob.AccessConditions{
			ModifiedAccessConditions: &azureblob.ModifiedAccessConditions{IfMatch: &tag}}
	default:
		return errors.New("the store has no conditional writes")
	}
	return nil
}

// changedError returns an error that matches ErrChanged if err says that the condition of a write does not hold. S3
// reports a conflict if another conditional write is under way, and that there is no such object if it was removed.
func changedError(l Location, old Version, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrNotFound) && old == Version{}:
		return fmt.Errorf("%s: the store has no such bucket: check its name, or create it", l)
	case errors.Is(err, ErrExists), errors.Is(err, ErrNotFound),
		strings.Contains(err.Error(), "ConditionalRequestConflict"):
		return fmt.Errorf("%s: %w", l, ErrChanged)
	}
	return err
}
