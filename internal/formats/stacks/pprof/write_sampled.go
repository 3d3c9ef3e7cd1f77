package pprof

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A sampledWriter writes the stacks of an archive of domain sampled.
type sampledWriter struct {
	Assembly
	s                *reader.Store
	facts            map[string][]string
	places           map[layout.Ref]stacks.Place
	mappings         []writtenMapping
	inlined          map[layout.Ref]bool // contexts whose outermost frame calls inlined code
	types            []ledger.Unit       // units of the written values
	writtenFunctions map[layout.Ref]writtenFunction
	unnamed          *profile.Function // function without a name, or nil
	locations        map[string]*profile.Location
	key              []byte
	calls            []bool // whether each frame of a stack calls inlined code
	report           codec.Report
	parse.FirstError
}

type writtenFunction struct {
	function *profile.Function
	// of code without a symbol
	mapping *profile.Mapping
	address uint64
}

func writeSampled(out io.Writer, s *reader.Store) (*codec.Report, error) {
	places, errPlaces := stacks.Places(s)
	facts, errFacts := entries.Properties(s)
	if err := cmp.Or(errPlaces, errFacts); err != nil {
		return nil, err
	}
	w := &sampledWriter{s: s, facts: facts, places: places, mappings: mappingsOf(facts), inlined: map[layout.Ref]bool{},
		writtenFunctions: map[layout.Ref]writtenFunction{}, locations: map[string]*profile.Location{},
		report: codec.Report{Totals: ledger.Totals{}}}
	w.readInlined()
	w.addTypes()
	w.addMappings()
	for stack := range poll.Values(stacks.Sampled(s), &w.Err) {
		w.addStack(&stack)
	}
	if w.Err != nil {
		return nil, w.Err
	}
	if len(w.Sample) == 0 {
		return nil, fmt.Errorf("%s (domain %s): %w", s.Mapping().Name(), s.Header().Domain, ErrNothing)
	}
	w.addFacts()
	return &w.report, w.WritePacked(out)
}

func (w *sampledWriter) readInlined() {
	t, err := w.s.TableOrEmpty(disk.TableInlining)
	if err != nil {
		w.Fail(disk.WithFileName(err, w.s.Mapping().Name()))
	}
	for row := range t.Rows {
		w.inlined[layout.Ref(t.Cell(0, row))] = true
	}
}

// addTypes adds the types of values that the archive has, in the order of the imported profile.
func (w *sampledWriter) addTypes() {
	has := map[ledger.Unit]bool{}
	w.Fail(stacks.Leaves(w.s, func(l stacks.Leaf) error {
		has[ledger.Samples] = has[ledger.Samples] || l.Count > 0
		has[ledger.Nanoseconds] = has[ledger.Nanoseconds] || l.Time > 0
		return nil
	}))
	units := map[string]ledger.Unit{}
	for unit, of := range map[ledger.Unit][2]string{ledger.Samples: {disk.PropertySamplesType, disk.TypeSamples},
		ledger.Nanoseconds: {disk.PropertyTimeType, disk.TypeCPU}} {
		values := w.facts[of[0]]
		all := strings.Fields(strings.Join(w.facts[disk.PropertySampleTypes], " "))
		if len(values) > 1 || len(values) == 1 && slices.Contains(all, of[1]) {
			w.Fail(fmt.Errorf("%s: %w: %s", w.s.Mapping().Name(), ErrTypes,
				strings.Join(w.facts[disk.PropertySampleTypes], ", ")))
		}
		units[cmp.Or(first(w.facts, of[0]), of[1])] = unit
	}
	names := strings.Fields(first(w.facts, disk.PropertySampleTypes))
	for _, name := range append(names, slices.Sorted(maps.Keys(units))...) {
		unit := units[name]
		listed := slices.Contains(names, name)
		if unit == "" || slices.Contains(w.types, unit) || !listed && !has[unit] {
			continue
		}
		w.types = append(w.types, unit)
		w.SampleType = append(w.SampleType, valueType(name))
	}
}

func valueType(name string) *profile.ValueType {
	kind, unit, _ := strings.Cut(name, "/")
	return &profile.ValueType{Type: kind, Unit: unit}
}

func (w *sampledWriter) addStack(k *stacks.Stack) {
	w.readCalls(k)
	var stack []*profile.Location
	for first := 0; first < len(k.Frames); {
		end := first + 1
		for end < len(k.Frames) && w.calls[end] {
			end++
		}
		var leaf *profile.Location
		if len(stack) == 1 {
			leaf = stack[0]
		}
		stack = append(stack, w.locationOf(k.Frames[first:end], leaf))
		first = end
	}
	values := make([]int64, len(w.types))
	for i, unit := range w.types {
		n := k.Count
		if unit == ledger.Nanoseconds {
			n = k.Time
		}
		values[i] = addClamped(&w.report, 0, n, unit)
	}
	w.AddSample(stack, values...)
}

