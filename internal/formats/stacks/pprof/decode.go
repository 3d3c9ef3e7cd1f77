package pprof

import (
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

	sampleLocations, sampleValues, sampleLabel             = 1, 2, 3
	labelKey, labelText, labelNumber, labelUnit            = 1, 2, 3, 4
	mappingID, mappingStart, mappingLimit, mappingOffset   = 1, 2, 3, 4
	mappingFile, mappingBuildID, mappingFlags              = 5, 6, 7 // four flags
	locationID, locationMapping, locationAddress           = 1, 2, 3
	locationLine                                           = 4
	lineFunction, lineNumber, lineColumn                   = 1, 2, 3
	functionID, functionName, functionSystem, functionFile = 1, 2, 3, 4
	functionStart                                          = 5
	valueType, valueUnit                                   = 1, 2
)

const messageFields = 1<<profileSampleType | 1<<profileSample | 1<<profileMapping | 1<<profileLocation |
	1<<profileFunction | 1<<profilePeriodType

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

	mappings               []mapping // the first is the program
	columns                int       // number of lines with a column
	times                  int       // number of times
	defaultType            stringRef
	dropFrames, keepFrames stringRef
	comments               []stringRef
	docURL                 stringRef
	time, duration, period int64
	periodType             sampleType
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
	if f.number < 64 && f.kind != kindBytes && messageFields>>f.number&1 != 0 ||
		f.number == profileStrings && f.kind != kindBytes {
		return fmt.Errorf("%w: field %d is a number", ErrSyntax, f.number)
	}
	switch f.number {
	case profileSampleType:
		t, err := decodeType(f.body)
		r.types = append(r.types, t)
		return err
	case profilePeriodType:
		t, err := decodeType(f.body)
		r.periodType = t
		return err
	case profileMapping:
		return r.decodeMapping(f.body)
	case profileFunction:
		return r.decodeFunction(f.body)
	case profileStrings:
		r.strings = append(r.strings, f.body)
	case profileComment:
		return f.eachNumber(func(n uint64) { r.comments = append(r.comments, n) })
	case profileDropFrames:
		r.dropFrames = f.value
	case profileKeepFrames:
		r.keepFrames = f.value
	case profileDocURL:
		r.docURL = f.value
	case profileDefaultType:
		r.defaultType = f.value
	case profileTime:
		r.times++
		r.time = int64(f.value)
	case profileDuration:
		r.duration = int64(f.value)
	case profilePeriod:
		r.period = int64(f.value)
	}
	return nil
}

func decodeType(message []byte) (t sampleType, err error) {
	err = eachField(message, func(f field) error {
		switch f.number {
		case valueType:
			t.kind = f.value
		case valueUnit:
			t.unit = f.value
		}
		return nil
	})
	return t, err
}

func (r *decodedProfile) decodeMapping(message []byte) error {
	var id uint64
	var m mapping
	err := eachField(message, func(f field) error {
		switch f.number {
		case mappingID:
			id = f.value
		case mappingStart:
			m.start = f.value
		case mappingLimit:
			m.limit = f.value
		case mappingOffset:
			m.offset = f.value
		case mappingFile:
			m.file = f.value
		case mappingBuildID:
			m.buildID = f.value
		case mappingFlags, mappingFlags + 1, mappingFlags + 2, mappingFlags + 3:
			if f.value != 0 {
				m.flags |= 1 << (f.number - mappingFlags)
			}
		}
		return nil
	})
	r.mappings = append(r.mappings, m)
	if err == nil && !r.mappingIDs.addID(id) {
		err = fmt.Errorf("%w: two mappings have the id %d, or one has none", ErrSyntax, id)
	}
	return err
}

// isConcatenated reports whether the profile consists of several, whose strings then have wrong references.
func (r *decodedProfile) isConcatenated() bool {
	half := len(r.types) / 2
	return r.times > 1 || half > 0 && slices.Equal(r.types[:half], r.types[half:])
}

