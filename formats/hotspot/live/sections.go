package live

import (
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// The parts of a MethodData, behind its header:
//
//	data size:  entries in the order of their bytecodes
//	            extra: Bit, SpeculativeTrap, free words, then ArgInfo
//	di:         one ParametersType entry, if there is any
//	di:         Bit entries of exception handlers (from JDK 22 on)
//	size:       the end
//
// Every part must end exactly where the next begins.

// sections are the entries of a MethodData, by section of an archive's block.
type sections [layout.SectionDirectory][]disk.Entry

const (
	noParameters = -2 // di of a method without a ParametersType entry
	freeTag      = 0  // of a word that has no extra entry yet
)

// sections cuts a MethodData into entries.
func (d *dataSchema) sections(b []byte, shape disk.Shape) (out sections, err error) {
	parts, err := d.parts(b)
	if err != nil {
		return out, err
	}
	if out[layout.SectionData], err = dataEntries(parts[0], shape); err != nil {
		return out, err
	}
	if out[layout.SectionExtra], err = extraEntries(parts[1], shape); err != nil {
		return out, err
	}
	if out[layout.SectionParameters], err = entriesOf(parts[2], shape, RefusedParameters, layout.TagParametersType); err != nil {
		return out, err
	}
	out[layout.SectionHandlers], err = entriesOf(parts[3], shape, RefusedHandlers, layout.TagBit)
	return out, err
}

// parts are the bytes of data, extra, parameters and handlers.
func (d *dataSchema) parts(b []byte) (parts [4][]byte, err error) {
	b, header := b[d.data:], b
	end := len(b)
	if d.handlers != 0 {
		at := int(int32(le.Uint32(header[d.handlers:])))
		if at < 0 || at > end {
			return parts, RefusedHandlers
		}
		parts[3], end = b[at:end], at
	}
	if at := int(int32(le.Uint32(header[d.parameters:]))); at != noParameters {
		if at < 0 || at >= end {
			return parts, RefusedParameters
		}
		parts[2], end = b[at:end], at
	}
	size := int(int32(le.Uint32(header[d.dataSize:])))
	if size < 0 || size > end {
		return parts, RefusedData
	}
	parts[0], parts[1] = b[:size], b[size:end]
	return parts, nil
}

// dataEntries cuts the entries of profile points, whose bcis must ascend.
func dataEntries(b []byte, shape disk.Shape) (all []disk.Entry, err error) {
	last := int32(-1)
	for len(b) > 0 {
		e, rest, err := shape.Next(b)
		if err != nil || !ofData(e.Tag()) || e.Point() <= last {
			return nil, RefusedData
		}
		all, b, last = append(all, e), rest, e.Point()
	}
	return all, nil
}

// ofData reports whether entries of a tag stand among the data.
func ofData(t layout.Tag) bool {
	switch t {
	case layout.TagArgInfo, layout.TagParametersType, layout.TagSpeculativeTrap:
		return false
	}
	return !t.Wide()
}

// extraEntries cuts the extra entries. ArgInfo is the last of them. Free words
// are left out: they are zeros.
func extraEntries(b []byte, shape disk.Shape) (all []disk.Entry, err error) {
	for len(b) > 0 {
		if len(b) >= disk.CellSize && le.Uint64(b) == freeTag {
			b = b[disk.CellSize:]
			continue
		}
		e, rest, err := shape.Next(b)
		if err != nil {
			return nil, RefusedExtra
		}
		switch tag := e.Tag(); {
		case tag == layout.TagArgInfo && len(rest) > 0, tag != layout.TagArgInfo && len(rest) == 0,
			tag != layout.TagArgInfo && tag != layout.TagBit && tag != layout.TagSpeculativeTrap:
			return nil, RefusedExtra
		}
		all, b = append(all, e), rest
	}
	return all, nil
}

// entriesOf cuts entries that must all have one tag; there is one
// ParametersType entry at most.
func entriesOf(b []byte, shape disk.Shape, why Refusal, tag layout.Tag) (all []disk.Entry, err error) {
	for len(b) > 0 {
		e, rest, err := shape.Next(b)
		if err != nil || e.Tag() != tag || tag == layout.TagParametersType && len(rest) > 0 {
			return nil, why
		}
		all, b = append(all, e), rest
	}
	return all, nil
}

// receiverGap finds out how many cells the VM keeps between a receiver entry's
// count and its rows, which it does not export: with that many all MethodData
// end where they must.
func (d *dataSchema) receiverGap(methods []methodData, shape disk.Shape) disk.Shape {
	best, most := shape, -1
	for _, shape.Gap = range []int{0, 1} {
		n := 0
		for i := range methods {
			if methods[i].refused == nil {
				if _, err := d.sections(methods[i].data, shape); err == nil {
					n++
				}
			}
		}
		if n > most {
			best, most = shape, n
		}
	}
	return best
}
