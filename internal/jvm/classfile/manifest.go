package classfile

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// manifestName is the file of a jar's manifest. A JVM ignores its case.
const manifestName = "META-INF/MANIFEST.MF"

// maxManifest bounds the memory for one manifest.
const maxManifest = 1 << 20

// A manifest is what the main section of a jar's manifest says about where
// classes are found.
type manifest struct {
	multiRelease bool     // classes below META-INF/versions count
	classPath    []string // URLs, relative to the jar
}

// manifestOf reads the manifest of a jar. A jar without one, or with one that
// cannot be read, says nothing.
func manifestOf(z *zip.Reader) manifest {
	for _, f := range z.File {
		if !strings.EqualFold(f.Name, manifestName) {
			continue
		}
		in, err := f.Open()
		if err != nil {
			return manifest{}
		}
		defer in.Close()
		b, err := io.ReadAll(io.LimitReader(in, maxManifest))
		if err != nil {
			return manifest{}
		}
		return parseManifest(b)
	}
	return manifest{}
}

// parseManifest reads the main section of a manifest: lines of "Name: value" up
// to an empty line. A line that begins with a space continues the one before.
func parseManifest(b []byte) (m manifest) {
	b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n"))
	b = bytes.ReplaceAll(b, []byte("\r"), []byte("\n"))
	b, _, _ = bytes.Cut(b, []byte("\n\n"))
	b = bytes.ReplaceAll(b, []byte("\n "), nil)
	for line := range strings.SplitSeq(string(b), "\n") {
		name, value, ok := strings.Cut(line, ": ")
		switch {
		case !ok:
		case strings.EqualFold(name, "Multi-Release"):
			m.multiRelease = strings.EqualFold(value, "true")
		case strings.EqualFold(name, "Class-Path"):
			m.classPath = strings.Fields(value)
		}
	}
	return m
}

// A link is a file or folder that the manifest of a jar names.
type link struct {
	path   string
	folder bool
}

// links are what the manifest of a jar adds to the class path, as far as it is
// there. A JVM takes entries from where the jar itself is, not from where a link
// to it is; other class loaders may not, so that the link's folder is second.
func links(j *jar) (all []link) {
	dirs := []string{filepath.Dir(j.name)}
	if real, err := filepath.EvalSymlinks(j.name); err == nil && filepath.Dir(real) != dirs[0] {
		dirs = []string{filepath.Dir(real), dirs[0]}
	}
	for _, entry := range j.manifest.classPath {
		for _, dir := range dirs {
			if l, ok := resolve(dir, entry); ok && l.exists() {
				all = append(all, l)
				break
			}
		}
	}
	return all
}

// resolve returns what an entry of a manifest's Class-Path names, from a jar in
// dir. A URL that ends in a slash names a folder. ok is false for what a JVM
// ignores: URLs of other schemes, and malformed ones.
func resolve(dir, entry string) (l link, ok bool) {
	if scheme, _, found := strings.Cut(entry, ":"); found && !strings.EqualFold(scheme, "file") {
		return l, false
	}
	u, err := url.Parse(entry)
	if err != nil || u.Path == "" || u.Host != "" || strings.ContainsRune(u.Path, 0) {
		return l, false
	}
	l = link{filepath.FromSlash(u.Path), strings.HasSuffix(u.Path, "/")}
	if !strings.HasPrefix(u.Path, "/") {
		l.path = filepath.Join(dir, l.path)
	}
	return l, true
}

// exists reports whether a link leads to what it says it does.
func (l link) exists() bool {
	info, err := os.Stat(l.path)
	return err == nil && info.IsDir() == l.folder
}

// follow opens what a link leads to, and returns the links from there. What is
// not a jar is left out, as a JVM does.
func (o *opener) follow(l link) ([]link, error) {
	if o.again(l.path) {
		return nil, nil
	}
	if l.folder {
		return nil, o.folder(l.path)
	}
	j, err := o.openJar(l.path)
	if errors.Is(err, ErrTooLarge) {
		return nil, err
	}
	if err != nil {
		return nil, nil
	}
	o.add(j)
	return links(j), nil
}

// ManifestClassPath returns the paths that the manifest of a jar adds to the class
// path, as far as there is something there; none for what is no jar.
func ManifestClassPath(jarFile string) (paths []string) {
	in, err := os.Open(jarFile)
	if err != nil {
		return nil
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	o := &opener{budget: newBudget()}
	z, err := o.list(jarFile, in, info.Size(), nil)
	if err != nil {
		return nil
	}
	for _, l := range links(&jar{name: jarFile, manifest: manifestOf(z)}) {
		paths = append(paths, l.path)
	}
	return paths
}
