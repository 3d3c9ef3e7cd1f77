package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/profarc/profarc/fit"
	"github.com/profarc/profarc/internal/formats/hotspot/program"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// listSeparator stands between the parts of a class path.
const listSeparator = string(filepath.ListSeparator)

// code is a program that profiles are held against.
type code struct {
	fit.Code
	what  string
	close func()
}

// openCode opens what --against names, for profiles of a domain.
func (a *app) openCode(ctx context.Context, name string, d layout.Domain) (code, error) {
	if pid, ok := strings.CutPrefix(name, "pid:"); ok {
		return openProcessCode(ctx, pid, d)
	}
	kind, err := codeKind(name)
	if err != nil {
		return code{}, err
	}
	switch {
	case kind == kindArchive:
		s, err := openStore(name)
		if err != nil {
			return code{}, err
		}
		return archivedCode(name, s, d)
	case kind == kindClasses && d == layout.DomainHotSpot:
		return openClasses(name)
	case kind == kindClasses:
		return code{}, fmt.Errorf("%s: a class path is no code of domain %s: name profiles of the new program", name, d)
	}
	return a.importCode(ctx, name, d)
}

// Kinds of files that --against may name.
const (
	kindClasses = iota
	kindArchive
	kindProfiles
)

// codeKind says what a name is of. What is no archive, folder or jar may be
// profiles of another tool.
func codeKind(name string) (int, error) {
	info, err := os.Stat(name)
	if err != nil {
		if strings.Contains(name, listSeparator) {
			return kindClasses, nil
		}
		return 0, err
	}
	if info.IsDir() || filepath.Base(name) == "modules" {
		return kindClasses, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	head := make([]byte, len(layout.Magic))
	n, err := io.ReadFull(f, head)
	switch {
	case err != nil && err != io.ErrUnexpectedEOF && err != io.EOF:
		return 0, err
	case bytes.Equal(head, layout.Magic[:]):
		return kindArchive, nil
	case bytes.HasPrefix(head[:n], []byte("PK\x03\x04")):
		return kindClasses, nil
	}
	return kindProfiles, nil
}

// openClasses opens a class path.
func openClasses(name string) (code, error) {
	c, err := program.OpenClassPath(filepath.SplitList(name))
	if err != nil {
		return code{}, err
	}
	return code{c, name, c.Close}, nil
}

func openProcessCode(ctx context.Context, pid string, d layout.Domain) (code, error) {
	n, err := strconv.Atoi(pid)
	if err != nil || n <= 0 {
		return code{}, usagef("--against pid:%s: give the number of a process", pid)
	}
	if d != layout.DomainHotSpot {
		return code{}, fmt.Errorf("a JVM is no code of domain %s: name profiles of the new program", d)
	}
	p, err := program.ReadProcess(ctx, n)
	return code{p, "process " + pid, func() {}}, err
}

// archivedCode is the code that the profiles of an archive are of.
func archivedCode(name string, s *reader.Store, d layout.Domain) (code, error) {
	if other := s.Header().Domain; other != d {
		_ = s.Close()
		return code{}, fmt.Errorf("%s is of domain %s, the archive to check of %s: name an archive of that domain", name, other, d)
	}
	return code{fit.Archived(s), name, func() { _ = s.Close() }}, nil
}

// importCode takes profiles of another tool in.
func (a *app) importCode(ctx context.Context, name string, d layout.Domain) (code, error) {
	in, err := a.readSource(ctx, name, importConfig{unordered: true})
	if err != nil {
		return code{}, err
	}
	s, err := openBuilt(in.builder, name)
	if err != nil {
		return code{}, err
	}
	return archivedCode(name, s, d)
}
