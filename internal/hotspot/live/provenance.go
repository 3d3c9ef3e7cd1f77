package live

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/java/classfile"
	"github.com/profarc/profarc/internal/system/compartment"
	"github.com/profarc/profarc/internal/system/secrets"
	"github.com/profarc/profarc/layout"
)

// Provenance describes the run of the process without secrets: how it was started, as far as the system and the VM
// know. The content of the class path is not read: see Report.Describe. Unknown fields are empty.
func (vm *VM) Provenance(ctx context.Context) layout.Provenance {
	if vm.run != nil {
		return vm.run.Provenance
	}
	doing := func() string { return "read how a JVM was started" }
	known, err := readLimited(ctx, vm.p, doing, func(m *meter) (k knownRun, err error) {
		k.origin = &origin{}
		if p, ok := vm.p.(interface{ readOrigin() *origin }); ok {
			k.origin = p.readOrigin()
		}
		k.Provenance = vm.buildProvenance(newPageCache(vm.p, m), k.origin)
		return k, nil
	})
	if err != nil {
		known = knownRun{layout.Provenance{VM: vm.info}, &origin{}}
	}
	vm.run = &known
	return known.Provenance
}

type knownRun struct {
	layout.Provenance
	origin *origin
}

func (vm *VM) buildProvenance(mem source, o *origin) layout.Provenance {
	a := vm.readArguments(mem)
	texts := vm.perfTexts(mem)
	return layout.Provenance{Process: o.process, Begun: o.begun,
		VM: vm.info, Vendor: texts["java.property.java.vm.vendor"], Main: mainArgument(a.command, o.argv),
		Command:   commandLine(secrets.MaskUnknown(secrets.Mask(o.argv), vm.knowsOption)),
		Options:   commandLine(secrets.MaskUnknown(secrets.MaskOptions(hiddenOptions(a.options, o.argv)), vm.knowsOption)),
		ClassPath: vm.classPathEntries(mem, texts, &o.launch, a.options)}
}

// knowsOption reports whether a VM has a flag with a name, or takes an option file by it.
func (vm *VM) knowsOption(name string) bool {
	_, known := vm.flags[name]
	return known || name == "Flags" || name == "VMOptionsFile"
}

func hiddenOptions(options, argv []string) (hidden []string) {
	on := map[string]bool{}
	for i, arg := range argv {
		on[arg] = true
		if i > 0 { // the launcher passes "--name value" on as "--name=value"
			on[argv[i-1]+"="+arg] = true
		}
	}
	for _, o := range options {
		served := strings.HasPrefix(o, "-agentpath:") && strings.Contains(o, "=serve=") // added by train
		if !on[o] && !served && !slices.Contains(hidden, o) {
			hidden = append(hidden, o)
		}
	}
	return hidden
}

// unknownProcess is the PID of an unknown process, which has no meaning without a boot id.
const unknownProcess = 1
const maxCommandLine = 1 << 16

func commandLine(args []string) string {
	line := secrets.JoinWords(args)
	if len(line) > maxCommandLine {
		line = line[:maxCommandLine] + "..."
	}
	return line
}

// Describe records the run and the content of its class path in the builder of a dump. Further calls do nothing. The
// process need not exist any more, unless it has its own files. contents caches files that are on several class paths.
func (r *Report) Describe(ctx context.Context, b *builder.Builder, contents *Contents) {
	if r.described {
		return
	}
	r.described = true
	r.Run.ClassPath = contents.readClassPath(ctx, r.origin, r.Run.ClassPath)
	run := r.Run
	if !run.Process.Known() {
		run.Process.PID = unknownProcess // the dumped process is not this one
	}
	b.Internal().DescribeRun(run)
}

// The VM has a table of measurements and properties for jstat and jcmd, PerfMemory. Only its texts are read here. A
// VM may run without it.
//
//	prologue, 32 bytes: u32 magic, u8 byte order, ..., i32 entry offset at 24, i32 number of entries at 28
//	entry: i32 length, i32 name offset, i32 vector length, u8 type, u8 flags, u8 unit, u8 variability, i32 data offset
const (
	perfMagic    = 0xc0c0feca // as stored on a little-endian machine
	perfPrologue = 32
	perfEntry    = 20
	perfByte     = 'B' // type of a text's bytes
	maxPerfData  = 1 << 20
)

func (vm *VM) perfTexts(mem source) map[string]string {
	texts := map[string]string{}
	start, ok1 := vm.staticWord(mem, "PerfMemory::_start")
	top, ok2 := vm.staticWord(mem, "PerfMemory::_top")
	if !ok1 || !ok2 || start == 0 || top-start < perfPrologue || top-start > maxPerfData {
		return texts
	}
	b, err := mem.readBytes(start, int(top-start))
	if err != nil || le.Uint32(b) != perfMagic {
		return texts
	}
	rest := b[min(le.Uint32(b[24:]), uint32(len(b))):]
	for len(rest) >= perfEntry {
		length := le.Uint32(rest)
		if length < perfEntry || length > uint32(len(rest)) {
			break
		}
		if name, text, ok := parsePerfText(rest[:length]); ok {
			texts[name] = text
		}
		rest = rest[length:]
	}
	return texts
}

