package sample

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
)

// A Profile is the content of a sample profile. [Read] fills one from a file. Other producers set its fields:
// [Profile.Archive] adds up functions, lines, calls and targets that occur twice, and sorts all. The producer sets
// Function.Total: LLVM adds each sample to the function and to all functions into which it is inlined.
type Profile struct {
	Calling    bool // each function has its calling context, as CSSPGO has it; inlined functions are not nested
	Probes     bool // lines are numbers of pseudo probes, and functions have checksums
	Partial    bool // the profile has only shared code
	FlowStages bool // discriminators are flow-sensitive
	PreInlined bool // attributes decide about inlining
	Functions  []*Function
	Symbols    []string // all functions of the program; nil if unknown

	UniqueNames bool // a name has a suffix that makes it unique; set if the names are GUIDs

	Files map[string]string // source files of functions by name, as GCC's version 3 has them

	read  ledger.Totals // counts before sort
	types int           // lines with the classes of objects at virtual calls, which are not read

	otherSummary bool     // GCC's file has another summary than its counts
	fileNames    []string // all files in GCC's file
	sorter
}

// A Function has the samples of a function, or of a call that was inlined.
type Function struct {
	Name       string  // from nameOfGUID if only the GUID is known
	Context    []Frame // callers, the outermost first; nil unless Profile.Calling
	Total      uint64  // samples in the function and in its inlined calls
	Head       uint64  // samples at the entry
	First      uint64  // time of the first sample, as GCC's version 3 has it; 0 if unknown
	Checksum   uint64  // of the control flow; 0 if unknown
	Attributes uint64
	Lines      []Line
	Calls      []Call // inlined calls
}

// A Location is a source line, or a pseudo probe, and its discriminator.
type Location struct {
	Line, Discriminator uint32 // Line counts from the first line of the function
}

// A Frame is a call in a function.
type Frame struct {
	Name string
	Location
}

// A Line has the samples of a location, and the functions that it called.
type Line struct {
	Location
	Samples uint64
	Targets []Target
}

// A Target counts the calls of one function.
type Target struct {
	Name  string
	Count uint64
}

// A Call is an inlined call.
type Call struct {
	Location
	*Function
}

const (
	guidMark = '#' // first byte of a name from nameOfGUID
	guidSize = 17
)

// nameOfGUID returns the name for a function that is known by its GUID alone, the MD5 of its name.
func nameOfGUID(guid uint64) string { return fmt.Sprintf("%c%016x", guidMark, guid) }

// nameOfText returns the name for a text in a file. A text that begins with the mark of GUIDs has the mark twice.
func nameOfText(text string) string {
	if strings.HasPrefix(text, string(guidMark)) {
		return string(guidMark) + text
	}
	return text
}

// isGUID reports whether a name is one from nameOfGUID.
func isGUID(name string) bool {
	return len(name) == guidSize && name[0] == guidMark && name[1] != guidMark
}

// guidOfName returns the GUID of a name, and whether it is all that is known.
func guidOfName(name string) (guid uint64, only bool) {
	if isGUID(name) {
		if guid, err := strconv.ParseUint(name[1:], 16, 64); err == nil {
			return guid, true
		}
	}
	return disk.NameRef(textOfName(name)), false
}

// GUID returns LLVM's number of a function, the MD5 of its name.
func GUID(name string) uint64 {
	guid, _ := guidOfName(name)
	return guid
}

// textOfName returns the text of a name in a file without GUIDs. LLVM spells a GUID in decimal there.
func textOfName(name string) string {
	if !strings.HasPrefix(name, string(guidMark)) {
		return name
	}
	if strings.HasPrefix(name[1:], string(guidMark)) {
		return name[1:]
	}
	return strconv.FormatUint(GUID(name), 10)
}

// A ranking has the places of names in the file's table of GUIDs, which has the order of the names that it lacks. It is
// nil for other files.
type ranking map[string]int

// compareNames orders GUIDs by value before the other names, unless they have places.
func (r ranking) compareNames(a, b string) int {
	if r != nil {
		return cmp.Compare(r[a], r[b])
	}
	if len(a) == 0 || len(b) == 0 || a[0] != guidMark && b[0] != guidMark {
		return strings.Compare(a, b)
	}
	x, onlyA := guidOfName(a)
	y, onlyB := guidOfName(b)
	switch {
	case onlyA && onlyB:
		return cmp.Compare(x, y)
	case onlyA:
		return -1
	case onlyB:
		return 1
	}
	return strings.Compare(textOfName(a), textOfName(b))
}

func (l Location) compare(o Location) int {
	return cmp.Or(cmp.Compare(l.Line, o.Line), cmp.Compare(l.Discriminator, o.Discriminator))
}

func (l Location) String() string {
	if l.Discriminator == 0 {
		return strconv.FormatUint(uint64(l.Line), 10)
	}
	return fmt.Sprintf("%d.%d", l.Line, l.Discriminator)
}

// frames returns the context of a function, followed by the function itself.
func (f *Function) frames() []Frame { return append(slices.Clone(f.Context), Frame{Name: f.Name}) }

// eachName calls yield with the names of a function, its callers, its targets and the calls in it.
func (f *Function) eachName(yield func(name string)) {
	f.eachNameAt(func(name *string) { yield(*name) })
}

// eachNameAt calls yield with the places of the same names. The callers must not be shared with other functions.
func (f *Function) eachNameAt(yield func(name *string)) {
	for i := range f.Context {
		yield(&f.Context[i].Name)
	}
	yield(&f.Name)
	for _, l := range f.Lines {
		for i := range l.Targets {
			yield(&l.Targets[i].Name)
		}
	}
	for _, c := range f.Calls {
		c.eachNameAt(yield)
	}
}

