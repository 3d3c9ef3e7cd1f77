package iprof

import (
	"regexp"
	"strconv"
	"strings"
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
