package perfdata

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
)

// Magic is the beginning of a file of a little-endian machine.
const Magic = "PERFILE2"

// Types and features, from linux/tools/perf/util/header.h and event.h.
const (
	featureBuildID = 2
	featureEvents  = 12

	recordAttribute  = 64
	recordTracing    = 66
	recordBuildID    = 67
	recordAux        = 71
	recordFeature    = 80
	recordCompressed = 81
	recordUser       = 64 // types from here on belong to perf
)

// ErrFormat means that the file has no valid header.
var ErrFormat = errors.New("no file of perf record")

// A file is a file that is read.
type file struct {
	bytes    []byte
	events   []*event
	byID     map[uint64]*event
	buildIDs map[string][]byte
	records  []record
	packed   []byte // the data of all compressed records, which are one zstd stream
	lost     codec.Losses
}

// A record is a record of the kernel.
type record struct {
	time uint64
	kind uint32
	misc uint16
	body []byte // without the header
}

// A header begins a file. A pipe has the first two fields.
type header struct {
	Magic            [8]byte
	Size             uint64
	AttributeSize    uint64 // size of an attribute and the section of its ids
	Attributes, Data section
	_                section
	Features         [32]byte // bits
}

type section struct{ Offset, Size uint64 }

const (
	pipeHeaderSize = 16
	recordHeader   = 8
	sectionSize    = 16
)

// content returns the content of the section at the beginning of b.
func (f *file) content(b []byte) (cursor, error) {
	var s section
	_, err := binary.Decode(b, binary.LittleEndian, &s)
	if err != nil || s.Offset > uint64(len(f.bytes)) || s.Size > uint64(len(f.bytes))-s.Offset {
		return cursor{}, fmt.Errorf("%w: %d bytes at %#x are beyond its end", ErrFormat, s.Size, s.Offset)
	}
	return cursor{f.bytes[s.Offset:][:s.Size]}, nil
}

// read reads the whole file.
func (f *file) read() error {
	if len(f.bytes) < pipeHeaderSize || string(f.bytes[:len(Magic)]) != Magic {
		return ErrFormat
	}
	if binary.LittleEndian.Uint64(f.bytes[8:]) == pipeHeaderSize {
		f.addRecords(f.bytes[pipeHeaderSize:])
	} else if err := f.readSections(); err != nil {
		return err
	}
	if err := f.unpack(); err != nil {
		return err
	}
	if len(f.events) == 0 {
		return fmt.Errorf("%w: it has no events", ErrFormat)
	}
	for i := range f.records {
		f.records[i].time = f.events[0].timeOf(f.records[i])
	}
	slices.SortStableFunc(f.records, func(a, b record) int { return cmp.Compare(a.time, b.time) })
	return nil
}

func (f *file) readSections() error {
	var h header
	if _, err := binary.Decode(f.bytes, binary.LittleEndian, &h); err != nil {
		return fmt.Errorf("%w: its header is cut off", ErrFormat)
	}
	attributes, err := f.content(f.bytes[24:])
	for err == nil && h.AttributeSize > minAttribute+sectionSize && uint64(len(attributes.rest)) >= h.AttributeSize {
		attribute := attributes.bytes(h.AttributeSize - sectionSize)
		var ids cursor
		ids, err = f.content(attributes.bytes(sectionSize))
		f.addEvent(attribute, ids)
	}
	if err != nil {
		return err
	}
	if h.Data.Offset > uint64(len(f.bytes)) {
		return fmt.Errorf("%w: its data at %#x are beyond its end", ErrFormat, h.Data.Offset)
	}
	data := cursor{f.bytes[h.Data.Offset:]}
	if h.Data.Size == 0 || h.Data.Size > uint64(len(data.rest)) { // perf record was killed, or the file was cut off
		f.lost.Add(LossBytes, int(min(h.Data.Size, 1)))
		h.Data.Size = uint64(len(data.rest))
	}
	records := data.bytes(h.Data.Size)
	for bit := range 8 * len(h.Features) { // the sections of features follow, in the order of their bits
		if h.Features[bit/8]>>(bit%8)&1 != 0 {
			if content, err := f.content(data.bytes(sectionSize)); err == nil {
				f.addFeature(uint64(bit), content)
			}
		}
	}
	f.addRecords(records)
	return nil
}

func (f *file) addFeature(feature uint64, c cursor) {
	switch feature {
	case featureBuildID:
		for len(c.rest) >= recordHeader {
			f.addBuildID(c.bytes(uint64(max(recordHeader, binary.LittleEndian.Uint16(c.rest[6:])))))
		}
	case featureEvents:
		f.nameEvents(c)
	}
}

// addBuildID adds the build id in a record: the process, 24 bytes with the id, and the name of the file.
func (f *file) addBuildID(record []byte) {
	const id, width, name = recordHeader + 4, 20, recordHeader + 4 + 24
	if len(record) < name {
		return
	}
	size := width
	if binary.LittleEndian.Uint16(record[4:])>>15 != 0 {
		size = min(width, int(record[id+width]))
	}
	f.buildIDs[text(record[name:])] = record[id:][:size]
}

// text returns a text up to its NUL byte.
func text(b []byte) string {
	b, _, _ = bytes.Cut(b, []byte{0})
	return string(b)
}

// addRecords adds the records in data. What follows damage is unread.
func (f *file) addRecords(data []byte) {
	for len(data) >= recordHeader {
		r := record{kind: binary.LittleEndian.Uint32(data), misc: binary.LittleEndian.Uint16(data[4:])}
		size := int(binary.LittleEndian.Uint16(data[6:]))
		if size < recordHeader || size > len(data) {
			break
		}
		whole := data[:size]
		data = data[size:]
		r.body = whole[recordHeader:]
		if r.kind < recordUser {
			f.records = append(f.records, r)
		} else {
			data = data[min(uint64(len(data)), f.addUserRecord(r.kind, whole)):]
		}
	}
	f.lost.Add(LossBytes, len(data))
}

// addUserRecord reads a record of perf. It returns the size of the data that follow the record.
func (f *file) addUserRecord(kind uint32, whole []byte) uint64 {
	c := cursor{whole[recordHeader:]}
	switch kind {
	case recordCompressed:
		f.packed = append(f.packed, c.rest...)
	case recordBuildID:
		f.addBuildID(whole)
	case recordAttribute:
		if len(c.rest) >= minAttribute {
			attribute := c.bytes(min(uint64(len(c.rest)), uint64(binary.LittleEndian.Uint32(c.rest[4:]))))
			f.addEvent(attribute, c)
		}
	case recordFeature:
		feature := c.u64()
		f.addFeature(feature, c)
	case recordAux:
		return c.u64()
	case recordTracing:
		return (uint64(c.u32()) + 7) &^ 7
	}
	return 0
}

// unpack adds the compressed records. Their stream has no end.
func (f *file) unpack() error {
	if len(f.packed) == 0 {
		return nil
	}
	stream, err := zstd.NewReader(bytes.NewReader(f.packed), zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxWindow(parse.MaxWindow))
	if err != nil {
		return err
	}
	defer stream.Close()
	most := int64(len(f.packed))*parse.MaxExpansion + parse.FreeExpansion
	data, err := io.ReadAll(io.LimitReader(stream, most+1))
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: compressed records: %w", ErrFormat, err)
	}
	if int64(len(data)) > most {
		return parse.ErrExpansion
	}
	f.addRecords(data)
	return nil
}
