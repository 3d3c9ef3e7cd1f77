package pprof

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
)

// Properties of the archive. docs/format.md describes them.
const (
	propertyDefault    = "pprof.default_type"
	propertyMapping    = "pprof.mapping"
	propertyPeriodType = "pprof.period_type"
	propertyPeriod     = "pprof.period"
	propertyDrop       = "pprof.drop_frames"
	propertyKeep       = "pprof.keep_frames"
	propertyBinary     = "pprof.binary"
	propertyComment    = "pprof.comment"
	propertyDoc        = "pprof.doc_url"
	propertyDuration   = disk.PropertySampledTotal + "duration"
)

// Losses of the import.
const (
	LossLabels   codec.LossKind = "labels of samples: samples that differ in nothing else are summed; see the option split-by"
	LossTypes    codec.LossKind = "values of other types " + ledger.ByChoice + ": see the option sample-type"
	LossNegative codec.LossKind = "samples below 0, as of a difference of profiles"
	LossNoStack  codec.LossKind = "samples without a stack"
	LossMappings codec.LossKind = "mappings of addresses with a symbol that are not in the first mapping"
	LossLines    codec.LossKind = "lines that are not within 2^31 lines of the start of their function"
	LossNUL      codec.LossKind = "names with a NUL byte, which ends them"
	// LossAddresses counts locations. Their samples are added up if they have the same lines.
	LossAddresses codec.LossKind = "addresses of code with symbols"
	LossColumns   codec.LossKind = "columns of lines"
	LossDeclared  codec.LossKind = "declarations of functions that have the name of another: the first is written for both"
	LossInlined   codec.LossKind = "calls that are inlined in some of the samples: they are written as calls"
)

// ErrDeep means that the stacks of a profile have too many frames for its size.
var ErrDeep = errors.New("its stacks have too many frames")

// All stacks together can have freeFrames frames, plus framesPerByte for each byte of the profile. Profiles of real
// programs have less than one frame per byte, because a location takes at least one byte and has few inlined calls.
const (
	framesPerByte = 2
	freeFrames    = 1 << 16
)

type importBuild struct {
	*decodedProfile
	b         *builder.Builder
	lost      *codec.Losses
	edgesOnly bool   // drop calling contexts
	splitBy   string // key of the label that becomes a frame

	samples, cpu int                          // indexes of values, or -1
	weight       int                          // index of the value that is the weight of edges
	methods      []builder.MethodRef          // method of each function
	lineWords    []uint64                     // word of each line, 0 without a function or a valid point
	names        []string                     // types of values
	methodNames  map[builder.MethodRef]string // name of each method
	places       map[place]builder.MethodRef  // methods of code without symbols
	labelFrames  map[string]builder.MethodRef // methods of labels
	framesLeft   int                          // remaining number of frames before ErrDeep
	samplesRead  int                          // number of samples read
	sums         []uint64                     // totals of values, by type
	values       []int                        // number of values other than 0, by type

	stack          []frame // frames of the current sample
	stacks         []stackSample
	words          []uint64          // words of stacks
	calls          []uint8           // how each frame of words calls the one before it: called, calledInline or both
	inlined        []uint8           // how the outermost frame of each context calls, by context
	mergeThreshold int               // length of words at which stacks are merged
	weights        map[edge]uint64   // weight of each edge
	seen           map[[2]frame]bool // scratch of addEdges
}

// A frame is a function on a stack.
type frame struct {
	method  builder.MethodRef
	point   int32
	start   int64
	number  int64
	address uint64
}

type edge struct {
	caller builder.MethodRef
	point  int32
	callee builder.MethodRef
}

func newBuild(r *decodedProfile, b *builder.Builder, lost *codec.Losses, i *Importer) (*importBuild, error) {
	k := &importBuild{decodedProfile: r, b: b, lost: lost, samples: -1, cpu: -1, edgesOnly: i.EdgesOnly,
		splitBy: i.SplitBy, sums: make([]uint64, len(r.types)), values: make([]int, len(r.types)),
		framesLeft: freeFrames + framesPerByte*len(r.data), mergeThreshold: minMergeThreshold,
		words:       make([]uint64, 0, min(minMergeThreshold, len(r.data)/bytesPerWord)),
		methodNames: map[builder.MethodRef]string{}, weights: map[edge]uint64{}, seen: map[[2]frame]bool{},
		places: map[place]builder.MethodRef{}, labelFrames: map[string]builder.MethodRef{}}
	if err := k.chooseTypes(i.SampleType); err != nil {
		return nil, err
	}
	addresses := 0
	elsewhere := 0
	for _, l := range r.locations {
		if l.first == l.end {
			continue
		}
		addresses++
		if l.mapping > 1 {
			elsewhere++
		}
	}
	lost.Add(LossAddresses, addresses)
	lost.Add(LossMappings, elsewhere)
	lost.Add(LossColumns, r.columns)
	return k, nil
}

