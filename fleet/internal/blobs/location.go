// Package blobs reads and writes objects in directories, S3, Google Cloud Storage and Azure. Its errors have the name
// of the object and advice. All requests have a timeout.
package blobs

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// A Location is an object of a store, or a prefix of object names.
type Location struct {
	Bucket string // URL for gocloud.dev/blob, with its options
	Key    string // name of an object, or a prefix that is empty or ends in a slash
}

// schemes has the URL schemes whose host is the bucket.
var schemes = map[string]bool{"s3": true, "gs": true, "azblob": true}

// Parse parses the path of a directory or file, or a URL with the scheme file, s3, gs or azblob. The query of a URL has
// options of the store, as in s3://bucket/team/runs/?region=eu-central-1. A prefix ends in a slash.
func Parse(text string) (Location, error) {
	u, err := url.Parse(text)
	switch {
	case err == nil && schemes[u.Scheme]:
		if u.Host == "" {
			return Location{}, fmt.Errorf("%s names no bucket: write %s://BUCKET/NAME", text, u.Scheme)
		}
		bucket := url.URL{Scheme: u.Scheme, Host: u.Host, RawQuery: u.RawQuery}
		return Location{bucket.String(), strings.TrimPrefix(u.Path, "/")}, nil
	case err == nil && u.Scheme == "file" && (u.Opaque != "" || u.Host != "" && u.Host != "localhost"):
		return Location{}, fmt.Errorf("%s names no folder: write file:///FOLDER/ with the whole path, or the path alone", text)
	case err == nil && u.Scheme == "file":
		return parsePath(u.Path)
	case strings.Contains(text, "://"):
		return Location{}, fmt.Errorf("%s: stores are file://, s3://, gs:// and azblob://", text)
	}
	return parsePath(text)
}

// parsePath returns the location of a file or directory. A name that ends in a slash is a directory, even if it does
// not exist. The directory of a file is the bucket.
func parsePath(name string) (Location, error) {
	full, err := filepath.Abs(filepath.FromSlash(name))
	if err != nil {
		return Location{}, err
	}
	dir, key := full, ""
	if info, err := os.Stat(full); !strings.HasSuffix(name, "/") && (err != nil || !info.IsDir()) {
		dir = filepath.Dir(full)
		key = filepath.Base(full)
	}
	bucket := url.URL{Scheme: "file", Path: filepath.ToSlash(dir)}
	return Location{bucket.String(), key}, nil
}

// directoryPath returns the path of the bucket if it is a directory.
func (l Location) directoryPath() (dir string, ok bool) {
	u, err := url.Parse(l.Bucket)
	if err != nil || u.Scheme != "file" {
		return "", false
	}
	return filepath.FromSlash(u.Path), true
}

// Join returns the location of a name below a prefix.
func (l Location) Join(name string) Location { return Location{l.Bucket, path.Join(l.Key, name)} }

// Prefix returns l with a slash at the end of its key, unless the key is empty.
func (l Location) Prefix() Location {
	if l.Key != "" && !strings.HasSuffix(l.Key, "/") {
		l.Key += "/"
	}
	return l
}

// String returns the path, or the URL without options.
func (l Location) String() string {
	u, err := url.Parse(l.Bucket)
	if err != nil {
		return l.Bucket + "/" + l.Key
	}
	if u.Scheme == "file" {
		return filepath.Join(filepath.FromSlash(u.Path), filepath.FromSlash(l.Key))
	}
	return u.Scheme + "://" + u.Host + "/" + l.Key
}

// URL returns a URL with options, for Parse.
func (l Location) URL() string {
	u, err := url.Parse(l.Bucket)
	if err != nil {
		return l.Bucket + "/" + l.Key
	}
	u.Path = path.Join("/", u.Path, l.Key)
	if l.Key == "" || strings.HasSuffix(l.Key, "/") {
		u.Path = strings.TrimSuffix(u.Path, "/") + "/"
	}
	return u.String()
}

// Within reports whether l is other or is below it.
func (l Location) Within(other Location) bool {
	plain := func(l Location) string {
		name, _, _ := strings.Cut(l.URL(), "?")
		return name
	}
	return plain(l) == plain(other) || strings.HasPrefix(plain(l), plain(other.Prefix()))
}

// InDirectory reports whether the bucket is a directory.
func (l Location) InDirectory() bool {
	_, ok := l.directoryPath()
	return ok
}
