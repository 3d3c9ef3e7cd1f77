package profileset

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/intern"
	"github.com/profarc/profarc/internal/methoddata"
	"github.com/profarc/profarc/internal/words"
	"github.com/profarc/profarc/layout"
)

// A Function is a method that is found by its name alone, with a profile of
// counters alone.
type Function struct {
	Name   []byte
	Code   uint64 // code id
	Counts []uint64
}

// AddFunctions adds the profiles of functions, at most touchGroup of them. It
// returns the number of functions before one that could not be added.
func (b *Set) AddFunctions(group []Function) (added int, err error) {
	for added < len(group) {
		rest := group[added:]
		n := b.addFunctions(rest)
		if added += n; n == len(rest) {
			continue
		}
		if err := b.addAsProfile(&rest[n]); err != nil {
			return added, err
		}
		added++
	}
	return added, nil
}

// addAsProfile adds a function in the way for all profiles.
func (b *Set) addAsProfile(f *Function) error {
	var p Recording
	b.Record(&p, b.Method(layout.Key{Name: string(f.Name)}), f.Code, NoContext)
	n := len(f.Counts)
	p.Add(layout.SectionData, n, func(b []byte) ([]byte, disk.Entry) {
		return disk.NewWide(b, layout.TagCounters, 0, 0, 0, n, n)
	}, func(e disk.Entry) {
		for i, count := range f.Counts {
			e.SetCell(i, count)
		}
	})
	if err := p.Done(); err != nil {
		return err
	}
	return b.Err() // of its name
}

// addFunctions adds the functions of a group up to one with which something is
// wrong: the way for all profiles says what.
func (b *Set) addFunctions(group []Function) (added int) {
	if !b.Domain.LLVM() {
		return 0
	}
	b.Mu.Lock()
	defer b.Mu.Unlock()
	var methods [intern.GroupSize]MethodRef
	b.functions(group, methods[:])
	for i := range group {
		if methods[i] == 0 || !b.addFunction(methods[i], &group[i]) {
			return i
		}
	}
	return len(group)
}

func (b *Set) addFunction(m MethodRef, f *Function) bool {
	if len(f.Counts) > maxCells || f.Code == layout.CodeAny {
		return false
	}
	ref, ok := b.claim(ProfileKey{Method: m, Code: f.Code}, &b.Run)
	if ok && !b.sumFunction(ref, f) {
		b.scratch = appendFunction(b.scratch[:0], f)
		b.take(ref, b.Run.RunRules, b.scratch, (*methoddata.Merger).AddInPlace)
	}
	return ok
}

// functions interns methods that have names and nothing else, but for names that
// are none. The ids of those that are not where they are expected are computed
// together.
func (b *Set) functions(group []Function, methods []MethodRef) {
	var names [intern.GroupSize]string
	var ids [intern.GroupSize]uint64
	var of [intern.GroupSize]int // places in the group
	n := 0
	for i := range group {
		name := words.String(group[i].Name)
		if methods[i] = b.Methods.named(b.Symbols.Next(name)); methods[i] == 0 && possibleName(name) {
			names[n], of[n] = name, i
			n++
		}
	}
	disk.NameRefs(names[:n], ids[:n])
	for k := range n {
		methods[of[k]] = b.function(names[k], ids[k])
	}
	if last := methods[len(group)-1]; last != 0 {
		b.Symbols.Last = b.Methods.At(uint32(last)).Name
	}
}

// possibleName reports whether text is a name, and one that a key may have.
func possibleName(name string) bool {
	return len(name) > 0 && len(name) <= disk.MaxName && strings.IndexByte(name, 0) < 0
}

// function interns a method that has a name and nothing else.
func (b *Set) function(name string, id uint64) MethodRef {
	s, _ := b.Symbols.InternHashed(name, uint32(id))
	key := methodKey{Name: s}
	return b.Methods.internNamed(key, func() methodData { return methodData{methodKey: key, ID: id} })
}

// appendFunction appends the block that the parts of a profile with these
// counters give.
func appendFunction(b []byte, f *Function) []byte {
	presence, fields := disk.Presence(0), 0
	if f.Code != 0 {
		presence, fields = disk.HasCode, disk.CellSize
	}
	data := disk.WideHeaderSize + len(f.Counts)*disk.CellSize
	b = binary.LittleEndian.AppendUint32(b, uint32((disk.BlockHeaderSize+fields+data)/disk.Unit))
	b = binary.LittleEndian.AppendUint32(b, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(presence))
	b = binary.LittleEndian.AppendUint32(b, uint32(data/disk.Unit))
	if f.Code != 0 {
		b = binary.LittleEndian.AppendUint64(b, f.Code)
	}
	b = append(b, byte(layout.TagCounters), 0, 0, 0, 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(f.Counts)))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(f.Counts)))
	for _, n := range f.Counts {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return b
}