func (k *importBuild) recordProfile() error {
	if err := k.addFunctions(); err != nil {
		return err
	}
	k.packLines()
	if err := k.eachSample(k.addSample); err != nil {
		return err
	}
	if err := k.recordStacks(); err != nil {
		return err
	}
	if err := k.recordEdges(); err != nil {
		return err
	}
	k.recordInlined()
	k.addProperties()
	return k.b.Err()
}

// addFunctions adds the methods and their declarations.
func (k *importBuild) addFunctions() error {
	table := k.b.Internal().Table(disk.TableFunctions, 0)
	type declaration struct {
		method       builder.MethodRef
		system, file stringRef
	}
	highest := map[declaration]int64{} // highest start line
	var declarations []declaration
	k.methods = make([]builder.MethodRef, len(k.decodedProfile.functions))
	for _, i := range k.functionsByName() {
		f := &k.decodedProfile.functions[i]
		name := k.cutName(k.stringAt(f.name))
		m := k.b.Method(layout.Key{Name: name})
		k.methods[i] = m
		k.methodNames[m] = name
		if f.system == f.name || k.stringAt(f.system) == name {
			f.system = 0
		}
		at := declaration{m, f.system, f.file}
		start, known := highest[at]
		if !known {
			declarations = append(declarations, at)
		}
		highest[at] = max(start, f.startLine)
	}
	declared := map[builder.MethodRef]bool{}
	for _, at := range declarations {
		start := highest[at]
		if declared[at.method] {
			k.lost.AddLoss(codec.Loss{What: LossDeclared, Count: 1, First: []string{k.methodNames[at.method]}})
		}
		declared[at.method] = true
		if at.system != 0 || at.file != 0 || start != 0 {
			table.Row(uint64(at.method), k.internSymbol(at.system), k.internSymbol(at.file), uint64(max(start, 0)))
		}
	}
	return k.b.Err()
}

// functionsByName returns the indexes of functions in the order of their names, in which methods are numbered.
func (k *importBuild) functionsByName() []int {
	order := lists.Below(len(k.decodedProfile.functions))
	slices.SortFunc(order, func(x, y int) int {
		return cmp.Compare(k.stringAt(k.decodedProfile.functions[x].name), k.stringAt(k.decodedProfile.functions[y].name))
	})
	return order
}

// cutName truncates the name of a method at a NUL byte.
func (k *importBuild) cutName(name string) string {
	name, _, cut := strings.Cut(name, "\x00")
	if cut {
		k.lost.AddLoss(codec.Loss{What: LossNUL, Count: 1, First: []string{name}})
	}
	return name
}

// internSymbol interns a string. It returns 0 for "".
func (k *importBuild) internSymbol(ref stringRef) uint64 {
	text := k.stringAt(ref)
	if text == "" {
		return 0
	}
	return uint64(k.b.Internal().Symbol(text))
}

func (k *importBuild) addSample(s *sample) error {
	k.samplesRead++
	for i, n := range s.values {
		k.sums[i] += magnitude(n)
		if n != 0 {
			k.values[i]++
		}
	}
	if k.valueOf(s, k.samples) < 0 || k.valueOf(s, k.cpu) < 0 {
		k.loseSample(LossNegative, s)
		return nil
	}
	if len(s.locations) == 0 {
		k.loseSample(LossNoStack, s)
		return nil
	}
	first := len(k.words)
	k.calls = k.calls[:first]
	if err := k.appendStack(s.locations); err != nil {
		return err
	}
	k.appendLabels(s.labels)
	if weight := k.valueOf(s, k.weight); weight > 0 {
		k.addEdges(s.locations, uint64(weight))
	}
	k.addStack(stackSample{first: first, samples: uint64(k.valueOf(s, k.samples)), time: uint64(k.valueOf(s, k.cpu))})
	return nil
}

