package damage

import (
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// An answer is the result of one question. text includes errors that a sound archive can
// return (a miss, an ambiguous ID); err is any other.
type answer struct {
	question string
	text     string
	err      error
}

// questions are all questions to one archive.
type questions struct {
	keys   []layout.Key
	misses []layout.Key
	types  []typeName
}

type typeName struct{ name, loader string }

// questionsOf returns the questions that a sound archive has answers to.
func questionsOf(s *reader.Store) (q questions, err error) {
	for m, err := range s.Methods() {
		if err != nil {
			return q, err
		}
		k, err := m.Key()
		if err != nil {
			return q, err
		}
		q.keys = append(q.keys, k)
		k.Name += "?"
		q.misses = append(q.misses, k)
	}
	for t, err := range s.Types() {
		if err != nil {
			return q, err
		}
		name, err1 := t.Name()
		loader, err2 := t.Loader()
		if err := errors.Join(err1, err2); err != nil {
			return q, err
		}
		q.types = append(q.types, typeName{name.String(), loader.String()}, typeName{name.String() + "?", ""})
	}
	return q, nil
}

// ask asks all questions. If adopted, it claims profiles and reads them live.
func ask(s *reader.Store, q questions, adopted bool) (answers []answer) {
	note := func(question string, f func(w *strings.Builder) error) {
		var w strings.Builder
		err := f(&w)
		if errors.Is(err, reader.ErrNotFound) || errors.Is(err, reader.ErrAmbiguous) {
			fmt.Fprintf(&w, "%v", err)
			err = nil
		}
		answers = append(answers, answer{question, w.String(), err})
	}
	note("header", func(w *strings.Builder) error { fmt.Fprintf(w, "%+v", *s.Header()); return nil })
	for _, k := range append(q.keys, q.misses...) {
		note(fmt.Sprintf("find %+v", k), func(w *strings.Builder) error { return askMethod(w, s, k, adopted) })
		note(fmt.Sprintf("look up %+v", k), func(w *strings.Builder) error {
			m, err := s.FindID(k.ID(s.Header().Domain))
			return write(w, m.Ref(), err)
		})
	}
	for _, t := range q.types {
		note(fmt.Sprintf("type %+v", t), func(w *strings.Builder) error {
			found, err := s.FindType(t.name, t.loader)
			if err != nil {
				return err
			}
			return writeType(w, found)
		})
	}
	note("methods", func(w *strings.Builder) error {
		return each(s.Methods(), func(m reader.Method) error { fmt.Fprintln(w, m.Ref()); return nil })
	})
	note("types", func(w *strings.Builder) error {
		return each(s.Types(), func(t reader.Type) error { return writeType(w, t) })
	})
	note("tables", func(w *strings.Builder) error {
		return each(s.Tables(), func(t reader.Table) error { return writeTable(w, s, t) })
	})
	return answers
}

func each[T any](seq iter.Seq2[T, error], do func(T) error) error {
	for v, err := range seq {
		if err != nil {
			return err
		}
		if err := do(v); err != nil {
			return err
		}
	}
	return nil
}

// askMethod finds a method and writes all that the archive has about it.
func askMethod(w *strings.Builder, s *reader.Store, k layout.Key, adopted bool) error {
	m, err := s.Find(k)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, m.ID(), m.Flags(), m.Access(), m.Unexecuted())
	return each(m.Profiles(), func(p reader.Profile) error {
		tag, undecoded := p.Undecoded()
		if undecoded {
			fmt.Fprintln(w, "not decoded from tag", tag)
		}
		if adopted && !undecoded {
			if p, err = p.Claim(); err != nil {
				return err
			}
		}
		return writeProfile(w, m, p)
	})
}

func writeProfile(w *strings.Builder, m reader.Method, p reader.Profile) error {
	context, inContext, err := p.Context()
	if err != nil {
		return err
	}
	var frames []reader.Frame
	if inContext {
		if frames, err = context.Frames(); err != nil {
			return err
		}
	}
	same, depth, err := m.Profile(p.Code(), frames...)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, p.Code(), depth, same.Ref() == p.Ref())
	for _, c := range []func() (reader.Counter, bool){p.Invocations, p.Backedges, p.Interpreted} {
		n, ok := c()
		fmt.Fprintln(w, n.Load(), n.Trained(), ok)
	}
	fmt.Fprintln(w, p.TrapHistory())
	for section := disk.SectionData; section < disk.SectionDirectory; section++ {
		for e := range p.Section(section) {
			if err := writeEntry(w, e); err != nil {
				return err
			}
			at, ok := p.At(e.Point())
			fmt.Fprintln(w, at.Offset(), ok)
		}
	}
	return nil
}