// sumFunction adds the counters of a function to those of the runs before, and
// reports whether they are as many, and what is a sum is all there is to do.
func (b *Set) sumFunction(ref ProfileRef, f *Function) bool {
	d := b.Profiles.At(uint32(ref))
	cells := functionCells(b.Blocks.At(d.Block), f)
	if len(cells) == 0 || !b.mergerFor(b.Run.RunRules).CountersAdd() ||
		binary.LittleEndian.Uint64(cells) > disk.LLVMMaxCount || f.Counts[0] > disk.LLVMMaxCount || b.Methods.At(uint32(d.Method)).Flags&layout.MethodNotMatchable != 0 {
		return false
	}
	b.changesBlock(ref)
	for i, n := range f.Counts {
		cell := cells[i*disk.CellSize:][:disk.CellSize]
		binary.LittleEndian.PutUint64(cell, min(disk.SaturatingAdd(binary.LittleEndian.Uint64(cell), n), disk.LLVMMaxCount))
	}
	return true
}

// functionCells returns the counters in a block, if it is as appendFunction makes
// it and has as many as the function.
func functionCells(block disk.Block, f *Function) []byte {
	at := disk.BlockHeaderSize
	if f.Code != 0 {
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

// SortSymbols sorts the symbols that the builder has so far, so that Commit has
// little left to sort. It may be called beside whatever adds to the builder: to
// know all names takes less than to have all profiles.
func (b *Set) SortSymbols() {
	b.Mu.Lock()
	have, era := b.Symbols.Snapshot(), b.era
	b.Mu.Unlock()
	var sorter intern.Sorter
	sorted := have.SortedAnew(&sorter)
	b.Mu.Lock()
	defer b.Mu.Unlock()
	if b.era == era {
		b.Symbols.Presorted = sorted
	}
}

// A DeclaredMethod is the key of a method whose class and signature are interned
// already.
type DeclaredMethod struct {
	Class     TypeRef // that Type gave
	Name      string
	Signature intern.SymbolRef // that Names gave, 0 for none
}

// MethodsOf interns methods, at most touchGroup of them, into refs.
func (b *Set) MethodsOf(methods []DeclaredMethod, refs []MethodRef) {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	var hashes [intern.GroupSize]uint32
	b.touchDeclared(methods, hashes[:len(methods)])
	for i := range methods {
		refs[i] = b.declared(&methods[i], hashes[i])
	}
}

// declared interns a method whose name has that hash.
func (b *Set) declared(m *DeclaredMethod, hash uint32) MethodRef {
	if !b.Types.Has(uint32(m.Class)) || int(m.Signature) > b.Symbols.Len() {
		b.fail(fmt.Errorf("class %d or signature %d is not of this builder", m.Class, m.Signature))
		return 0
	}
	key := methodKey{m.Class, b.nameHashed(m.Name, hash), m.Signature}
	return b.Methods.intern(key, func() methodData {
		t := b.Types.At(uint32(m.Class))
		k := layout.Key{Class: b.Text(t.Name), Name: m.Name, Signature: b.Text(m.Signature), Loader: b.Text(t.Loader)}
		return methodData{methodKey: key, ID: k.ID(b.Domain)}
	})
}

// Names interns parts of keys, for MethodsOf, into refs, which must be as long: ""
// is none.
func (b *Set) Names(texts []string, refs []intern.SymbolRef) {
	_ = refs[:len(texts)]
	b.Mu.Lock()
	defer b.Mu.Unlock()
	for len(texts) > 0 {
		n := min(len(texts), intern.GroupSize)
		var hashes, likely [intern.GroupSize]uint32
		for i, text := range texts[:n] {
			hashes[i] = b.Symbols.Hash(text)
		}
		b.Symbols.Index.Guess(hashes[:n], likely[:n])
		b.Symbols.Touch(likely[:n])
		for i, text := range texts[:n] {
			if refs[i] = 0; text != "" {
				refs[i] = b.nameHashed(text, hashes[i])
			}
		}
		texts, refs = texts[n:], refs[n:]
	}
}

// nameHashed interns the name of a method, which may be empty, or a signature.
func (b *Set) nameHashed(text string, hash uint32) intern.SymbolRef {
	if !possibleName(text) {
		return b.typeName(text)
	}
	ref, _ := b.Symbols.InternHashed(text, hash)
	return ref
}

// touchDeclared touches what interning some methods will read, and returns the
// hashes of their names.
func (b *Set) touchDeclared(methods []DeclaredMethod, hashes []uint32) {
	var keys, names [intern.GroupSize]uint32
	for i := range methods {
		hashes[i] = b.Symbols.Hash(methods[i].Name)
	}
	n := len(methods)
	b.Symbols.Index.Guess(hashes, names[:n])
	var others [2 * intern.GroupSize]uint32 // names of classes, and signatures
	for i := range methods {
		if class := methods[i].Class; b.Types.Has(uint32(class)) {
			others[2*i] = uint32(b.Types.At(uint32(class)).Name)
		}
		others[2*i+1] = uint32(methods[i].Signature)
	}
	b.Symbols.Touch(names[:n])
	b.Symbols.Touch(others[:2*n])
	for i := range methods {
		keys[i] = methodKey{methods[i].Class, intern.SymbolRef(names[i]), methods[i].Signature}.hash()
	}
	b.Methods.Others.Guess(keys[:n], names[:n])
}
