package iprof

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/refindex"
	"github.com/profarc/profarc/internal/system/lazyregexp"
)

// Ids in the values of unknown keys, which are kept as text, and in omitted items. All candidates count as ids, since
// a surplus id only keeps an unneeded row, but a missed id would break a written file.

var (
	contextMember  = lazyregexp.New(`"(?:ctx|methodBciList)"\s*:\s*"((?:[^"\\]|\\.)*)"`)
	integersMember = lazyregexp.New(`"(?:records|signature)"\s*:\s*\[([^\]]*)\]`)
)

// contextIDs returns the method ids in the contexts of a JSON text.
func contextIDs(text string) (ids []int64) {
	for _, member := range contextMember().FindAllStringSubmatch(text, -1) {
		context := string(unescape(nil, []byte(member[1])))
		for _, place := range strings.FieldsFunc(context, func(c rune) bool { return c == '<' || c == ',' }) {
			id, _, _ := strings.Cut(place, ":")
			ids = appendID(ids, id)
		}
	}
	return ids
}

// listedIDs returns the integers of records and signatures in a JSON text, which are counts or type ids.
func listedIDs(text string) (ids []int64) {
	for _, member := range integersMember().FindAllStringSubmatch(text, -1) {
		for n := range strings.SplitSeq(member[1], ",") {
			ids = appendID(ids, n)
		}
	}
	return ids
}

func appendID(ids []int64, text string) []int64 {
	id, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return ids
	}
	return append(ids, id)
}

// markExecutedByText marks the methods executed that omitted items or unknown keys name.
func (b *build) markExecutedByText() {
	b.markExecuted(b.named)
	for i := range b.sections {
		b.markExecuted(contextIDs(b.sections[i].text))
	}
}

func (b *build) markExecuted(ids []int64) {
	for _, id := range ids {
		if row, ok := b.methodRows.rowOfID(id); ok {
			b.ran[row] = true
		}
	}
}

// readForeign reads the unknown keys from TableForeign.
func (e *exporter) readForeign() {
	t, err := e.store.TableOrEmpty(disk.TableForeign)
	e.Fail(err)
	for i := range t.Rows {
		pointer, err1 := t.Text(0, i)
		text, err2 := t.Text(1, i)
		e.Fail(cmp.Or(err1, err2))
		e.addForeignText(pointer, text)
	}
}

// addForeignText adds the value of a key. It rejects invalid JSON, and a second value for a key.
func (e *exporter) addForeignText(pointer, text string) {
	key, ok := strings.CutPrefix(pointer, "/")
	valid := json.Valid([]byte(text)) && utf8.ValidString(text)
	switch before, twice := e.raws[pointer]; {
	case !ok || strings.Contains(key, "/") || !valid || twice && text != before:
		e.report.Lost.Add(LossForeign, 1)
	case !twice:
		e.raws[pointer] = text
		e.foreignKeys = append(e.foreignKeys, pointerUnescapes.Replace(key))
	}
}

var pointerUnescapes = strings.NewReplacer("~1", "/", "~0", "~")

// markUsedByTexts marks the methods and types used that texts name by their source ids. Texts are written unchanged.
func (e *exporter) markUsedByTexts() {
	if !e.options.Prune || e.source == nil {
		return
	}
	var methodIDs, typeIDs []int64
	for _, s := range e.source.sections {
		switch s.kind {
		case methods:
			methodIDs = s.ids
		case types:
			typeIDs = s.ids
		}
	}
	named, listed := e.idsInTexts()
	for i, id := range methodIDs {
		if named[id] {
			e.used.methods[e.listed[listMethods][i]] = true
		}
	}
	for i, id := range typeIDs {
		if !listed[id] {
			continue
		}
		t, err := e.store.TypeAt(e.listed[listTypes][i])
		if e.Fail(err) {
			return
		}
		e.used.types[t.Ordinal()] = true
	}
}

// idsInTexts returns the method ids in texts, and the candidates for type ids. Some sections have no types in their
// records.
func (e *exporter) idsInTexts() (named, listed map[int64]bool) {
	named = map[int64]bool{}
	listed = map[int64]bool{}
	for pointer, text := range e.raws {
		kind := kindOf[strings.TrimPrefix(pointer, "/")]
		if kind != monitors {
			addToSet(named, contextIDs(text))
		}
		if kind != calls && kind != conditionals && kind != samples {
			addToSet(listed, listedIDs(text))
		}
	}
	return named, listed
}

func addToSet(set map[int64]bool, ids []int64) {
	for _, id := range ids {
		set[id] = true
	}
}

// An idRows maps ids to rows. Most ids are small and dense. The others are in a map, so that memory stays proportional
// to the rows.
type idRows struct {
	dense  []uint32 // row + 1 by id, or 0
	sparse map[int64]uint32
	rows   int
	// repeated counts rows with the id of an earlier row.
	repeated int
}

// setRow sets the row of an id. The first row keeps the id.
func (t *idRows) setRow(id int64, row int) {
	if _, taken := t.rowOfID(id); taken {
		t.repeated++
		return
	}
	t.rows++
	if id < 0 || id >= int64(4*t.rows+1024) {
		if t.sparse == nil {
			t.sparse = map[int64]uint32{}
		}
		t.sparse[id] = uint32(row) + 1
		return
	}
	if n := int(id) + 1 - len(t.dense); n > 0 {
		t.dense = append(growDoubling(t.dense, n), make([]uint32, n)...)
	}
	t.dense[id] = uint32(row) + 1
}

func (t *idRows) rowOfID(id int64) (row int, ok bool) {
	if uint64(id) < uint64(len(t.dense)) && t.dense[id] != 0 {
		return int(t.dense[id]) - 1, true
	}
	r, ok := t.sparse[id]
	return int(r) - 1, ok
}

// A contextTrie interns contexts. A root is a method, and a child adds the frame of a caller. Nodes are numbered from
// 1.
type contextTrie struct {
	nodes []contextNode
	index refindex.Index
	path  []frame  // last context, whose prefix the next one often shares
	along []uint32 // nodes of path
}

type contextNode struct {
	frame
	parent uint32
}

func (t *contextTrie) childNode(parent uint32, f frame) uint32 {
	key := contextNode{f, parent}
	hash := refindex.HashKey(key)
	n, at := t.index.Find(hash, func(n uint32) bool { return t.nodes[n-1] == key })
	if n == 0 {
		t.nodes = append(growDoubling(t.nodes, 1), key)
		n = uint32(len(t.nodes))
		t.index.Put(at, hash, n)
	}
	return n
}

// contextOf returns the node of a method in the context of its callers. Frames are leaf first. A context excludes the
// leaf's point.
func (t *contextTrie) contextOf(frames []frame) (node uint32) {
	same := 0
	for i, f := range frames {
		if i == 0 {
			f.point = 0
		}
		if same == i && i < len(t.path) && t.path[i] == f {
			node = t.along[i]
			same = i + 1
			continue
		}
		node = t.childNode(node, f)
		t.path, t.along = append(t.path[:i], f), append(t.along[:i], node)
	}
	return node
}
