package blobs_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/fleet/internal/blobs"
)

func TestLocations(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for text, want := range map[string]blobs.Location{
		"s3://ci/runs/?region=eu-central-1": {Bucket: "s3://ci?region=eu-central-1", Key: "runs/"},
		"gs://ci/a/b.parc":                  {Bucket: "gs://ci", Key: "a/b.parc"},
		"azblob://ci":                       {Bucket: "azblob://ci"},
		dir:                                 {Bucket: "file://" + filepath.ToSlash(dir)},
		dir + "/none/":                      {Bucket: "file://" + filepath.ToSlash(dir) + "/none"},
		dir + "/x.parc":                     {Bucket: "file://" + filepath.ToSlash(dir), Key: "x.parc"},
		"file://" + dir + "/x.parc":         {Bucket: "file://" + filepath.ToSlash(dir), Key: "x.parc"},
	} {
		l, err := blobs.Parse(text)
		if err != nil || l != want {
			t.Errorf("%s is %+v, want %+v: %v", text, l, want, err)
			continue
		}
		if again, err := blobs.Parse(l.URL()); err != nil || again != l {
			t.Errorf("%s as a URL is %s, and that is %+v: %v", text, l.URL(), again, err)
		}
	}
	for _, text := range []string{"s3:///x", "http://x/y", "ftp://x", "file://runs/", "file:runs/"} {
		if l, err := blobs.Parse(text); err == nil || !strings.Contains(err.Error(), "://") {
			t.Errorf("%s is %+v: %v", text, l, err)
		}
	}
}

func TestWithin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		l, of string
		want  bool
	}{
		{"s3://ci/parts/a.parc?region=x", "s3://ci/parts/?region=x", true},
		{"s3://ci/partser/a.parc", "s3://ci/parts", false},
		{"s3://ci/out.parc", "s3://ci/out.parc", true},
		{"s3://other/parts/a.parc", "s3://ci/parts", false},
		{"/shared/parts/x/a.parc", "/shared/parts/", true},
	} {
		t.Run(c.l, func(t *testing.T) {
			l, err1 := blobs.Parse(c.l)
			of, err2 := blobs.Parse(c.of)
			if err1 != nil || err2 != nil || l.Within(of) != c.want {
				t.Errorf("%s within %s: %v, want %v: %v, %v", c.l, c.of, l.Within(of), c.want, err1, err2)
			}
		})
	}
}
