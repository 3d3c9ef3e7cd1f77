// Package program reads the code of Java programs for package fit, from class files on a class path or from a running
// JVM.
package program

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/java/bytecode"
	"github.com/profarc/profarc/internal/java/classfile"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/internal/system/lazyregexp"
	"github.com/profarc/profarc/layout"
)

type ClassPath struct {
	names   []string
	path    *classfile.Path
	runtime *classfile.Path // lib/jrt-fs.jar of the JDK, or nil
	jdk     bool            // whether it has a JDK's classes
	program bool            // whether it has other classes

	asked, found bool // whether classes of the program were looked up, and whether one was found
	// covered are the class loaders of classes that Presence has found; nil before its first call.
	covered map[string]bool
}

// OpenClassPath opens folders, jars, .jmod files, all jars of a folder (folder/*), and homes of JDKs. release is the
// release of the profiled JVM, 0 if unknown. Missing paths are ignored unless all are missing. See classfile.Open.
// The caller must call Close.
func OpenClassPath(paths []string, release int) (*ClassPath, error) {
	path, err := classfile.Open(paths, release)
	if err != nil {
		return nil, err
	}
	c := &ClassPath{names: paths, path: path}
	base, err := path.Class("java/lang/Object")
	c.jdk = base != nil || err != nil // it exists, possibly damaged
	for _, p := range paths {
		c.program = c.program || !isJDKElement(p)
		c.openRuntime(p, release)
	}
	return c, nil
}

// runtimeLoader begins the identity of the class loader for the jar with which a JVM reads the image of a JDK. The
// image has the same classes, compiled for another release.
const (
	runtimeLoader = "jdk/internal/jrtfs/JrtFileSystemProvider$JrtFsLoader"
	runtimeJar    = "jrt-fs.jar"
)

func (c *ClassPath) openRuntime(element string, release int) {
	for _, jar := range []string{element, filepath.Join(filepath.Dir(element), runtimeJar),
		filepath.Join(element, "lib", runtimeJar)} {
		if info, err := os.Stat(jar); err != nil || !info.Mode().IsRegular() || filepath.Base(jar) != runtimeJar {
			continue
		}
		if path, err := classfile.Open([]string{jar}, release); err == nil && c.runtime == nil {
			c.runtime = path
		}
	}
}

// HasJDK reports whether an element of a class path is a JDK.
func HasJDK(classPath []string) bool { return slices.ContainsFunc(classPath, isJDKElement) }

func isJDKElement(path string) bool {
	_, err := os.Stat(filepath.Join(path, "lib", "modules"))
	name := filepath.Base(path)
	return err == nil || name == "modules" || moduleFile().MatchString(name)
}

var moduleFile = lazyregexp.New(`^(java|jdk)\.[A-Za-z0-9.]+\.jmod$`)

// Missing returns the elements of the class path that do not exist. They are ignored, as by a JVM.
func (c *ClassPath) Missing() []string { return c.path.Missing() }

func (c *ClassPath) Close() {
	c.path.Close()
	if c.runtime != nil {
		c.runtime.Close()
	}
}

// Method returns the versions of a method on the class path. The JDK's own class loaders take the first file of a
// class. The choice of other loaders is unknown, so all files are versions. The answer is Unknown for classes of the
// JDK if the class path has no JDK, for other classes if it has nothing else, for classes generated at run time, and
// for damaged class files.
func (c *ClassPath) Method(k layout.Key) (methodcode.Answer, error) {
	files, err := c.classFiles(k)
	if !isJDKMethod(k) && !isGenerated(k.Class) {
		c.asked = true
		c.found = c.found || len(files) > 0 || err != nil
	}
	switch {
	case err != nil:
		return methodcode.UnknownBecause(err.Error()), nil
	case len(files) == 0 && c.covered != nil && !c.covered[k.Loader] &&
		!slices.Contains([]string{"", "app", "platform"}, k.Loader):
		return methodcode.UnknownBecause("generated at run time, or from a place that was not given: no class of loader " +
			disk.LoaderName(k.Loader) + " is there"), nil
	case len(files) == 0:
		return c.answerWithoutClass(k), nil
	}
	a := methodcode.Answer{Presence: methodcode.NoMethod}
	for _, class := range files {
		if m, ok := class.Method(k.Name, k.Signature); ok {
			v := versionOf(m.Code)
			if code, ok := decodeInstructions(class, m.Code); ok {
				addNamesAndSketches(&v, code)
			}
			a.Presence, a.Versions = methodcode.Present, append(a.Versions, v)
		}
	}
	if a.Presence == methodcode.NoMethod && isGenerated(k.Class) {
		a = methodcode.UnknownBecause(reasonGenerated)
	}
	return a, nil
}

func (c *ClassPath) classFiles(k layout.Key) ([]*classfile.File, error) {
	if isOfRuntime(k) {
		if c.runtime == nil {
			return nil, nil
		}
		return c.runtime.AllClasses(k.Class)
	}
	if k.Loader != "app" {
		return c.path.AllClasses(k.Class)
	}
	class, err := c.path.Class(k.Class)
	if class == nil {
		return nil, err
	}
	return []*classfile.File{class}, nil
}

