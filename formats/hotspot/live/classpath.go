package live

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/compartment"
	"github.com/profarc/profarc/internal/jvm/classfile"
	"github.com/profarc/profarc/layout"
)

// maxEntries bounds the entries of a class path.
const maxEntries = 1 << 13

// perfCut is the length at which the VM cuts texts of its PerfMemory
// (PerfMaxStringConstLength).
const perfCut = 1024

// entries are the entries of the class path, then those of the module path, in
// the VM's own spelling; nil if it is not known. Their content is not read yet.
//
// The VM's PerfMemory has the class path as the VM was given it, cut off where it
// is long. What the arguments of the process say is held against that.
func (vm *VM) entries(mem source, texts map[string]string, l *launch, options []string) []layout.ClassPathEntry {
	classPath, known := texts["java.property.java.class.path"]
	limit, ok := vm.flags["PerfMaxStringConstLength"].value(mem)
	if !ok || limit <= 0 {
		limit = perfCut
	}
	if !known || int64(len(classPath)) >= limit {
		cut := classPath
		classPath, known = l.classPath()
		if known = known && strings.HasPrefix(classPath, cut); !known {
			return nil
		}
	}
	all := []layout.ClassPathEntry{}
	for _, paths := range []string{classPath, modulePath(options)} {
		for entry := range strings.SplitSeq(paths, ":") {
			if paths == "" {
				break
			}
			if len(all) >= maxEntries {
				return nil
			}
			if entry == "" {
				entry = "."
			}
			all = append(all, layout.ClassPathEntry{Path: entry, Content: layout.Content{Kind: layout.ContentUnknown}})
		}
	}
	return all
}

// modulePath is the module path among the VM's options.
func modulePath(options []string) (path string) {
	for _, o := range options {
		if value, ok := strings.CutPrefix(o, "--module-path="); ok {
			path = value
		}
	}
	return path
}

// Contents knows what files hold that were read before, so that each is read once
// however many class paths it is on. The zero value knows nothing. Goroutines may
// share it.
type Contents struct {
	mu    sync.Mutex
	known map[fileVersion]layout.Content
}

// contentTime bounds the reading of a class path: what is not read then is not
// known.
const contentTime = 20 * time.Second

// read returns a class path with the content of its entries, and after each jar
// what its manifest adds to it. Names are those of the process.
func (c *Contents) read(ctx context.Context, o *origin, classPath []layout.ClassPathEntry) []layout.ClassPathEntry {
	if classPath == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, contentTime)
	defer cancel()
	// Opening a file can be made to block: it may be on a file system of the
	// process's own.
	doing := func() string { return "read the class path of a JVM" }
	all, err := compartment.RunUntil(ctx, doing, func() ([]layout.ClassPathEntry, error) { return c.readAll(ctx, o, classPath), nil })
	if err != nil {
		return classPath // its contents are not known
	}
	return all
}

func (c *Contents) readAll(ctx context.Context, o *origin, classPath []layout.ClassPathEntry) []layout.ClassPathEntry {
	all := []layout.ClassPathEntry{}
	seen := map[string]bool{}
	var add func(path string)
	add = func(path string) {
		at := o.resolve(path)
		if seen[at] || len(all) >= maxEntries {
			return
		}
		seen[at] = true
		content := c.of(ctx, o, at)
		all = append(all, layout.ClassPathEntry{Path: path, Content: content})
		if content.Kind != layout.ContentFile || o.root != "" || ctx.Err() != nil {
			return
		}
		for _, linked := range classfile.ManifestClassPath(at) {
			add(linked)
		}
	}
	for _, e := range classPath {
		add(e.Path)
	}
	return all
}

// of returns the content of a file or directory of the process.
func (c *Contents) of(ctx context.Context, o *origin, path string) layout.Content {
	at, version, done, err := o.open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return layout.Content{Kind: layout.ContentMissing}
	case err != nil:
		return layout.Content{Kind: layout.ContentUnknown}
	}
	defer done()
	c.mu.Lock()
	content, ok := c.known[version]
	c.mu.Unlock()
	if ok {
		return content
	}
	content = archive.SumContent(ctx, at)
	if content.Kind == layout.ContentFile {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.known == nil {
			c.known = map[fileVersion]layout.Content{}
		}
		c.known[version] = content
	}
	return content
}

// A fileVersion tells a file from others, and from itself after a change.
type fileVersion struct {
	device, inode          uint64
	size, written, changed int64
}

// resolve makes a path of the process absolute.
func (o *origin) resolve(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(o.dir, path)
	}
	return filepath.Clean(path)
}
