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
	p.want("displacement=")
	p.displacement()
}

func (p *parser) displacement() { p.cell(uint64(p.signed(math.MaxInt64))) }

func (p *parser) branch() {
	taken := p.key("taken=", math.MaxUint64)
	notTaken := p.key("not-taken=", math.MaxUint64)
	p.want("displacement=")
	p.cell(taken)
	p.displacement()
	p.cell(notTaken)
}

// receiverType has a signed count.
func (p *parser) receiverType() {
	p.want("count=")
	p.cell(uint64(p.count64()))
	p.gap()
	p.receiverRows()
}

// count64 takes a count that may be negative, or may be too large to be signed.
func (p *parser) count64() uint64 {
	if p.skip("-") {
		return -p.number(1 << 63)
	}
	return p.n()
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
	for ; n < p.shape.Gap && p.skip(","); n++ {
		p.cell(p.n())
	}
	for ; n < p.shape.Gap; n++ {
		p.cell(0)
	}
}

// receiverRows takes rows of types up to the word args, and fills up with empty
// ones.
func (p *parser) receiverRows() {
	n := 0
	for ; p.more() && !p.nextWord("args"); n++ {
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
	at := p.at
	found := p.tryWord(word)
	p.at = at
	return found
}

// tooMany notes that there are more rows than the settings allow.
func (p *parser) tooMany(rows, limit int) bool {
	if rows >= limit {
		p.token()
		p.miss("no more rows: the settings of the archive do not allow them")
	}
	return !p.ok()
}

func (p *parser) ret() {
	p.cell(p.key("count=", math.MaxUint64))
	n := 0
	for ; p.more(); n++ {
		if p.tooMany(n, p.shape.BciRows) {
			return
		}
		p.token()
		p.cell(p.n())
		p.must("=")
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
	p.cell(p.n())
	p.must(",")
	p.displacement()
}

func (p *parser) multiBranch() {
	p.cell(0)
	p.want("default=")
	p.switchCase()
	for p.token() {
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
	for p.token() {
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
	if p.tryWord("args") {
		p.arguments(returns)
	}
	p.length(length)
}

func (p *parser) arguments(returns bool) {
	for p.token() {
		if returns && p.skip("return=") {
			p.typeWord()
			return
		}
		p.cell(p.n())
		p.must("=")
		p.typeWord()
	}
}

// typeWord takes a type and what else is known of a value.
func (p *parser) typeWord() {
	ref := p.typeRef()
	tags := uint64(0)
	if p.skip("+null") {
		tags |= disk.TypeNullSeen
	}
	if p.skip("+unknown") {
		tags |= disk.TypeUnknown
	}
	p.pointer(tags, uint64(ref))
}

func (p *parser) speculativeTrap() {
	p.want("method=")
	p.pointer(0, uint64(p.methodRef()))
}
