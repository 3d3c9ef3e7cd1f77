package classfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

type classSource interface {
	// appendFiles appends the files of a class that a JVM of a release may load. The file of the JDK's loaders is first.
	appendFiles(files []classFile, class string, release int) []classFile
	io.Closer
}

// A classFile is a file that may contain a class. If it does not exist, the error of read matches fs.ErrNotExist.
type classFile interface {
	readFile() ([]byte, error)
	fileName() string // path for error messages
}

// A Path finds class files in folders, jars, .jmod files, and the lib/modules of a JDK.
type Path struct {
	sources []classSource
	release int // release of the JVM, 0 if unknown
	missing []string
	cache   cache

	packages map[string]bool // packages of the classes of Names; built on first use
}

// objectClass is a class that only a JDK has.
const objectClass = "java/lang/Object"

// SplitPath returns the elements of a class path. As in java, an empty element is the current folder.
func SplitPath(text string) []string {
	path := filepath.SplitList(text)
	for i, element := range path {
		path[i] = cmp.Or(element, ".")
	}
	return path
}

// Open opens a class path of folders, jars, .jmod files, wildcards (folder/*), homes of JDKs, and lib/modules.
// Additions of a jar's manifest follow the jar. Libraries in an application's jar (lib, BOOT-INF, WEB-INF) are opened
// too. Missing elements are skipped as by a JVM, unless all are missing. See Missing.
//
// A class in a multi-release jar has files for several releases. The release is that of the JDK on the path, else the
// given release, 0 if unknown.
//
// The error matches ErrTooLarge if the class path exceeds a limit.
func Open(paths []string, release int) (*Path, error) {
	o := &opener{budget: newBudget(), opened: map[string]bool{}}
	var missing error
	for _, element := range paths {
		err := o.openElement(element)
		if errors.Is(err, fs.ErrNotExist) {
			o.path.missing, missing = append(o.path.missing, element), cmp.Or(missing, err)
			err = nil
		}
		if err != nil {
			o.path.Close()
			return nil, err
		}
	}
	if len(o.path.sources) == 0 && missing != nil {
		return nil, missing
	}
	o.path.release = release
	if c, err := o.path.Class(objectClass); err == nil && c != nil && c.Release() > 0 {
		o.path.release = c.Release()
	}
	return &o.path, nil
}

type opener struct {
	path   Path
	budget *budget
	opened map[string]bool // files and folders opened before, by path without symbolic links
}

func (o *opener) openElement(element string) error {
	parts, err := expandWildcards([]string{element})
	for _, part := range parts {
		err = cmp.Or(err, o.openFile(part))
	}
	return err
}

func (o *opener) openFile(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() && !info.Mode().IsRegular() { // reading a pipe would wait for its writer
		return fmt.Errorf("%s: it is a device or a pipe: name a folder or a jar", path)
	}
	if o.wasOpened(path) {
		return nil
	}
	modules := filepath.Join(path, "lib", "modules")
	switch {
	case !info.IsDir() && filepath.Base(path) == "modules":
		return o.addImage(path)
	case !info.IsDir():
		return o.addJar(path)
	}
	if info, err := os.Stat(modules); err == nil && !info.IsDir() {
		return o.addImage(modules)
	}
	return o.addFolder(path)
}

func (o *opener) wasOpened(path string) bool {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	was := o.opened[path]
	o.opened[path] = true
	return was
}

func (o *opener) addSource(s classSource) { o.path.sources = append(o.path.sources, s) }

func (o *opener) addImage(path string) error {
	m, err := openImage(path)
	if err == nil {
		o.addSource(m)
	}
	return err
}

func (o *opener) addFolder(path string) error {
	err := o.budget.takeJar()
	if err == nil {
		o.addSource(folder(path))
	}
	return err
}

// addJar adds a jar, and then the additions of its manifest depth first, as a JVM does.
func (o *opener) addJar(path string) error {
	j, err := o.openJar(path)
	if err != nil {
		return err
	}
	o.addSource(j)
	for rest := manifestLinks(j); len(rest) > 0; {
		more, err := o.followLink(rest[0])
		if err != nil {
			return fmt.Errorf("from the manifest of %s: %w", path, err)
		}
		rest = append(more, rest[1:]...)
	}
	return nil
}

func (p *Path) Missing() []string { return p.missing }

func (p *Path) Close() {
	for _, s := range p.sources {
		_ = s.Close()
	}
}

// Class returns a class from the first source that has it, nil if none has. The error names a malformed file.
func (p *Path) Class(name string) (*File, error) {
	files := p.candidateFiles(name)
	for i := range files {
		if f, err := p.cache.parseCached(name, &files[i]); f != nil || err != nil {
			return f, err
		}
	}
	return nil, nil
}

