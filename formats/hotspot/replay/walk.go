package replay

import (
	"encoding/binary"
	"fmt"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// The words of a MethodData are, in this order:
//
//	data entries          in the order of their bytecodes
//	extra entries         Bit and SpeculativeTrap, for traps at other bytecodes
//	free words            room for more of them, all zero
//	ArgInfo
//	ParametersType        where the VM profiles parameters
//	Bit entries           exception handlers, from JDK 22 on
//
// No word says where one part ends: an entry's tag and its place decide. jhsdb
// writes the data entries alone.

// A dataWalk is the words of one MethodData taken apart.
type dataWalk struct {
	sections [layout.SectionDirectory][]placed
	free     int // words
}

// A placed entry is one whose header is word at.
type placed struct {
	disk.Entry
	at int
}

// A walker takes one MethodData apart.
type walker struct {
	shape disk.Shape
	dataWalk
	bits []placed // Bit entries of which it is not known yet whether they are extra
	part part
}

// A part is a part of the words.
type part int

const (
	partData part = iota
	partExtra
	partFree
	partParameters
	partHandlers
)

// walk takes words apart in a VM of that shape. It must end exactly. The error
// says what is wrong, and at is the index of the word.
func walk(words []uint64, shape disk.Shape) (w dataWalk, at int, err error) {
	bytes := make([]byte, 0, len(words)*disk.CellSize)
	for _, v := range words {
		bytes = binary.LittleEndian.AppendUint64(bytes, v)
	}
	k := walker{shape: shape}
	for rest := bytes; len(rest) > 0; {
		at = (len(bytes) - len(rest)) / disk.CellSize
		if binary.LittleEndian.Uint64(rest) == 0 {
			if err := k.freeWord(); err != nil {
				return dataWalk{}, at, err
			}
			rest = rest[disk.CellSize:]
			continue
		}
		var e disk.Entry
		if e, rest, err = shape.Next(rest); err == nil {
			err = k.entry(placed{e, at})
		}
		if err != nil {
			return dataWalk{}, at, err
		}
	}
	k.settle(layout.SectionExtra)
	return k.dataWalk, 0, nil
}

func (k *walker) freeWord() error {
	if k.part > partFree {
		return fmt.Errorf("a free word behind ArgInfo")
	}
	k.part = partFree
	k.free++
	return nil
}

// entry puts an entry into the section that its tag and place decide.
func (k *walker) entry(e placed) error {
	tag := e.Tag()
	switch {
	case tag == layout.TagBit && k.part == partData:
		k.bits = append(k.bits, e)
	case tag == layout.TagBit && k.part == partExtra:
		k.put(layout.SectionExtra, e)
	case tag == layout.TagBit && k.part >= partParameters:
		k.part = partHandlers
		k.put(layout.SectionHandlers, e)
	case tag == layout.TagSpeculativeTrap && k.part <= partExtra:
		k.settle(layout.SectionExtra)
		k.part = partExtra
		k.put(layout.SectionExtra, e)
	case tag == layout.TagArgInfo && k.part <= partFree:
		k.settle(layout.SectionExtra)
		k.part = partParameters
		k.put(layout.SectionExtra, e)
	case tag == layout.TagParametersType && k.part == partParameters:
		k.part = partHandlers
		k.put(layout.SectionParameters, e)
	case isData(tag) && k.part == partData:
		k.settle(layout.SectionData)
		k.put(layout.SectionData, e)
	default:
		return fmt.Errorf("no %s entry can stand here", tag)
	}
	return nil
}

func (k *walker) put(s layout.BlockSection, e placed) { k.sections[s] = append(k.sections[s], e) }

// settle puts the Bit entries that were left open into a section.
func (k *walker) settle(s layout.BlockSection) {
	k.sections[s] = append(k.sections[s], k.bits...)
	k.bits = nil
}

// isData reports whether entries of the tag are always data entries.
func isData(t layout.Tag) bool {
	switch t {
	case layout.TagBit, layout.TagArgInfo, layout.TagParametersType, layout.TagSpeculativeTrap:
		return false
	}
	return !t.Wide()
}
