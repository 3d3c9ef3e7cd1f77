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

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A sampledWriter writes the stacks of an archive of domain sampled.
type sampledWriter struct {
	*Encoder
	s                *reader.Store
	facts            map[string][]string
	places           map[layout.Ref]stacks.Place
	mappings         []writtenMapping
	inlined          map[layout.Ref]bool // contexts whose outermost frame calls inlined code
	types            []ledger.Unit       // units of the written values
	writtenFunctions map[layout.Ref]writtenFunction
	unnamed          uint64 // id of the function without a name, or 0
	locationIDs      map[string]uint64
	stack            []uint64
	key              []byte
	calls            []bool   // whether each frame of a stack calls inlined code
	typeNames        []string // of types
	samples          int
	report           codec.Report
}

type writtenFunction struct {
	id    uint64
	start int64 // start line
	// of code without a symbol
	mapping, address uint64
}

func writeSampled(out io.Writer, s *reader.Store) (*codec.Report, error) {
	places, errPlaces := stacks.Places(s)
	facts, errFacts := entries.Properties(s)
	if err := cmp.Or(errPlaces, errFacts); err != nil {
		return nil, err
	}
	w := &sampledWriter{Encoder: NewEncoder(out), s: s, facts: facts, places: places, mappings: mappingsOf(facts),
		inlined: map[layout.Ref]bool{}, writtenFunctions: map[layout.Ref]writtenFunction{},
		locationIDs: map[string]uint64{}, report: codec.Report{Totals: ledger.Totals{}}}
	if err := w.readInlined(); err != nil {
		return nil, err
	}
	if err := w.writeTypes(); err != nil {
		return nil, err
	}
	w.writeMappings()
	for stack, err := range stacks.Sampled(s) {
		if err == nil {
			err = w.writeStack(&stack)
		}
		if err != nil {
			return nil, err
		}
	}
	if w.samples == 0 {
		return nil, fmt.Errorf("%s (domain %s): %w", s.Mapping().Name(), s.Header().Domain, ErrNothing)
	}
	w.writeFacts()
	return &w.report, w.Close()
}

func (w *sampledWriter) readInlined() error {
	t, err := w.s.TableOrEmpty(disk.TableInlining)
	if err != nil {
		return disk.WithFileName(err, w.s.Mapping().Name())
	}
	for row := range t.Rows {
		w.inlined[layout.Ref(t.Cell(0, row))] = true
	}
	return nil
}

