package llvm

import (
	"bytes"
	"math"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/parse"
	"github.com/profarc/profarc/layout"
)

// function reads
//
//	name, hash, number of counters, counters
//	[ $number of bytes, bytes ]
//	[ number of kinds, { kind, number of sites, { number of values, { name or number:count } } } ]
//
// a line each.
func (t *textScan) function() (err error) {
	t.f.clear()
	t.f.name = append(t.f.name[:0], t.text...)
	t.advance()
	if t.f.hash, err = t.number(math.MaxUint64, "the hash of a function"); err != nil {
		return err
	}
	if n, _ := parseNumber(t.text); n == 0 {
		return t.miss("a number of counters, at least 1")
	}
	number, err := t.number(math.MaxUint64, "a number of counters")
	if err != nil {
		return err
	}
	for range number {
		c, err := t.number(math.MaxUint64, "a counter")
		if err != nil {
			return err
		}
		t.f.counts = append(t.f.counts, c)
	}
	if err := t.bitmap(); err != nil {
		return err
	}
	return t.values()
}

// bitmap reads a bitmap, if there is one. The name of the next function may
// begin with a dollar sign, too.
func (t *textScan) bitmap() error {
	if t.ended || t.text[0] != bitmapMark {
		return nil
	}
	number, ok := parseNumber(t.text[1:])
	if !ok {
		return nil
	}
	t.advance()
	for range number {
		b, err := t.number(math.MaxUint8, "a byte of a bitmap")
		if err != nil {
			return err
		}
		t.f.bitmap = append(t.f.bitmap, byte(b))
	}
	return nil
}

// values reads values, if there are any: the name of the next function is not
// a number.
func (t *textScan) values() error {
	if t.ended {
		return nil
	}
	kinds, ok := parseNumber(t.text)
	if !ok {
		return nil
	}
	if kinds == 0 || kinds > valueKindsKnown {
		return t.miss("a number of kinds of values, 1 to 3")
	}
	t.advance()
	var had [valueKindsKnown]bool
	for range kinds {
		if n, ok := parseNumber(t.text); !ok || n >= valueKindsKnown || had[n] {
			return t.miss("a kind of values, 0 to 2 and each once")
		}
		kind, err := t.number(valueKindsKnown-1, "a kind of values")
		if err != nil {
			return err
		}
		had[kind] = true
		if err := t.sites(uint16(kind)); err != nil {
			return err
		}
	}
	return nil
}

// sites reads the sites of one kind.
func (t *textScan) sites(kind uint16) error {
	offset, line := t.lineAt, t.line
	sites, err := t.number(math.MaxInt32, "a number of value sites")
	if err == nil && sites > parse.MaxValueSites {
		err = &Error{Name: t.name, Line: line, Offset: offset, Kind: tooManySites, After: string(t.last)}
	}
	if err != nil {
		return err
	}
	for i := range sites {
		values, err := t.number(math.MaxUint32, "the number of values of a site")
		if err != nil {
			return err
		}
		for range values {
			v, ok := t.value(kind)
			if t.ended || !ok {
				return t.miss("a value with its count, as name:123")
			}
			t.f.values = append(t.f.values, v)
			t.advance()
		}
		t.f.sites = append(t.f.sites, site{kind, int32(i), len(t.f.values)})
	}
	return nil
}

// value is the value of the line.
func (t *textScan) value(kind uint16) (v builder.Value, ok bool) {
	colon := bytes.LastIndexByte(t.text, ':')
	if colon < 0 {
		return v, false
	}
	what := t.text[:colon]
	if v.Count, ok = parseNumber(t.text[colon+1:]); !ok {
		return v, false
	}
	if kind == layout.SubMemOpSize {
		v.Value, ok = parseNumber(what)
		return v, ok
	}
	if string(what) == externalName {
		return v, true
	}
	if len(what) == 0 || len(what) > disk.MaxName || bytes.IndexByte(what, 0) >= 0 {
		return v, false
	}
	v.Value = disk.NameRef(string(what))
	t.named(kind, what)
	return v, true
}

// named takes the name of a value: an archive keeps its NameRef alone.
func (t *textScan) named(kind uint16, what []byte) {
	if kind == layout.SubVTable {
		t.vtable(string(what), 0, 0)
	} else if !t.targets[string(what)] {
		t.targets[string(what)] = true
		t.intake.seen(string(what))
	}
}

// A textTrace is a temporal trace.
type textTrace struct {
	weight    uint64
	functions []uint64
}

// traces reads temporal traces: their number, the number of those that they
// were chosen from, and for each a line with its weight, a line with names.
func (t *textScan) traces(traces []textTrace) (all []textTrace, stream uint64, err error) {
	number, err := t.number(math.MaxUint64, "a number of temporal traces")
	if err != nil {
		return nil, 0, err
	}
	if stream, err = t.number(math.MaxUint64, "the size of the stream of traces"); err != nil {
		return nil, 0, err
	}
	for range number {
		weight, err := t.number(math.MaxUint64, "the weight of a trace")
		if err != nil {
			return nil, 0, err
		}
		if t.ended {
			return nil, 0, t.miss("the functions of a trace")
		}
		traces = append(traces, textTrace{weight, traceFunctions(t.text)})
		t.advance()
	}
	return traces, stream, nil
}

// traceFunctions gives the NameRefs of names with commas between.
func traceFunctions(line []byte) (refs []uint64) {
	for name := range bytes.SplitSeq(line, []byte{','}) {
		if name = bytes.TrimSpace(name); len(name) > 0 {
			refs = append(refs, disk.NameRef(string(name)))
		}
	}
	return refs
}
