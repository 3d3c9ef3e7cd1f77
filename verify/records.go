package verify

import (
	"bytes"
	"cmp"
	"errors"

	"github.com/profarc/profarc/internal/format/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// types checks the type records: names, order, id.
func (c *check) types() error {
	at := c.h.Parts[disk.PartTypes].Offset
	var last disk.TypeRecord
	for t, err := range c.s.Types() {
		if err == nil {
			err = c.interrupted()
		}
		if err != nil {
			return err
		}
		b, err := c.m.Bytes(disk.RegionRO, at, disk.TypeSize)
		if err != nil {
			return err
		}
		rec := disk.ParseType(b)
		if err := c.typeRecord(at, t, rec); err != nil {
			return err
		}
		if t.Ordinal() > 0 && cmp.Or(cmp.Compare(last.Name, rec.Name), cmp.Compare(last.Loader, rec.Loader)) >= 0 {
			if err := c.wrong(disk.RegionRO, at, "a type that does not sort behind the one before"); err != nil {
				return err
			}
		}
		last = rec
		c.report.Counts.Types++
		at += disk.TypeSize
	}
	return nil
}

// typeRecord checks one type by itself. Symbols are sorted and unique, so that
// their places stand for their texts where texts are compared.
func (c *check) typeRecord(at int64, t reader.Type, rec disk.TypeRecord) error {
	err := c.name(at, "name of a type", rec.Name)
	for _, n := range []layout.Ref{rec.Loader, rec.Alias} {
		if err == nil {
			err = c.optionalName(at, "loader or alias of a type", n)
		}
	}
	if err != nil {
		return err
	}
	name, err1 := t.Name()
	loader, err2 := t.Loader()
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if id := layout.TypeID(name.String(), loader.String()); rec.ID != id {
		return c.wrong(disk.RegionRO, at, "type %q has id %016x, recorded is %016x", abridged(name), id, rec.ID)
	}
	return nil
}

// abridged returns as much of a name as a problem shows.
func abridged(n reader.Name) string {
	text := n.String()
	return text[:min(len(text), 80)]
}

// methods checks the method records and rows, and the contexts that hang from
// them: names, order, id, and that callers are methods that ran.
func (c *check) methods() error {
	var last key
	for m, err := range c.s.Methods() {
		if err == nil {
			err = c.interrupted()
		}
		if err != nil {
			return err
		}
		k, err := c.method(m)
		if err != nil {
			return err
		}
		if c.report.Counts.Methods > 0 && last.compare(&k) >= 0 {
			if err := c.wrong(disk.RegionRO, m.Ref().Offset(), "a method that does not sort behind the one before"); err != nil {
				return err
			}
		}
		if err := c.contexts(m); err != nil {
			return err
		}
		last = k
		c.report.Counts.Methods++
	}
	return nil
}

// A key is what a method is sorted by: the places of its texts stand for these,
// but for a name that is in the record.
type key struct {
	class, name, signature, loader layout.Ref
	held                           []byte // the name that is in the record
	s                              *reader.Store
}

func (k *key) compare(l *key) int {
	return cmp.Or(cmp.Compare(k.class, l.class), k.compareNames(l), cmp.Compare(k.signature, l.signature),
		cmp.Compare(k.loader, l.loader))
}

func (k *key) compareNames(l *key) int {
	if k.held == nil && l.held == nil {
		return cmp.Compare(k.name, l.name)
	}
	return bytes.Compare(k.text(), l.text())
}

func (k *key) text() []byte {
	if k.held != nil || k.name == 0 {
		return k.held
	}
	name, _ := k.s.SymbolAt(k.name) // was checked
	return name.AppendTo(nil)
}

// method checks one method by itself, and gives its key.
func (c *check) method(m reader.Method) (k key, err error) {
	at := m.Ref().Offset()
	rec, err := c.record(m)
	if err != nil {
		return k, err
	}
	k = key{name: rec.Name, signature: rec.Signature, s: c.s}
	if m.Flags()&disk.MethodNamed != 0 {
		err = c.heldName(m, &k)
	} else {
		err = c.name(at, "name of a method", rec.Name)
	}
	if err == nil {
		err = c.signature(at, rec.Signature)
	}
	if err == nil {
		err = c.holder(m, &k)
	}
	if err != nil || !m.Indexed() { // a row has no id
		return k, err
	}
	if err := c.headKey(rec, &k); err != nil {
		return k, err
	}
	text, err := m.Key()
	if err != nil {
		return k, err
	}
	if id := text.ID(c.h.Domain); id != m.ID() {
		err = c.wrong(disk.RegionRO, at, "method %.80q has id %016x, recorded is %016x", text.Name, id, m.ID())
	}
	return k, err
}

// record decodes the record of a method, or of a row what its record would have but for the
// class, which other rows have.
func (c *check) record(m reader.Method) (rec disk.MethodRecord, err error) {
	at, size := m.Ref().Offset(), int64(disk.UnexecutedRowSize)
	if m.Indexed() {
		size = disk.MinMethodSize
	}
	b, err := c.m.Bytes(disk.RegionRO, at, size)
	if err != nil {
		return rec, err
	}
	if !m.Indexed() {
		row := disk.ParseUnexecutedRow(b)
		return disk.MethodRecord{Name: row.Name, Signature: row.Signature}, nil
	}
	if b, err = c.m.Bytes(disk.RegionRO, at, disk.ParseMethodHead(b).Size()); err != nil {
		return rec, err
	}
	if err := rec.Parse(b); err != nil {
		return rec, disk.Corrupt(disk.RegionRO, at, "%v", err)
	}
	return rec, nil
}

// headKey checks that the first profile of a method has the key of its record, or
// none if the record is named.
func (c *check) headKey(rec disk.MethodRecord, k *key) error {
	if rec.Profiles == 0 {
		return nil
	}
	p, err := c.s.ProfileAt(rec.Profiles)
	if err != nil {
		return err
	}
	got, ok := disk.Block(p.Bytes()).Key()
	want := disk.BlockKey{Class: k.class, Name: k.name, Signature: k.signature, Loader: k.loader}
	if named := rec.Flags&disk.MethodNamed != 0; named != !ok || !named && got != want {
		return c.wrong(disk.RegionRW, p.Ref().Offset(), "the profile does not have the key of its method")
	}
	return nil
}

// heldName checks the name that is in a method's record.
func (c *check) heldName(m reader.Method, k *key) error {
	name, err := m.Name()
	if err != nil {
		return err
	}
	if k.held = name.AppendTo([]byte{}); bytes.IndexByte(k.held, 0) >= 0 {
		return c.wrong(disk.RegionRO, m.Ref().Offset(), "the key of method %q holds a NUL byte", abridged(name))
	}
	return nil
}

// holder checks the class that declares a method.
func (c *check) holder(m reader.Method, k *key) error {
	t, ok, err := m.Class()
	if err != nil || !ok {
		return err
	}
	at := c.h.Parts[disk.PartTypes].Offset + int64(t.Ordinal())*disk.TypeSize
	b, err := c.m.Bytes(disk.RegionRO, at, disk.TypeSize)
	if err != nil {
		return err
	}
	k.class, k.loader = disk.ParseType(b).Name, disk.ParseType(b).Loader
	if name, err := t.Name(); err != nil || name.Len() == 0 {
		return cmp.Or(err, c.wrong(disk.RegionRO, m.Ref().Offset(), "a method of a class that has no name"))
	}
	return nil
}

// contexts checks the contexts of a method: that they begin where those of the method before end, and that
// they and their callers ran. The walk itself checks parents and order.
func (c *check) contexts(m reader.Method) error {
	next := c.h.Parts[disk.PartContexts].Offset + int64(c.report.Counts.Contexts)*disk.ContextSize
	for node, err := range m.Contexts() {
		if err == nil {
			err = c.caller(m, node)
		}
		if err != nil {
			return err
		}
		if at := node.Ref().Offset(); at != next {
			return c.wrong(disk.RegionRO, at, "a context of method 0x%x, whose contexts should begin at 0x%x",
				m.Ref().Offset(), next)
		}
		next += disk.ContextSize
		c.report.Counts.Contexts++
	}
	return nil
}

// caller checks the caller that a context of a method adds to those within it.
func (c *check) caller(m reader.Method, node reader.Context) error {
	f, err := node.Caller()
	if err == nil {
		err = c.methodRecord(disk.RegionRO, node.Ref().Offset(), "caller of a context", f.Caller.Ref())
	}
	if err != nil {
		return err
	}
	if m.Unexecuted() || f.Caller.Unexecuted() {
		return c.wrong(disk.RegionRO, node.Ref().Offset(), "a context of methods of which one never ran")
	}
	return nil
}