// writeTypes writes the types of values that the archive has, in the order of the imported profile.
func (w *sampledWriter) writeTypes() error {
	has := map[ledger.Unit]bool{}
	err := stacks.Leaves(w.s, func(l stacks.Leaf) error {
		has[ledger.Samples] = has[ledger.Samples] || l.Count > 0
		has[ledger.Nanoseconds] = has[ledger.Nanoseconds] || l.Time > 0
		return nil
	})
	if err != nil {
		return err
	}
	units := map[string]ledger.Unit{}
	for unit, of := range map[ledger.Unit][2]string{ledger.Samples: {disk.PropertySamplesType, disk.TypeSamples},
		ledger.Nanoseconds: {disk.PropertyTimeType, disk.TypeCPU}} {
		values := w.facts[of[0]]
		all := strings.Fields(strings.Join(w.facts[disk.PropertySampleTypes], " "))
		if len(values) > 1 || len(values) == 1 && slices.Contains(all, of[1]) {
			return fmt.Errorf("%s: %w: %s", w.s.Mapping().Name(), ErrTypes,
				strings.Join(w.facts[disk.PropertySampleTypes], ", "))
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
		kind, of, _ := strings.Cut(name, "/")
		w.typeNames = append(w.typeNames, kind)
		w.SampleType(kind, of)
	}
	return nil
}

func (w *sampledWriter) writeStack(k *stacks.Stack) error {
	w.stack = w.stack[:0]
	if err := w.readCalls(k); err != nil {
		return err
	}
	for first := 0; first < len(k.Frames); {
		end := first + 1
		for end < len(k.Frames) && w.calls[end] {
			end++
		}
		again := first > 0 && len(w.stack) == 1
		id, err := w.locationID(k.Frames[first:end], again)
		if err != nil {
			return err
		}
		w.stack = append(w.stack, id)
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
	w.Sample(w.stack, values...)
	w.samples++
	return nil
}

func (w *sampledWriter) readCalls(k *stacks.Stack) error {
	w.calls = append(w.calls[:0], make([]bool, len(k.Frames))...)
	if len(w.inlined) == 0 {
		return nil
	}
	c := k.Context
	for i := len(k.Frames) - 1; i > 0; i-- {
		w.calls[i] = w.inlined[c.Ref()]
		if i == 1 {
			return nil
		}
		inner, err := w.s.ContextAt(c.Inner())
		if err != nil {
			return err
		}
		c = inner
	}
	return nil
}

// locationID returns the id of the location of frames. Since Go's compiler ignores calls from a location to itself,
// that of a caller differs from the leaf's, which has the id w.stack[0].
func (w *sampledWriter) locationID(frames []stacks.Frame, caller bool) (uint64, error) {
	w.key = w.key[:0]
	for _, f := range frames {
		w.key = binary.LittleEndian.AppendUint32(w.key, uint32(f.Method.Ref()))
		w.key = binary.LittleEndian.AppendUint32(w.key, uint32(f.Point))
	}
	id, ok := w.locationIDs[string(w.key)]
	if ok && caller && id == w.stack[0] {
		w.key = append(w.key, 1)
		id, ok = w.locationIDs[string(w.key)]
	}
	if ok {
		return id, nil
	}
	key := string(w.key)
	var lines []Line
	var code writtenFunction
	for _, f := range frames {
		of, err := w.writtenFunctionOf(f.Method)
		if err != nil {
			return 0, err
		}
		if of.id == 0 && len(frames) > 1 {
			of.id = w.unnamedFunction()
		}
		lines = append(lines, Line{of.id, of.start + int64(f.Point)})
		code = of
	}
	switch {
	case len(lines) == 1 && code.address != 0:
		id = w.locationAt(code.mapping, code.address, nil)
	case len(lines) == 1 && code.id == 0: // with an address it would be other code
		id = w.locationAt(0, 0, nil)
	case len(w.mappings) > 0:
		id = w.locationAt(1, uint64(w.locations+1), lines)
	default:
		id = w.Location(lines...)
	}
	w.locationIDs[key] = id
	return id, nil
}

// unnamedFunction returns a function for unknown frames among inlined ones, since each line of a location has a
// function.
func (w *sampledWriter) unnamedFunction() uint64 {
	if w.unnamed == 0 {
		w.unnamed = w.Function(Function{})
	}
	return w.unnamed
}

// writtenFunctionOf returns the function of a method, with id 0 for an unknown function.
func (w *sampledWriter) writtenFunctionOf(m reader.Method) (writtenFunction, error) {
	if of, ok := w.writtenFunctions[m.Ref()]; ok {
		return of, nil
	}
	k, err := m.Key()
	if err != nil {
		return writtenFunction{}, err
	}
	var of writtenFunction
	if of.mapping, of.address = w.addressOf(k.Name); of.address == 0 && k.Name != "" {
		p := w.places[m.Ref()]
		f := Function{Name: k.Name, File: p.File, StartLine: int64(min(p.Line, math.MaxInt32))}
		f.System = cmp.Or(p.System, k.Name) // readers do not demangle a name that equals System
		of = writtenFunction{id: w.Function(f), start: f.StartLine}
	}
	w.writtenFunctions[m.Ref()] = of
	return of, nil
}

// writeFacts writes the properties of the profile. If merged profiles differ in a property, it writes the first value.
func (w *sampledWriter) writeFacts() {
	number := func(key string) uint64 {
		n, err := strconv.ParseInt(first(w.facts, key), 10, 64)
		if err != nil {
			return 0
		}
		return uint64(n)
	}
	text := func(field uint64, key string) { w.writeNumberField(field, w.stringIndex(first(w.facts, key))) }
	if kind, unit, ok := strings.Cut(first(w.facts, propertyPeriodType), "/"); ok {
		w.writeValueType(profilePeriodType, kind, unit)
	}
	w.writeNumberField(profilePeriod, number(propertyPeriod))
	w.writeNumberField(profileDuration, number(propertyDuration))
	w.writeNumberField(profileTime, uint64(w.s.Header().DumpTime))
	text(profileDropFrames, propertyDrop)
	text(profileKeepFrames, propertyKeep)
	text(profileDocURL, propertyDoc)
	if slices.Contains(w.typeNames, first(w.facts, propertyDefault)) {
		text(profileDefaultType, propertyDefault)
	}
	for _, c := range w.facts[propertyComment] {
		w.writeNumberField(profileComment, w.stringIndex(c))
	}
}