func (k *importBuild) loseSample(what codec.LossKind, s *sample) {
	loss := codec.Loss{What: what, Count: 1}
	for _, i := range []int{k.samples, k.cpu} {
		if i < 0 {
			continue
		}
		loss.Unit = k.unitOf(i)
		loss.Amount = magnitude(s.values[i])
		k.lost.AddLoss(loss)
		loss.Count = 0
	}
}

// valueOf returns value i of a sample, or 0 if i is -1.
func (k *importBuild) valueOf(s *sample, i int) int64 {
	if i < 0 {
		return 0
	}
	return s.values[i]
}

// appendStack appends the words and calls of a stack of locations, leaf first. It sets k.stack to the frames of the
// first two.
func (k *importBuild) appendStack(locations []uint32) error {
	k.stack = k.stack[:0]
	most := len(k.words) + disk.MaxDepth
	for i, at := range locations {
		l := &k.locations[at]
		n := max(int(l.end-l.first), 1)
		if k.framesLeft -= n; k.framesLeft < 0 || len(k.words)+n > most {
			return fmt.Errorf("%w: over %d in one, or %d for each byte of the profile in all", ErrDeep, disk.MaxDepth,
				framesPerByte)
		}
		k.calls = append(k.calls, called)
		for range n - 1 {
			k.calls = append(k.calls, calledInline)
		}
		if words := k.lineWords[l.first:l.end]; i > 1 && len(words) > 0 && !slices.Contains(words, 0) {
			k.words = append(k.words, words...)
			continue
		}
		have := len(k.stack)
		k.addFrames(l)
		for _, f := range k.stack[have:] {
			k.words = append(k.words, packWord(f.method, f.point))
		}
		if i > 1 {
			k.stack = k.stack[:have]
		}
	}
	return nil
}

// appendLabels appends an outermost frame for each value of the label splitBy, as endpoint=/a. Other labels are lost.
func (k *importBuild) appendLabels(labels []label) {
	for _, l := range labels {
		key := k.stringAt(l.key)
		if key != k.splitBy || k.splitBy == "" {
			k.lost.AddLoss(codec.Loss{What: LossLabels, Count: 1, First: []string{key}})
			continue
		}
		value := k.stringAt(l.text)
		if value == "" {
			value = strconv.FormatInt(int64(l.number), 10) + k.stringAt(l.unit)
		}
		name := key + "=" + value
		m, ok := k.labelFrames[name]
		if !ok {
			m = k.b.Method(layout.Key{Name: k.cutName(name)})
			k.labelFrames[name] = m
			k.methodNames[m] = name
		}
		k.words = append(k.words, packWord(m, 0))
		k.calls = append(k.calls, called)
	}
}

func (k *importBuild) addFrames(l *location) {
	if l.first == l.end {
		k.stack = append(k.stack, frame{method: k.placeMethod(l), address: l.address})
	}
	for _, n := range k.lines[l.first:l.end] {
		k.stack = append(k.stack, k.newFrame(n, l))
	}
}

func (k *importBuild) newFrame(l line, at *location) frame {
	if l.function == 0 {
		return frame{method: k.placeMethod(at), address: at.address}
	}
	point, ok := k.pointOfLine(l)
	if !ok {
		k.lost.Add(LossLines, 1)
	}
	return frame{k.methods[l.function-1], point, k.decodedProfile.functions[l.function-1].startLine, l.number, at.address}
}

// pointOfLine returns the line relative to the start of its function. ok is false if it exceeds 32 bits and was
// clamped.
func (k *importBuild) pointOfLine(l line) (point int32, ok bool) {
	offset := l.number - k.decodedProfile.functions[l.function-1].startLine // wraps around as in Go's compiler
	point = int32(max(math.MinInt32, min(offset, math.MaxInt32)))
	return point, int64(point) == offset
}

