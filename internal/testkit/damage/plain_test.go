package damage

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A plainPrinter prints profiles in the form of testdata/v1/README.md.
type plainPrinter struct {
	s   *reader.Store
	out bytes.Buffer
	err error
}

// printProfiles prints all versions of the profile of a method with the longest recorded context.
func (p *plainPrinter) printProfiles(m reader.Method, frames []reader.Frame) (string, error) {
	first, depth, err := m.Profile(layout.CodeAny, frames...)
	if isMissing(err) {
		return p.out.String(), nil
	}
	if !errors.Is(err, reader.ErrAmbiguous) {
		if err != nil {
			return "", err
		}
		p.printProfile(first, depth)
		return p.out.String(), p.err
	}
	want, err := deepestProfiled(m, frames)
	if err != nil {
		return "", err
	}
	for q, err := range m.Profiles() {
		if err != nil {
			return "", err
		}
		c, _, err := q.Context()
		if err != nil {
			return "", err
		}
		if c.Ref() == want.ref {
			p.printProfile(q, want.depth)
		}
	}
	return p.out.String(), p.err
}

// A contextDepth is a context, 0 for none, and its number of frames.
type contextDepth struct {
	ref   layout.Ref
	depth int
}

// deepestProfiled returns the longest context with a profile that is a prefix of frames.
func deepestProfiled(m reader.Method, frames []reader.Frame) (best contextDepth, err error) {
	for q, err := range m.Profiles() {
		if err != nil {
			return best, err
		}
		c, in, err := q.Context()
		if err != nil || !in {
			continue
		}
		its, err := c.Frames()
		if err != nil {
			return best, err
		}
		if isPrefix(its, frames) && len(its) > best.depth {
			best = contextDepth{c.Ref(), len(its)}
		}
	}
	return best, nil
}

func isPrefix(short, long []reader.Frame) bool {
	if len(short) > len(long) {
		return false
	}
	for i, f := range short {
		if f.Point != long[i].Point || f.Caller.Ref() != long[i].Caller.Ref() {
			return false
		}
	}
	return true
}

func (p *plainPrinter) printProfile(q reader.Profile, depth int) {
	fmt.Fprintf(&p.out, "  profile %016x %d %d %d\n", q.Code(), depth, trained(q.Invocations()), trained(q.Backedges()))
	for s := disk.SectionData; s < disk.SectionDirectory; s++ {
		for e := range q.Section(s) {
			p.printEntry(s, e)
		}
	}
}

// trained returns the value of a counter, 0 if it is absent.
func trained(c reader.Counter, ok bool) uint64 {
	if !ok {
		return 0
	}
	return c.Trained()
}

// printEntry prints an entry as a line: section, tag, flags, point, traps or sub, rows, cells.
func (p *plainPrinter) printEntry(s disk.BlockSection, e reader.Entry) {
	raw := disk.Entry(e.Bytes())
	detail, rows := uint32(raw.Traps()), uint32(0)
	if disk.IsWide(e.Tag()) {
		detail, rows = uint32(e.Sub()), le.Uint32(raw[12:])
	}
	fmt.Fprintf(&p.out, "  %s %d %d %d %d %d", s, e.Tag(), raw.Flags(), e.Point(), detail, rows)
	kinds := map[int]disk.CellKind{}
	for i, kind := range (*mapped.Mapping)(p.s.Mapping()).Shape().Pointers(raw) {
		kinds[i] = kind
	}
	for i := range e.Cells() {
		fmt.Fprintf(&p.out, " %s", p.cell(e, i, kinds[i]))
	}
	p.out.WriteByte('\n')
}

// cell returns a cell in plain form: a number, or the name of the type or method that it points to.
func (p *plainPrinter) cell(e reader.Entry, i int, kind disk.CellKind) string {
	word := disk.Entry(e.Bytes()).Cell(i)
	pointer, tags := word, ""
	if kind == disk.CellTypeWord {
		pointer = word &^ 3
		tags = fmt.Sprintf("%d|", word&3)
	}
	if kind == 0 || pointer == 0 {
		return fmt.Sprint(word)
	}
	if kind == disk.CellMethod {
		m, err := e.MethodCell(i)
		k := layout.Key{}
		if err == nil {
			k, err = m.Key()
		}
		p.err = errors.Join(p.err, err)
		return plainKey(k)
	}
	t := e.TypeCell(i).Type
	name, err := t.Name()
	p.err = errors.Join(p.err, err)
	loader, err := t.Loader()
	p.err = errors.Join(p.err, err)
	return tags + plainText(name.String()) + "|" + plainText(loader.String())
}
