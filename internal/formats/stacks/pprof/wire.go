package pprof

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Wire types of protocol buffers. A message is a list of fields. A field has a key, which combines the field number and
// the wire type, and a value.
const (
	kindVarint  = 0
	kindFixed64 = 1
	kindBytes   = 2
	kindFixed32 = 5
)

// ErrCut means that the profile is truncated.
var ErrCut = errors.New("it is cut off: copy the profile again")

// ErrConcatenated means that a file has several profiles.
var ErrConcatenated = errors.New("several profiles in one file: split it, or merge them with go tool pprof -proto")

// ErrSyntax means that the profile is malformed.
var ErrSyntax = errors.New("not a profile as pprof's profile.proto defines it")

type field struct {
	number uint64
	kind   uint8  // wire type
	value  uint64 // value of a varint
	body   []byte // string, message, or packed numbers
}

// nextField splits off the first field of a message.
func nextField(message []byte) (f field, rest []byte, err error) {
	key, n := binary.Uvarint(message)
	if n <= 0 {
		return f, nil, varintError(n)
	}
	f.number = key >> 3
	f.kind = uint8(key & 7)
	rest = message[n:]
	switch f.kind {
	case kindVarint:
		f.value, n = binary.Uvarint(rest)
		if n <= 0 {
			return f, nil, varintError(n)
		}
		return f, rest[n:], nil
	case kindBytes:
		size, n := binary.Uvarint(rest)
		if n <= 0 {
			return f, nil, varintError(n)
		}
		rest = rest[n:]
		if size > uint64(len(rest)) {
			return f, nil, ErrCut
		}
		f.body = rest[:size]
		return f, rest[size:], nil
	case kindFixed64:
		return skipFixedField(f, rest, 8)
	case kindFixed32:
		return skipFixedField(f, rest, 4)
	}
	return f, nil, fmt.Errorf("%w: field %d has a value of kind %d", ErrSyntax, f.number, f.kind)
}

// skipFixedField skips a number of fixed size. Only unknown fields of a profile can have one.
func skipFixedField(f field, rest []byte, size int) (field, []byte, error) {
	if len(rest) < size {
		return f, nil, ErrCut
	}
	return f, rest[size:], nil
}

// varintError converts the error result of binary.Uvarint.
func varintError(n int) error {
	if n == 0 {
		return ErrCut
	}
	return fmt.Errorf("%w: a number of more than 64 bits", ErrSyntax)
}

func eachField(message []byte, yield func(f field) error) error {
	for len(message) > 0 {
		f, rest, err := nextField(message)
		if err != nil {
			return err
		}
		if err := yield(f); err != nil {
			return err
		}
		message = rest
	}
	return nil
}

// eachNumber calls yield with the value of a varint, or with all packed numbers.
func (f *field) eachNumber(yield func(n uint64)) error {
	if f.kind == kindVarint {
		yield(f.value)
		return nil
	}
	for b := f.body; len(b) > 0; {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return fmt.Errorf("%w: packed numbers that end in the middle of one", ErrSyntax)
		}
		yield(v)
		b = b[n:]
	}
	return nil
}

// ErrLegacy means that the profile has a format that is older than profile.proto, and is damaged.
var ErrLegacy = errors.New("a profile of a format before profile.proto that cannot be read: take it with a newer runtime")

// validKinds has the set of valid wire types for each field of a profile. Packed numbers have the type bytes.
var validKinds = [...]uint8{
	profileSampleType: 1 << kindBytes, profileSample: 1 << kindBytes, profileMapping: 1 << kindBytes,
	profileLocation: 1 << kindBytes,
	profileFunction: 1 << kindBytes, profileStrings: 1 << kindBytes, profileDropFrames: 1 << kindVarint,
	profileKeepFrames: 1 << kindVarint,
	profileTime:       1 << kindVarint, profileDuration: 1 << kindVarint, profilePeriodType: 1 << kindBytes,
	profilePeriod:  1 << kindVarint,
	profileComment: 1<<kindVarint | 1<<kindBytes, profileDefaultType: 1 << kindVarint, profileDocURL: 1 << kindVarint,
}

// detectProfile reports whether head begins with valid fields of a profile. Since random bytes can look like a field,
// it requires several fields, fewer if one is a sample type.
func detectProfile(head []byte, whole bool) bool {
	fields, types := 0, false
	for len(head) > 0 {
		f, rest, err := nextField(head)
		if err != nil {
			break // cut off by the end of head, or of the file
		}
		if f.number == 0 || f.number >= uint64(len(validKinds)) || validKinds[f.number]>>f.kind&1 == 0 {
			return false
		}
		isMessage := validKinds[f.number] == 1<<kindBytes && f.number != profileStrings
		if isMessage && eachField(f.body, func(field) error { return nil }) != nil {
			return false
		}
		types = types || f.number == profileSampleType && len(f.body) > 0
		if fields++; fields >= 64 {
			break
		}
		head = rest
	}
	return fields >= 4 || types && (whole || fields > 1)
}

