package text

import (
	"math"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/rawprofile"
	"github.com/profarc/profarc/reader"
)

// A fieldForm is the form of an optional field of a block in the text: a word, and its numbers with their keys.
type fieldForm struct {
	word    string
	field   disk.Presence
	numbers []fieldNumber
	set     func(p *builder.Profile, n []uint64)
}

// A fieldNumber is a number of a field, by its place in the field.
type fieldNumber struct {
	key   string // with its sign
	at    int
	bytes int
	hex   bool // a set of arguments, written in hexadecimal digits
}

// counterField is the form of a field that is one counter.
func counterField(word string, field disk.Presence, set func(p *builder.Profile, n uint64)) fieldForm {
	return fieldForm{word, field, []fieldNumber{{bytes: 8}}, func(p *builder.Profile, n []uint64) { set(p, n[0]) }}
}

// fieldForms are in the order of the text. The numbers of the field of traps are a list of their own.
var fieldForms = [...]fieldForm{
	{"size", disk.HasSize, []fieldNumber{{key: "code=", bytes: 4}, {key: "producer=", at: 4, bytes: 4}},
		func(p *builder.Profile, n []uint64) {
			rawprofile.In(p).Size(rawprofile.Size{Code: uint32(n[0]), Host: uint32(n[1])})
		}},
	counterField("invocations", disk.HasInvocations, (*builder.Profile).Invocations),
	counterField("backedges", disk.HasBackedges, (*builder.Profile).Backedges),
	counterField("interpreted", disk.HasInterpreted, (*builder.Profile).Interpreted),
	{"history", disk.HasHistory, []fieldNumber{{key: "decompiles=", bytes: 4},
		{key: "overflow-recompiles=", at: 4, bytes: 4}, {key: "overflow-traps=", at: 8, bytes: 4},
		{key: "tenure-traps=", at: 12, bytes: 4}},
		func(p *builder.Profile, n []uint64) {
			rawprofile.In(p).History(rawprofile.History{Decompiles: uint32(n[0]), OverflowRecompiles: uint32(n[1]),
				OverflowTraps: uint32(n[2]), TenureTraps: uint32(n[3])})
		}},
	{"compile", disk.HasCompile, []fieldNumber{{key: "level=", bytes: 1}, {key: "state=", at: 1, bytes: 1},
		{key: "would-profile=", at: 2, bytes: 1}, {key: "loops=", at: 4, bytes: 2}, {key: "blocks=", at: 6, bytes: 2}},
		func(p *builder.Profile, n []uint64) {
			rawprofile.In(p).Compile(rawprofile.Compile{Level: uint8(n[0]), State: uint8(n[1]), WouldProfile: uint8(n[2]),
				Loops: uint16(n[3]), Blocks: uint16(n[4])})
		}},
	{"escape", disk.HasEscape, []fieldNumber{{key: "flags=", bytes: 8, hex: true},
		{key: "local=", at: 8, bytes: 8, hex: true}, {key: "stack=", at: 16, bytes: 8, hex: true},
		{key: "returned=", at: 24, bytes: 8, hex: true}},
		func(p *builder.Profile, n []uint64) {
			rawprofile.In(p).Escape(rawprofile.Escape{Flags: n[0], Local: n[1], Stack: n[2], Returned: n[3]})
		}},
	{word: "traps", field: disk.HasTraps},
}

// fieldLine reads the numbers of a field.
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
	rawprofile.In(p.profile.Profile).TrapHistory(p.bytes)
}

// fields writes the optional fields that the block has, whatever their values.
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