func isOfRuntime(k layout.Key) bool { return strings.HasPrefix(k.Loader, runtimeLoader) }

// IsOwn reports whether a method is not of the JDK, or nothing but a JDK was given.
func (c *ClassPath) IsOwn(k layout.Key) bool { return !c.program || !isJDKMethod(k) }

func (c *ClassPath) answerWithoutClass(k layout.Key) methodcode.Answer {
	switch {
	case isGenerated(k.Class):
		return methodcode.UnknownBecause(reasonGenerated)
	case isOfRuntime(k) && c.runtime == nil:
		return methodcode.UnknownBecause("of lib/" + runtimeJar + " of the JDK, which was not given")
	case !isJDKMethod(k) && len(c.path.Missing()) > 0:
		return methodcode.UnknownBecause("it may be in a part of the class path that is not here")
	case isJDKMethod(k) && !c.jdk:
		return methodcode.UnknownBecause("of the JDK, and no JDK was given")
	case isJDKMethod(k) && !c.path.HasImage() && !c.path.HasPackage(k.Class):
		return methodcode.UnknownBecause("of a module of the JDK that was not given")
	case !isJDKMethod(k) && !c.program:
		return methodcode.UnknownBecause("not of the JDK, and nothing else was given")
	}
	return methodcode.Answer{Presence: methodcode.NoClass}
}

// jdkPackages are prefixes of a JDK's classes, for archives without class loaders. toolPackages are packages of the
// JDK's modules in the application class loader.
var (
	jdkPackages = []string{"java/", "javax/", "jdk/", "sun/", "com/sun/", "org/w3c/dom/", "org/xml/sax/",
		"org/ietf/jgss/", "netscape/javascript/"}
	toolPackages = []string{"com/sun/tools/", "com/sun/source/", "com/sun/jdi/", "com/sun/jarsigner/", "jdk/", "sun/"}
)

func isJDKMethod(k layout.Key) bool {
	begins := func(prefix string) bool { return strings.HasPrefix(k.Class, prefix) }
	switch k.Loader {
	case "platform":
		return true
	case "":
		return slices.ContainsFunc(jdkPackages, begins)
	case "app":
		return slices.ContainsFunc(toolPackages, begins)
	}
	return isOfRuntime(k)
}

var ErrUnrelated = errors.New("not one class of the profiles is there")

// CheckRelated returns an error that matches ErrUnrelated if classes of the program were looked up and none was
// found. The error describes the content of the class path.
func (c *ClassPath) CheckRelated() error {
	if !c.asked || c.found || !c.program {
		return nil
	}
	var hints []string
	for _, name := range c.names {
		if !isJDKElement(name) {
			hints = append(hints, unrelatedHint(name))
		}
	}
	return fmt.Errorf("%w: %s", ErrUnrelated, strings.Join(hints, "; "))
}

func unrelatedHint(name string) string {
	if classfile.Wildcard(name) {
		return "the jars of " + name + " are of another program"
	}
	s := classfile.SurveyPath(name)
	switch {
	case s.Class != "" && s.Root != "" && filepath.Clean(s.Root) != filepath.Clean(name):
		return fmt.Sprintf("the classes below %s begin at %s: name that folder", name, s.Root)
	case s.Class != "":
		return fmt.Sprintf("%s is of another program, it has class %s", name, strings.ReplaceAll(s.Class, "/", "."))
	case s.Jar != "":
		return fmt.Sprintf("%s has jars and no class files: name the jars, or all of them with '%s'", name,
			filepath.Join(filepath.Dir(s.Jar), "*"))
	case s.Source != "":
		return fmt.Sprintf("%s has Java sources and no class files: name the folder that they are compiled into", name)
	}
	return name + " has no class files: name the folder or jar that has them"
}

// Both know all methods of the classes that they have.
var (
	_ methodcode.Inventory = (*ClassPath)(nil)
	_ methodcode.Inventory = (*Process)(nil)
)

// Presence reports whether the class path has a method. After it was called for all methods, Method assumes that
// classes of a loader without any class here are generated at run time or stored elsewhere.
func (c *ClassPath) Presence(k layout.Key) (methodcode.Presence, error) {
	if c.covered == nil {
		c.covered = map[string]bool{}
	}
	files, err := c.classFiles(k)
	if err != nil {
		return methodcode.Unknown, nil
	}
	if len(files) == 0 {
		return c.answerWithoutClass(k).Presence, nil
	}
	c.covered[k.Loader] = true
	for _, class := range files {
		if _, ok := class.Method(k.Name, k.Signature); ok {
			return methodcode.Present, nil
		}
	}
	if isGenerated(k.Class) {
		return methodcode.Unknown, nil
	}
	return methodcode.NoMethod, nil
}

