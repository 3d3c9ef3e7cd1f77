package classfile

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/internal/system/lists"
)

type jar struct {
	name     string
	in       io.Closer // nil for a nested jar
	classes  map[string]*zip.File
	versions map[string][]versionedFile // versions by class, in a multi-release jar
	manifest manifest
	jars     []*jar // nested jars
	module   bool   // file is a .jmod
}

type versionedFile struct {
	release int
	file    *zip.File
}

// A .jmod is a zip file after this header, with its classes in a folder.
const (
	jmodHeader  = "JM\x01\x00"
	jmodClasses = "classes/"
)

// versionsFolder has a folder for each release from firstVersioned on, in a multi-release jar.
const (
	versionsFolder = "META-INF/versions/"
	firstVersioned = 9
)

func (o *opener) openJar(name string) (*jar, error) {
	in, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := in.Stat()
	if err == nil && info.Size() == 0 {
		err = fmt.Errorf("%s: it is empty: build it again", name)
	}
	var j *jar
	if err == nil {
		j, err = o.newJar(name, in, info.Size(), 0)
	}
	if err != nil {
		_ = in.Close()
		return nil, err
	}
	j.in = in
	return j, nil
}

func (o *opener) newJar(name string, in io.ReaderAt, size int64, depth int) (*jar, error) {
	if err := o.budget.takeJar(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	j := &jar{name: name, classes: map[string]*zip.File{}}
	head := make([]byte, len(jmodHeader))
	if n, _ := in.ReadAt(head, 0); n == len(head) && string(head) == jmodHeader {
		j.module = true
		in = io.NewSectionReader(in, int64(n), size-int64(n))
		size -= int64(n)
	}
	z, err := o.readDirectory(name, in, size, head)
	if err != nil {
		return nil, err
	}
	j.manifest = manifestOf(z)
	j.addClasses(z)
	return j, o.addJars(j, z, in, depth)
}

func (o *opener) readDirectory(name string, in io.ReaderAt, size int64, head []byte) (*zip.Reader, error) {
	meter := &meteredReader{in, &o.budget.directory}
	z, err := zip.NewReader(meter, size)
	meter.left = nil
	switch {
	case err == nil:
		return z, nil
	case o.budget.directory < 0:
		return nil, fmt.Errorf("%s: %w", name, err)
	case bytes.HasPrefix(head, []byte("PK")), string(head) == jmodHeader:
		return nil, fmt.Errorf("%s: the jar is cut off or damaged (%w): copy or build it again", name, err)
	}
	return nil, fmt.Errorf("%s: neither a folder nor a jar (%w): name folders of class files, or jars", name, err)
}

// addClasses adds the class files. Of equal names the first wins. Files at the root precede classes of an application.
func (j *jar) addClasses(z *zip.Reader) {
	roots := append([]string{""}, applicationClasses...)
	if j.module {
		roots = []string{jmodClasses}
	}
	for _, root := range roots {
		for _, f := range z.File {
			if rest, ok := strings.CutPrefix(f.Name, root); ok {
				j.addFile(rest, f)
			}
		}
	}
}

func (j *jar) addFile(name string, f *zip.File) {
	class, ok := strings.CutSuffix(name, extension)
	if path, below := strings.CutPrefix(class, versionsFolder); ok && below && j.manifest.multiRelease {
		j.addVersion(path, f)
	}
	if !ok || strings.HasPrefix(class, "META-INF/") ||
		slices.ContainsFunc(applicationClasses, func(dir string) bool { return strings.HasPrefix(class, dir) }) {
		return
	}
	if _, known := j.classes[class]; !known {
		j.classes[class] = f
	}
}

func (j *jar) addVersion(path string, f *zip.File) {
	number, class, ok := strings.Cut(path, "/")
	release, err := strconv.Atoi(number)
	if !ok || err != nil || release < firstVersioned || strconv.Itoa(release) != number ||
		strings.HasPrefix(class, "META-INF/") {
		return
	}
	if j.versions == nil {
		j.versions = map[string][]versionedFile{}
	}
	all := j.versions[class]
	at, found := slices.BinarySearchFunc(all, release,
		func(v versionedFile, release int) int { return release - v.release })
	if !found {
		j.versions[class] = slices.Insert(all, at, versionedFile{release, f})
	}
}

// appendFiles appends the files of a class in the order in which a JVM of a release prefers them, without files for
// later releases. For the unknown release 0, the file for all releases comes first and those for particular releases
// follow.
func (j *jar) appendFiles(files []classFile, class string, release int) []classFile {
	base := j.classes[class]
	if base != nil && release == 0 {
		files = append(files, packedFile{j, base})
	}
	for _, v := range j.versions[class] { // latest release first
		if release == 0 || v.release <= release {
			files = append(files, packedFile{j, v.file})
		}
	}
	if base != nil && release != 0 {
		files = append(files, packedFile{j, base})
	}
	for _, inner := range j.jars {
		files = inner.appendFiles(files, class, release)
	}
	return files
}

func (j *jar) names(yield func(class string) bool) bool {
	for class := range j.classes {
		if !yield(class) {
			return false
		}
	}
	for class := range j.versions {
		if _, listed := j.classes[class]; !listed && !yield(class) {
			return false
		}
	}
	return !slices.ContainsFunc(j.jars, func(inner *jar) bool { return !inner.names(yield) })
}

type packedFile struct {
	in   *jar
	file *zip.File
}

func (z packedFile) fileName() string { return z.in.name + "!/" + z.file.Name }

func (z packedFile) readFile() ([]byte, error) {
	in, err := z.file.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return readClass(in)
}

func (j *jar) Close() error { return j.in.Close() }

// A jar may be an application with its libraries. Folders of applicationClasses hold its classes, folders of
// applicationJars its libraries.
var (
	applicationClasses = []string{"BOOT-INF/classes/", "WEB-INF/classes/"}
	applicationJars    = []string{"lib", "BOOT-INF/lib", "WEB-INF/lib", "WEB-INF/lib-provided"}
)

func (o *opener) addJars(j *jar, z *zip.Reader, in io.ReaderAt, depth int) error {
	for _, f := range z.File {
		if j.module || !slices.Contains(applicationJars, path.Dir(f.Name)) || !hasJarName(f.Name) {
			continue
		}
		name := j.name + "!/" + f.Name
		if depth >= maxNesting {
			return fmt.Errorf("%s: %w: jars are in one another, over %d deep: unpack the outer ones", name, ErrTooLarge,
				maxNesting)
		}
		held, size, err := o.openHeld(f, in)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		inner, err := o.newJar(name, held, size, depth+1)
		if err != nil {
			return err
		}
		j.jars = append(j.jars, inner)
	}
	return nil
}

func hasJarName(name string) bool { return strings.EqualFold(path.Ext(name), ".jar") }

func (o *opener) openHeld(f *zip.File, in io.ReaderAt) (io.ReaderAt, int64, error) {
	if f.Method == zip.Store {
		at, err := f.DataOffset()
		size := int64(min(f.CompressedSize64, 1<<62))
		return io.NewSectionReader(in, at, size), size, err
	}
	packed, err := f.Open()
	if err != nil {
		return nil, 0, err
	}
	defer packed.Close()
	b, err := io.ReadAll(io.LimitReader(packed, o.budget.unpacked+1))
	if o.budget.unpacked -= int64(len(b)); err == nil && o.budget.unpacked < 0 {
		err = fmt.Errorf("%w: the jars in jars have over %d bytes unpacked: unpack the outer ones, and name their folders",
			ErrTooLarge, maxUnpacked)
	}
	return bytes.NewReader(b), int64(len(b)), err
}

// manifestName is the file name of a jar's manifest. JVMs ignore its case.
const manifestName = "META-INF/MANIFEST.MF"

// maxManifest is the maximum size of a manifest in bytes.
const maxManifest = 1 << 20

type manifest struct {
	multiRelease bool     // use classes below META-INF/versions
	classPath    []string // URLs relative to the jar
}

// manifestOf reads the manifest of a jar. It is empty if it is missing or unreadable.
func manifestOf(z *zip.Reader) manifest {
	for _, f := range z.File {
		if !strings.EqualFold(f.Name, manifestName) {
			continue
		}
		in, err := f.Open()
		if err != nil {
			return manifest{}
		}
		defer in.Close()
		b, err := io.ReadAll(io.LimitReader(in, maxManifest))
		if err != nil {
			return manifest{}
		}
		return parseManifest(b)
	}
	return manifest{}
}

// parseManifest reads the main section of a manifest. Its lines are "Name: value"; a leading space continues a line.
func parseManifest(b []byte) (m manifest) {
	b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	b = bytes.ReplaceAll(b, []byte("\r"), []byte("\n"))
	b, _, _ = bytes.Cut(b, []byte("\n\n"))
	b = bytes.ReplaceAll(b, []byte("\n "), nil)
	for line := range strings.SplitSeq(string(b), "\n") {
		name, value, ok := strings.Cut(line, ": ")
		switch {
		case !ok:
		case strings.EqualFold(name, "Multi-Release"):
			m.multiRelease = strings.EqualFold(value, "true")
		case strings.EqualFold(name, "Class-Path"):
			m.classPath = strings.Fields(value)
		}
	}
	return m
}

type manifestLink struct {
	path   string
	folder bool
}

// manifestLinks returns the existing files and folders that a jar's manifest adds to the class path. A JVM resolves
// them in the
// folder of the jar itself. Other class loaders may use the folder of a symbolic link to it, which comes second.
func manifestLinks(j *jar) (all []manifestLink) {
	dirs := []string{filepath.Dir(j.name)}
	if real, err := filepath.EvalSymlinks(j.name); err == nil && filepath.Dir(real) != dirs[0] {
		dirs = []string{filepath.Dir(real), dirs[0]}
	}
	for _, entry := range j.manifest.classPath {
		for _, dir := range dirs {
			if l, ok := resolveEntry(dir, entry); ok && l.exists() {
				all = append(all, l)
				break
			}
		}
	}
	return all
}

// resolveEntry resolves an entry of a manifest's Class-Path for a jar in dir. A URL that ends in a slash names a
// folder. ok is false for entries that a JVM ignores, which are malformed URLs and other schemes.
func resolveEntry(dir, entry string) (l manifestLink, ok bool) {
	if scheme, _, found := strings.Cut(entry, ":"); found && !strings.EqualFold(scheme, "file") {
		return l, false
	}
	u, err := url.Parse(entry)
	if err != nil || u.Path == "" || u.Host != "" || strings.ContainsRune(u.Path, 0) {
		return l, false
	}
	l = manifestLink{filepath.FromSlash(u.Path), strings.HasSuffix(u.Path, "/")}
	if !strings.HasPrefix(u.Path, "/") {
		l.path = filepath.Join(dir, l.path)
	}
	return l, true
}

func (l manifestLink) exists() bool {
	info, err := os.Stat(l.path)
	return err == nil && info.IsDir() == l.folder
}

// followLink opens the target of a link and returns the links of its manifest. It ignores files that are not jars.
func (o *opener) followLink(l manifestLink) ([]manifestLink, error) {
	if o.wasOpened(l.path) {
		return nil, nil
	}
	if l.folder {
		return nil, o.addFolder(l.path)
	}
	j, err := o.openJar(l.path)
	if errors.Is(err, ErrTooLarge) {
		return nil, err
	}
	if err != nil {
		return nil, nil
	}
	o.addSource(j)
	return manifestLinks(j), nil
}

// ManifestClassPath returns the existing paths that a jar's manifest adds to the class path, nil for another file.
func ManifestClassPath(jarFile string) (paths []string) {
	in, err := os.Open(jarFile)
	if err != nil {
		return nil
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	o := &opener{budget: newBudget()}
	z, err := o.readDirectory(jarFile, in, info.Size(), nil)
	if err != nil {
		return nil
	}
	links := manifestLinks(&jar{name: jarFile, manifest: manifestOf(z)})
	return lists.Map(links, func(l manifestLink) string { return l.path })
}
