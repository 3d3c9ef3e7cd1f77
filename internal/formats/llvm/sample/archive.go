package sample

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Properties and other keys of an archive.
const (
	// PropertyKind has the kind of a profile, see kindNames.
	PropertyKind = "llvm.sample.kind"
	// PropertyFlag has the name of a flag of the profile, see flags.
	PropertyFlag = "llvm.sample.flag"

	keySymbol = "llvm.sample.symbol" // in the table foreign
)

// kindNames has the values of PropertyKind, by Profile.Calling and Profile.Probes. Profiles of one kind can be merged.
var kindNames = map[[2]bool]string{{false, false}: "inlined lines", {false, true}: "inlined probes",
	{true, false}: "calling lines", {true, true}: "calling probes"}

func (p *Profile) kindName() string { return kindNames[[2]bool{p.Calling, p.Probes}] }

// flags returns the flags of a profile by their names.
func (p *Profile) flags() map[string]*bool {
	return map[string]*bool{"partial": &p.Partial, "flow-sensitive": &p.FlowStages, "pre-inlined": &p.PreInlined,
		"unique-names": &p.UniqueNames}
}

// Losses of the import and the export.
const (
	LossLarge      codec.LossKind = "counts above the highest number"
	LossAttributes codec.LossKind = "attributes that are not known"
	LossCode       codec.LossKind = "checksums of 64 ones, which are stored as one less"
	LossTypes      codec.LossKind = "classes of objects at virtual calls"
	LossChecksum   codec.LossKind = "profiles of a function with a checksum that another has, with fewer samples"
	LossFiles      codec.LossKind = "source files of no function, or of a function with several"
	LossSummary    codec.LossKind = "summaries that differ from the counts, from which exports compute them"
)

// addLossesTo adds the losses of reading and of sort.
func (p *Profile) addLossesTo(lost *codec.Losses) {
	if p.types > 0 {
		lost.AddLoss(codec.Loss{What: LossTypes, Count: p.types})
	}
	if p.otherSummary {
		lost.Add(LossSummary, 1)
	}
	for unit, n := range p.lost {
		lost.AddLoss(codec.Loss{What: LossLarge, Count: 1, Unit: unit, Amount: n})
	}
	for unit, n := range p.dropped {
		lost.AddLoss(codec.Loss{What: LossChecksum, Count: 1, Unit: unit, Amount: n, First: p.droppedNames})
	}
}

// attributeShift is the place of the attributes in the flags of the entry with the total.
const attributeShift = 4

// maxAttributes has the attributes that are known.
const maxAttributes = 7

// An archiver adds a profile to a builder.
type archiver struct {
	b       *builder.Builder
	report  *codec.Report
	methods map[string]builder.MethodRef
	wide    locations
	err     error
}

// addTo adds the profile to a builder, the one in the report.
func (p *Profile) addTo(b *builder.Builder, report *codec.Report) error {
	a := archiver{b: b, report: report, methods: map[string]builder.MethodRef{}, wide: locations{}}
	for _, f := range p.Functions {
		a.addFunction(f, f.Context)
	}
	if a.err != nil {
		return a.err
	}
	report.Methods = len(a.methods)
	p.addLossesTo(&report.Lost)
	a.addFiles(p)
	a.wide.addTo(b)
	a.listNames(p.ranking)
	for _, symbol := range p.Symbols {
		addForeign(b, keySymbol, symbol)
	}
	b.Internal().AddProperty(PropertyKind, p.kindName())
	for name, is := range p.flags() {
		if *is {
			b.Internal().AddProperty(PropertyFlag, name)
		}
	}
	return b.Err()
}

func (a *archiver) method(name string) builder.MethodRef {
	m, ok := a.methods[name]
	if !ok {
		m = a.b.Method(layout.Key{Name: name})
		a.methods[name] = m
	}
	return m
}

// listNames keeps the order of a table of GUIDs.
func (a *archiver) listNames(places ranking) {
	for _, name := range slices.SortedFunc(maps.Keys(places), places.compareNames) {
		a.b.Internal().Table(disk.TableOrder, 0, disk.ColumnMethod).Row(uint64(a.method(name)))
	}
}

// point returns the point of a location, and keeps the first error.
func (a *archiver) point(function string, at Location) int32 {
	point, err := a.wide.pointOf(function, at)
	if a.err == nil {
		a.err = err
	}
	return point
}

// addFunction adds a function with the given callers, the outermost first, and the calls that are inlined in it.
func (a *archiver) addFunction(f *Function, callers []Frame) {
	m := a.method(f.Name)
	var context builder.ContextRef
	for _, caller := range slices.Backward(callers) {
		context = a.b.Internal().OuterContext(m, context, a.method(caller.Name), a.point(caller.Name, caller.Location))
	}
	a.addProfile(f, a.b.ProfileIn(m, a.code(f), context))
	for _, c := range f.Calls {
		a.addFunction(c.Function, append(slices.Clip(callers), Frame{f.Name, c.Location}))
	}
}

// code returns the version of a function's code, which is its checksum. An archive has no code with the highest number.
func (a *archiver) code(f *Function) uint64 {
	if f.Checksum == layout.CodeAny {
		a.report.Lost.AddLoss(codec.Loss{What: LossCode, Count: 1, First: []string{f.Name}})
		return layout.CodeAny - 1
	}
	return f.Checksum
}

