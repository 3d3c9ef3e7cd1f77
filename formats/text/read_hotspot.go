package text

import (
	"math"

	"github.com/profarc/profarc/internal/disk"
)

// HotSpot's entries, cell for cell in the order of the format.

func (p *parser) bitEntry() {}

func (p *parser) counter() { p.cell(p.key("count=", math.MaxUint64)) }

func (p *parser) jump() {
	p.cell(p.key("taken=", math.MaxUint64))
	p.expectToken("displacement=")
	p.displacement()
}

func (p *parser) displacement() { p.cell(uint64(p.signed(math.MaxInt64))) }

func (p *parser) branch() {
	taken := p.key("taken=", math.MaxUint64)
	notTaken := p.key("not-taken=", math.MaxUint64)
	p.expectToken("displacement=")
	p.cell(taken)
	p.displacement()
	p.cell(notTaken)
}

// receiverType has a signed count.
func (p *parser) receiverType() {
	p.expectToken("count=")
	p.cell(uint64(p.count64()))
	p.gap()
	p.receiverRows()
}

// count64 takes a count that may be negative, or may be too large to be signed.
func (p *parser) count64() uint64 {
	if p.Skip("-") {
		return -p.number(1 << 63)
	}
	return p.uint64()
}

func (p *parser) virtualCall() {
	p.cell(p.key("count=", math.MaxUint64))
	p.gap()
	p.receiverRows()
}

// gap takes the cells between the count and the rows, which are 0 if they are
// not there.
func (p *parser) gap() {
	n := 0
	for ; n < p.shape.Gap && p.Skip(","); n++ {
		p.cell(p.uint64())
	}
	for ; n < p.shape.Gap; n++ {
		p.cell(0)
	}
}

// receiverRows takes rows of types up to the word args, and fills up with empty
// ones.
func (p *parser) receiverRows() {
	n := 0
	for ; p.hasToken() && !p.nextWord("args"); n++ {
		if p.tooMany(n, p.shape.TypeRows) {
			return
		}
		r := p.builderRow()
		p.pointer(0, uint64(r.Type))
		p.cell(r.Count)
	}
	for ; n < p.shape.TypeRows; n++ {
		p.pointer(0, 0)
		p.cell(0)
	}
}

// nextWord reports whether the next token is a word.
func (p *parser) nextWord(word string) bool {
	at := p.At
	found := p.skipWord(word)
	p.At = at
	return found
}

// tooMany notes that there are more rows than the settings allow.
func (p *parser) tooMany(rows, limit int) bool {
	if rows >= limit {
		p.nextToken()
		p.Miss("no more rows: the settings of the archive do not allow them")
	}
	return !p.OK()
}

func (p *parser) ret() {
	p.cell(p.key("count=", math.MaxUint64))
	n := 0
	for ; p.hasToken(); n++ {
		if p.tooMany(n, p.shape.BciRows) {
			return
		}
		p.nextToken()
		p.cell(p.uint64())
		p.Expect("=")
		p.switchCase()
	}
	for ; n < p.shape.BciRows; n++ {
		p.cell(0)
		p.cell(0)
		p.cell(0)
	}
}

// switchCase takes a count and a displacement.
func (p *parser) switchCase() {
	p.cell(p.uint64())
	p.Expect(",")
	p.displacement()
}

func (p *parser) multiBranch() {
	p.cell(0)
	p.expectToken("default=")
	p.switchCase()
	for p.nextToken() {
		p.switchCase()
	}
	p.length(0)
}

// length sets a cell to the number of those behind it.
func (p *parser) length(cell int) {
	p.entry.cells[cell] = uint64(len(p.entry.cells) - cell - 1)
}

func (p *parser) argInfo() {
	p.cell(0)
	for p.nextToken() {
		p.cell(p.count64())
	}
	p.length(0)
}

func (p *parser) callType() {
	p.cell(p.key("count=", math.MaxUint64))
	p.types(true)
}

func (p *parser) virtualCallType() {
	p.virtualCall()
	p.types(true)
}

func (p *parser) parametersType() { p.types(false) }

// types takes the types of arguments, and of the value that is returned.
func (p *parser) types(returns bool) {
	length := len(p.entry.cells)
	p.cell(0)
	if p.skipWord("args") {
		p.arguments(returns)
	}
	p.length(length)
}

func (p *parser) arguments(returns bool) {
	for p.nextToken() {
		if returns && p.Skip("return=") {
			p.typeWord()
			return
		}
		p.cell(p.uint64())
		p.Expect("=")
		p.typeWord()
	}
}

// typeWord takes a type and what else is known of a value.
func (p *parser) typeWord() {
	ref := p.typeRef()
	tags := uint64(0)
	if p.Skip("+null") {
		tags |= disk.TypeNullSeen
	}
	if p.Skip("+unknown") {
		tags |= disk.TypeUnknown
	}
	p.pointer(tags, uint64(ref))
}

func (p *parser) speculativeTrap() {
	p.expectToken("method=")
	p.pointer(0, uint64(p.methodRef()))
}
