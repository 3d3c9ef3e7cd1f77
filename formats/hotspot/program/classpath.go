package program

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/profarc/profarc/fit"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/jvm/classfile"
	"github.com/profarc/profarc/layout"
)

// A ClassPath is the code of a class path.
type ClassPath struct {
	names   []string
	path    *classfile.Path
	jdk     bool // has a JDK's own classes
	program bool // has others

	asked, found bool // of the program's classes, any
	// covered are the class loaders of which Presence was asked and has a class; nil
	// if it was not asked.
	covered map[string]bool
}

// OpenClassPath opens folders, jars, .jmod files, all jars of a folder (folder/*),
// and homes of JDKs. The release is that of the JVM whose profiles are checked, 0
// if it is not known; see classfile.Open. Close closes them.
func OpenClassPath(paths []string, release int) (*ClassPath, error) {
	path, err := classfile.Open(paths, release)
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
	name := filepath.Base(path)
	return err == nil || name == "modules" || moduleFile.MatchString(name)
}

// moduleFile matches the files that hold a JDK's modules one by one.
var moduleFile = regexp.MustCompile(`^(java|jdk)\.[A-Za-z0-9.]+\.jmod$`)

// Close closes the files.
func (c *ClassPath) Close() { c.path.Close() }

// Method returns the versions that the class path has of a method. The JDK's own
// class loaders take the first file of a class; of others it is not known which
// they take, so that all are versions. Nothing is known of classes of the JDK if
// the class path has no JDK, of all others if it has nothing else, of classes that
// are made while a program runs, and of those whose files are not sound.
func (c *ClassPath) Method(k layout.Key) (fit.Answer, error) {
	files, err := c.files(k)
	if !ofJDK(k) && !madeWhileRunning(k.Class) {
		c.asked, c.found = true, c.found || len(files) > 0 || err != nil
	}
	switch {
	case err != nil:
		return fit.Answer{Presence: fit.Unknown, Reason: err.Error()}, nil
	case len(files) == 0 && c.covered != nil && ownLoader(k.Loader) && !c.covered[k.Loader]:
		return fit.Answer{Presence: fit.Unknown, Reason: fmt.Sprintf("made while the program ran, or from where it was not named: no class of loader %s is there", disk.LoaderName(k.Loader))}, nil
	case len(files) == 0:
		return c.without(k), nil
	}
	a := fit.Answer{Presence: fit.NoMethod}
	for _, class := range files {
		if m, ok := class.Method(k.Name, k.Signature); ok {
			v := versionOf(m.Code)
			if code, ok := instructions(class, m.Code); ok {
				describe(&v, code)
			}
			a.Presence, a.Versions = fit.Present, append(a.Versions, v)
		}
	}
	if a.Presence == fit.NoMethod && madeWhileRunning(k.Class) {
		a = fit.Answer{Presence: fit.Unknown, Reason: reasonMade}
	}
	return a, nil
}

// ownLoader reports whether a class loader is of the program's own.
func ownLoader(loader string) bool { return loader != "" && loader != "app" && loader != "platform" }

// files are the class files that a method may be of.
func (c *ClassPath) files(k layout.Key) ([]*classfile.File, error) {
	if k.Loader != "app" {
		return c.path.All(k.Class)
	}
	class, err := c.path.Class(k.Class)
	if class == nil {
		return nil, err
	}
	return []*classfile.File{class}, nil
}

// without is what is known of a class that is not on the class path.
func (c *ClassPath) without(k layout.Key) fit.Answer {
	switch {
	case madeWhileRunning(k.Class):
		return fit.Answer{Presence: fit.Unknown, Reason: reasonMade}
	case ofJDK(k) && !c.jdk:
		return fit.Answer{Presence: fit.Unknown, Reason: "of the JDK, and no JDK was named"}
	case ofJDK(k) && !c.path.Image() && !c.path.HasPackage(k.Class):
		return fit.Answer{Presence: fit.Unknown, Reason: "of a module of the JDK that was not named"}
	case !ofJDK(k) && !c.program:
		return fit.Answer{Presence: fit.Unknown, Reason: "not of the JDK, and nothing else was named"}
	}
	return fit.Answer{Presence: fit.NoClass}
}

// packages are those of a JDK that archives without class loaders may name, and
// toolPackages those of its modules that the application class loader has.
var (
	packages     = []string{"java/", "javax/", "jdk/", "sun/", "com/sun/", "org/w3c/dom/", "org/xml/sax/", "org/ietf/jgss/", "netscape/javascript/"}
	toolPackages = []string{"com/sun/tools/", "com/sun/source/", "com/sun/jdi/", "com/sun/jarsigner/", "jdk/", "sun/"}
)

// ofJDK reports whether a method is one of a JDK's own.
func ofJDK(k layout.Key) bool {
	begins := func(prefix string) bool { return strings.HasPrefix(k.Class, prefix) }
	switch k.Loader {
	case "platform":
		return true
	case "":
		return slices.ContainsFunc(packages, begins)
	case "app":
		return slices.ContainsFunc(toolPackages, begins)
	}
	return false
}
