package classfile

import (
	"archive/zip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

type Sources struct{ containers []sourceContainer }

// A sourceContainer is a folder or zip file of source files. It has a folder for each package, or a folder of packages
// for each module.
type sourceContainer struct {
	fs.FS
	name string
	in   *os.File // nil for a folder
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
	s.containers = append(s.containers, sourceContainer{FS: os.DirFS(place), name: place})
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
	s.containers = append(s.containers, sourceContainer{z, name, in})
	return nil
}

func listSources(o *opener, name string, in *os.File) (*zip.Reader, error) {
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	if err := o.budget.takeJar(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	head := make([]byte, len(jmodHeader))
	_, _ = in.ReadAt(head, 0)
	return o.readDirectory(name, in, info.Size(), head)
}

func (s *Sources) Close() {
	for _, c := range s.containers {
		_ = c.in.Close() // an error for a folder
	}
}

// Find returns path and text of a class's source file. file is "" if it is missing. The error names an unreadable file.
func (s *Sources) Find(class *File) (file string, text []byte, err error) {
	for _, name := range sourceNames(class.Name, class.SourceFile()) {
		for _, c := range s.containers {
			text, file, err := c.readSource(name)
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

// readSource returns the text and path of a file with a verified name. If it is missing, the error matches
// fs.ErrNotExist.
func (c *sourceContainer) readSource(name string) (text []byte, file string, err error) {
	text, file, err = c.readRegular(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return text, file, err
	}
	modules, _ := fs.ReadDir(c, ".")
	for _, m := range modules {
		if !m.IsDir() {
			continue
		}
		if text, below, err := c.readRegular(m.Name() + "/" + name); !errors.Is(err, fs.ErrNotExist) {
			return text, below, err
		}
	}
	return nil, file, fs.ErrNotExist
}

// readRegular reads a regular file. Others are missing, since reading a pipe would block.
func (c *sourceContainer) readRegular(name string) (text []byte, file string, err error) {
	file = c.name + "!/" + name
	if c.in == nil {
		file = filepath.Join(c.name, filepath.FromSlash(name))
	}
	info, err := fs.Stat(c, name)
	if err != nil && c.in == nil || err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, file, err
	}
	in, err := c.Open(name)
	if err != nil {
		return nil, file, err
	}
	defer in.Close()
	text, err = readLimited(in, ErrTooLarge)
	return text, file, err
}
