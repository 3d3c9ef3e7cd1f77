package classfile

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

type Sources struct{ containers []sourceContainer }

// A sourceContainer is a folder or zip file of source files. read returns the text and path of a file with a verified
// name; the error matches fs.ErrNotExist if it is missing.
type sourceContainer interface {
	readSource(name string) (text []byte, file string, err error)
	io.Closer
}

// OpenSources opens a source path. It may contain folders with a folder for each package or module, jars and zip files
// of sources, wildcards (folder/*), and homes of JDKs, whose sources are in lib/src.zip. Sources next to the class path
// follow, which are lib/src.zip of a JDK and app-sources.jar of app.jar.
//
// The error matches ErrTooLarge if the path exceeds a limit.
func OpenSources(sourcePath, classPath []string) (*Sources, error) {
	sourcePath, err := expandWildcards(sourcePath)
	if err != nil {
		return nil, err
	}
	s := &Sources{}
	o := &opener{budget: newBudget(), opened: map[string]bool{}}
	for _, place := range append(sourcePath, sourcesBeside(classPath)...) {
		if err := s.openSource(o, place); err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

func sourcesBeside(classPath []string) (files []string) {
	classPath, _ = expandWildcards(classPath) // opening the class path reports errors
	for _, p := range classPath {
		beside := sourceZip(p)
		if hasJarName(p) {
			beside = p[:len(p)-len(filepath.Ext(p))] + "-sources.jar"
		}
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
			files = append(files, beside)
		}
	}
	return files
}

func sourceZip(jdk string) string {
	if filepath.Base(jdk) == "modules" {
		return filepath.Join(filepath.Dir(jdk), "src.zip")
	}
	return filepath.Join(jdk, "lib", "src.zip")
}

func (s *Sources) openSource(o *opener, place string) error {
	info, err := os.Stat(place)
	if err != nil || o.wasOpened(place) {
		return err
	}
	if !info.IsDir() && !info.Mode().IsRegular() { // reading a pipe would wait for its writer
		return fmt.Errorf("%s: it is a device or a pipe: name a folder or a zip file of sources", place)
	}
	if !info.IsDir() {
		return s.openZip(o, place)
	}
	s.containers = append(s.containers, sourceFolder(place))
	if info, err := os.Stat(sourceZip(place)); err == nil && info.Mode().IsRegular() {
		return s.openZip(o, sourceZip(place))
	}
	return o.budget.takeJar()
}

func (s *Sources) openZip(o *opener, name string) error {
	in, err := os.Open(name)
	if err != nil {
		return err
	}
	z, err := listSources(o, name, in)
	if err != nil {
		_ = in.Close()
		return err
	}
	s.containers = append(s.containers, z)
	return nil
}

func listSources(o *opener, name string, in *os.File) (*sourceArchive, error) {
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	if err := o.budget.takeJar(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	head := make([]byte, len(jmodHeader))
	_, _ = in.ReadAt(head, 0)
	z, err := o.readDirectory(name, in, info.Size(), head)
	if err != nil {
		return nil, err
	}
	s := &sourceArchive{name: name, in: in, files: map[string]*zip.File{}}
	for _, f := range z.File {
		s.addFile(f.Name, f)
		if _, inModule, ok := strings.Cut(f.Name, "/"); ok {
			s.addFile(inModule, f)
		}
	}
	return s, nil
}

func (s *Sources) Close() {
	for _, p := range s.containers {
		_ = p.Close()
	}
}

// Find returns path and text of a class's source file. file is "" if there is none. The error names an unreadable file.
func (s *Sources) Find(class *File) (file string, text []byte, err error) {
	for _, name := range sourceNames(class.Name, class.SourceFile()) {
		for _, p := range s.containers {
			text, file, err := p.readSource(name)
			if err == nil {
				return file, text, nil
			}
			if !errors.Is(err, fs.ErrNotExist) {
				return "", nil, fmt.Errorf("%s: %w", file, withoutPath(err))
			}
		}
	}
	return "", nil, nil
}

// sourceNames returns the possible paths of a class's source, likeliest first. The first is in the folder of its
// package. Kotlin and Scala allow folders without leading parts of the package.
func sourceNames(class, file string) (names []string) {
	if file == "" || strings.ContainsAny(file, `/\`) || !isLocalName(file) {
		return nil
	}
	at := max(strings.LastIndexByte(class, '/'), 0)
	dir := class[:at]
	for {
		if name := path.Join(dir, file); isLocalName(name) {
			names = append(names, name)
		}
		if dir == "" || strings.HasSuffix(file, ".java") || len(names) > maxPackage {
			return names
		}
		_, dir, _ = strings.Cut(dir, "/")
	}
}

// maxPackage is the maximum number of folders to search for a source file.
const maxPackage = 16

// A sourceFolder has a folder for each package, or a folder of packages for each module.
type sourceFolder string

func (f sourceFolder) Close() error { return nil }

func (f sourceFolder) readSource(name string) (text []byte, file string, err error) {
	file = filepath.Join(string(f), filepath.FromSlash(name))
	text, err = readRegular(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return text, file, err
	}
	modules, _ := os.ReadDir(string(f))
	for _, m := range modules {
		if !m.IsDir() {
			continue
		}
		below := filepath.Join(string(f), m.Name(), filepath.FromSlash(name))
		if text, err := readRegular(below); !errors.Is(err, fs.ErrNotExist) {
			return text, below, err
		}
	}
	return nil, file, fs.ErrNotExist
}

// readRegular reads a regular file. Others are missing, since reading a pipe would block.
func readRegular(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return readLimited(in, ErrTooLarge)
}

type sourceArchive struct {
	name  string
	in    io.Closer
	files map[string]*zip.File // files by name with and without the module's folder
}

func (z *sourceArchive) Close() error { return z.in.Close() }

func (z *sourceArchive) addFile(name string, f *zip.File) {
	if _, known := z.files[name]; !known && !strings.HasSuffix(name, "/") && !strings.HasSuffix(name, extension) {
		z.files[name] = f
	}
}

func (z *sourceArchive) readSource(name string) (text []byte, file string, err error) {
	f, ok := z.files[name]
	if !ok {
		return nil, name, fs.ErrNotExist
	}
	file = z.name + "!/" + f.Name
	in, err := f.Open()
	if err != nil {
		return nil, file, err
	}
	defer in.Close()
	text, err = readLimited(in, ErrTooLarge)
	return text, file, err
}