func (r *decodedProfile) decodeFunction(message []byte) error {
	var id uint64
	var of function
	err := eachField(message, func(f field) error {
		switch f.number {
		case functionID:
			id = f.value
		case functionName:
			of.name = f.value
		case functionSystem:
			of.system = f.value
		case functionFile:
			of.file = f.value
		case functionStart:
			of.startLine = int64(f.value)
		}
		return nil
	})
	r.functions = append(r.functions, of)
	if err == nil && !r.functionIDs.addID(id) {
		err = fmt.Errorf("%w: two functions have the id %d, or one has none", ErrSyntax, id)
	}
	return err
}

func (r *decodedProfile) decodeLocation(f field) error {
	if f.number != profileLocation {
		return nil
	}
	var id uint64
	l := location{first: uint32(len(r.lines))}
	err := eachField(f.body, func(f field) error {
		switch f.number {
		case locationID:
			id = f.value
		case locationMapping:
			at, ok := r.mappingIDs.indexOf(f.value)
			if f.value != 0 && !ok {
				return fmt.Errorf("%w: a location in mapping %d, which is missing", ErrSyntax, f.value)
			}
			if ok {
				l.mapping = at + 1
			}
		case locationAddress:
			l.address = f.value
		case locationLine:
			return r.decodeLine(f.body)
		}
		return nil
	})
	l.end = uint32(len(r.lines))
	r.locations = append(r.locations, l)
	if err == nil && !r.locationIDs.addID(id) {
		err = fmt.Errorf("%w: two locations have the id %d, or one has none", ErrSyntax, id)
	}
	return err
}

func (r *decodedProfile) decodeLine(message []byte) error {
	var l line
	err := eachField(message, func(f field) error {
		switch f.number {
		case lineFunction:
			if f.value == 0 {
				return nil
			}
			at, ok := r.functionIDs.indexOf(f.value)
			if !ok {
				return fmt.Errorf("%w: a line of function %d, which is missing", ErrSyntax, f.value)
			}
			l.function = at + 1
		case lineNumber:
			l.number = int64(f.value)
		case lineColumn:
			r.columns++
		}
		return nil
	})
	r.lines = append(r.lines, l)
	return err
}

func (r *decodedProfile) checkStrings() error {
	refs := []stringRef{r.defaultType, r.dropFrames, r.keepFrames, r.docURL, r.periodType.kind, r.periodType.unit}
	for _, t := range r.types {
		refs = append(refs, t.kind, t.unit)
	}
	refs = append(refs, r.comments...)
	for _, m := range r.mappings {
		refs = append(refs, m.file, m.buildID)
	}
	for _, ref := range refs {
		if !r.hasString(ref) {
			return r.missingString(ref)
		}
	}
	for i := range r.functions {
		f := &r.functions[i]
		for _, ref := range [...]stringRef{f.name, f.system, f.file} {
			if !r.hasString(ref) {
				return r.missingString(ref)
			}
		}
	}
	return nil
}

// hasString reports whether a string reference is valid. String 0 is "" even without a string table.
func (r *decodedProfile) hasString(ref stringRef) bool {
	return ref == 0 || ref < uint64(len(r.strings))
}

func (r *decodedProfile) missingString(ref stringRef) error {
	return fmt.Errorf("%w: string %d of %d", ErrSyntax, ref, len(r.strings))
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
	number          int64
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
			return r.decodeLabel(f.body, s)
		}
		return nil
	})
	if err == nil && len(s.values) != len(r.types) {
		err = fmt.Errorf("%w: a sample of %d values in a profile of %d types", ErrSyntax, len(s.values), len(r.types))
	}
	return err
}

func (r *decodedProfile) decodeLabel(message []byte, s *sample) error {
	var l label
	err := eachField(message, func(f field) error {
		switch f.number {
		case labelKey:
			l.key = f.value
		case labelText:
			l.text = f.value
		case labelNumber:
			l.number = int64(f.value)
		case labelUnit:
			l.unit = f.value
		}
		return nil
	})
	s.labels = append(s.labels, l)
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

// addID assigns the next index to an id. It returns false if the id is 0 or repeated, or if there are too many ids.
func (i *idTable) addID(id uint64) bool {
	if _, again := i.indexOf(id); again || id == 0 || i.n == math.MaxUint32 {
		return false
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
	return true
}

func (i *idTable) indexOf(id uint64) (uint32, bool) {
	if i.others == nil {
		return uint32(id - 1), id-1 < uint64(i.n)
	}
	at, ok := i.others[id]
	return at, ok
}
