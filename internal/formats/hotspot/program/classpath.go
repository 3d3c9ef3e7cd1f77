package program

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/profarc/profarc/fit"
	"github.com/profarc/profarc/internal/formats/hotspot/classfile"
	"github.com/profarc/profarc/layout"
)

// A ClassPath is the code of a class path.
type ClassPath struct {
	path    *classfile.Path
	jdk     bool // has a JDK's own classes
	program bool // has others
}

// OpenClassPath opens folders, jars, and homes of JDKs. Close closes them.
func OpenClassPath(paths []string) (*ClassPath, error) {
	path, err := classfile.Open(paths)
	if err != nil {
		return nil, err
	}
	c := &ClassPath{path: path}
	base, err := path.Class("java/lang/Object")
	if err != nil {
		path.Close()
		return nil, err
	}
	c.jdk = base != nil
	for _, p := range paths {
		_, err := os.Stat(filepath.Join(p, "lib", "modules"))
		c.program = c.program || err != nil && filepath.Base(p) != "modules"
	}
	return c, nil
}

// Close closes the files.
func (c *ClassPath) Close() { c.path.Close() }

// Method gives the version that the class path has of a method. Classes of the
// JDK are elsewhere if the class path has no JDK, and all others if it has
// nothing else.
func (c *ClassPath) Method(k layout.Key) ([]fit.Version, fit.Presence, error) {
	class, err := c.path.Class(k.Class)
	if err != nil {
		return nil, fit.NoClass, err
	}
	if class == nil {
		if ofJDK(k) && !c.jdk || !ofJDK(k) && !c.program {
			return nil, fit.Elsewhere, nil
		}
		return nil, fit.NoClass, nil
	}
	m, ok := class.Method(k.Name, k.Signature)
	if !ok {
		return nil, fit.NoMethod, nil
	}
	v := versionOf(m.Code)
	describe(&v, class, m.Code)
	return []fit.Version{v}, fit.Present, nil
}

// packages are those of a JDK that archives without class loaders may name.
var packages = []string{"java/", "javax/", "jdk/", "sun/", "com/sun/", "org/w3c/dom/", "org/xml/sax/", "org/ietf/jgss/", "netscape/javascript/"}

// ofJDK reports whether a method is one of a JDK's own.
func ofJDK(k layout.Key) bool {
	if k.Loader == "platform" {
		return true
	}
	for _, p := range packages {
		if k.Loader == "" && strings.HasPrefix(k.Class, p) {
			return true
		}
	}
	return false
}
