package iprof

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/profarc/profarc/internal/file/disk"
)

// Members of an item, as bits.
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

// readType reads {"id":1,"name":"int"}.
func (p *parser) readType() bool {
	if !p.readMembers(hasID | hasName) {
		return false
	}
	p.rec.types = append(growDoubling(p.rec.types, 1), typeRow{p.id, string(p.called)})
	return true
}

// readMethod reads {"id":1,"name":"main","signature":[30,1,21]}.
func (p *parser) readMethod() bool {
	if !p.readMembers(hasID | hasName | hasSignature) {
		return false
	}
	if full := p.rec.methods.addMethod(p.id, p.called, p.ids); full && p.seen[types] {
		p.arrived()
	}
	return true
}

// readMembers reads an object with exactly the wanted members into id, called, ids and path.
func (p *parser) readMembers(wanted int) bool {
	if !p.readToken('{') {
		return false
	}
	for read := 0; ; {
		key, ok := p.readMemberKey()
		if !ok {
			return false
		}
		bit := 0
		switch string(key) {
		case "id":
			bit = hasID
			p.id, ok = p.readInteger()
		case "name", "typeName", "methodName":
			bit = hasName
			p.called, ok = p.readName()
			ok = ok && (len(key) == len("name") || p.rec.old)
		case "signature":
			bit = hasSignature
			ok = p.readIntegers()
		case "ctx":
			bit = hasContext
			ok = p.readContext('<')
		case "methodBciList":
			bit = hasContext
			ok = p.rec.old && p.readContext(',')
		case "records":
			bit = hasRecords
			ok = p.readIntegers()
		}
		if !ok || bit&wanted == 0 || bit&read != 0 {
			return false
		}
		read |= bit
		if p.readToken('}') {
			return read == wanted
		}
		if !p.readToken(',') {
			return false
		}
	}
}

func (p *parser) readIntegers() bool {
	p.ids = p.ids[:0]
	if !p.readToken('[') {
		return false
	}
	if p.readToken(']') {
		return true
	}
	for {
		n, ok := p.readInteger()
		if !ok {
			return false
		}
		p.ids = append(p.ids, n)
		if p.readToken(',') {
			continue
		}
		return p.readToken(']')
	}
}

// readName reads a string and returns the name as spelled in keys. The name is valid until the next call.
func (p *parser) readName() ([]byte, bool) {
	t, plain, ok := p.readStringToken()
	if !ok || plain && (len(t) == 0 || t[0] != quoteMark && t[0] != idMark) {
		return t, ok
	}
	p.spoken = unescape(p.spoken[:0], t)
	return []byte(quoteName(string(p.spoken))), true
}

// firstKept is the number of odd items that are named.
const firstKept = 3

// readOddItem reads the known members of an item that is invalid or has unknown members. Without them it omits the
// item and marks the methods that it names as executed.
func (p *parser) readOddItem(sec *section, text []byte, fast func() bool) {
	p.rec.odd++
	if len(p.rec.firstOdd) < firstKept {
		p.rec.firstOdd = append(p.rec.firstOdd, fmt.Sprintf("%s: byte %d: record %d of %q", filepath.Base(p.name),
			p.textOffset()-int64(len(text)), p.item+1, p.last))
	}
	if p.readKnownMembers(text, fast) {
		return
	}
	p.odd++
	if sec.kind >= calls {
		p.rec.lost.Add(sec.kind.unit(), sec.kind.sumCounts(listedIDs(string(text))))
	}
	if sec.kind != monitors { // its context names no method
		p.rec.named = append(p.rec.named, contextIDs(string(text))...)
	}
}

func (p *parser) readKnownMembers(text []byte, fast func() bool) bool {
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

// recordReader returns a function that reads {"ctx":"2:0<1:3","records":[1]} in a section.
func (p *parser) recordReader(sec *section) func() bool {
	kind := sec.kind
	wanted := hasContext | hasRecords
	if sec.key == oldMonitors {
		wanted = hasRecords
	}
	return func() bool {
		p.path = p.path[:0]
		if !p.readMembers(wanted) || !p.checkRecord(kind) {
			return false
		}
		p.addRecord(kind)
		return true
	}
}

// checkRecord reports whether the integers and the context of a record are valid in a section.
func (p *parser) checkRecord(kind sectionKind) bool {
	width := kind.recordWidth()
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

func (p *parser) addRecord(kind sectionKind) {
	switch kind {
	case monitors:
		p.rec.monitor = append(p.rec.monitor, p.ids...)
	case samples:
		p.rec.stacks = append(growDoubling(p.rec.stacks, 1), stack{len(p.rec.frames), len(p.path), p.ids[0]})
		p.rec.frames = append(growDoubling(p.rec.frames, len(p.path)), p.path...)
	default:
		p.rec.records = append(growDoubling(p.rec.records, 1),
			record{p.rec.nodes.contextOf(p.path), p.path[0].point, len(p.rec.values), uint32(len(p.ids)), kind})
		p.rec.values = append(growDoubling(p.rec.values, len(p.ids)), p.ids...)
	}
}

// readContext reads a string of frames like "2:0<1:3" into path.
func (p *parser) readContext(between byte) bool {
	t, plain, ok := p.readStringToken()
	if !ok || !plain {
		return false
	}
	p.path = p.path[:0]
	for i := 0; ; i++ {
		id, next := digitsOf(t, i)
		if next < 0 || next == len(t) || t[next] != ':' {
			return p.stepBack()
		}
		i = next + 1
		negative := i < len(t) && t[i] == '-'
		if negative {
			i++
		}
		point, next := digitsOf(t, i)
		if negative {
			if point == 0 {
				return p.stepBack()
			}
			point = -point
		}
		if next < 0 || int64(int32(point)) != point {
			return p.stepBack()
		}
		p.path = append(p.path, frame{id, int32(point)})
		if next == len(t) {
			return true
		}
		if t[next] != between {
			return p.stepBack()
		}
		i = next
	}
}

// stepBack moves back into the last string and returns false, so that the element does not look truncated.
func (p *parser) stepBack() bool {
	p.pos--
	return false
}

// digitsOf parses a canonical number at t[i]. next is the index after it, or negative for an invalid number.
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