func writeEntry(w *strings.Builder, e reader.Entry) error {
	fmt.Fprintln(w, e.Tag(), e.Point(), e.Flags(), e.Traps(), e.Sub())
	if r, ok := e.Receivers(); ok {
		for row := range r.All() {
			if err := writeType(w, row.Type); err != nil {
				return err
			}
			fmt.Fprintln(w, row.Count.Load())
		}
		fmt.Fprintln(w, r.Other().Load())
	} else if types, ok := e.Types(); ok {
		for i := range types.Args() {
			slot, word := types.Arg(i)
			fmt.Fprintln(w, slot)
			if err := writeWord(w, word); err != nil {
				return err
			}
		}
	} else if e.Tag() == layout.TagSpeculativeTrap {
		m, err := e.Trap()
		return write(w, m.Ref(), err)
	} else if shape, ok := e.Shape(); ok {
		return writeProducersEntry(w, shape, e)
	} else if e.Tag() != layout.TagCallees {
		for i := range disk.Entry(e.Bytes()).Cells() {
			fmt.Fprintln(w, e.Cell(i).Load())
		}
	}
	return nil
}

// writeProducersEntry writes the cells of an entry as its shape declares them.
func writeProducersEntry(w *strings.Builder, shape *layout.EntryShape, e reader.Entry) error {
	for i := range e.Cells() {
		kind := layout.CellCount
		if n := len(shape.Cells); i < n {
			kind = shape.Cells[i].Kind
		} else {
			kind = shape.Rows[(i-n)%len(shape.Rows)].Kind
		}
		switch kind {
		case layout.CellType:
			if err := writeWord(w, e.TypeCell(i)); err != nil {
				return err
			}
		case layout.CellMethod:
			if m, err := e.MethodCell(i); err != nil || m.Valid() && write(w, m.Ref(), nil) != nil {
				return err
			}
		default:
			fmt.Fprintln(w, e.Cell(i).Load())
		}
	}
	return nil
}

func writeWord(w *strings.Builder, word reader.TypeWord) error {
	fmt.Fprintln(w, word.NullSeen, word.Unknown)
	if !word.Type.Valid() {
		return nil
	}
	return writeType(w, word.Type)
}

func writeType(w *strings.Builder, t reader.Type) error {
	name, err1 := t.Name()
	loader, err2 := t.Loader()
	alias, err3 := t.Alias()
	flags, err4 := t.Flags()
	return write(w, fmt.Sprint(t.Ordinal(), name, loader, alias, flags), errors.Join(err1, err2, err3, err4))
}

// write writes a result without an error.
func write(w *strings.Builder, v any, err error) error {
	if err == nil {
		fmt.Fprintln(w, v)
	}
	return err
}

func writeTable(w *strings.Builder, s *reader.Store, t reader.Table) error {
	fmt.Fprintln(w, t.Kind, t.Flags, t.Rows, t.Columns())
	for r := range t.Rows {
		for c := range t.Columns() {
			if err := writeCell(w, s, t.Column(c), layout.Ref(t.Cell(c, r)), t.Cell(c, r)); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeCell(w *strings.Builder, s *reader.Store, kind disk.ColumnKind, n layout.Ref, v uint64) error {
	fmt.Fprintln(w, kind, v)
	if v == 0 {
		return nil
	}
	switch kind {
	case disk.ColumnSymbol:
		text, err := s.SymbolAt(n)
		return write(w, text, err)
	case disk.ColumnType:
		t, err := s.TypeAt(n)
		if err != nil {
			return err
		}
		return writeType(w, t)
	case disk.ColumnMethod:
		m, err := s.MethodAt(n)
		return write(w, m.ID(), err)
	case disk.ColumnProfile:
		p, err := s.ProfileAt(n)
		return write(w, p.Code(), err)
	case disk.ColumnContext:
		c, err := s.ContextAt(n)
		if err != nil {
			return err
		}
		frames, err := c.Frames()
		return write(w, len(frames), err)
	}
	return nil
}
