package iprof

import (
	"encoding/json"
	"io"
	"math"
	"strings"

	"github.com/profarc/profarc/internal/disk"
)

// The keys of an item, as bits of what was read of it.
const (
	hasID = 1 << iota
	hasName
	hasSignature
	hasContext
	hasRecords
)

var itemKeys = map[string]int{
	"id": hasID, "name": hasName, "typeName": hasName, "methodName": hasName, "signature": hasSignature,
	"ctx": hasContext, "methodBciList": hasContext, "records": hasRecords,
}

// typeItem reads {"id":1,"name":"int"}.
func (p *parser) typeItem() bool {
	if !p.members(hasID | hasName) {
		return false
	}
	p.rec.types = append(room(p.rec.types, 1), typeRow{p.id, p.kept.keep(p.called)})
	return true
}

// methodItem reads {"id":1,"name":"main","signature":[30,1,21]}.
func (p *parser) methodItem() bool {
	if !p.members(hasID | hasName | hasSignature) {
		return false
	}
	if full := p.rec.methods.add(p.id, p.called, p.ids); full && p.seen[types] {
		p.arrived()
	}
	return true
}

// members reads an object that has exactly the wanted members, into id,
// called, ids and path.
func (p *parser) members(wanted int) bool {
	if !p.token('{') {
		return false
	}
	for read := 0; ; {
		key, ok := p.key()
		if !ok {
			return false
		}
		bit := 0
		switch string(key) {
		case "id":
			bit = hasID
			p.id, ok = p.integer()
		case "name", "typeName", "methodName":
			bit = hasName
			p.called, ok = p.nameText()
			ok = ok && (len(key) == len("name") || p.rec.old)
		case "signature":
			bit = hasSignature
			ok = p.integers()
		case "ctx":
			bit = hasContext
			ok = p.context('<')
		case "methodBciList":
			bit = hasContext
			ok = p.rec.old && p.context(',')
		case "records":
			bit = hasRecords
			ok = p.integers()
		}
		if !ok || bit&wanted == 0 || bit&read != 0 {
			return false
		}
		read |= bit
		if p.token('}') {
			return read == wanted
		}
		if !p.token(',') {
			return false
		}
	}
}

// integers reads an array of them into ids.
func (p *parser) integers() bool {
	p.ids = p.ids[:0]
	if !p.token('[') {
		return false
	}
	if p.token(']') {
		return true
	}
	for {
		n, ok := p.integer()
		if !ok {
			return false
		}
		p.ids = append(p.ids, n)
		if p.token(',') {
			continue
		}
		return p.token(']')
	}
}

// nameText reads a string and gives the name of it as a key spells it. It is valid
// until the next.
func (p *parser) nameText() ([]byte, bool) {
	t, plain, ok := p.text()
	if !ok || plain && (len(t) == 0 || t[0] != quoteMark && t[0] != idMark) {
		return t, ok
	}
	p.spoken = unescape(p.spoken[:0], t)
	return []byte(quoteName(string(p.spoken))), true
}

// odd keeps an item that is not what it should be, or says more: as text, and
// as what it says where that can be read.
func (p *parser) odd(sec *section, text []byte, fast func() bool) {
	typed := p.usual(text, fast)
	if sec.key != sectionKeys[sec.kind] {
		p.rec.oldOdd++
		return
	}
	sec.raws = append(sec.raws, raw{item: p.item, typed: typed, text: string(text)})
}

// usual reads the usual members of an item that has others, too.
func (p *parser) usual(text []byte, fast func() bool) bool {
	var found map[string]json.RawMessage
	if json.Unmarshal(text, &found) != nil {
		return false
	}
	usual := map[string]json.RawMessage{}
	for key, value := range found {
		if itemKeys[key] != 0 {
			usual[key] = value
		}
	}
	again, err := json.Marshal(usual)
	if err != nil || len(usual) == 0 {
		return false
	}
	all := p.scanner
	p.scanner = scanner{buf: append(again, 0), end: len(again), err: io.EOF}
	typed := fast()
	p.scanner = all
	return typed
}