func parsePerfText(e []byte) (name, text string, ok bool) {
	at := le.Uint32(e[4:])
	n := le.Uint32(e[8:])
	data := le.Uint32(e[16:])
	size := uint32(len(e))
	if n == 0 || e[12] != perfByte || at > size || data > size || n > size-data {
		return "", "", false
	}
	return textUntilNUL(e[at:]), textUntilNUL(e[data : data+n]), true
}

func (vm *VM) staticWord(mem source, name string) (v uint64, ok bool) {
	f, ok := vm.tables.fields[name]
	if !ok || !f.static || vm.tables.contradictory[name] {
		return 0, false
	}
	v, err := wordAt(mem, f.addr)
	return v, err == nil
}

// maxEntries limits the entries of a class path.
const maxEntries = 1 << 13

// perfCut is the default length at which the VM truncates texts of its PerfMemory (PerfMaxStringConstLength).
const perfCut = 1024

// classPathEntries returns the entries of the class path, then of the module path, as spelled by the VM and without
// content; nil if unknown.
//
// PerfMemory truncates long class paths. The full path then comes from the arguments of the process, if it begins
// with the truncated one.
func (vm *VM) classPathEntries(mem source, texts map[string]string, l *launch,
	options []string) []layout.ClassPathEntry {
	classPath, known := texts["java.property.java.class.path"]
	limit, ok := vm.flags["PerfMaxStringConstLength"].readValue(mem)
	if !ok || limit <= 0 {
		limit = perfCut
	}
	if !known || int64(len(classPath)) >= limit {
		cut := classPath
		classPath, known = l.classPath()
		known = known && strings.HasPrefix(classPath, cut)
		if !known {
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
			all = append(all,
				layout.ClassPathEntry{Path: cmp.Or(entry, "."), Content: layout.Content{Kind: disk.ContentUnknown}})
		}
	}
	return all
}

func modulePath(options []string) (path string) {
	for _, o := range options {
		if value, ok := strings.CutPrefix(o, "--module-path="); ok {
			path = value
		}
	}
	return path
}

// Contents caches the content of files on several class paths. The zero value is empty. Goroutines can share it.
type Contents struct {
	mu    sync.Mutex
	known map[fileVersion]layout.Content
}

// contentTime limits the time for reading a class path. The content of remaining entries is unknown.
const contentTime = 20 * time.Second

// readClassPath returns a class path with the content of its entries. Each jar is followed by the entries of its
// manifest. Paths are as the process sees them.
func (c *Contents) readClassPath(ctx context.Context, o *origin,
	classPath []layout.ClassPathEntry) []layout.ClassPathEntry {
	if classPath == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, contentTime)
	defer cancel()
	// Opening a file may block, since it may be on a file system that the process itself provides.
	doing := func() string { return "read the class path of a JVM" }
	all, err := compartment.RunUntil(ctx, doing, func() ([]layout.ClassPathEntry, error) {
		return c.readEntries(ctx, o, classPath), nil
	})
	if err != nil {
		return classPath // contents are unknown
	}
	return all
}

func (c *Contents) readEntries(ctx context.Context, o *origin,
	classPath []layout.ClassPathEntry) []layout.ClassPathEntry {
	all := []layout.ClassPathEntry{}
	seen := map[string]bool{}
	var add func(path string)
	add = func(path string) {
		at := o.absolutePath(path)
		if seen[at] || len(all) >= maxEntries {
			return
		}
		seen[at] = true
		content := c.readContent(ctx, o, at)
		all = append(all, layout.ClassPathEntry{Path: path, Content: content})
		if content.Kind != disk.ContentFile || o.root != "" || ctx.Err() != nil {
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

func (c *Contents) readContent(ctx context.Context, o *origin, path string) layout.Content {
	at, version, done, err := o.openPath(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return layout.Content{Kind: disk.ContentMissing}
	case err != nil:
		return layout.Content{Kind: disk.ContentUnknown}
	}
	defer done()
	c.mu.Lock()
	content, ok := c.known[version]
	c.mu.Unlock()
	if ok {
		return content
	}
	content = archive.SumContent(ctx, at)
	if content.Kind == disk.ContentFile {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.known == nil {
			c.known = map[fileVersion]layout.Content{}
		}
		c.known[version] = content
	}
	return content
}

type fileVersion struct {
	device, inode          uint64
	size, written, changed int64
}

func (o *origin) absolutePath(path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(o.dir, path)
	}
	return filepath.Clean(path)
}
