package classfile

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxFileSize bounds the memory for one class file.
const maxFileSize = 1 << 26

// A classSource gives the bytes of class files; ok is false if it does not have
// the class.
type classSource interface {
	read(class string) (b []byte, ok bool, err error)
	io.Closer
}

// A Path finds class files in folders, jars, and the lib/modules of a JDK.
type Path struct {
	sources []classSource
	found   map[string]*File // nil for a class that is in none
}

// Open opens what a class path names: folders, jars, and homes of JDKs
// or their lib/modules.
func Open(paths []string) (*Path, error) {
	p := &Path{found: map[string]*File{}}
	for _, path := range paths {
		s, err := openClassSource(path)
		if err != nil {
			p.Close()
			return nil, err
		}
		p.sources = append(p.sources, s)
	}
	return p, nil
}

func openClassSource(path string) (classSource, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir() && filepath.Base(path) == "modules":
		return openImage(path)
	case !info.IsDir():
		return openJar(path)
	}
	modules := filepath.Join(path, "lib", "modules")
	if info, err := os.Stat(modules); err == nil && !info.IsDir() {
		return openImage(modules)
	}
	return folder(path), nil
}

// Close closes the files.
func (p *Path) Close() {
	for _, s := range p.sources {
		_ = s.Close()
	}
}

// Class finds a class; nil if it is in none of the sources.
func (p *Path) Class(name string) (*File, error) {
	if c, ok := p.found[name]; ok {
		return c, nil
	}
	p.found[name] = nil
	for _, s := range p.sources {
		b, ok, err := s.read(name)
		if err != nil {
			return nil, fmt.Errorf("class %s: %w", name, err)
		}
		if !ok {
			continue
		}
		c, err := Parse(b)
		if err == nil && c.Name != name {
			err = fmt.Errorf("%w: it is of class %s", ErrClassFile, c.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("class %s: %w", name, err)
		}
		p.found[name] = c
		return c, nil
	}
	return nil, nil
}

// local reports whether a class name leads nowhere but into its own folder.
func local(class string) bool {
	return filepath.IsLocal(filepath.FromSlash(class)) && !strings.ContainsAny(class, "\\\x00")
}

// A folder has a file for each class.
type folder string

func (f folder) read(class string) ([]byte, bool, error) {
	if !local(class) {
		return nil, false, nil
	}
	in, err := os.Open(filepath.Join(string(f), filepath.FromSlash(class)+".class"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer in.Close()
	return readClass(in)
}

func (folder) Close() error { return nil }

func readClass(in io.Reader) ([]byte, bool, error) {
	b, err := io.ReadAll(io.LimitReader(in, maxFileSize+1))
	if err == nil && len(b) > maxFileSize {
		err = fmt.Errorf("%w: more than %d bytes", ErrClassFile, maxFileSize)
	}
	return b, err == nil, err
}

// A jar is a zip file of class files.
type jar struct {
	*zip.ReadCloser
	files map[string]*zip.File
}

func openJar(path string) (*jar, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, fmt.Errorf("%s: neither a folder nor a jar: %w", path, err)
	}
	j := &jar{z, map[string]*zip.File{}}
	for _, f := range z.File {
		if _, ok := j.files[f.Name]; !ok {
			j.files[f.Name] = f
		}
	}
	return j, nil
}

func (j *jar) read(class string) ([]byte, bool, error) {
	f, ok := j.files[class+".class"]
	if !ok {
		return nil, false, nil
	}
	in, err := f.Open()
	if err != nil {
		return nil, false, err
	}
	defer in.Close()
	return readClass(in)
}