// texts keeps many short strings in few long ones.
type texts struct{ b strings.Builder }

const keptTogether = 32 << 10

func (k *texts) keep(t []byte) string {
	if len(t) > keptTogether/4 {
		return string(t)
	}
	if k.b.Len()+len(t) > k.b.Cap() {
		k.b = strings.Builder{}
		k.b.Grow(keptTogether)
	}
	at := k.b.Len()
	k.b.Write(t)
	return k.b.String()[at:]
}

// recordItem gives what reads {"ctx":"2:0<1:3","records":[1]} of a section.
func (p *parser) recordItem(sec *section) func() bool {
	kind, wanted := sec.kind, hasContext|hasRecords
	if sec.key == oldMonitors {
		wanted = hasRecords
	}
	return func() bool {
		p.path = p.path[:0]
		if !p.members(wanted) || !p.fits(kind) {
			return false
		}
		p.add(kind)
		return true
	}
}

// fits reports whether the integers and the context of a record are what a
// section has.
func (p *parser) fits(kind sectionKind) bool {
	width := kind.width()
	if len(p.ids)%width != 0 || len(p.path) > 1+disk.MaxDepth || width == 1 && len(p.ids) != 1 {
		return false
	}
	for i := width - 1; i < len(p.ids); i += width {
		if p.ids[i] < 0 {
			return false
		}
	}
	switch kind {
	case conditionals:
		for i := 0; i < len(p.ids); i += 3 {
			if point, index := p.ids[i], p.ids[i+1]; int64(int32(point)) != point || index < 0 || index > math.MaxUint32 {
				return false
			}
		}
	case monitors:
		global := len(p.path) == 0 || len(p.path) == 1 && p.path[0] == frame{}
		return global && p.item == 0
	}
	return true
}

// add keeps a record.
func (p *parser) add(kind sectionKind) {
	switch kind {
	case monitors:
		p.rec.monitor = append(p.rec.monitor, p.ids...)
	case samples:
		p.rec.stacks = append(room(p.rec.stacks, 1), stack{len(p.rec.frames), len(p.path), p.ids[0]})
		p.rec.frames = append(room(p.rec.frames, len(p.path)), p.path...)
	default:
		p.rec.records = append(room(p.rec.records, 1), record{p.rec.nodes.contextOf(p.path), p.path[0].point, len(p.rec.values), uint32(len(p.ids)), kind})
		p.rec.values = append(room(p.rec.values, len(p.ids)), p.ids...)
	}
}

// context reads a string of frames into path, for instance "2:0<1:3".
func (p *parser) context(between byte) bool {
	t, plain, ok := p.text()
	if !ok || !plain {
		return false
	}
	p.path = p.path[:0]
	for i := 0; ; i++ {
		id, next := digitsOf(t, i)
		if next < 0 || next == len(t) || t[next] != ':' {
			return p.off()
		}
		i = next + 1
		negative := i < len(t) && t[i] == '-'
		if negative {
			i++
		}
		point, next := digitsOf(t, i)
		if negative {
			if point == 0 {
				return p.off()
			}
			point = -point
		}
		if next < 0 || int64(int32(point)) != point {
			return p.off()
		}
		p.path = append(p.path, frame{id, int32(point)})
		if next == len(t) {
			return true
		}
		if t[next] != between {
			return p.off()
		}
		i = next
	}
}

// off goes back into the string that was read, so that the element does not
// look as if it were cut off.
func (p *parser) off() bool {
	p.pos--
	return false
}

// digitsOf reads digits in their one spelling from t[i] on. next is behind
// them, negative if there are none.
func digitsOf(t []byte, i int) (n int64, next int) {
	first := i
	for ; i < len(t) && t[i]-'0' <= 9 && i < first+18; i++ {
		n = n*10 + int64(t[i]-'0')
	}
	if i == first || t[first] == '0' && i > first+1 {
		return 0, -1
	}
	return n, i
}
