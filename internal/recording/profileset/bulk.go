package profileset

import (
	"encoding/binary"
	"fmt"
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
	for i := range group {
		if methods[i] == 0 || !b.addFunction(methods[i], &group[i]) {
			return i
		}
	}
	return len(group)
}

// addFunction adds a function. It reports whether the function was valid.
func (b *Set) addFunction(m MethodRef, f *Function) bool {
	if f.counterCount() > maxCells {
		return false
	}
	run := b.Run
	ref, _, err := b.claimProfile(ProfileKey{Method: m, Code: f.Code}, &run)
	if err == nil {
		run.Line = f.Line
		b.block = appendFunction(b.block[:0], f)
		b.storeProfile(ref, run.RunRules, b.block)
	}
	return err == nil
}

// A StoredProfile is a profile whose block has the form of [ProfileData].
type StoredProfile struct {
	ProfileKey
	Time  int64 // time of its newest dump
	Block disk.Block
	Ref   ProfileRef // result of AddStored
}

// AddStored adds profiles of a run with entries of a shape, as Record and Done would. It stops at the first error.
func (b *Set) AddStored(run Run, shape disk.Shape, profiles []StoredProfile) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range profiles {
		p := &profiles[i]
		run.Time = p.Time
		ref, _, err := b.claimProfile(p.ProfileKey, &run)
		if err != nil {
			err = fmt.Errorf("profile: %w", err)
			b.refuseProfile(err)
			return err
		}
		p.Ref = ref
		b.storeProfile(ref, run.RunRules, b.reshape(shape, p.Block))
	}
	return nil
}

// internFunctions interns the methods of a group, which have only a name. It skips invalid names. If the name is not
// the next expected one, its ID must be computed.
func (b *Set) internFunctions(group []Function, methods []MethodRef) {
	for i := range group {
		name := words.StringOf(group[i].Name)
		if possibleName(name) {
			methods[i] = b.internFunction(name)
		}
	}
}

// possibleName reports whether name is nonempty and valid in a key.
func possibleName(name string) bool {
	return len(name) > 0 && len(name) <= disk.MaxName && strings.IndexByte(name, 0) < 0
}

// internFunction interns a method that has only a name, in a domain of LLVM. The caller holds mu.
func (b *Set) internFunction(name string) MethodRef {
	if m := b.Methods.methodNamed(b.Symbols.Next(name)); m != 0 {
		return m
	}
	id := disk.NameRef(name)
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
