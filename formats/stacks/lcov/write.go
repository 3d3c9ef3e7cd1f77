package lcov

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/profarc/profarc/formats/stacks"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/reader"
)

// ErrNoCalls: nothing in the archive says how often a method was called.
var ErrNoCalls = errors.New("no call counts: import profiles that count calls: invocations (domain hotspot), " +
	"callCountProfiles (graal), PROFILE_INVOKE or PROFILE_NATIVE (jamaica), or counters (llvm-ir, llvm-frontend)")

// unknownFile stands for the source file of a function that names none.
const unknownFile = "unknown"

// WriteOptions say how an archive is written. The zero value is of use.
type WriteOptions struct {
	// Lines adds a DA record for every function, at the number behind FN:. Line
	// coverage is then that of functions.
	Lines bool
}

// A Report says what was written.
type Report struct {
	Files, Functions, Hit int
	Unknown               int // methods that are in the archive, and of which it does not say whether they ran
}

// A function is one function of a file.
type function struct {
	name  string
	calls uint64
}

// Write writes the call counts of an archive. The error matches ErrNoCalls if
// it has none.
func Write(w io.Writer, s *reader.Store, o WriteOptions) (*Report, error) {
	report := &Report{}
	files, err := functions(s, report)
	if err != nil {
		return nil, err
	}
	out := bufio.NewWriter(w)
	for _, file := range slices.Sorted(maps.Keys(files)) {
		list := summed(files[file])
		hit := writeFile(out, file, list)
		if o.Lines {
			writeLines(out, list, hit)
		}
		fmt.Fprintln(out, "end_of_record")
		report.Files++
		report.Functions += len(list)
		report.Hit += hit
	}
	return report, out.Flush()
}

// functions gathers the functions of every file.
func functions(s *reader.Store, report *Report) (map[string][]function, error) {
	counts, err := newCalls(s)
	if err != nil {
		return nil, err
	}
	named := stacks.NewNamed(s)
	files := map[string][]function{}
	for m, err := range s.Methods() {
		if err != nil {
			return nil, err
		}
		calls, known, err := counts.of(m)
		if err != nil {
			return nil, err
		}
		if !known {
			report.Unknown++
			continue
		}
		name, err := named.Of(m)
		if err != nil {
			return nil, err
		}
		file := fileOf(name)
		files[file] = append(files[file], function{oneLine.Replace(name.Short + name.Parameters), calls})
	}
	if !counts.any {
		return nil, fmt.Errorf("%s (domain %s): %w", s.Mapping().Name(), s.Header().Domain, ErrNoCalls)
	}
	return files, nil
}

var oneLine = strings.NewReplacer("\n", " ", "\r", " ")

func fileOf(n stacks.Name) string {
	switch {
	case n.File != "":
		return oneLine.Replace(n.File)
	case n.Class != "":
		return oneLine.Replace(strings.ReplaceAll(n.Class, ".", "/"))
	}
	return unknownFile
}

// summed sorts the functions of a file, and puts those of one name together:
// of classes that several loaders define.
func summed(list []function) []function {
	slices.SortFunc(list, func(a, b function) int { return cmp.Or(strings.Compare(a.name, b.name), cmp.Compare(a.calls, b.calls)) })
	sum := list[:1]
	for _, f := range list[1:] {
		if last := &sum[len(sum)-1]; last.name == f.name {
			last.calls = disk.SaturatingAdd(last.calls, f.calls)
		} else {
			sum = append(sum, f)
		}
	}
	return sum
}

// writeFile writes the functions of a file, and gives the number of those that
// were called.
func writeFile(w io.Writer, file string, list []function) (hit int) {
	fmt.Fprintf(w, "TN:\nSF:%s\n", file)
	for i, f := range list {
		fmt.Fprintf(w, "FN:%d,%s\n", i+1, f.name)
	}
	for _, f := range list {
		fmt.Fprintf(w, "FNDA:%d,%s\n", f.calls, f.name)
		hit += int(min(f.calls, 1))
	}
	fmt.Fprintf(w, "FNF:%d\nFNH:%d\n", len(list), hit)
	return hit
}

// writeLines gives every function one line.
func writeLines(w io.Writer, list []function, hit int) {
	for i, f := range list {
		fmt.Fprintf(w, "DA:%d,%d\n", i+1, f.calls)
	}
	fmt.Fprintf(w, "LF:%d\nLH:%d\n", len(list), hit)
}
