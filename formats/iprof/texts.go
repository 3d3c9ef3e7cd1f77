package iprof

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// What items that are kept as text refer to. They are not what they should be,
// so that as much is taken for an id as may be one: what is too much keeps a row
// that could be left out, and what is too little makes a file say what is wrong.

var (
	contextMember  = regexp.MustCompile(`"(?:ctx|methodBciList)"\s*:\s*"((?:[^"\\]|\\.)*)"`)
	integersMember = regexp.MustCompile(`"(?:records|signature)"\s*:\s*\[([^\]]*)\]`)
)

// contextIDs are the ids of the methods that contexts in a JSON text name.
func contextIDs(text string) (ids []int64) {
	for _, member := range contextMember.FindAllStringSubmatch(text, -1) {
		context := string(unescape(nil, []byte(member[1])))
		for _, place := range strings.FieldsFunc(context, func(c rune) bool { return c == '<' || c == ',' }) {
			id, _, _ := strings.Cut(place, ":")
			ids = appendID(ids, id)
		}
	}
	return ids
}

// listedIDs are the integers of records and signatures in a JSON text: what is
// no count there is the id of a type.
func listedIDs(text string) (ids []int64) {
	for _, member := range integersMember.FindAllStringSubmatch(text, -1) {
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

// ranByText notes the methods that ran as an item says that is kept as text, or
// something under a key that means nothing here.
func (b *build) ranByText() {
	for i := range b.sections {
		s := &b.sections[i]
		if s.kind == monitors { // the context of its record names no method
			continue
		}
		b.ranIn(s.text)
		for _, r := range s.raws {
			b.ranIn(r.text)
		}
	}
}

func (b *build) ranIn(text string) {
	for _, id := range contextIDs(text) {
		if row, ok := b.methodRows.row(id); ok {
			b.ran[row] = true
		}
	}
}

// readForeign reads what the importer kept as text: keys, and items of sections.
func (e *exporter) readForeign() error {
	t, err := e.s.Table(layout.TableForeign)
	if errors.Is(err, reader.ErrNotFound) {
		return nil
	}
	if err != nil || !columnsAre(t, layout.ColumnSymbol, layout.ColumnSymbol) {
		return err
	}
	for i := range t.Rows {
		pointer, err1 := e.symbol(t.Cell(0, i))
		text, err2 := e.symbol(t.Cell(1, i))
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		e.foreignText(pointer, text)
	}
	return nil
}

// foreignText takes a text, unless it is no JSON or another has its place.
func (e *exporter) foreignText(pointer, text string) {
	key, ok := strings.CutPrefix(pointer, "/")
	isItem := strings.Contains(key, "/")
	s := newText(text)
	switch before, twice := e.raws[pointer]; {
	case !ok || !s.value(0) || s.pos != s.end:
		e.report.Lost.Add(LossForeign, 1)
	case !twice:
		e.raws[pointer] = text
		if isItem {
			e.texts = append(e.texts, pointer)
		} else {
			e.foreignKeys = append(e.foreignKeys, pointerUnescapes.Replace(key))
		}
	case isItem:
		e.report.Lost.Add(LossText, 1)
	case text != before:
		e.report.Lost.Add(LossForeign, 1)
	}
}

var pointerUnescapes = strings.NewReplacer("~1", "/", "~0", "~")

// newText is a scanner of a text that is all there.
func newText(text string) scanner {
	return scanner{buf: append([]byte(text+" "), 0), end: len(text)}
}

// loseTexts counts the items that no section to be written has a place for.
func (e *exporter) loseTexts() {
	placed := map[string]bool{}
	for _, s := range e.sections {
		for _, r := range s.raws {
			placed[itemPath(s.kind, r.item)] = true
		}
	}
	for _, pointer := range e.texts {
		if !placed[pointer] {
			e.report.Lost.Add(LossText, 1)
		}
	}
}

// useTexts notes what texts refer to, by the ids of the source: they are written
// as they are.
func (e *exporter) useTexts() error {
	if !e.o.Prune || e.source == nil {
		return nil
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
		t, err := e.s.TypeAt(e.listed[listTypes][i])
		if err != nil {
			return err
		}
		e.used.types[t.Ordinal()] = true
	}
	return nil
}

// idsInTexts are the ids of methods that texts name, and those that may be of
// types: the records of some sections hold none.
func (e *exporter) idsInTexts() (named, listed map[int64]bool) {
	named, listed = map[int64]bool{}, map[int64]bool{}
	for pointer, text := range e.raws {
		section, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
		kind := kindOf[section]
		if kind != monitors {
			addIDs(named, contextIDs(text))
		}
		if kind != calls && kind != conditionals && kind != samples {
			addIDs(listed, listedIDs(text))
		}
	}
	return named, listed
}

func addIDs(set map[int64]bool, ids []int64) {
	for _, id := range ids {
		set[id] = true
	}
}
