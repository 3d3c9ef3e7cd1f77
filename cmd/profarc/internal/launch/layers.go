package launch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/layers"
	"github.com/profarc/profarc/reader"
)

// withBase returns the archive that the agent adopts: that of the program, or one that has
// the profiles of its base too. If it does not fit on the base it is adopted alone: what it
// has is right.
func (o *runOptions) withBase(ctx context.Context, a *app.App) (string, error) {
	whole, err := "", error(nil)
	if o.base == "" {
		err = a.WithStore(ctx, o.archive, func(s *reader.Store) error {
			_, err := reader.NewLayers(s)
			return err
		})
		whole = o.archive
	} else {
		whole, err = o.putTogether(ctx, a)
	}
	if err == nil {
		return whole, nil
	}
	if o.strict || ctx.Err() != nil {
		return "", err
	}
	if !o.quiet {
		fmt.Fprintf(a.ErrOut, "profarc: only %s is adopted, without what it left to its base: %s\n", o.archive, app.Message(err))
	}
	return o.archive, nil
}

// putTogether returns the archive of the user's cache that has the profiles of the program's
// and of its base. It is made at the first start, and again once one of the two has changed:
// its name has the sums of both.
func (o *runOptions) putTogether(ctx context.Context, a *app.App) (path string, err error) {
	folder, err := cacheOfLayers()
	if err != nil {
		return "", err
	}
	err = layers.With(ctx, a, o.archive, o.base, func(stores []*reader.Store) error {
		path = filepath.Join(folder, fmt.Sprintf("%016x-%016x%s", stores[0].Header().Sum, stores[1].Header().Sum, app.ArchiveExtension))
		if isMade(a, path) {
			return nil
		}
		b, err := layers.Flat(ctx, stores)
		if err != nil {
			return err
		}
		_, err = b.Commit(ctx, path)
		return err
	})
	if err == nil {
		removeUnused(folder)
	}
	return path, err
}

// cacheOfLayers returns the folder of what was put together, which is the user's alone.
func cacheOfLayers() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("there is no folder for what is put together: set HOME or XDG_CACHE_HOME (%w)", err)
	}
	folder := filepath.Join(cache, "profarc", "layers")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("%w: set XDG_CACHE_HOME to a folder that can be written", err)
	}
	return folder, nil
}

// isMade reports whether an archive is there, and notes that it is in use. The agent checks
// each of its pages.
func isMade(a *app.App, path string) bool {
	s, err := a.OpenStore(path)
	if err != nil {
		return false
	}
	now := time.Now()
	return errors.Join(s.Close(), os.Chtimes(path, now, now)) == nil
}

// unusedFor is how long an archive that was put together stays without a start that uses it.
const unusedFor = 30 * 24 * time.Hour

// removeUnused removes archives that no start has used for long. A file that cannot be
// removed stays.
func removeUnused(folder string) {
	old, _ := filepath.Glob(filepath.Join(folder, "*"+app.ArchiveExtension))
	for _, path := range old {
		if info, err := os.Stat(path); err == nil && info.Mode().Type() == fs.FileMode(0) && time.Since(info.ModTime()) > unusedFor {
			_ = os.Remove(path)
		}
	}
}
