package program

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/profarc/profarc/fit"
	"github.com/profarc/profarc/internal/formats/hotspot/classfile"
	"github.com/profarc/profarc/layout"
)

// A ClassPath is the code of a class path.
type ClassPath struct {
	names   []string
	path    *classfile.Path
	jdk     bool // has a JDK's own classes
	program bool // has others

	asked, found bool // of the program's classes, any
}

// OpenClassPath opens folders, jars, all jars of a folder (folder/*), and homes
// of JDKs. Close closes them.
func OpenClassPath(paths []string) (*ClassPath, error) {
	path, err := classfile.Open(paths)
	if err != nil {
		return nil, err
	}
	c := &ClassPath{names: paths, path: path}
	base, err := path.Class("java/lang/Object")
	c.jdk = base != nil || err != nil // it is there, if damaged
	for _, p := range paths {
		c.program = c.program || !ofModules(p)
	}
	return c, nil
}

// ofModules reports whether a part of a class path is a JDK.
func ofModules(path string) bool {
	_, err := os.Stat(filepath.Join(path, "lib", "modules"))
	return err == nil || filepath.Base(path) == "modules"
}

// Close closes the files.
func (c *ClassPath) Close() { c.path.Close() }

// Method gives the version that the class path has of a method. Nothing is known
// of classes of the JDK if the class path has no JDK, of all others if it has
// nothing else, and of those whose files are not sound.
func (c *ClassPath) Method(k layout.Key) (fit.Answer, error) {
	class, err := c.path.Class(k.Class)
	if !ofJDK(k) && !accessor.MatchString(k.Class) {
		c.asked, c.found = true, c.found || class != nil || err != nil
	}
	switch {
	case err != nil:
		return fit.Answer{Presence: fit.Unknown, Reason: err.Error()}, nil
	case class == nil:
		return c.without(k), nil
	}
	m, ok := class.Method(k.Name, k.Signature)
	if !ok {
		return fit.Answer{Presence: fit.NoMethod}, nil
	}
	v := versionOf(m.Code)
	describe(&v, class, m.Code)
	return fit.Answer{Presence: fit.Present, Versions: []fit.Version{v}}, nil
}

// without is what is known of a class that is not on the class path.
func (c *ClassPath) without(k layout.Key) fit.Answer {
	switch {
	case accessor.MatchString(k.Class):
		return fit.Answer{Presence: fit.Unknown, Reason: "its name is made up anew in each run"}
	case ofJDK(k) && !c.jdk:
		return fit.Answer{Presence: fit.Unknown, Reason: "of the JDK, and no JDK was named"}
	case !ofJDK(k) && !c.program:
		return fit.Answer{Presence: fit.Unknown, Reason: "not of the JDK, and nothing else was named"}
	}
	return fit.Answer{Presence: fit.NoClass}
}

// accessor matches the classes that a JDK up to 17 makes where something is called
// by reflection often, numbered in the order of their making.
var accessor = regexp.MustCompile(`^(jdk/internal|sun)/reflect/Generated(Serialization)?(Method|Constructor)Accessor[0-9]+$`)

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
