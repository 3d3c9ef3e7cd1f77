package pprof

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Field numbers of profile.proto.
const (
	profileSampleType, profileSample, profileMapping, profileLocation, profileFunction = 1, 2, 3, 4, 5
	profileStrings, profileDropFrames, profileKeepFrames, profileTime                  = 6, 7, 8, 9
	profileDuration, profilePeriodType, profilePeriod, profileComment                  = 10, 11, 12, 13
	profileDefaultType, profileDocURL                                                  = 14, 15

	sampleLocations, sampleValues, sampleLabel = 1, 2, 3
	locationLine                               = 4
)

type stringRef = uint64

type function struct {
	name, system, file stringRef
	startLine          int64
}

// A line is a frame of a location.
type line struct {
	function uint32 // index in functions + 1, or 0 if unknown
	number   int64
}

// A location is an address in the code. With inlined calls it has several lines, the innermost first.
type location struct {
	address    uint64
	mapping    uint32 // index in mappings + 1, or 0 if unknown
	first, end uint32 // range in decodedProfile.lines
}

// A mapping is a file whose code is in memory.
type mapping struct {
	start, limit, offset uint64
	file, buildID        stringRef
	flags                uint8 // whether the functions, files, lines and inlined calls of its locations are known
}

type sampleType struct{ kind, unit stringRef }

// A decodedProfile is a profile whose samples are still encoded. eachSample decodes its samples one by one.
type decodedProfile struct {
	data      []byte
	strings   [][]byte
	types     []sampleType
	functions []function
	lines     []line
	locations []location

	functionIDs, locationIDs, mappingIDs idTable

	mappings   []mapping // the first is the program
	columns    int       // number of lines with a column
	times      int       // number of times
	comments   []stringRef
	periodType sampleType
	numbers    [profileDocURL + 1]uint64 // values of fields with one number or string reference, by field
}

// decodeProfile decodes a profile without its samples. It checks all other references.
func decodeProfile(data []byte) (*decodedProfile, error) {
	r := &decodedProfile{data: data}
	// Lines refer to functions by id, so functions must be decoded first.
	for _, pass := range []func(field) error{r.decodeField, r.decodeLocation} {
		err := eachField(data, pass)
		if r.isConcatenated() {
			return nil, ErrConcatenated
		}
		if err != nil {
			return nil, err
		}
	}
	return r, r.checkStrings()
}

// decodeField decodes a field of the profile unless it is a location or a sample.
func (r *decodedProfile) decodeField(f field) error {
	if f.kind != kindBytes && f.number < uint64(len(validKinds)) && validKinds[f.number] == 1<<kindBytes {
		return fmt.Errorf("%w: field %d is a number", ErrSyntax, f.number)
	}
	switch f.number {
	case profileSampleType:
		var t sampleType
		err := decodeNumbers(f.body, &t.kind, &t.unit)
		r.types = append(r.types, t)
		return err
	case profilePeriodType:
		return decodeNumbers(f.body, &r.periodType.kind, &r.periodType.unit)
	case profileMapping:
		return r.decodeMapping(f.body)
	case profileFunction:
		return r.decodeFunction(f.body)
	case profileStrings:
		r.strings = append(r.strings, f.body)
	case profileComment:
		return f.eachNumber(func(n uint64) { r.comments = append(r.comments, n) })
	case profileTime:
		r.times++
	}
	if f.number < uint64(len(r.numbers)) {
		r.numbers[f.number] = f.value
	}
	return nil
}

// decodeNumbers sets numbers to the fields 1, 2, 3 and so on of a message.
func decodeNumbers(message []byte, numbers ...*uint64) error {
	return eachField(message, func(f field) error {
		if i := f.number - 1; i < uint64(len(numbers)) {
			*numbers[i] = f.value
		}
		return nil
	})
}

func (r *decodedProfile) decodeMapping(message []byte) error {
	var id uint64
	var m mapping
	var flags [4]uint64
	err := decodeNumbers(message, &id, &m.start, &m.limit, &m.offset, &m.file, &m.buildID, &flags[0], &flags[1],
		&flags[2], &flags[3])
	for bit, flag := range flags {
		m.flags |= uint8(min(flag, 1)) << bit
	}
	r.mappings = append(r.mappings, m)
	return cmp.Or(err, r.mappingIDs.addID(id, "mappings"))
}

// isConcatenated reports whether the profile consists of several, whose strings then have wrong references.
func (r *decodedProfile) isConcatenated() bool {
	half := len(r.types) / 2
	return r.times > 1 || half > 0 && slices.Equal(r.types[:half], r.types[half:])
}

func (r *decodedProfile) decodeFunction(message []byte) error {
	var id, start uint64
	var of function
	err := decodeNumbers(message, &id, &of.name, &of.system, &of.file, &start)
	of.startLine = int64(start)
	r.functions = append(r.functions, of)
	return cmp.Or(err, r.functionIDs.addID(id, "functions"))
}