func (c *ClassPath) Classes(yield func(class string) bool) { c.path.Names(yield) }

func (c *ClassPath) Declared(class, loader string) (all []methodcode.Declared) {
	files, err := c.classFiles(layout.Key{Class: class, Loader: loader})
	if err != nil {
		return nil
	}
	for _, file := range files {
		for _, m := range file.Methods {
			if len(m.Code) > 0 {
				all = append(all, declaredMethod(m.Name, m.Signature, m.Code))
			}
		}
	}
	return all
}

func declaredMethod(name, signature string, code []byte) methodcode.Declared {
	return methodcode.Declared{Name: name, Signature: signature, ID: bytecode.CodeID(code), Size: len(code)}
}

// Presence reports whether the process has a method. It is unknown if the class is not loaded.
func (p *Process) Presence(k layout.Key) (methodcode.Presence, error) {
	a, err := p.Method(k)
	return a.Presence, err
}

// Classes yields nothing, since a process has not loaded all classes of the program.
func (p *Process) Classes(func(class string) bool) {}
func (p *Process) Declared(class, loader string) []methodcode.Declared {
	return p.declared[[2]string{class, loader}]
}

const objectClass = "java/lang/Object"

const maxSupertypes = 1000

// Assignable reports whether a class is a subtype of another. known is false if a class between the two is missing.
func (c *ClassPath) Assignable(class, to string) (is, known bool) {
	if to == objectClass {
		return true, true
	}
	known = true
	seen := map[string]bool{objectClass: true}
	work := []string{class}
	for len(work) > 0 {
		name := work[len(work)-1]
		work = work[:len(work)-1]
		if name == to {
			return true, true
		}
		if seen[name] {
			continue
		}
		seen[name] = true
		file, err := c.path.Class(name)
		if file == nil || err != nil || len(seen) > maxSupertypes {
			known = false
			continue
		}
		work = append(append(work, file.Super), file.Interfaces...)
	}
	return false, known
}

func (c *ClassPath) Declares(m methodcode.Name) (is, known bool) {
	file, err := c.path.Class(m.Class)
	if file == nil || err != nil {
		return false, false
	}
	same := func(of classfile.Method) bool { return of.Name == m.Name && of.Signature == m.Descriptor }
	return slices.ContainsFunc(file.Fields, same) || slices.ContainsFunc(file.Methods, same), true
}

// A GraalClassPath is the code of a class path under the names that GraalVM has in its profiles.
type GraalClassPath struct{ *ClassPath }

// builderPackages are packages of native-image itself, which a class path lacks.
var builderPackages = []string{"com/oracle/svm/", "com/oracle/graal/", "org/graalvm/", "jdk/graal/"}

// Method returns the versions of a method. Only classes of the program and their methods are certainly missing:
// native-image substitutes methods of the JDK, and generates classes.
func (c GraalClassPath) Method(k layout.Key) (methodcode.Answer, error) {
	inClass := k
	inClass.Class = strings.ReplaceAll(k.Class, ".", "/")
	if reason := c.reasonUnknown(inClass); reason != "" {
		return methodcode.UnknownBecause(reason), nil
	}
	files, err := c.path.AllClasses(inClass.Class)
	switch {
	case err != nil:
		return methodcode.UnknownBecause(err.Error()), nil
	case len(files) == 0 && isJDKMethod(inClass):
		return methodcode.UnknownBecause("of the JDK, and not in the one that was given"), nil
	case len(files) == 0:
		c.asked = true
		return c.answerWithoutClass(inClass), nil
	}
	c.asked, c.found = true, true
	return findGraalMethod(files, inClass), nil
}

// reasonUnknown returns why a class path cannot tell whether there is a method, or "".
func (c GraalClassPath) reasonUnknown(k layout.Key) string {
	for _, prefix := range builderPackages {
		if strings.HasPrefix(k.Class, prefix) {
			return "of native-image itself"
		}
	}
	switch {
	case k.Loader != "":
		return "of one of several classes with this name"
	case isGenerated(k.Class), strings.HasPrefix(k.Class, "$"), strings.ContainsAny(k.Class, "[;"),
		strings.Contains(k.Class, "/0x"), strings.ContainsAny(k.Name, "(/.;"):
		return reasonGenerated
	case k.Class == "" || k.Signature == "":
		return "its class or signature is not in the profile"
	}
	return ""
}

func findGraalMethod(files []*classfile.File, k layout.Key) methodcode.Answer {
	a := methodcode.Answer{Presence: methodcode.NoMethod}
	for _, class := range files {
		for _, m := range class.Methods {
			if spelled, ok := javanames.GraalSignature(m.Signature); ok && m.Name == k.Name && spelled == k.Signature {
				a.Presence, a.Versions = methodcode.Present, append(a.Versions, versionOf(m.Code))
			}
		}
	}
	if a.Presence == methodcode.NoMethod && isJDKMethod(k) {
		a = methodcode.UnknownBecause("of the JDK, whose methods native-image substitutes")
	}
	return a
}
