package profileset

import (
	"encoding/binary"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/layout"
)

// FunctionGroup is the number of functions that are added together.
const FunctionGroup = 128

// A Function is a method with a profile that holds nothing but counters. Its name is the whole key.
type Function struct {
	Name  []byte // key of the method
	Code  uint64 // code ID
	Cells []byte // counters in little-endian order
	Line  int    // line in the text that it comes from; 0 if it has none
}

func (f *Function) counterCount() int { return len(f.Cells) / disk.CellSize }

// AddFunctions adds the profiles of functions, as Record, Add and Done would. It stops at the first error and returns
// the number of functions added before it. The functions can be reused after the call.
func (b *Set) AddFunctions(functions []Function) (added int, err error) {
	for added < len(functions) {
		rest := functions[added:]
		n := b.addFunctions(rest[:min(len(rest), FunctionGroup)])
		if added += n; n == min(len(rest), FunctionGroup) {
			continue
		}
		if err := b.addAsProfile(&rest[n]); err != nil {
			return added, err
		}
		added++
	}
	return added, nil
}

func (b *Set) addAsProfile(f *Function) error {
	var p Recording
	b.AtLine(f.Line)
	b.Record(&p, b.Method(layout.Key{Name: string(f.Name)}), f.Code, NoContext)
	n := f.counterCount()
	p.Add(disk.SectionData, n, func(b []byte) ([]byte, disk.Entry) {
		return disk.NewWide(b, layout.TagCounters, 0, 0, 0, n, n)
	}, func(e disk.Entry) { copy(e[disk.WideHeaderSize:], f.Cells) })
	if err := p.Done(); err != nil {
		return err
	}
	return b.Err() // set by Method if the name is invalid
}

// addFunctions adds the functions of a group up to the first invalid one. addAsProfile then returns the error for that
// one.
func (b *Set) addFunctions(group []Function) (added int) {
	if !b.Domain.LLVM() {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var methods [FunctionGroup]MethodRef
	b.internFunctions(group, methods[:])
	sums := b.mergerFor(b.Run.RunRules).CountersAdd()
	for i := range group {
		if methods[i] == 0 || !b.addFunction(methods[i], &group[i], sums) {
			return i
		}
	}
	return len(group)
}

// addFunction adds a function. If sums is set, its counters are only added to the counters of earlier runs. It reports
// whether the function was valid.
func (b *Set) addFunction(m MethodRef, f *Function, sums bool) bool {
	if f.counterCount() > maxCells || f.Code == layout.CodeAny {
		return false
	}
	ref, _, ok := b.claimProfile(ProfileKey{Method: m, Code: f.Code}, &b.Run)
	if ok && !(sums && b.sumFunction(ref, f)) {
		b.block = appendFunction(b.block[:0], f)
		run := b.Run.RunRules
		run.Line = f.Line
		b.storeProfile(ref, run, b.block)
	}
	return ok
}

// internFunctions interns the methods of a group, which have only a name. It skips invalid names. If the name is not
// the next expected one, its ID must be computed.
func (b *Set) internFunctions(group []Function, methods []MethodRef) {
	for i := range group {
		name := words.StringOf(group[i].Name)
		methods[i] = b.Methods.methodNamed(b.Symbols.Next(name))
		if methods[i] == 0 && possibleName(name) {
			methods[i] = b.internFunction(name, disk.NameRef(name))
		}
	}
}

// possibleName reports whether name is nonempty and valid in a key.
func possibleName(name string) bool {
	return len(name) > 0 && len(name) <= disk.MaxName && strings.IndexByte(name, 0) < 0
}

func (b *Set) internFunction(name string, id uint64) MethodRef {
	s, _ := b.Symbols.InternHashed(name, uint32(id))
	key := methodKey{Name: s}
	return b.Methods.internNamed(key, func() methodData { return methodData{methodKey: key, ID: id} })
}

// appendFunction appends the block of a profile that holds nothing but the function's counters.
func appendFunction(b []byte, f *Function) []byte {
	presence := disk.Presence(0)
	fields := 0
	if f.Code != 0 {
		presence = disk.HasCode
		fields = disk.CellSize
	}
	data := disk.WideHeaderSize + len(f.Cells)
	b = binary.LittleEndian.AppendUint32(b, uint32((disk.BlockHeaderSize+fields+data)/disk.Unit))
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(presence))
	b = binary.LittleEndian.AppendUint32(b, uint32(data/disk.Unit))
	if f.Code != 0 {
		b = binary.LittleEndian.AppendUint64(b, f.Code)
	}
	b = append(b, byte(layout.TagCounters), 0, 0, 0, 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(f.counterCount()))
	b = binary.LittleEndian.AppendUint32(b, uint32(f.counterCount()))
	return append(b, f.Cells...)
}

// sumFunction adds the counters of a function to the counters of earlier runs. It does nothing and returns false if the
// number of counters differs or anything else must be merged.
func (b *Set) sumFunction(ref ProfileRef, f *Function) bool {
	d := b.Profiles.At(uint32(ref))
	cells := functionCells(b.Blocks.Memory(d.Block), f)
	if len(cells) == 0 || binary.LittleEndian.Uint64(cells) > disk.LLVMMaxCount ||
		binary.LittleEndian.Uint64(f.Cells) > disk.LLVMMaxCount ||
		b.Methods.At(uint32(d.Method)).Flags&layout.MethodNotMatchable != 0 {
		return false
	}
	b.changesBlock(ref)
	for more := f.Cells; len(cells) >= disk.CellSize && len(more) >= disk.CellSize; cells, more = cells[disk.CellSize:],
		more[disk.CellSize:] {
		sum := disk.SaturatingAdd(binary.LittleEndian.Uint64(cells), binary.LittleEndian.Uint64(more))
		binary.LittleEndian.PutUint64(cells, min(sum, disk.LLVMMaxCount))
	}
	return true
}

// functionCells returns the counters in a block. It returns nil if the block has anything else, or another number of
// counters than the function.
func functionCells(block disk.Block, f *Function) []byte {
	at := disk.BlockHeaderSize
	if f.Code != 0 {
		at += disk.CellSize
	}
	n := f.counterCount()
	if len(block) != at+disk.WideHeaderSize+n*disk.CellSize || block.Presence()&^disk.HasCode != 0 {
		return nil
	}
	if e := disk.Entry(block[at:]); e.Tag() == layout.TagCounters && e.Point() == 0 && e.Rows() == n {
		return e[disk.WideHeaderSize:]
	}
	return nil
}
