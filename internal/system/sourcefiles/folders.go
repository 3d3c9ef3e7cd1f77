// Package sourcefiles finds source files by the names that compilers recorded.
package sourcefiles

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/profarc/profarc/internal/system/lists"
)

// Folders are the folders in which to look for a source file, by the whole path that the compiler recorded and then
// by each shorter suffix of it. Without folders, files are read at the recorded path.
type Folders []string

// maxSource limits the size of a source file in bytes.
const maxSource = 32 << 20

// Lines returns the lines of a source file and its path. The error matches [fs.ErrNotExist] if it is nowhere.
func (s Folders) Lines(file string) (name string, lines []string, err error) {
	name, text, err := s.readFile(file)
	return name, splitLines(text), err
}

func splitLines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	return lists.Map(lines, func(line string) string { return strings.TrimSuffix(line, "\r") })
}

func (s Folders) readFile(file string) (name string, text []byte, err error) {
	var unreadable error
	for _, name := range s.candidatePaths(file) {
		text, err := readSource(name)
		if err == nil {
			return name, text, nil
		}
		isMissing := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
		if !isMissing && unreadable == nil {
			unreadable = err
		}
	}
	if unreadable != nil {
		return "", nil, unreadable
	}
	if len(s) == 0 {
		return "", nil, fmt.Errorf("%q is not there any more: %w", file, fs.ErrNotExist)
	}
	return "", nil, fmt.Errorf("%q is not in %s: %w", file, strings.Join(s, ", "), fs.ErrNotExist)
}

// candidatePaths returns possible paths of a file, the likeliest first. No recorded name leads out of a folder.
func (s Folders) candidatePaths(file string) (names []string) {
	if len(s) == 0 {
		return []string{file}
	}
	parts := strings.FieldsFunc(file, func(r rune) bool { return r == '/' || r == '\\' })
	parts = parts[max(len(parts)-maxDepth, 0):]
	for i := range parts {
		rest := filepath.Join(parts[i:]...)
		if !filepath.IsLocal(rest) {
			continue
		}
		for _, folder := range s {
			names = append(names, filepath.Join(folder, rest))
		}
	}
	return names
}

// maxDepth limits the parts of a recorded path.
const maxDepth = 64

func readSource(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%q is no file: %w", name, fs.ErrNotExist)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var text bytes.Buffer
	if _, err := io.Copy(&text, io.LimitReader(f, maxSource+1)); err != nil {
		return nil, err
	}
	if text.Len() > maxSource {
		return nil, fmt.Errorf("%s: a source file of more than %d bytes", name, maxSource)
	}
	return text.Bytes(), nil
}