// AllClasses returns the class files with a name from all sources, in path order, because a program's class loader can
// load any of them. Malformed files are skipped. It fails if all files are malformed.
func (p *Path) AllClasses(name string) (all []*File, err error) {
	files := p.candidateFiles(name)
	for i := range files {
		f, failed := p.cache.parseCached(name, &files[i])
		if f != nil {
			all = append(all, f)
		} else if err == nil {
			err = failed
		}
	}
	if len(all) > 0 {
		err = nil
	}
	return all, err
}

func (p *Path) candidateFiles(class string) []cached {
	files, known := p.cache.classes[class]
	if known {
		return files
	}
	var found []classFile
	for _, s := range p.sources {
		found = s.appendFiles(found, class, p.release)
	}
	for _, f := range found {
		files = append(files, cached{file: f})
	}
	p.cache.keepFiles(class, files)
	return files
}

// Names calls yield with the names of all classes in jars and folders, possibly more than once. It omits the classes of
// a JDK.
func (p *Path) Names(yield func(class string) bool) {
	for _, s := range p.sources {
		if s, ok := s.(interface {
			names(yield func(class string) bool) bool
		}); ok && !s.names(yield) {
			return
		}
	}
}

func (p *Path) HasImage() bool {
	return slices.ContainsFunc(p.sources, func(s classSource) bool { _, is := s.(*image); return is })
}

func (p *Path) HasPackage(class string) bool {
	if p.packages == nil {
		p.packages = map[string]bool{}
		p.Names(func(class string) bool { p.packages[path.Dir(class)] = true; return true })
	}
	return p.packages[path.Dir(class)]
}

// readSound reads and parses a class's file; c is nil if there is none. size is the bytes read, even after an error.
func readSound(f classFile, class string) (c *File, size int, err error) {
	b, err := f.readFile()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err == nil {
		c, err = Parse(b)
	}
	if err == nil && c.Name != class {
		err = fmt.Errorf("%w: it is of class %s", ErrClassFile, c.Name)
	}
	if err != nil {
		return nil, len(b), fmt.Errorf("%s: %w", f.fileName(), withoutPath(err))
	}
	return c, len(b), nil
}

func withoutPath(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

func readClass(in io.Reader) ([]byte, error) { return readLimited(in, ErrClassFile) }

// readLimited reads a file. The error matches tooLarge if the file exceeds the limit.
func readLimited(in io.Reader, tooLarge error) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(in, maxFileSize+1))
	if err == nil && len(b) > maxFileSize {
		err = fmt.Errorf("%w: more than %d bytes", tooLarge, maxFileSize)
	}
	return b, err
}

// Limits of a cache. Callers go from class to class, so older ones are rarely used again.
const (
	maxCached        = 1 << 24 // size of class files in bytes
	maxCachedClasses = 1 << 16
)

type cache struct {
	classes map[string][]cached
	bytes   int
	total   int64 // total size in bytes of all class files read
}

type cached struct {
	file   classFile
	read   bool
	parsed *File // nil if missing or malformed
	err    error
}

func (c *cache) keepFiles(class string, files []cached) {
	if c.classes == nil || len(c.classes) >= maxCachedClasses || c.bytes > maxCached {
		c.classes = map[string][]cached{}
		c.bytes = 0
	}
	c.classes[class] = files
}

func (c *cache) parseCached(class string, f *cached) (*File, error) {
	switch {
	case f.read:
	case c.total > maxRead:
		f.err = fmt.Errorf("%s: %w: over %d bytes of class files were read: name fewer", f.file.fileName(), ErrTooLarge,
			int64(maxRead))
	default:
		var size int
		f.parsed, size, f.err = readSound(f.file, class)
		c.bytes += size
		c.total += int64(size)
	}
	f.read = true
	return f.parsed, f.err
}

var ErrTooLarge = errors.New("more than can be looked through")

// Limits of one class path.
const (
	maxJars      = 1 << 14 // jars and folders, including nested jars and additions of manifests
	maxDirectory = 1 << 26 // bytes in directories of jars
	maxUnpacked  = 1 << 29 // bytes of compressed nested jars
	maxNesting   = 3       // levels of nested jars
	maxFileSize  = 1 << 24 // bytes of one class or source file
	maxRead      = 1 << 31 // bytes of all class files read, uncompressed
)

type budget struct {
	jars                int
	directory, unpacked int64
}

func newBudget() *budget { return &budget{maxJars, maxDirectory, maxUnpacked} }

func (b *budget) takeJar() error {
	if b.jars--; b.jars < 0 {
		return fmt.Errorf("%w: over %d jars and folders: name fewer", ErrTooLarge, maxJars)
	}
	return nil
}

type meteredReader struct {
	io.ReaderAt
	left *int64
}

func (m *meteredReader) ReadAt(b []byte, at int64) (n int, err error) {
	if m.left == nil { // directory read
		return m.ReaderAt.ReadAt(b, at)
	}
	n, err = m.ReaderAt.ReadAt(b, at)
	if *m.left -= int64(n); *m.left < 0 {
		return n, fmt.Errorf("%w: the jars' lists of files are over %d bytes: name fewer jars", ErrTooLarge, maxDirectory)
	}
	return n, err
}
