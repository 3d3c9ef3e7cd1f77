package ship

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/fleet/internal/artifact"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/file/publish"
	"github.com/profarc/profarc/reader"
)

// withBase opens an archive and, if it is a layer, its base, calls f with both, and closes them. base is nil if the
// archive is not a layer.
func withBase(ctx context.Context, a *cli.App, path, basePath string, f func(s, base *reader.Store) error) error {
	return a.WithStore(ctx, path, func(s *reader.Store) error {
		base, layer, err := s.Base()
		switch {
		case err != nil:
			return err
		case layer && basePath == "":
			return cli.Usagef("%s is a layer on the archive %s, without which nobody can use all of it: name that file with "+
				"--base, or make one archive of both with profarc merge %s --flatten BASE -o NAME.parc", path, base.ID(), path)
		case !layer && basePath != "":
			return cli.Usagef("%s is no layer: leave out --base %s", path, basePath)
		case !layer:
			return f(s, nil)
		}
		return a.WithStore(ctx, basePath, func(b *reader.Store) error {
			if _, err := reader.NewLayers(s, b); err != nil {
				return err
			}
			return f(s, b)
		})
	})
}

// A pulledBase is the base of a pulled layer.
type pulledBase struct {
	Archive string `json:"archive"`
	There   bool   `json:"was_there"` // the file already had these bytes, so nothing was downloaded
}

// basePath returns the path where the base of a layer is written.
func (o *pullOptions) basePath() string {
	return cmp.Or(o.base, strings.TrimSuffix(o.out, cli.ArchiveExtension)+".base"+cli.ArchiveExtension)
}

// placeBase writes the base of a downloaded layer, if it has one. The base must be published before the layer. A JVM
// that starts between the two finds an old layer with a new base, and adopts the layer alone.
func (p *puller) placeBase(ctx context.Context, a *cli.App, c *artifact.Archive, layer string, got *pulled) error {
	if c.Base == nil {
		return nil
	}
	path := p.o.basePath()
	got.Base = &pulledBase{path, artifact.IsAt(ctx, path, *c.Base)}
	if got.Base.There {
		return fitsOn(layer, path, got)
	}
	return publish.At(ctx, path, func(f *publish.File) error {
		if err := p.download(ctx, a, c, *c.Base, f); err != nil {
			return err
		}
		return cmp.Or(verifyArchive(ctx, f.Path(), path, got, func(*reader.Store) error { return nil }),
			fitsOn(layer, f.Path(), got))
	})
}

// fitsOn returns an error unless the archive at a path is the base of a layer.
func fitsOn(layer, base string, got *pulled) error {
	l, err := reader.OpenLayers(archive.Options{}, layer, base)
	if err != nil {
		return unsoundError(got, err, strings.NewReplacer(layer, got.Archive, base, got.Base.Archive))
	}
	return l.Close()
}

// unsoundError returns the error for a pulled archive that is damaged. names replaces the names of temporary files in
// err.
func unsoundError(got *pulled, err error, names *strings.Replacer) error {
	return fmt.Errorf("%s: what was pushed is no sound archive: %s: push it again", got.Reference,
		names.Replace(err.Error()))
}

// lacksBase returns a misfit if an archive is a layer that was pushed without its base.
func lacksBase(s *reader.Store, base *ocispec.Descriptor) error {
	wants, layer, err := s.Base()
	if err == nil && layer && base == nil {
		err = misfitf("it is a layer on the archive %s, which was not pushed with it: push it again with --base", wants.ID())
	}
	return err
}
