package warm

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/system/pagecache"
)

// dropFiles drops from the page cache the files named by the command and flags, and the JVM's libraries and classes.
func (s *session) dropFiles(flags []string) error {
	dropped := 0
	for _, path := range append(s.filesOfJVM(), filesNamed(append(flags, s.program.Args[1:]...))...) {
		f, err := os.Open(path)
		if err != nil {
			continue
		}
		if pagecache.DropFile(f) {
			dropped++
		}
		_ = f.Close()
	}
	if dropped == 0 {
		return cli.Usagef("--cold: the system drops no file from its page cache: it takes Linux 6.5, " +
			"and a file system on a disk")
	}
	return nil
}

// filesNamed returns the files that words of a command line name, also in lists or after =.
func filesNamed(words []string) (files []string) {
	separators := func(r rune) bool { return r == '=' || r == ',' || r == '@' || r == filepath.ListSeparator }
	for _, word := range words {
		for _, part := range strings.FieldsFunc(word, separators) {
			if info, err := os.Stat(part); err == nil && info.Mode().IsRegular() {
				files = append(files, part)
			}
		}
	}
	return files
}

func (s *session) filesOfJVM() (files []string) {
	java, err := filepath.EvalSymlinks(s.program.JavaPath())
	if err != nil {
		return nil
	}
	lib := filepath.Join(filepath.Dir(filepath.Dir(java)), "lib")
	_ = filepath.WalkDir(lib, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && filepath.Base(path) != "src.zip" {
			files = append(files, path)
		}
		return nil
	})
	return files
}
