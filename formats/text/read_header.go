package text

import (
	"math"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// head is what the header of a text says.
type head struct {
	config builder.Config
	domain layout.Domain
	seen   map[string]bool // words of the lines that stand once
}

// headerLine reads a line of the header. It gives false for any other line.
func (p *parser) headerLine(word []byte) bool {
	read := headerForms[string(word)]
	if read == nil {
		return false
	}
	p.once(string(word))
	read(p)
	return true
}

var headerForms = map[string]func(*parser){
	"domain":      (*parser).domainLine,
	"producer":    func(p *parser) { p.nextToken(); p.head.config.Producer = string(p.name()) },
	"fingerprint": func(p *parser) { p.id(&p.head.config.Fingerprint) },
	"dump-id":     func(p *parser) { p.id(&p.head.config.DumpID) },
	"time":        (*parser).timeLine,
	"flags":       func(p *parser) { p.nextToken(); p.head.config.Flags = p.bits(archiveFlags, math.MaxUint64) },
	"param":       (*parser).paramLine,
}

// once refuses a second line of the header that says the same.
func (p *parser) once(word string) {
	if p.head.seen == nil {
		p.head.seen = map[string]bool{}
	}
	if word != "param" && p.head.seen[word] {
		p.MissAt(p.At-len(word), "no second "+word)
	}
	p.head.seen[word] = true
}

func (p *parser) domainLine() {
	p.nextToken()
	start := p.At
	word := string(p.takeWord("a domain"))
	for d := layout.DomainHotSpot; d.Valid(); d++ {
		if d.String() == word {
			p.head.domain = d
			return
		}
	}
	p.MissAt(start, "a domain: hotspot, llvm-ir, llvm-frontend, graal or jamaica")
}

func (p *parser) id(id *[16]byte) {
	p.nextToken()
	start := p.At
	p.bytes = p.hexBytes(p.bytes[:0])
	if len(p.bytes) != len(id) {
		p.MissAt(start, "32 hexadecimal digits")
		return
	}
	copy(id[:], p.bytes)
}

// timeLine reads a time that nanoseconds of 64 bits can say. Their 0 is none.
func (p *parser) timeLine() {
	p.nextToken()
	start := p.At
	t, err := time.Parse(time.RFC3339Nano, string(p.takeWord("a time")))
	if err != nil || t.Before(time.Unix(0, math.MinInt64)) || t.After(time.Unix(0, math.MaxInt64)) {
		p.MissAt(start, "a time as 2006-01-02T15:04:05.999999999Z, from 1677 to 2262")
		return
	}
	if t.UnixNano() != 0 {
		p.head.config.DumpTime = t
	}
}

func (p *parser) paramLine() {
	p.nextToken()
	i := p.listed(paramWords, uint64(len(p.head.config.Params))-1, "a setting")
	p.nextToken()
	v := uint32(p.number(math.MaxUint32))
	if p.OK() && p.head.config.Params[i] != 0 {
		p.Miss("no second line for this setting")
	}
	if p.OK() {
		p.head.config.Params[i] = v
	}
}

// listed takes a word of a list, or a number of at most limit.
func (p *parser) listed(list wordList, limit uint64, what string) uint64 {
	start := p.At
	if p.At < len(p.Line) && p.Line[p.At]-'0' <= 9 {
		return p.number(limit)
	}
	n, ok := list.number(p.takeWord(what))
	if !ok && p.OK() {
		p.MissAt(start, what+": "+list.all()+", or a number")
	}
	return uint64(n)
}

// bits takes the words of bits, or numbers, with commas between them.
func (p *parser) bits(words wordList, limit uint64) (bits uint64) {
	for {
		bits |= p.bit(words, limit)
		if !p.Skip(",") {
			return bits
		}
	}
}

// bit takes the word of a bit, or a number, that stands right here.
func (p *parser) bit(words wordList, limit uint64) uint64 {
	if p.At < len(p.Line) && p.Line[p.At]-'0' <= 9 {
		return p.number(limit)
	}
	start := p.At
	for p.OK() && !p.atTokenEnd() && p.Line[p.At] != ',' && p.Line[p.At] != ']' {
		p.At++
	}
	n, ok := words.number(p.Line[start:p.At])
	if !ok {
		p.MissAt(start, "a flag that has a name here, or a number")
		return 0
	}
	return 1 << n
}

// begin makes the builder, at the first line behind the header.
func (p *parser) begin() {
	domain := p.head.domain
	if domain == 0 {
		p.MissAt(0, "a line of the header: domain and its name")
		return
	}
	p.shape = disk.ShapeOf(&p.head.config.Params)
	p.report.Domain = domain
	p.b = builder.New(domain, p.config())
}

// config is what the archive says of itself: what the text says, or what was
// asked for in its place.
func (p *parser) config() builder.Config {
	c := p.o.Config
	c.Params, c.Flags = p.head.config.Params, p.head.config.Flags
	if c.Producer == "" {
		c.Producer = p.head.config.Producer
	}
	if c.Fingerprint == ([16]byte{}) {
		c.Fingerprint = p.head.config.Fingerprint
	}
	if c.DumpID == ([16]byte{}) {
		c.DumpID = p.head.config.DumpID
	}
	if c.DumpTime.IsZero() {
		c.DumpTime = p.head.config.DumpTime
	}
	return c
}
