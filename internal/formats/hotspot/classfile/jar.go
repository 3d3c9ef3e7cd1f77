package classfile

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

// A jar may be an application with its libraries: its own classes in one of
// these folders, and other jars in one of those.
var (
	applicationClasses = []string{"BOOT-INF/classes/", "WEB-INF/classes/"}
	applicationJars    = []string{"BOOT-INF/lib", "WEB-INF/lib", "WEB-INF/lib-provided"}
)

// maxUnpacked bounds the memory for the jars that a jar holds compressed.
const maxUnpacked = 1 << 29

// A jar is a zip file of class files.
type jar struct {
	name    string
	in      io.Closer            // nil of a jar in another
	classes map[string]*zip.File // by class name
	jars    []*jar               // that it holds
}

func openJar(name string) (*jar, error) {
	in, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	j, err := newApplicationJar(name, in)
	if err != nil {
		_ = in.Close()
		return nil, err
	}
	j.in = in
	return j, nil
}

// newApplicationJar reads the list of a jar, and of those in it.
func newApplicationJar(name string, in *os.File) (*jar, error) {
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() == 0 {
		return nil, fmt.Errorf("%s: it is empty: build it again", name)
	}
	j, z, err := newJar(name, in, info.Size())
	if err != nil {
		return nil, err
	}
	for _, f := range z.File {
		for _, dir := range applicationClasses {
			if rest, ok := strings.CutPrefix(f.Name, dir); ok {
				j.add(rest, f)
			}
		}
	}
	return j, j.addJars(z, in)
}

// newJar reads the list of a jar.
func newJar(name string, in io.ReaderAt, size int64) (*jar, *zip.Reader, error) {
	z, err := zip.NewReader(in, size)
	if err != nil {
		var magic [4]byte
		if n, _ := in.ReadAt(magic[:], 0); bytes.HasPrefix(magic[:n], []byte("PK")) {
			return nil, nil, fmt.Errorf("%s: the jar is cut off or damaged (%w): copy or build it again", name, err)
		}
		return nil, nil, fmt.Errorf("%s: neither a folder nor a jar (%w): name folders of class files, or jars", name, err)
	}
	j := &jar{name: name, classes: map[string]*zip.File{}}
	for _, f := range z.File {
		j.add(f.Name, f)
	}
	return j, z, nil
}

// add adds a file of the zip file, if it is of a class; the first counts.
func (j *jar) add(name string, f *zip.File) {
	class, ok := strings.CutSuffix(name, extension)
	if _, known := j.classes[class]; ok && !known {
		j.classes[class] = f
	}
}

// addJars opens the jars that a jar holds.
func (j *jar) addJars(z *zip.Reader, in io.ReaderAt) error {
	left := int64(maxUnpacked)
	for _, f := range z.File {
		if !slices.Contains(applicationJars, path.Dir(f.Name)) || !strings.EqualFold(path.Ext(f.Name), ".jar") {
			continue
		}
		name := j.name + "!/" + f.Name
		held, size, err := stored(f, in)
		if f.Method != zip.Store {
			held, size, err = unpacked(f, left)
			left -= size
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		inner, _, err := newJar(name, held, size)
		if err != nil {
			return err
		}
		j.jars = append(j.jars, inner)
	}
	return nil
}

// stored is a file of a zip file that is not compressed, in place.
func stored(f *zip.File, in io.ReaderAt) (io.ReaderAt, int64, error) {
	at, err := f.DataOffset()
	size := int64(min(f.CompressedSize64, 1<<62))
	return io.NewSectionReader(in, at, size), size, err
}

// errUnpacked: the jars in a jar are too large to be held in memory.
var errUnpacked = errors.New("the jars in it are too large to unpack in memory: unpack it, and name its folders")

// unpacked is a file of a zip file, decompressed, if it has no more bytes than
// most.
func unpacked(f *zip.File, most int64) (io.ReaderAt, int64, error) {
	in, err := f.Open()
	if err != nil {
		return nil, 0, err
	}
	defer in.Close()
	b, err := io.ReadAll(io.LimitReader(in, most+1))
	if err == nil && int64(len(b)) > most {
		err = errUnpacked
	}
	return bytes.NewReader(b), int64(len(b)), err
}

// holder is the jar that has a class: this one, or one that it holds.
func (j *jar) holder(class string) (*jar, *zip.File) {
	if f, ok := j.classes[class]; ok {
		return j, f
	}
	for _, inner := range j.jars {
		if f, ok := inner.classes[class]; ok {
			return inner, f
		}
	}
	return nil, nil
}

func (j *jar) read(class string) ([]byte, bool, error) {
	_, f := j.holder(class)
	if f == nil {
		return nil, false, nil
	}
	in, err := f.Open()
	if err != nil {
		return nil, false, err
	}
	defer in.Close()
	return readClass(in)
}

func (j *jar) fileOf(class string) string {
	if in, f := j.holder(class); f != nil {
		return in.name + "!/" + f.Name
	}
	return j.name
}

// Close closes the file.
func (j *jar) Close() error { return j.in.Close() }
