package iprof

import (
	"encoding/json"
	"io"
	"strings"
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