func (r ranking) compareContexts(a, b *Function) int {
	if len(a.Context) == 0 && len(b.Context) == 0 {
		return r.compareNames(a.Name, b.Name)
	}
	return slices.CompareFunc(a.frames(), b.frames(), func(x, y Frame) int {
		return cmp.Or(r.compareNames(x.Name, y.Name), x.Location.compare(y.Location))
	})
}

func (r ranking) compareCalls(a, b Call) int {
	return cmp.Or(a.Location.compare(b.Location), r.compareNames(a.Name, b.Name))
}

// compareTargets puts the most frequent target first.
func (r ranking) compareTargets(a, b Target) int {
	return cmp.Or(cmp.Compare(b.Count, a.Count), r.compareNames(a.Name, b.Name))
}

// A sorter sorts a profile and adds up parts that occur twice.
type sorter struct {
	ranking
	lost, dropped ledger.Totals // counts above the highest number, and of versions of functions
	droppedNames  []string
}

func (s *sorter) add(to *uint64, n uint64, unit ledger.Unit) {
	sum := disk.SaturatingAdd(*to, n)
	if lost := *to + n - sum; lost != 0 {
		s.lost.Add(unit, lost)
	}
	*to = sum
}

// sort brings a profile into LLVM's order: the functions with the most samples first.
func (p *Profile) sort() {
	if p.read == nil {
		p.read = p.totals()
		p.lost = ledger.Totals{}
		p.dropped = ledger.Totals{}
	}
	slices.SortStableFunc(p.Functions, func(a, b *Function) int {
		return cmp.Or(p.compareContexts(a, b), a.compareVersions(b))
	})
	p.Functions = unite(p.Functions, func(a, b *Function) bool { return p.compareContexts(a, b) == 0 }, p.addFunction)
	for _, f := range p.Functions {
		p.sortFunction(f)
	}
	slices.SortStableFunc(p.Functions, func(a, b *Function) int { return cmp.Compare(b.Total, a.Total) })
	slices.Sort(p.Symbols)
	p.Symbols = slices.Compact(p.Symbols)
}

// unite adds up neighbours that are the same.
func unite[T any](all []T, same func(a, b T) bool, addTo func(to *T, from T)) []T {
	kept := all[:0]
	for _, next := range all {
		if n := len(kept); n > 0 && same(kept[n-1], next) {
			addTo(&kept[n-1], next)
		} else {
			kept = append(kept, next)
		}
	}
	return kept
}

// compareVersions puts the version of a function with the most samples first, and functions without checksum last.
func (f *Function) compareVersions(o *Function) int {
	if f.Checksum == 0 || o.Checksum == 0 {
		return cmp.Compare(min(o.Checksum, 1), min(f.Checksum, 1))
	}
	return cmp.Compare(o.Total, f.Total)
}

// addFunction adds a function to another one. A version with another checksum is dropped.
func (s *sorter) addFunction(to **Function, f *Function) {
	if f.Checksum != 0 && f.Checksum != (*to).Checksum {
		f.addTotals(s.dropped)
		s.droppedNames = append(s.droppedNames, f.Name)
		return
	}
	s.addSamples(*to, f)
}

func (s *sorter) addSamples(to, f *Function) {
	s.add(&to.Total, f.Total, ledger.Counts)
	s.add(&to.Head, f.Head, ledger.Invocations)
	to.First = cmp.Or(min(to.First, f.First), max(to.First, f.First))
	to.Attributes = cmp.Or(to.Attributes, f.Attributes)
	to.Lines = append(to.Lines, f.Lines...)
	to.Calls = append(to.Calls, f.Calls...)
}

func (s *sorter) sortFunction(f *Function) {
	slices.SortStableFunc(f.Lines, func(a, b Line) int { return a.Location.compare(b.Location) })
	f.Lines = unite(f.Lines, func(a, b Line) bool { return a.Location == b.Location }, func(to *Line, l Line) {
		s.add(&to.Samples, l.Samples, ledger.Samples)
		to.Targets = append(to.Targets, l.Targets...)
	})
	for i := range f.Lines {
		s.sortTargets(&f.Lines[i])
	}
	slices.SortStableFunc(f.Calls, func(a, b Call) int {
		return cmp.Or(s.compareCalls(a, b), a.compareVersions(b.Function))
	})
	f.Calls = unite(f.Calls, func(a, b Call) bool { return s.compareCalls(a, b) == 0 },
		func(to *Call, c Call) { s.addFunction(&to.Function, c.Function) })
	for _, c := range f.Calls {
		s.sortFunction(c.Function)
	}
}

func (s *sorter) sortTargets(l *Line) {
	if len(l.Targets) > 1 {
		slices.SortStableFunc(l.Targets, func(a, b Target) int { return s.compareNames(a.Name, b.Name) })
		l.Targets = unite(l.Targets, func(a, b Target) bool { return a.Name == b.Name },
			func(to *Target, t Target) { to.Count = disk.SaturatingAdd(to.Count, t.Count) })
		slices.SortFunc(l.Targets, s.compareTargets)
	}
}

// totals returns the counts of a profile by the units of an archive's account. The targets of calls are no samples.
func (p *Profile) totals() ledger.Totals {
	t := ledger.Totals{}
	for _, f := range p.Functions {
		f.addTotals(t)
	}
	return t
}

func (f *Function) addTotals(t ledger.Totals) {
	t.Add(ledger.Invocations, f.Head)
	t.Add(ledger.Counts, f.Total)
	for _, l := range f.Lines {
		t.Add(ledger.Samples, l.Samples)
	}
	for _, c := range f.Calls {
		c.addTotals(t)
	}
}
