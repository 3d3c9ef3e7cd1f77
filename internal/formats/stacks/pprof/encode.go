package pprof

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"io"
)

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
