package classfile

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// A jar may be an application with its libraries: its own classes in one of
// these folders, and other jars in one of those.
var (
	applicationClasses = []string{"BOOT-INF/classes/", "WEB-INF/classes/"}
	applicationJars    = []string{"lib", "BOOT-INF/lib", "WEB-INF/lib", "WEB-INF/lib-provided"}
)

// addJars opens the jars that a jar holds.
func (o *opener) addJars(j *jar, z *zip.Reader, in io.ReaderAt, depth int) error {
	for _, f := range z.File {
		if j.module || !slices.Contains(applicationJars, path.Dir(f.Name)) || !isJar(f.Name) {
			continue
		}
		name := j.name + "!/" + f.Name
		if depth >= maxNesting {
			return fmt.Errorf("%s: %w: jars are in one another, over %d deep: unpack the outer ones", name, ErrTooLarge, maxNesting)
		}
		held, size, err := o.held(f, in)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		inner, err := o.newJar(name, held, size, depth+1)
		if err != nil {
			return err
		}
		j.jars = append(j.jars, inner)
	}
	return nil
}

// isJar reports whether a file is named as a jar.
func isJar(name string) bool { return strings.EqualFold(path.Ext(name), ".jar") }

// held is a file of a zip file: in place if it is stored, else in memory.
func (o *opener) held(f *zip.File, in io.ReaderAt) (io.ReaderAt, int64, error) {
	if f.Method == zip.Store {
		at, err := f.DataOffset()
		size := int64(min(f.CompressedSize64, 1<<62))
		return io.NewSectionReader(in, at, size), size, err
	}
	packed, err := f.Open()
	if err != nil {
		return nil, 0, err
	}
	defer packed.Close()
	b, err := io.ReadAll(io.LimitReader(packed, o.budget.unpacked+1))
	if o.budget.unpacked -= int64(len(b)); err == nil && o.budget.unpacked < 0 {
		err = fmt.Errorf("%w: the jars in jars have over %d bytes unpacked: unpack the outer ones, and name their folders", ErrTooLarge, maxUnpacked)
	}
	return bytes.NewReader(b), int64(len(b)), err
}
