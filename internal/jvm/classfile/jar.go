package classfile

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A jar is a zip file of class files, or a .jmod.
type jar struct {
	name     string
	in       io.Closer // nil of a jar in another
	classes  map[string]*zip.File
	versions map[string][]version // of a multi-release jar, by class
	manifest manifest
	jars     []*jar // that it holds
	module   bool   // it is a .jmod
}

// A version is the file of a class for a release of Java and later ones.
type version struct {
	release int
	file    *zip.File
}

// A .jmod is a zip file behind this header, with its classes in a folder.
const (
	jmodHeader  = "JM\x01\x00"
	jmodClasses = "classes/"
)

// versionsFolder holds, in a multi-release jar, a folder for each release from
// the first one that looks there.
const (
	versionsFolder = "META-INF/versions/"
	firstVersioned = 9
)

// openJar opens a jar with those that it holds.
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

// newJar reads the list of a jar, and of those in it.
func (o *opener) newJar(name string, in io.ReaderAt, size int64, depth int) (*jar, error) {
	if err := o.budget.jar(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	j := &jar{name: name, classes: map[string]*zip.File{}}
	head := make([]byte, len(jmodHeader))
	if n, _ := in.ReadAt(head, 0); n == len(head) && string(head) == jmodHeader {
		j.module = true
		in, size = io.NewSectionReader(in, int64(n), size-int64(n)), size-int64(n)
	}
	z, err := o.list(name, in, size, head)
	if err != nil {
		return nil, err
	}
	j.manifest = manifestOf(z)
	j.addClasses(z)
	return j, o.addJars(j, z, in, depth)
}

// list reads the list of a zip file.
func (o *opener) list(name string, in io.ReaderAt, size int64, head []byte) (*zip.Reader, error) {
	meter := &metered{in, &o.budget.directory}
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

// addClasses sorts the files of classes in. Of files of one name the first
// counts, and those at the root come before those of an application.
func (j *jar) addClasses(z *zip.Reader) {
	roots := []string{""}
	if j.module {
		roots = []string{jmodClasses}
	} else {
		roots = append(roots, applicationClasses...)
	}
	for _, root := range roots {
		for _, f := range z.File {
			if rest, ok := strings.CutPrefix(f.Name, root); ok {
				j.add(rest, f)
			}
		}
	}
}

// add adds a file of the zip file, if it is of a class.
func (j *jar) add(name string, f *zip.File) {
	class, ok := strings.CutSuffix(name, extension)
	if path, below := strings.CutPrefix(class, versionsFolder); ok && below && j.manifest.multiRelease {
		j.addVersion(path, f)
	}
	if !ok || strings.HasPrefix(class, "META-INF/") || slices.ContainsFunc(applicationClasses, func(dir string) bool { return strings.HasPrefix(class, dir) }) {
		return
	}
	if _, known := j.classes[class]; !known {
		j.classes[class] = f
	}
}

// addVersion adds a file that stands below the folder of versions.
func (j *jar) addVersion(path string, f *zip.File) {
	number, class, ok := strings.Cut(path, "/")
	release, err := strconv.Atoi(number)
	if !ok || err != nil || release < firstVersioned || strconv.Itoa(release) != number || strings.HasPrefix(class, "META-INF/") {
		return
	}
	if j.versions == nil {
		j.versions = map[string][]version{}
	}
	all := j.versions[class]
	at, found := slices.BinarySearchFunc(all, release, func(v version, release int) int { return release - v.release })
	if !found {
		j.versions[class] = slices.Insert(all, at, version{release, f})
	}
}

// appendFiles appends the files of a class, the one that a JVM of that release
// loads first. What is only for later releases is left out, unless the release
// is 0, not known: then the file for all releases comes first, and those for
// some follow.
func (j *jar) appendFiles(files []classFile, class string, release int) []classFile {
	base := j.classes[class]
	if base != nil && release == 0 {
		files = append(files, packedFile{j, base})
	}
	for _, v := range j.versions[class] { // the latest first
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

// names calls yield with the names of all classes.
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
	for _, inner := range j.jars {
		if !inner.names(yield) {
			return false
		}
	}
	return true
}

// A packedFile is a class file in a jar.
type packedFile struct {
	in   *jar
	file *zip.File
}

func (z packedFile) name() string { return z.in.name + "!/" + z.file.Name }

func (z packedFile) read() ([]byte, error) {
	in, err := z.file.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return readClass(in)
}

// Close closes the file.
func (j *jar) Close() error { return j.in.Close() }
