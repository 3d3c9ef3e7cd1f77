// Package runfiles manages the archives that a training run writes, with their names, and a spool for archives until
// the run has ended.
package runfiles

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const archiveSuffix = ".parc"

func CheckName(pattern string) error {
	directory, name := filepath.Split(pattern)
	if strings.Contains(directory, "%") {
		return fmt.Errorf("%%m, %%p and %%n stand for parts of the name, not of its folder")
	}
	for rest := name; ; {
		_, after, found := strings.Cut(rest, "%")
		if !found {
			return nil
		}
		if after == "" || !strings.ContainsAny(after[:1], "mpn%") {
			return fmt.Errorf("a %% stands before m (main class), p (process), n (number) or another %%")
		}
		rest = after[1:]
	}
}

type Run struct {
	Main   string // value of %m, the main class, module or jar
	PID    int    // value of %p
	Number int    // value of %n, the number of the JVM from 1
}

func ExpandName(pattern string, run Run) string {
	directory, name := filepath.Split(pattern)
	return directory + strings.NewReplacer("%%", "%", "%m", mainName(run.Main), "%p", strconv.Itoa(run.PID), "%n",
		strconv.Itoa(run.Number)).Replace(name)
}

const maxMainName = 100

func mainName(main string) string {
	if jar, ok := strings.CutSuffix(main, ".jar"); ok {
		main = filepath.Base(jar)
	}
	name := strings.Map(func(r rune) rune {
		switch {
		case r == '/':
			return '.'
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("._$-", r):
			return r
		}
		return '_'
	}, main)
	name = strings.TrimLeft(name[:min(len(name), maxMainName)], ".-")
	if name == "" {
		return "unknown"
	}
	return name
}

func NumberedName(name string, n int) string {
	return fmt.Sprintf("%s.%d%s", strings.TrimSuffix(name, archiveSuffix), n, archiveSuffix)
}

func isNumbered(name, base string) bool {
	number, ok := strings.CutPrefix(strings.TrimSuffix(name, archiveSuffix), strings.TrimSuffix(base, archiveSuffix)+".")
	n, err := strconv.ParseUint(number, 10, 32)
	return ok && err == nil && strconv.FormatUint(n, 10) == number && filepath.Ext(name) == archiveSuffix
}

// FindLeftovers returns files in the directory of pattern that have the name of an output of this run, numbered or not,
// and that this run did not write.
func FindLeftovers(pattern string, outputs, written []string) (names []string) {
	directory, base := filepath.Split(pattern)
	bases := []string{base}
	if strings.Contains(base, "%") {
		bases = nil
	}
	for _, out := range outputs {
		bases = append(bases, filepath.Base(out))
	}
	files, _ := os.ReadDir(filepath.Clean(directory)) // it was writable
	for _, f := range files {
		name := f.Name()
		named := func(base string) bool { return name == base || isNumbered(name, base) }
		ours := func(path string) bool { return filepath.Base(path) == name }
		if slices.ContainsFunc(bases, named) && !slices.ContainsFunc(written, ours) {
			names = append(names, directory+name)
		}
	}
	return names
}
