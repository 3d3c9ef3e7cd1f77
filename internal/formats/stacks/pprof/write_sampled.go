package pprof

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

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
	places           map[layout.Ref]stacks.Place
	writtenFunctions map[layout.Ref]writtenFunction
	locationIDs      map[writtenPoint]uint64
	stack            []uint64
	report           Report
}

type writtenFunction struct {
	id    uint64
	start int64 // start line
}

type writtenPoint struct {
	method layout.Ref
	point  int32
}

func writeSampled(out io.Writer, s *reader.Store) (*Report, error) {
	places, err := stacks.Places(s)
	if err != nil {
		return nil, err
	}
	facts, err := entries.Properties(s)
	if err != nil {
		return nil, err
	}
	w := &sampledWriter{Encoder: NewEncoder(out), s: s, places: places,
		writtenFunctions: map[layout.Ref]writtenFunction{}, locationIDs: map[writtenPoint]uint64{}, report: Report{Totals: ledger.Totals{}}}
	w.writeTypes(facts)
	for stack, err := range stacks.Sampled(s) {
		if err == nil {
			err = w.writeStack(&stack)
		}
		if err != nil {
			return nil, err
		}
	}
	if w.report.Samples == 0 {
		return nil, fmt.Errorf("%s (domain %s): %w", s.Mapping().Name(), s.Header().Domain, ErrNothing)
	}
	w.writeFacts(facts)
	return &w.report, w.Close()
}

// writeTypes writes the value types. The second type, processor time, is optional.
func (w *sampledWriter) writeTypes(facts map[string][]string) {
	w.report.Types = []string{"samples"}
	w.SampleType("samples", "count")
	for _, types := range facts[propertyTypes] {
		if len(w.report.Types) == 1 && strings.Contains(" "+types+" ", " "+typeCPU+" ") {
			w.report.Types = append(w.report.Types, "cpu")
			w.SampleType("cpu", "nanoseconds")
		}
	}
}

func (w *sampledWriter) writeStack(k *stacks.Stack) error {
	w.stack = w.stack[:0]
	for _, f := range k.Frames {
		id, err := w.locationID(f)
		if err != nil {
			return err
		}
		w.stack = append(w.stack, id)
	}
	values := []int64{w.report.addClamped(0, k.Count, ledger.Samples)}
	if len(w.report.Types) > 1 {
		values = append(values, w.report.addClamped(0, k.Time, ledger.Nanoseconds))
	}
	w.Sample(w.stack, values...)
	w.report.Samples++
	return nil
}

// locationID returns the id of a frame's location.
func (w *sampledWriter) locationID(f stacks.Frame) (uint64, error) {
	at := writtenPoint{f.Method.Ref(), f.Point}
	if id, ok := w.locationIDs[at]; ok {
		return id, nil
	}
	of, err := w.writtenFunctionOf(f.Method)
	if err != nil {
		return 0, err
	}
	id := w.Location(of.id, of.start+int64(f.Point))
	w.locationIDs[at] = id
	return id, nil
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
	if k.Name != "" {
		p := w.places[m.Ref()]
		f := Function{Name: k.Name, System: p.System, File: p.File, StartLine: int64(min(p.Line, math.MaxInt32))}
		if f.System == "" {
			f.System = f.Name // readers do not demangle a name that equals System
		}
		of = writtenFunction{w.Function(f), f.StartLine}
	}
	w.writtenFunctions[m.Ref()] = of
	return of, nil
}

// writeFacts writes the properties of the profile. If merged profiles differ in a property, it writes the first value.
func (w *sampledWriter) writeFacts(facts map[string][]string) {
	first := func(key string) string {
		if values := facts[key]; len(values) > 0 {
			return values[0]
		}
		return ""
	}
	number := func(key string) uint64 {
		n, err := strconv.ParseInt(first(key), 10, 64)
		if err != nil {
			return 0
		}
		return uint64(n)
	}
	if kind, unit, ok := strings.Cut(first(propertyPeriodType), "/"); ok {
		w.writeValueType(profilePeriodType, kind, unit)
	}
	w.writeNumberField(profilePeriod, number(propertyPeriod))
	w.writeNumberField(profileDuration, number(propertyDuration))
	w.writeNumberField(profileTime, uint64(w.s.Header().DumpTime))
	w.writeNumberField(profileDropFrames, w.stringIndex(first(propertyDrop)))
	w.writeNumberField(profileKeepFrames, w.stringIndex(first(propertyKeep)))
	w.writeNumberField(profileDocURL, w.stringIndex(first(propertyDoc)))
	for _, c := range facts[propertyComment] {
		w.writeNumberField(profileComment, w.stringIndex(c))
	}
	if file := first(propertyBinary); file != "" {
		b := appendNumberField(nil, 1, 1)
		b = appendNumberField(b, mappingFile, w.stringIndex(file))
		b = appendNumberField(b, mappingBuildID, w.stringIndex(first(propertyBuildID)))
		w.writeBytesField(
			profileMapping,
			appendNumberField(b, 7, 1),
		) // has_functions prevents readers from looking for symbols
	}
}
