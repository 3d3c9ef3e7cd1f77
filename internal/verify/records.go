package verify

import (
	"bytes"
	"cmp"
	"errors"
	"strings"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// symbols walks the symbol section: symbols fill it, ascend, and end in zeros.
func (c *check) symbols() error {
	section := c.h.Sections[layout.SectionSymbols]
	last := []byte(nil)
	for at := section.Offset; at < section.End(); {
		if err := c.interrupted(); err != nil {
			return err
		}
		head, err := c.m.Bytes(layout.RegionRO, at, layout.Unit)
		if err != nil {
			return err
		}
		used, size := symbolSize(head)
		if !section.Holds(at, size) {
			return layout.Corrupt(layout.RegionRO, at, "a symbol of %d bytes runs over the end of its section", used)
		}
		b, err := c.m.Bytes(layout.RegionRO, at, size)
		if err != nil {
			return err
		}
		text := b[4:used]
		if _, list := layout.SymbolParts(b); list {
			signature, err := c.s.SignatureAt(layout.NarrowOf(at))
			if err != nil {
				return err
			}
			text = signature.AppendTo(nil)
		}
		if len(bytes.Trim(b[used:], "\x00")) != 0 {
			err = c.wrong(layout.RegionRO, at, "bytes behind a symbol that are not zero")
		} else if c.report.Counts.Symbols > 0 && bytes.Compare(last, text) >= 0 {
			err = c.wrong(layout.RegionRO, at, "a symbol that does not sort behind the one before")
		}
		if err != nil {
			return err
		}
		last = text
		c.report.Counts.Symbols++
		at += size
	}
	return nil
}

// symbolSize gives how many bytes the symbol at the front of head needs, without
// and with its padding.
func symbolSize(head []byte) (used, size int64) {
	if parts, list := layout.SymbolParts(head); list {
		return 4 + 4*parts, layout.ListSize(int(parts))
	}
	n := layout.SymbolLength(head)
	return 4 + n, layout.SymbolSize(int(n))
}

// types checks the type records: id, order, names.
func (c *check) types() error {
	at := c.h.Sections[layout.SectionTypes].Offset
	var last [2]string
	for t, err := range c.s.Types() {
		if err == nil {
			err = c.interrupted()
		}
		if err != nil {
			return err
		}
		name, err1 := t.Name()
		loader, err2 := t.Loader()
		_, err3 := t.Alias()
		b, err4 := c.m.Bytes(layout.RegionRO, at, layout.TypeSize)
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			return err
		}
		key := [2]string{name.String(), loader.String()}
		if id := layout.TypeID(key[0], key[1]); layout.ParseType(b).ID != id {
			err = c.wrong(layout.RegionRO, at, "type %q has id %016x, recorded is %016x", key[0], id, layout.ParseType(b).ID)
		} else if t.Ordinal() > 0 && cmp.Or(strings.Compare(last[0], key[0]), strings.Compare(last[1], key[1])) >= 0 {
			err = c.wrong(layout.RegionRO, at, "type %q does not sort behind %q", key[0], last[0])
		}
		if err != nil {
			return err
		}
		last = key
		c.report.Counts.Types++
		at += layout.TypeSize
	}
	return nil
}

// methods checks the method records and the contexts that hang from them: id,
// order, names, and that look-ups find them.
func (c *check) methods() error {
	var last layout.Key
	for m, err := range c.s.Methods() {
		if err == nil {
			err = c.interrupted()
		}
		if err != nil {
			return err
		}
		k, err := m.Key()
		if err != nil {
			return err
		}
		if c.report.Counts.Methods > 0 && compareKeys(last, k) >= 0 {
			if err := c.wrong(layout.RegionRO, m.Ref().Offset(), "method %q does not sort behind %q", k.Name, last.Name); err != nil {
				return err
			}
		}
		if err := errors.Join(c.method(m, k), c.contexts(m)); err != nil {
			return err
		}
		last = k
		c.report.Counts.Methods++
	}
	return nil
}

func compareKeys(a, b layout.Key) int {
	return cmp.Or(strings.Compare(a.Class, b.Class), strings.Compare(a.Name, b.Name),
		strings.Compare(a.Signature, b.Signature), strings.Compare(a.Loader, b.Loader))
}

// method looks a method up by key and by id.
func (c *check) method(m reader.Method, k layout.Key) error {
	at := m.Ref().Offset()
	if strings.IndexByte(k.Class+k.Name+k.Signature+k.Loader, 0) >= 0 {
		return c.wrong(layout.RegionRO, at, "the key of method %q holds a NUL byte", k.Name)
	}
	if id := k.ID(c.h.Domain); id != m.ID() {
		return c.wrong(layout.RegionRO, at, "method %q has id %016x, recorded is %016x", k.Name, id, m.ID())
	}
	found, err := c.s.Find(k)
	switch {
	case errors.Is(err, reader.ErrNotFound) || err == nil && found.Ref() != m.Ref():
		return c.wrong(layout.RegionIX, c.line(m.ID(), layout.KindMethod), "the index does not lead to method %q", k.Name)
	case err != nil:
		return err
	}
	if !m.Indexed() {
		return nil // ids lead to records alone
	}
	if found, err = c.s.Lookup(m.ID()); err == nil && found.Ref() != m.Ref() {
		return c.wrong(layout.RegionIX, c.line(m.ID(), layout.KindMethod), "the id of method %q leads to another method", k.Name)
	}
	if errors.Is(err, reader.ErrAmbiguous) { // search sees whether it is
		return nil
	}
	return err
}

// contexts checks the contexts of a method: that they begin where those of the
// method before end, and that they and their callers ran. The walk itself checks
// parents and order.
func (c *check) contexts(m reader.Method) error {
	next := c.h.Sections[layout.SectionContexts].Offset + int64(c.report.Counts.Contexts)*layout.ContextSize
	for node, err := range m.Contexts() {
		if err == nil {
			err = c.caller(m, node)
		}
		if err != nil {
			return err
		}
		if at := node.Ref().Offset(); at != next {
			return c.wrong(layout.RegionRO, at, "a context of method 0x%x, whose contexts should begin at 0x%x", m.Ref().Offset(), next)
		}
		next += layout.ContextSize
		c.report.Counts.Contexts++
	}
	return nil
}

// caller checks the caller that a context of a method adds to those within it.
func (c *check) caller(m reader.Method, node reader.Context) error {
	f, err := node.Caller()
	if err != nil {
		return err
	}
	if m.NeverRan() || f.Caller.NeverRan() {
		return c.wrong(layout.RegionRO, node.Ref().Offset(), "a context of methods of which one never ran")
	}
	return nil
}
