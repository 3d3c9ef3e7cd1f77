package classfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxFileSize bounds the memory for one class file.
const maxFileSize = 1 << 26

// A classSource gives the bytes of class files; ok is false if it does not have
// the class.
type classSource interface {
	read(class string) (b []byte, ok bool, err error)
	// fileOf names the file of a class, for errors.
	fileOf(class string) string
	io.Closer
}

// A Path finds class files in folders, jars, and the lib/modules of a JDK.
type Path struct {
	sources []classSource
	found   map[string]found
}

// A found is what was found of a class: neither if it is in no source.
type found struct {
	file *File
	err  error
}

// Open opens what a class path names: folders, jars, all jars of a folder
// (folder/*), and homes of JDKs or their lib/modules. Of a jar that holds an
// application with its libraries (BOOT-INF, WEB-INF), these are looked at too.
func Open(paths []string) (*Path, error) {
	paths, err := expand(paths)
	if err != nil {
		return nil, err
	}
	p := &Path{found: map[string]found{}}
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

// Class finds a class; nil if it is in none of the sources. The error names the
// file that is to blame; other classes can still be asked for.
func (p *Path) Class(name string) (*File, error) {
	f, known := p.found[name]
	if !known {
		f.file, f.err = p.find(name)
		p.found[name] = f
	}
	return f.file, f.err
}

func (p *Path) find(name string) (*File, error) {
	for _, s := range p.sources {
		b, ok, err := s.read(name)
		if err == nil && !ok {
			continue
		}
		var c *File
		if err == nil {
			c, err = Parse(b)
		}
		if err == nil && c.Name != name {
			err = fmt.Errorf("%w: it is of class %s", ErrClassFile, c.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.fileOf(name), withoutPath(err))
		}
		return c, nil
	}
	return nil, nil
}

// withoutPath is what is wrong with a file, without its path.
func withoutPath(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

func readClass(in io.Reader) ([]byte, bool, error) {
	b, err := io.ReadAll(io.LimitReader(in, maxFileSize+1))
	if err == nil && len(b) > maxFileSize {
		err = fmt.Errorf("%w: more than %d bytes", ErrClassFile, maxFileSize)
	}
	return b, err == nil, err
}