func (r *decodedProfile) decodeLocation(f field) error {
	if f.number != profileLocation {
		return nil
	}
	var id, in uint64
	l := location{first: uint32(len(r.lines))}
	err := eachField(f.body, func(f field) error {
		if f.number == locationLine {
			return r.decodeLine(f.body)
		}
		return nil
	})
	if err == nil {
		err = decodeNumbers(f.body, &id, &in, &l.address)
	}
	at, ok := r.mappingIDs.indexOf(in)
	if in != 0 && !ok {
		return fmt.Errorf("%w: a location in mapping %d, which is missing", ErrSyntax, in)
	}
	if ok {
		l.mapping = at + 1
	}
	l.end = uint32(len(r.lines))
	r.locations = append(r.locations, l)
	return cmp.Or(err, r.locationIDs.addID(id, "locations"))
}

func (r *decodedProfile) decodeLine(message []byte) error {
	var id, number, column uint64
	err := decodeNumbers(message, &id, &number, &column)
	at, ok := r.functionIDs.indexOf(id)
	if id != 0 && !ok {
		return fmt.Errorf("%w: a line of function %d, which is missing", ErrSyntax, id)
	}
	l := line{number: int64(number)}
	if ok {
		l.function = at + 1
	}
	if column > 0 {
		r.columns++
	}
	r.lines = append(r.lines, l)
	return err
}

func (r *decodedProfile) checkStrings() error {
	refs := []stringRef{r.numbers[profileDefaultType], r.numbers[profileDropFrames], r.numbers[profileKeepFrames],
		r.numbers[profileDocURL], r.periodType.kind, r.periodType.unit}
	for _, t := range r.types {
		refs = append(refs, t.kind, t.unit)
	}
	refs = append(refs, r.comments...)
	for _, m := range r.mappings {
		refs = append(refs, m.file, m.buildID)
	}
	for _, f := range r.functions {
		refs = append(refs, f.name, f.system, f.file)
	}
	for _, ref := range refs {
		if ref != 0 && ref >= uint64(len(r.strings)) { // string 0 is "" even without a string table
			return fmt.Errorf("%w: string %d of %d", ErrSyntax, ref, len(r.strings))
		}
	}
	return nil
}

// stringAt returns a string, or "" for an invalid reference.
func (r *decodedProfile) stringAt(ref stringRef) string {
	if ref >= uint64(len(r.strings)) {
		return ""
	}
	return string(r.strings[ref])
}

// A sample is a decoded sample. Its slices are valid until the next sample.
type sample struct {
	locations []uint32 // indexes in recording.locations, leaf first
	values    []int64
	labels    []label
}

// A label is a key with a text or a number.
type label struct {
	key, text, unit stringRef
	number          uint64 // an int64
}

func (r *decodedProfile) eachSample(yield func(s *sample) error) error {
	var s sample
	return eachField(r.data, func(f field) error {
		if f.number != profileSample {
			return nil
		}
		if err := r.decodeSample(f.body, &s); err != nil {
			return err
		}
		return yield(&s)
	})
}

func (r *decodedProfile) decodeSample(message []byte, s *sample) error {
	s.locations = s.locations[:0]
	s.values = s.values[:0]
	s.labels = s.labels[:0]
	err := eachField(message, func(f field) error {
		switch f.number {
		case sampleLocations:
			return r.decodeStack(&f, s)
		case sampleValues:
			return f.eachNumber(func(n uint64) { s.values = append(s.values, int64(n)) })
		case sampleLabel:
			var l label
			err := decodeNumbers(f.body, &l.key, &l.text, &l.number, &l.unit)
			s.labels = append(s.labels, l)
			return err
		}
		return nil
	})
	if err == nil && len(s.values) != len(r.types) {
		err = fmt.Errorf("%w: a sample of %d values in a profile of %d types", ErrSyntax, len(s.values), len(r.types))
	}
	return err
}

func (r *decodedProfile) decodeStack(f *field, s *sample) (err error) {
	wrong := f.eachNumber(func(id uint64) {
		at, ok := r.locationIDs.indexOf(id)
		if !ok {
			err = fmt.Errorf("%w: a sample at location %d, which is missing", ErrSyntax, id)
		}
		s.locations = append(s.locations, at)
	})
	if wrong != nil {
		return wrong
	}
	return err
}

// idTable maps the ids of functions or locations to indexes. Ids 1, 2, 3 and so on, which most writers use, need no
// memory.
type idTable struct {
	n      uint32
	others map[uint64]uint32 // nil if the ids are 1, 2, 3 and so on
}

// addID assigns the next index to an id of things. It fails if the id is 0 or repeated, or if there are too many ids.
func (i *idTable) addID(id uint64, things string) error {
	if _, again := i.indexOf(id); again || id == 0 || i.n == math.MaxUint32 {
		return fmt.Errorf("%w: two %s have the id %d, or one has none", ErrSyntax, things, id)
	}
	if i.others == nil && id != uint64(i.n)+1 {
		i.others = make(map[uint64]uint32, i.n)
		for at := range i.n {
			i.others[uint64(at)+1] = at
		}
	}
	if i.others != nil {
		i.others[id] = i.n
	}
	i.n++
	return nil
}

func (i *idTable) indexOf(id uint64) (uint32, bool) {
	if i.others == nil {
		return uint32(id - 1), id-1 < uint64(i.n)
	}
	at, ok := i.others[id]
	return at, ok
}
