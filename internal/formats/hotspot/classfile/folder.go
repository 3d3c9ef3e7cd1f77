package classfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// extension is that of class files.
const extension = ".class"

// A folder has a file for each class.
type folder string

func (f folder) read(class string) ([]byte, bool, error) {
	if !local(class) {
		return nil, false, nil
	}
	in, err := os.Open(f.fileOf(class))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer in.Close()
	return readClass(in)
}

func (f folder) fileOf(class string) string {
	return filepath.Join(string(f), filepath.FromSlash(class)+extension)
}

func (folder) Close() error { return nil }

// local reports whether a class name leads nowhere but into its own folder.
func local(class string) bool {
	return filepath.IsLocal(filepath.FromSlash(class)) && !strings.ContainsAny(class, "\\\x00")
}

// Wildcard reports whether a part of a class path names all jars of a folder, as
// lib/* does.
func Wildcard(path string) bool { return filepath.Base(path) == "*" }

// expand puts the jars that wildcards name in their place, in the order of their
// names.
func expand(paths []string) (all []string, err error) {
	for _, p := range paths {
		if !Wildcard(p) {
			all = append(all, p)
			continue
		}
		jars, err := jarsIn(filepath.Dir(p))
		if err != nil {
			return nil, err
		}
		if len(jars) == 0 {
			return nil, fmt.Errorf("%s: there is no jar in %s: name a folder that has some", p, filepath.Dir(p))
		}
		all = append(all, jars...)
	}
	return all, nil
}

// jarsIn are the jars in a folder, not those in folders in it.
func jarsIn(dir string) (jars []string, err error) {
	files, err := os.ReadDir(dir)
	for _, f := range files {
		if !f.IsDir() && strings.EqualFold(filepath.Ext(f.Name()), ".jar") {
			jars = append(jars, filepath.Join(dir, f.Name()))
		}
	}
	return jars, err
}
