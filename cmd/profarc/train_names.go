package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
)

// checkTrainName refuses a name of archives with verbs that are not known, or in
// its folder.
func checkTrainName(out string) error {
	folder, name := filepath.Split(out)
	if strings.Contains(folder, "%") {
		return app.Usagef("-o %s: %%m, %%p and %%n stand for parts of the name, not of its folder", out)
	}
	for rest := name; ; {
		_, after, found := strings.Cut(rest, "%")
		if !found {
			return nil
		}
		if after == "" || !strings.ContainsAny(after[:1], "mpn%") {
			return app.Usagef("-o %s: a %% stands before m (main class), p (process), n (number) or another %%", out)
		}
		rest = after[1:]
	}
}

// expanded is the name of the archive of a JVM.
func (j *trainedJVM) expanded(out string) string {
	folder, name := filepath.Split(out)
	replaced := strings.NewReplacer("%%", "%", "%m", mainName(j.Main), "%p", strconv.Itoa(j.PID), "%n", strconv.Itoa(j.Number)).Replace(name)
	return folder + replaced
}

// maxMainName bounds the part of a file's name that is of a main class.
const maxMainName = 100

// mainName is a main class, module or jar as a part of a file's name.
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
	if name = strings.TrimLeft(name[:min(len(name), maxMainName)], ".-"); name == "" {
		return "unknown"
	}
	return name
}

// numbered is the archive of one of several JVMs that share a name.
func numbered(name string, n int) string {
	return fmt.Sprintf("%s.%d%s", strings.TrimSuffix(name, app.ArchiveExtension), n, app.ArchiveExtension)
}
