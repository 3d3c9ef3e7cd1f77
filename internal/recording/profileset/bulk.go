package profileset

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/words"
	"github.com/profarc/profarc/layout"
)

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
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range functions {
		if err := b.addFunction(&functions[i]); err != nil {
			err = fmt.Errorf("profile: %w", err)
			b.refuseProfile(err)
			return i, err
		}
	}
	return len(functions), nil
}

func (b *Set) addFunction(f *Function) error {
	if f.counterCount() > maxCells {
		return fmt.Errorf("%w: an entry of %d cells", layout.ErrTooLarge, f.counterCount())
	}
	m := b.internMethod(layout.Key{Name: words.StringOf(f.Name)})
	run := b.Run
	run.Line = f.Line
	ref, _, err := b.claimProfile(ProfileKey{Method: m, Code: f.Code}, &run)
	if err = cmp.Or(b.err, err); err != nil { // m is 0 if the name is invalid
		return err
	}
	b.block = appendFunction(b.block[:0], f)
	b.storeProfile(ref, run.RunRules, b.block)
	return b.err
}

// AddStored adds a profile of a run with entries of a shape, as Record and Done would. The block has the form of
// [ProfileData], and can be reused after the call.
func (b *Set) AddStored(run Run, shape disk.Shape, key ProfileKey, block disk.Block) (ProfileRef, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	ref, _, err := b.claimProfile(key, &run)
	if err != nil {
		err = fmt.Errorf("profile: %w", err)
		b.refuseProfile(err)
		return 0, err
	}
	b.storeProfile(ref, run.RunRules, b.reshape(shape, block))
	return ref, nil
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