// An Encoder writes a profile, compressed by gzip, without keeping samples in memory. Close returns the first error of
// the writer.
type Encoder struct {
	out       *bufio.Writer
	packed    *gzip.Writer
	strings   map[string]uint64
	message   []byte // scratch
	inner     []byte // scratch
	functions int    // number of functions
	locations int    // number of locations
}

// NewEncoder returns an Encoder that writes to w.
func NewEncoder(w io.Writer) *Encoder {
	packed, _ := gzip.NewWriterLevel(w, gzip.BestCompression) // the level is valid
	e := &Encoder{out: bufio.NewWriterSize(packed, 1<<16), packed: packed, strings: map[string]uint64{}}
	e.stringIndex("")
	return e
}

// Close completes the profile. It does not close the writer.
func (e *Encoder) Close() error { return cmp.Or(e.out.Flush(), e.packed.Close()) }

// writeBytesField writes a field. Close returns its error.
func (e *Encoder) writeBytesField(number uint64, body []byte) {
	_, _ = e.out.Write(appendBytesField(nil, number, body))
}

// stringIndex returns the index of a string in the string table. It writes a new string to the table.
func (e *Encoder) stringIndex(text string) uint64 {
	n, ok := e.strings[text]
	if !ok {
		n = uint64(len(e.strings))
		e.strings[text] = n
		e.writeBytesField(profileStrings, []byte(text))
	}
	return n
}

// appendNumbers appends the fields 1, 2, 3 and so on of a message. It leaves out zeros.
func appendNumbers(b []byte, values ...uint64) []byte {
	for i, value := range values {
		b = appendNumberField(b, uint64(i+1), value)
	}
	return b
}

// appendNumberField appends a varint field unless its value is 0.
func appendNumberField(b []byte, number, value uint64) []byte {
	if value == 0 {
		return b
	}
	return binary.AppendUvarint(binary.AppendUvarint(b, number<<3|kindVarint), value)
}

func appendBytesField(b []byte, number uint64, body []byte) []byte {
	b = binary.AppendUvarint(binary.AppendUvarint(b, number<<3|kindBytes), uint64(len(body)))
	return append(b, body...)
}

func (e *Encoder) writeNumberField(number, value uint64) {
	_, _ = e.out.Write(appendNumberField(nil, number, value))
}

// SampleType adds a value type. All samples must have a value for each type.
func (e *Encoder) SampleType(kind, unit string) { e.writeValueType(profileSampleType, kind, unit) }

func (e *Encoder) writeValueType(number uint64, kind, unit string) {
	e.writeBytesField(number, appendNumbers(nil, e.stringIndex(kind), e.stringIndex(unit)))
}

// A Function is a function of a profile.
type Function struct {
	Name, System, File string
	StartLine          int64
}

// Function adds a function. Ids begin at 1.
func (e *Encoder) Function(f Function) (id uint64) {
	e.functions++
	e.message = appendNumbers(e.message[:0], uint64(e.functions), e.stringIndex(f.Name), e.stringIndex(f.System),
		e.stringIndex(f.File), uint64(f.StartLine))
	e.writeBytesField(profileFunction, e.message)
	return uint64(e.functions)
}

// A Line is a line of a location. Function is 0 if unknown.
type Line struct {
	Function uint64
	Number   int64
}

// Location adds a location with lines, the innermost first. Each location has a different address, because readers
// merge locations with equal address and line.
func (e *Encoder) Location(lines ...Line) (id uint64) {
	return e.locationAt(0, uint64(e.locations+1), lines)
}

func (e *Encoder) locationAt(mapping, address uint64, lines []Line) (id uint64) {
	e.locations++
	id = uint64(e.locations)
	b := appendNumbers(e.message[:0], id, mapping, address)
	for _, l := range lines {
		if l.Function != 0 || len(lines) > 1 {
			e.inner = appendNumbers(e.inner[:0], l.Function, uint64(l.Number))
			b = appendBytesField(b, locationLine, e.inner)
		}
	}
	e.message = b
	e.writeBytesField(profileLocation, b)
	return id
}

// Sample adds a sample at locations, leaf first.
func (e *Encoder) Sample(locations []uint64, values ...int64) {
	e.inner = e.inner[:0]
	for _, l := range locations {
		e.inner = binary.AppendUvarint(e.inner, l)
	}
	b := appendBytesField(e.message[:0], sampleLocations, e.inner)
	e.inner = e.inner[:0]
	for _, v := range values {
		e.inner = binary.AppendUvarint(e.inner, uint64(v))
	}
	e.message = appendBytesField(b, sampleValues, e.inner)
	e.writeBytesField(profileSample, e.message)
}