// addEdges adds the edges between the frames of the last two locations.
func (k *importBuild) addEdges(locations []uint32, weight uint64) {
	n := 0
	for _, at := range locations[:min(len(locations), 2)] {
		n += max(int(k.locations[at].end-k.locations[at].first), 1)
	}
	clear(k.seen)
	for i := n - 1; i > 0; i-- {
		caller := k.stack[i]
		callee := k.stack[i-1]
		pair := [2]frame{caller, callee}
		if caller == callee || k.seen[pair] {
			continue
		}
		k.seen[pair] = true
		e := edge{caller.method, caller.point, callee.method}
		k.weights[e] = disk.SaturatingAdd(k.weights[e], weight)
	}
}

// recordEdges adds a profile without a context for each function that has edges or samples without callers.
func (k *importBuild) recordEdges() error {
	edges := slices.SortedFunc(maps.Keys(k.weights), func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.caller, b.caller), cmp.Compare(a.point, b.point), cmp.Compare(a.callee, b.callee))
	})
	alone := slices.DeleteFunc(slices.Clone(k.stacks), func(s stackSample) bool { return s.end-s.first > 1 })
	for len(edges) > 0 || len(alone) > 0 {
		m := builder.MethodRef(math.MaxUint32)
		if len(edges) > 0 {
			m = edges[0].caller
		}
		if len(alone) > 0 {
			m = min(m, leafMethod(&alone[0]))
		}
		p := k.b.ProfileIn(m, 0, profileset.NoContext)
		var samples []stackSample
		samples, alone = parse.CutWhile(alone, func(s stackSample) bool { return leafMethod(&s) == m })
		countSamples(p, samples)
		for len(edges) > 0 && edges[0].caller == m {
			edges = k.recordCallSite(p, edges)
		}
		if err := p.Done(); err != nil {
			return err
		}
	}
	return nil
}

// recordCallSite adds the edges at the point of edges[0], the heaviest first, and returns the rest of edges.
func (k *importBuild) recordCallSite(p *builder.Profile, edges []edge) []edge {
	first := edges[0]
	here, rest := parse.CutWhile(edges, func(e edge) bool { return e.caller == first.caller && e.point == first.point })
	rows := lists.Map(here, func(e edge) builder.Callee { return builder.Callee{Method: e.callee, Count: k.weights[e]} })
	slices.SortFunc(rows, func(a, b builder.Callee) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(k.methodNames[a.Method], k.methodNames[b.Method]))
	})
	p.Callees(first.point, rows...)
	return rest
}

// countProfiles returns the number of methods with a profile and the number of entries.
func (k *importBuild) countProfiles() (methods, entries int) {
	with := map[builder.MethodRef]bool{}
	sites := map[edge]bool{}
	for _, s := range k.stacks {
		with[leafMethod(&s)] = true
		entries += int(min(s.samples, 1) + min(s.time, 1))
	}
	for e := range k.weights {
		with[e.caller] = true
		sites[edge{caller: e.caller, point: e.point}] = true
	}
	return len(with), entries + len(sites)
}

func (k *importBuild) addProperties() {
	add := func(key, value string) {
		if value != "" {
			k.b.Internal().AddProperty(key, value)
		}
	}
	number := func(field int) string {
		if n := int64(k.numbers[field]); n > 0 {
			return strconv.FormatInt(n, 10)
		}
		return ""
	}
	add(disk.PropertySampleTypes, strings.Join(k.names, " "))
	add(propertyDefault, k.stringAt(k.numbers[profileDefaultType]))
	if k.samples >= 0 && k.names[k.samples] != disk.TypeSamples {
		add(disk.PropertySamplesType, k.names[k.samples])
	}
	if k.cpu >= 0 && k.names[k.cpu] != disk.TypeCPU {
		add(disk.PropertyTimeType, k.names[k.cpu])
	}
	if k.periodType != (sampleType{}) {
		add(propertyPeriodType, k.typeName(&k.periodType))
	}
	add(propertyPeriod, number(profilePeriod))
	add(propertyDuration, number(profileDuration))
	add(propertyDrop, k.stringAt(k.numbers[profileDropFrames]))
	add(propertyKeep, k.stringAt(k.numbers[profileKeepFrames]))
	for i, m := range k.mappings {
		if i == 0 {
			add(propertyBinary, k.stringAt(m.file))
			add(entries.PropertyBuildID, k.stringAt(m.buildID))
		}
		add(propertyMapping, k.describeMapping(i))
	}
	add(propertyDoc, k.stringAt(k.numbers[profileDocURL]))
	for _, c := range k.comments {
		add(propertyComment, k.stringAt(c))
	}
}