func (a *archiver) addProfile(f *Function, p *builder.Profile) {
	p.Invocations(f.Head)
	if f.Attributes > maxAttributes {
		a.report.Lost.AddLoss(codec.Loss{What: LossAttributes, Count: 1, First: []string{f.Name}})
	}
	p.Count(builder.Count{Sub: disk.SubTotal, Flags: layout.EntryFlags(f.Attributes&maxAttributes) << attributeShift,
		N: f.Total})
	for _, l := range f.Lines {
		point := a.point(f.Name, l.Location)
		p.Count(builder.Count{Point: point, Sub: layout.SubSamples, N: l.Samples})
		if len(l.Targets) > 0 {
			p.Callees(point, a.callees(l.Targets)...)
		}
		a.report.Entries++
	}
	a.report.Entries++
	if f.First != 0 {
		a.b.Internal().Table(disk.TableAdvice, 0).Row(uint64(p.Internal().Ref()), f.First, 1, 0)
	}
	if err := p.Done(); a.err == nil {
		a.err = err
	}
}

func (a *archiver) callees(targets []Target) []builder.Callee {
	return lists.Map(targets, func(t Target) builder.Callee {
		return builder.Callee{Method: a.method(t.Name), Count: t.Count}
	})
}

// addFiles adds the files of functions to the archive.
func (a *archiver) addFiles(p *Profile) {
	in := a.b.Internal()
	added := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		if m, ok := a.methods[name]; ok {
			file := p.Files[name]
			added[file] = true
			in.Table(disk.TableFunctions, 0).Row(uint64(m), uint64(in.Symbol("")), uint64(in.Symbol(file)), 0)
		}
	}
	for _, file := range p.fileNames {
		if !added[file] {
			a.report.Lost.AddLoss(codec.Loss{What: LossFiles, Count: 1, First: []string{file}})
		}
	}
}

// A location is a profile point: the discriminator above the 16 bits of the line. A location that does not fit has a
// negative point, a hash, and a row of the table foreign in the archive.

const (
	lineBits = 16
	maxLine  = 1<<lineBits - 1
	maxSmall = 1<<15 - 1 // highest discriminator in a point
)

// keyLocation is the key of the rows with locations that do not fit into a point.
const keyLocation = "llvm.sample.location"

// A wideLocation is a location in a function that does not fit into its point.
type wideLocation struct {
	function string
	point    int32
}

// locations has the locations that do not fit into a point.
type locations map[wideLocation]Location

// pointOf returns the point of a location, and an error if another location of the function has it.
func (l locations) pointOf(function string, at Location) (int32, error) {
	if at.Line <= maxLine && at.Discriminator <= maxSmall {
		return int32(at.Discriminator<<lineBits | at.Line), nil
	}
	h := fnv.New32a()
	fmt.Fprint(h, at.Line, at.Discriminator)
	wide := wideLocation{function, int32(h.Sum32() | 1<<31)}
	if other, ok := l[wide]; ok && other != at {
		return 0, fmt.Errorf("lines %v and %v of %s cannot be told apart in an archive", other, at, function)
	}
	l[wide] = at
	return wide.point, nil
}

func (l locations) locationOf(function string, point int32) Location {
	if point < 0 {
		for _, name := range []string{function, ""} {
			if at, ok := l[wideLocation{name, point}]; ok {
				return at
			}
		}
		return Location{Discriminator: uint32(point)}
	}
	return Location{uint32(point) & maxLine, uint32(point) >> lineBits}
}

// Locations are the locations of an archive's points.
type Locations struct {
	Probes  bool // the points are pseudo probes
	Calling bool // a context has calls that were not inlined
	wide    locations
}

// ReadLocations returns the locations of an archive, or nil if it has no sample profile of LLVM.
func ReadLocations(s *reader.Store) (*Locations, error) {
	properties, err := entries.Properties(s)
	kind := properties[PropertyKind]
	if err != nil || len(kind) == 0 {
		return nil, err
	}
	l := &Locations{Probes: strings.HasSuffix(kind[0], "probes"), Calling: strings.HasPrefix(kind[0], "calling")}
	l.wide, _, err = foreignRows(s)
	return l, err
}

// Text returns the location of a point, as 4.2, or the number of a point that has none.
func (l *Locations) Text(function string, point int32) string {
	if l == nil {
		return strconv.Itoa(int(point))
	}
	return l.wide.locationOf(function, point).String()
}

// Line returns the line of a point, counted from the start of the function.
func (l *Locations) Line(function string, point int32) int32 {
	return int32(l.wide.locationOf(function, point).Line)
}

// Compare orders points of a function by line and discriminator.
func (l *Locations) Compare(function string, x, y int32) int {
	return l.wide.locationOf(function, x).compare(l.wide.locationOf(function, y))
}

// addTo adds the rows to the table of an archive.
func (l locations) addTo(b *builder.Builder) {
	var rows []string
	for wide, at := range l {
		rows = append(rows, fmt.Sprintf("%d %d.%d %s", wide.point, at.Line, at.Discriminator, wide.function))
	}
	slices.Sort(rows)
	for _, row := range rows {
		addForeign(b, keyLocation, row)
	}
}

func addForeign(b *builder.Builder, key, value string) {
	b.Internal().Table(disk.TableForeign, 0).Row(uint64(b.Internal().Symbol(key)), uint64(b.Internal().Symbol(value)))
}

// foreignRows returns the locations and the symbols in the table foreign of an archive.
func foreignRows(s *reader.Store) (at locations, symbols []string, err error) {
	rows, err := entries.Texts(s, disk.TableForeign)
	at = locations{}
	for _, row := range rows[keyLocation] {
		at.parse(row)
	}
	return at, rows[keySymbol], err
}

func (l locations) parse(row string) {
	words := strings.SplitN(row, " ", 3)
	var at Location
	var point int32
	if len(words) < 3 {
		return
	}
	if n, _ := fmt.Sscanf(words[0]+" "+words[1], "%d %d.%d", &point, &at.Line, &at.Discriminator); n == 3 {
		l[wideLocation{words[2], point}] = at
		l[wideLocation{"", point}] = at // for functions that were renamed since
	}
}
