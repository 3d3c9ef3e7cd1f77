package pprof

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"io"
)

// An Encoder writes a profile, compressed by gzip, without keeping samples in memory. Close returns the first error of
// the writer.
type Encoder struct {
	out     *bufio.Writer
	packed  *gzip.Writer
	err     error
	texts   map[string]uint64
	message []byte // scratch
	inner   []byte // scratch
	places  int    // number of functions
	points  int    // number of locations
}

// NewEncoder returns an Encoder that writes to w.
func NewEncoder(w io.Writer) *Encoder {
	packed, _ := gzip.NewWriterLevel(w, gzip.BestCompression) // the level is valid
	e := &Encoder{out: bufio.NewWriterSize(packed, 1<<16), packed: packed, texts: map[string]uint64{}}
	e.text("")
	return e
}

// Close completes the profile. It does not close the writer.
func (e *Encoder) Close() error {
	if err := e.out.Flush(); e.err == nil {
		e.err = err
	}
	if err := e.packed.Close(); e.err == nil {
		e.err = err
	}
	return e.err
}

// put writes a field of bytes.
func (e *Encoder) put(number uint64, body []byte) {
	head := binary.AppendUvarint(binary.AppendUvarint(nil, number<<3|kindBytes), uint64(len(body)))
	e.write(head)
	e.write(body)
}

func (e *Encoder) write(b []byte) {
	if _, err := e.out.Write(b); e.err == nil {
		e.err = err
	}
}

// text returns the index of a string in the string table. It writes a new string to the table.
func (e *Encoder) text(text string) uint64 {
	n, ok := e.texts[text]
	if !ok {
		n = uint64(len(e.texts))
		e.texts[text] = n
		e.put(profileStrings, []byte(text))
	}
	return n
}

// appendNumber appends a varint field unless its value is 0.
func appendNumber(b []byte, number, value uint64) []byte {
	if value == 0 {
		return b
	}
	return binary.AppendUvarint(binary.AppendUvarint(b, number<<3|kindVarint), value)
}

func appendBody(b []byte, number uint64, body []byte) []byte {
	b = binary.AppendUvarint(binary.AppendUvarint(b, number<<3|kindBytes), uint64(len(body)))
	return append(b, body...)
}

// number writes a varint field of the profile.
func (e *Encoder) number(number, value uint64) { e.write(appendNumber(nil, number, value)) }

// SampleType adds a value type. All samples must have a value for each type.
func (e *Encoder) SampleType(kind, unit string) { e.valueType(profileSampleType, kind, unit) }

func (e *Encoder) valueType(number uint64, kind, unit string) {
	b := appendNumber(nil, valueType, e.text(kind))
	e.put(number, appendNumber(b, valueUnit, e.text(unit)))
}

// A Function is a function of a profile.
type Function struct {
	Name, System, File string
	StartLine          int64
}

// Function adds a function. Ids begin at 1.
func (e *Encoder) Function(f Function) (id uint64) {
	e.places++
	b := appendNumber(e.message[:0], functionID, uint64(e.places))
	b = appendNumber(b, functionName, e.text(f.Name))
	b = appendNumber(b, functionSystem, e.text(f.System))
	b = appendNumber(b, functionFile, e.text(f.File))
	e.message = appendNumber(b, functionStart, uint64(f.StartLine))
	e.put(profileFunction, e.message)
	return uint64(e.places)
}

// Location adds a location with one line. function is 0 if unknown. Each location has a different address, because
// readers merge locations with equal address and line.
func (e *Encoder) Location(function uint64, line int64) (id uint64) {
	e.points++
	id = uint64(e.points)
	b := appendNumber(e.message[:0], locationID, id)
	b = appendNumber(b, locationAddress, id)
	if function != 0 {
		e.inner = appendNumber(appendNumber(e.inner[:0], lineFunction, function), lineNumber, uint64(line))
		b = appendBody(b, locationLine, e.inner)
	}
	e.message = b
	e.put(profileLocation, b)
	return id
}

// Sample adds a sample at locations, leaf first.
func (e *Encoder) Sample(locations []uint64, values ...int64) {
	e.inner = e.inner[:0]
	for _, l := range locations {
		e.inner = binary.AppendUvarint(e.inner, l)
	}
	b := appendBody(e.message[:0], sampleLocations, e.inner)
	e.inner = e.inner[:0]
	for _, v := range values {
		e.inner = binary.AppendUvarint(e.inner, uint64(v))
	}
	e.message = appendBody(b, sampleValues, e.inner)
	e.put(profileSample, e.message)
}
