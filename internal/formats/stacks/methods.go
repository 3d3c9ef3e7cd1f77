package stacks

import (
	"math"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// unknown is the name of an unknown function.
const unknownFunction = "[unknown]"

// Named caches the names of methods.
type Named struct {
	domain layout.Domain
	names  map[layout.Ref]Name
}

// A Name is the name of a method.
type Name struct {
	Class string // Java class with dots, or ""
	File  string // source file of a local function of LLVM, or ""
	Short string // name without class and parameters
	// Parameters has the parameters in parentheses, and the return type if it ends the signatures of the domain.
	Parameters string
}

// NewNamed returns an empty cache for the methods of s.
func NewNamed(s *reader.Store) *Named { return &Named{s.Header().Domain, map[layout.Ref]Name{}} }

// Of returns the name of a method. The name of an invalid method is "[unknownFunction]".
func (n *Named) Of(m reader.Method) (Name, error) {
	if !m.Valid() {
		return Name{Short: unknownFunction}, nil
	}
	if name, ok := n.names[m.Ref()]; ok {
		return name, nil
	}
	k, err := m.Key()
	if err != nil {
		return Name{}, err
	}
	name := newName(n.domain, k)
	n.names[m.Ref()] = name
	return name, nil
}

func newName(d layout.Domain, k layout.Key) (n Name) {
	k = k.Split(d)
	n.Short = k.Name
	n.Parameters = k.Signature
	switch {
	case d.LLVM():
		n.File, n.Short = splitSourceFile(k.Name)
	case d == layout.DomainGraal: // the return type precedes the parameters
		if at := strings.IndexByte(n.Parameters, '('); at >= 0 {
			n.Parameters = n.Parameters[at:]
		}
	}
	n.Class = strings.ReplaceAll(k.Class, "/", ".")
	if d == layout.DomainSampled && n.Short == "" {
		n.Short = unknownFunction
	}
	return n
}

// splitSourceFile splits the PGO name of a local function into file and function. The separator is a semicolon, or a
// colon in
// older profiles.
func splitSourceFile(name string) (file, function string) {
	if file, function, ok := strings.Cut(name, ";"); ok {
		return file, function
	}
	// Objective-C and Swift names can contain colons, but a file name has a dot before the colon.
	if at := strings.IndexByte(name, ':'); at > 0 && strings.IndexByte(name[:at], '.') > 0 {
		return name[:at], name[at+1:]
	}
	return "", name
}

// String returns class and method without parameters.
func (n Name) String() string {
	if n.Class == "" {
		return n.Short
	}
	return n.Class + "." + n.Short
}

// Full returns class and method with parameters.
func (n Name) Full() string { return n.String() + n.Parameters }

// A Counter is a count of a whole method.
type Counter struct {
	Name string // plural noun, such as "bytecodes"
	// Of returns the count in a profile. ok is false if the profile lacks the count.
	Of func(p reader.Profile) (n uint64, ok bool)
}

// Counters returns all counters. No counter is a time.
func Counters() []Counter {
	return []Counter{
		{"invocations", func(p reader.Profile) (uint64, bool) { return trainedCount(p.Invocations()) }},
		{"backedges", func(p reader.Profile) (uint64, bool) { return trainedCount(p.Backedges()) }},
		{"calls", sumOfCounts(layout.SubCalls)},
		{"bytecodes", sumOfCounts(layout.SubBytecodes)},
		{"cycles", sumOfCounts(layout.SubCycles)},
		{"native_calls", sumOfCounts(layout.SubNativeCalls)},
		{"new_arrays", sumOfCounts(layout.SubNewArrays)},
		{"block_counts", sumBlockCounts},
	}
}

func trainedCount(c reader.Counter, ok bool) (uint64, bool) { return c.Trained(), ok }

// sumOfCounts returns a function that adds up the Count entries of a sub.
func sumOfCounts(what layout.Sub) func(reader.Profile) (uint64, bool) {
	return func(p reader.Profile) (sum uint64, ok bool) {
		for e := range p.Entries() {
			if c, isCount := e.Counter(); isCount && e.Tag() == layout.TagCount && e.Sub() == what {
				sum = disk.SaturatingAdd(sum, c.Trained())
				ok = true
			}
		}
		return sum, ok
	}
}

// maxCount is the highest count of LLVM. The two greater numbers mark a sampled function as hot or warm.
const maxCount = math.MaxUint64 - 2

// sumBlockCounts adds up LLVM's counters.
func sumBlockCounts(p reader.Profile) (sum uint64, ok bool) {
	for e := range p.Entries() {
		rows, isList := e.Rows()
		if !isList || e.Tag() != layout.TagCounters {
			continue
		}
		for i := range rows.Len() {
			if n := rows.Cell(i, 0).Trained(); n <= maxCount {
				sum = disk.SaturatingAdd(sum, n)
				ok = true
			}
		}
	}
	return sum, ok
}

// Sum adds up a counter over all profiles of a method. ok is false if no profile has the counter.
func (c *Counter) Sum(m reader.Method) (sum uint64, ok bool, err error) {
	for p, err := range m.Profiles() {
		if err != nil {
			return 0, false, err
		}
		if n, has := c.Of(p); has {
			sum = disk.SaturatingAdd(sum, n)
			ok = true
		}
	}
	return sum, ok, nil
}
