package text

import (
	"math"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/reader"
)

// A fieldForm describes the line of an optional field, which has a word and numbers with keys.
type fieldForm struct {
	word    string
	field   disk.Presence
	numbers []fieldNumber
	set     func(p *builder.Profile, n []uint64)
}

// A fieldNumber describes a number of a field.
type fieldNumber struct {
	key   string // key including "="
	at    int    // offset in the field in bytes
	bytes int    // size in bytes
	hex   bool   // written in hexadecimal
}

// counterField returns the form of a field that is one counter.
func counterField(word string, field disk.Presence, set func(p *builder.Profile, n uint64)) fieldForm {
	return fieldForm{word, field, []fieldNumber{{bytes: 8}}, func(p *builder.Profile, n []uint64) { set(p, n[0]) }}
}

// fieldForms lists the fields in the order of the text. The field of traps is a list of any length.
var fieldForms = [...]fieldForm{
	{"size", disk.HasSize, []fieldNumber{{key: "code=", bytes: 4}, {key: "producer=", at: 4, bytes: 4}},
		func(p *builder.Profile, n []uint64) {
			p.Internal().SetSize(profileset.CodeSize{Code: uint32(n[0]), Host: uint32(n[1])})
		}},
	counterField("invocations", disk.HasInvocations, (*builder.Profile).Invocations),
	counterField("backedges", disk.HasBackedges, (*builder.Profile).Backedges),
	counterField("interpreted", disk.HasInterpreted, (*builder.Profile).Interpreted),
	{"history", disk.HasHistory, []fieldNumber{{key: "decompiles=", bytes: 4},
		{key: "overflow-recompiles=", at: 4, bytes: 4}, {key: "overflow-traps=", at: 8, bytes: 4},
		{key: "tenure-traps=", at: 12, bytes: 4}},
		func(p *builder.Profile, n []uint64) {
			p.Internal().SetHistory(profileset.History{Decompiles: uint32(n[0]), OverflowRecompiles: uint32(n[1]),
				OverflowTraps: uint32(n[2]), TenureTraps: uint32(n[3])})
		}},
	{"compile", disk.HasCompile, []fieldNumber{{key: "level=", bytes: 1}, {key: "state=", at: 1, bytes: 1},
		{key: "would-profile=", at: 2, bytes: 1}, {key: "loops=", at: 4, bytes: 2}, {key: "blocks=", at: 6, bytes: 2}},
		func(p *builder.Profile, n []uint64) {
			p.Internal().SetCompilation(profileset.Compilation{Level: uint8(n[0]), State: uint8(n[1]), WouldProfile: uint8(n[2]),
				Loops: uint16(n[3]), Blocks: uint16(n[4])})
		}},
	{"escape", disk.HasEscape, []fieldNumber{{key: "flags=", bytes: 8, hex: true},
		{key: "local=", at: 8, bytes: 8, hex: true}, {key: "stack=", at: 16, bytes: 8, hex: true},
		{key: "returned=", at: 24, bytes: 8, hex: true}},
		func(p *builder.Profile, n []uint64) {
			p.Internal().SetEscape(profileset.Escape{Flags: n[0], Local: n[1], Stack: n[2], Returned: n[3]})
		}},
	{word: "traps", field: disk.HasTraps},
}

func (p *parser) fieldLine(f *fieldForm) {
	if f.field == disk.HasTraps {
		p.trapsField()
		return
	}
	var numbers []uint64
	for _, n := range f.numbers {
		p.expectToken(n.key)
		numbers = append(numbers, p.number(math.MaxUint64>>(64-8*n.bytes)))
	}
	f.set(p.profile.Profile, numbers)
}

func (p *parser) trapsField() {
	p.bytes = p.bytes[:0]
	for p.nextToken() {
		p.bytes = append(p.bytes, uint8(p.number(math.MaxUint8)))
	}
	p.profile.Profile.Internal().PutTraps(p.bytes)
}

// fields writes the optional fields of the block, including zeros.
func (w *writer) fields(p reader.Profile) {
	for i := range fieldForms {
		f := &fieldForms[i]
		content := disk.Block(p.Bytes()).Field(f.field)
		if content == nil {
			continue
		}
		w.literal("    ")
		w.literal(f.word)
		for _, n := range f.numbers {
			w.literal(" ")
			w.literal(n.key)
			w.fieldNumber(n, content[n.at:n.at+n.bytes])
		}
		if f.field == disk.HasTraps {
			for _, n := range p.TrapHistory() {
				w.key(" ", uint64(n))
			}
		}
		w.end()
	}
}

func (w *writer) fieldNumber(n fieldNumber, b []byte) {
	var word [8]byte
	copy(word[:], b)
	if v := le.Uint64(word[:]); n.hex {
		w.hex(v)
	} else {
		w.printNumber(v)
	}
}
