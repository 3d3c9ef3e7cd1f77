package builder

import (
	"strings"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/words"
	"github.com/profarc/profarc/layout"
)

// A Function is the counters of a function of LLVM, for AddFunction.
type Function struct {
	Name   []byte // PGO name
	Hash   uint64 // of its control flow: the code id
	Counts []uint64
}

// AddFunction is AddFunctions for one.
func (b *Builder) AddFunction(f *Function) error {
	_, err := b.AddFunctions([]Function{*f})
	return err
}

// AddFunctions adds the profiles of functions that have counters and nothing
// else. It does what Method, Profile, Profile.Counters and Done do, for profiles
// of millions of functions in less time. What it is given may be used again. It
// gives the number of functions before one that could not be added.
func (b *Builder) AddFunctions(functions []Function) (added int, err error) {
	for added < len(functions) {
		group := functions[added:min(added+touchGroup, len(functions))]
		n := b.addFunctions(group)
		if added += n; n == len(group) {
			continue
		}
		if err := b.addAsProfile(&group[n]); err != nil {
			return added, err
		}
		added++
	}
	return added, nil
}

// addAsProfile adds a function in the way for all profiles.
func (b *Builder) addAsProfile(f *Function) error {
	p := b.Profile(b.Method(layout.Key{Name: string(f.Name)}), f.Hash, NoContext)
	p.Counters(0, f.Counts...)
	if err := p.Done(); err != nil {
		return err
	}
	return b.Err() // of its name
}

// addFunctions adds the functions of a group up to one with which something is
// wrong: the way for all profiles says what.
func (b *Builder) addFunctions(group []Function) (added int) {
	if !b.domain.LLVM() {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var methods [touchGroup]MethodRef
	b.functions(group, methods[:])
	for i := range group {
		if methods[i] == 0 || !b.addFunction(methods[i], &group[i]) {
			return i
		}
	}
	return len(group)
}

func (b *Builder) addFunction(m MethodRef, f *Function) bool {
	if len(f.Counts) > maxCells {
		return false
	}
	ref, ok := b.claim(profileKey{method: m, code: f.Hash}, &b.run)
	if ok && !b.sumFunction(ref, f) {
		b.scratch = appendFunction(b.scratch[:0], f)
		b.take(ref, b.run.Run, b.scratch, (*merger).addInPlace)
	}
	return ok
}

// functions interns methods that have names and nothing else, but for names that
// are none. The ids of those that are not where they are expected are computed
// together.
func (b *Builder) functions(group []Function, methods []MethodRef) {
	var names [touchGroup]string
	var ids [touchGroup]uint64
	var of [touchGroup]int // places in the group
	n := 0
	for i := range group {
		name := words.String(group[i].Name)
		if methods[i] = b.methods.named(b.symbols.next(name)); methods[i] == 0 && possibleName(name) {
			names[n], of[n] = name, i
			n++
		}
	}
	disk.NameRefs(names[:n], ids[:n])
	for k := range n {
		methods[of[k]] = b.function(names[k], ids[k])
	}
	if last := methods[len(group)-1]; last != 0 {
		b.symbols.last = b.methods.at(uint32(last)).name
	}
}

// possibleName reports whether text is a name, and one that a key may have.
func possibleName(name string) bool {
	return len(name) > 0 && len(name) <= disk.MaxName && strings.IndexByte(name, 0) < 0
}

// function interns a method that has a name and nothing else.
func (b *Builder) function(name string, id uint64) MethodRef {
	s, _ := b.symbols.internHashed(name, uint32(id))
	key := methodKey{name: s}
	return b.methods.internNamed(key, func() methodData { return methodData{methodKey: key, id: id} })
}

// appendFunction appends the block that the parts of a profile with these
// counters give.
func appendFunction(b []byte, f *Function) []byte {
	presence, fields := disk.Presence(0), 0
	if f.Hash != 0 {
		presence, fields = disk.HasCode, disk.CellSize
	}
	data := disk.WideHeaderSize + len(f.Counts)*disk.CellSize
	b = le.AppendUint32(b, uint32((disk.BlockHeaderSize+fields+data)/disk.Unit))
	b = le.AppendUint32(b, 0)
	b = le.AppendUint32(b, uint32(presence))
	b = le.AppendUint32(b, uint32(data/disk.Unit))
	if f.Hash != 0 {
		b = le.AppendUint64(b, f.Hash)
	}
	b = append(b, byte(layout.TagCounters), 0, 0, 0, 0, 0, 0, 0)
	b = le.AppendUint32(b, uint32(len(f.Counts)))
	b = le.AppendUint32(b, uint32(len(f.Counts)))
	for _, n := range f.Counts {
		b = le.AppendUint64(b, n)
	}
	return b
}

// sumFunction adds the counters of a function to those of the runs before, and
// reports whether they are as many, and what is a sum is all there is to do.
func (b *Builder) sumFunction(ref ProfileRef, f *Function) bool {
	d := b.profiles.at(uint32(ref))
	cells := functionCells(b.blocks.at(d.block), f)
	if len(cells) == 0 || b.countRules(b.run.Run) != llvmRules || b.run.Weight != One && b.run.Weight != 0 ||
		le.Uint64(cells) > disk.LLVMMaxCount || f.Counts[0] > disk.LLVMMaxCount || b.methods.at(uint32(d.method)).flags&layout.MethodNotMatchable != 0 {
		return false
	}
	b.changesBlock(ref)
	for i, n := range f.Counts {
		cell := cells[i*disk.CellSize:][:disk.CellSize]
		le.PutUint64(cell, min(disk.SaturatingAdd(le.Uint64(cell), n), disk.LLVMMaxCount))
	}
	return true
}

// functionCells gives the counters in a block, if it is as appendFunction makes
// it and has as many as the function.
func functionCells(block disk.Block, f *Function) []byte {
	at := disk.BlockHeaderSize
	if f.Hash != 0 {
		at += disk.CellSize
	}
	n := len(f.Counts)
	if len(block) != at+disk.WideHeaderSize+n*disk.CellSize || block.Presence()&^disk.HasCode != 0 {
		return nil
	}
	if e := disk.Entry(block[at:]); e.Tag() == layout.TagCounters && e.Point() == 0 && e.Rows() == n {
		return e[disk.WideHeaderSize:]
	}
	return nil
}
