// Package blobs reads and writes objects of stores: directories, S3, Google Cloud Storage
// and Azure. Its errors name the object and say what to do, and no request waits forever.
package blobs

import (
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// A Location is an object of a store, or a prefix of the names of objects.
type Location struct {
	Bucket string // as a URL for gocloud.dev/blob, with its options
	Key    string // of an object; as a prefix empty, or with a slash at its end
}

// schemes are the schemes of stores whose bucket is the host of a URL.
var schemes = map[string]bool{"s3": true, "gs": true, "azblob": true}

// Parse reads a location: the path of a directory or file, or a URL with the scheme file,
// s3, gs or azblob, whose query has options of the store, as
// s3://bucket/team/runs/?region=eu-central-1. A prefix ends in a slash.
func Parse(text string) (Location, error) {
	u, err := url.Parse(text)
	switch {
	case err == nil && schemes[u.Scheme]:
		if u.Host == "" {
			return Location{}, fmt.Errorf("%s names no bucket: write %s://BUCKET/NAME", text, u.Scheme)
		}
		bucket := url.URL{Scheme: u.Scheme, Host: u.Host, RawQuery: u.RawQuery}
		return Location{bucket.String(), strings.TrimPrefix(u.Path, "/")}, nil
	case err == nil && u.Scheme == "file":
		return inDirectory(u.Path)
	case strings.Contains(text, "://"):
		return Location{}, fmt.Errorf("%s: stores are file://, s3://, gs:// and azblob://", text)
	}
	return inDirectory(text)
}

// inDirectory returns the location of a file, or of a directory if there is one or the name
// ends in a slash. The directory of a file is the bucket.
func inDirectory(name string) (Location, error) {
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

// directory returns the directory that is the bucket, if it is one.
func (l Location) directory() (dir string, ok bool) {
	u, err := url.Parse(l.Bucket)
	if err != nil || u.Scheme != "file" {
		return "", false
	}
	return filepath.FromSlash(u.Path), true
}

// Join returns the location of a name below a prefix.
func (l Location) Join(name string) Location { return Location{l.Bucket, path.Join(l.Key, name)} }

// Prefix returns the location as a prefix.
func (l Location) Prefix() Location {
	if l.Key != "" && !strings.HasSuffix(l.Key, "/") {
		l.Key += "/"
	}
	return l
}

// String returns the location without options, as people write it.
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

// URL returns the location as Parse reads it, with options.
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

// Within reports whether the location is another, or is below it.
func (l Location) Within(other Location) bool {
	plain := func(l Location) string {
		name, _, _ := strings.Cut(l.URL(), "?")
		return name
	}
	return plain(l) == plain(other) || strings.HasPrefix(plain(l), plain(other.Prefix()))
}