func (w *sampledWriter) readCalls(k *stacks.Stack) {
	w.calls = append(w.calls[:0], make([]bool, len(k.Frames))...)
	if len(w.inlined) == 0 {
		return
	}
	c := k.Context
	for i := len(k.Frames) - 1; i > 0; i-- {
		w.calls[i] = w.inlined[c.Ref()]
		if i == 1 {
			return
		}
		inner, err := w.s.ContextAt(c.Inner())
		if w.Fail(err) {
			return
		}
		c = inner
	}
}

// locationOf returns the location of frames. Since Go's compiler ignores calls from a location to itself, that of the
// leaf's caller differs from the leaf's. leaf is nil for other frames.
func (w *sampledWriter) locationOf(frames []stacks.Frame, leaf *profile.Location) *profile.Location {
	w.key = w.key[:0]
	for _, f := range frames {
		w.key = binary.LittleEndian.AppendUint32(w.key, uint32(f.Method.Ref()))
		w.key = binary.LittleEndian.AppendUint32(w.key, uint32(f.Point))
	}
	l := w.locations[string(w.key)]
	if l != nil && l == leaf {
		w.key = append(w.key, 1)
		l = w.locations[string(w.key)]
	}
	if l != nil {
		return l
	}
	key := string(w.key)
	var lines []profile.Line
	var code writtenFunction
	for _, f := range frames {
		of := w.writtenFunctionOf(f.Method)
		if of.function == nil && len(frames) > 1 {
			of.function = w.unnamedFunction()
		}
		line := profile.Line{Function: of.function, Line: int64(f.Point)}
		if of.function != nil {
			line.Line += of.function.StartLine
		}
		lines = append(lines, line)
		code = of
	}
	switch {
	case len(lines) == 1 && code.address != 0:
		l = w.addLocationAt(code.mapping, code.address, nil)
	case len(lines) == 1 && code.function == nil: // with an address it would be other code
		l = w.addLocationAt(nil, 0, nil)
	case len(w.Mapping) > 0:
		l = w.addLocationAt(w.Mapping[0], uint64(len(w.Location)+1), lines)
	default:
		l = w.AddLocation(lines...)
	}
	w.locations[key] = l
	return l
}

// unnamedFunction returns a function for unknown frames among inlined ones, since each line of a location has a
// function.
func (w *sampledWriter) unnamedFunction() *profile.Function {
	if w.unnamed == nil {
		w.unnamed = w.AddFunction(profile.Function{})
	}
	return w.unnamed
}

// writtenFunctionOf returns the function of a method, without one for an unknown function.
func (w *sampledWriter) writtenFunctionOf(m reader.Method) writtenFunction {
	if of, ok := w.writtenFunctions[m.Ref()]; ok {
		return of
	}
	k, err := m.Key()
	w.Fail(err)
	var of writtenFunction
	if of.mapping, of.address = w.addressOf(k.Name); of.address == 0 && k.Name != "" {
		p := w.places[m.Ref()]
		// Readers do not demangle a name that equals SystemName.
		of.function = w.AddFunction(profile.Function{Name: k.Name, SystemName: cmp.Or(p.System, k.Name), Filename: p.File,
			StartLine: int64(min(p.Line, math.MaxInt32))})
	}
	w.writtenFunctions[m.Ref()] = of
	return of
}

// addFacts adds the properties of the profile. If merged profiles differ in a property, it adds the first value.
func (w *sampledWriter) addFacts() {
	number := func(key string) int64 {
		n, err := strconv.ParseInt(first(w.facts, key), 10, 64)
		if err != nil {
			return 0
		}
		return n
	}
	if name := first(w.facts, propertyPeriodType); strings.Contains(name, "/") {
		w.PeriodType = valueType(name)
	}
	w.Period = number(propertyPeriod)
	w.DurationNanos = number(propertyDuration)
	w.TimeNanos = w.s.Header().DumpTime
	w.DropFrames = first(w.facts, propertyDrop)
	w.KeepFrames = first(w.facts, propertyKeep)
	w.DocURL = first(w.facts, propertyDoc)
	for _, t := range w.SampleType {
		if t.Type == first(w.facts, propertyDefault) {
			w.DefaultSampleType = t.Type
		}
	}
	w.Comments = w.facts[propertyComment]
}
