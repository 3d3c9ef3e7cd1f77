package llvm

import (
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
)

// In the debug information each function has a variable __profc_NAME at the address of its counters. Annotations of
// the variable have the other fields of the record. See llvm/lib/ProfileData/InstrProfCorrelator.cpp.
const (
	tagAnnotation    = dwarf.Tag(0x6000) // DW_TAG_LLVM_annotation
	countersPrefix   = "__profc_"
	annotationName   = "Function Name"
	annotationHash   = "CFG Hash"
	annotationNumber = "Num Counters"
)

// readDebugInfo lists the functions in the debug information of a program.
func readDebugInfo(p *elf.File, counters uint64) (*correlation, error) {
	if p.Section(".debug_info") == nil && p.Section(".zdebug_info") == nil {
		return nil, errors.New("it has no debug information: it was built without -g, or stripped")
	}
	d, err := p.DWARF()
	if err != nil {
		return nil, fmt.Errorf("its debug information: %w", err)
	}
	a := annotationReader{data: d, entries: d.Reader(), file: p, counters: counters, found: &correlation{}}
	if err := a.readAnnotations(); err != nil {
		return nil, fmt.Errorf("its debug information: %w", err)
	}
	if len(a.found.functions) == 0 {
		return nil, errors.New("its debug information has no counters: build it with -g -mllvm -profile-correlate=debug-info")
	}
	return a.found, nil
}

type annotationReader struct {
	data      *dwarf.Data
	entries   *dwarf.Reader
	file      *elf.File
	counters  uint64 // address of the section of counters
	addresses []byte // content of .debug_addr
	base      int64  // offset in addresses of the unit's part
	found     *correlation
}

func (a *annotationReader) readAnnotations() error {
	if s := a.file.Section(".debug_addr"); s != nil && s.Size <= maxProgramSection {
		a.addresses, _ = s.Data() // only indexed locations need it
	}
	for {
		e, err := a.entries.Next()
		if e == nil || err != nil {
			return err
		}
		name, _ := e.Val(dwarf.AttrName).(string)
		switch {
		case e.Tag == dwarf.TagCompileUnit:
			a.base, _ = e.Val(dwarf.AttrAddrBase).(int64)
		case e.Tag == dwarf.TagVariable && e.Children && strings.HasPrefix(name, countersPrefix):
			if err := a.readCounterVariable(e); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
}

// readCounterVariable reads the annotations of a function's counters. Counters that the linker removed have no address
// and are skipped.
func (a *annotationReader) readCounterVariable(e *dwarf.Entry) error {
	location, _ := e.Val(dwarf.AttrLocation).([]byte)
	address, placed := a.decodeLocation(location)
	f := correlatedFunction{offset: address - a.counters}
	name := ""
	for {
		child, err := a.entries.Next()
		if err != nil {
			return err
		}
		if child == nil || child.Tag == 0 {
			break
		}
		what, _ := child.Val(dwarf.AttrName).(string)
		number, _ := child.Val(dwarf.AttrConstValue).(int64)
		switch {
		case child.Tag != tagAnnotation:
		case what == annotationName:
			name, _ = child.Val(dwarf.AttrConstValue).(string)
		case what == annotationHash:
			f.hash = uint64(number)
		case what == annotationNumber:
			f.counters = uint32(number)
		}
		if child.Children {
			a.entries.SkipChildren()
		}
	}
	if name != "" && f.counters > 0 && placed {
		f.reference = disk.NameRef(name)
		a.found.names = append(a.found.names, name)
		a.found.functions = append(a.found.functions, f)
	}
	return nil
}

// decodeLocation decodes DW_OP_addr with an address, or DW_OP_addrx with an index in ULEB128.
func (a *annotationReader) decodeLocation(location []byte) (address uint64, ok bool) {
	const opAddr, opAddrx, width = 0x03, 0xa1, 8
	read := a.file.ByteOrder.Uint64
	switch {
	case len(location) == 1+width && location[0] == opAddr:
		return read(location[1:]), true
	case len(location) > 1 && location[0] == opAddrx:
		index := uint64(0)
		for i, b := range location[1:] {
			index |= uint64(b&0x7f) << min(7*i, 63)
		}
		at := uint64(a.base) + index*width
		if at+width < at || at+width > uint64(len(a.addresses)) {
			return 0, false
		}
		return read(a.addresses[at:]), true
	}
	return 0, false
}
