package builder

import (
	"errors"
	"fmt"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Take says which counts of an archive are copied.
type Take int

// The choices.
const (
	Trained Take = iota // as they were dumped
	Live                // as they stand now, where the archive was adopted
	Delta               // what was counted since: live less trained; profiles without any are left out
)

// ErrMismatch: two archives cannot be put together.
var ErrMismatch = errors.New("archives do not fit together")

// ConfigOf is what an archive says of itself, to be said again of a copy.
func ConfigOf(h *layout.Header) Config {
	return Config{Params: h.Params, Producer: h.Producer, Fingerprint: h.Fingerprint, DumpID: h.DumpID, DumpTime: h.Time(), Flags: h.Flags}
}

// Add copies all that an archive holds: for a snapshot of an adopted one, or
// to change something on the way. A builder made with ConfigOf its header and
// given nothing else writes the same bytes again. To put several archives
// together see Merge. The error matches ErrMismatch if domain or shape differ,
// ErrDuplicate if the run has given one of its profiles, and otherwise is the
// reader's.
func (b *Builder) Add(s *reader.Store, take Take) error {
	b.mu.Lock()
	run := b.run
	b.mu.Unlock()
	return b.copyAll(s, take, run, false)
}

func (b *Builder) copyAll(s *reader.Store, take Take, run runData, merging bool) error {
	if h := s.Header(); h.Domain != b.domain || h.Params.Shape() != b.shape {
		return fmt.Errorf("builder: %w: %s is of domain %s, shape %+v; the builder has %s, %+v", ErrMismatch,
			s.Mapping().Name(), h.Domain, h.Params.Shape(), b.domain, b.shape)
	}
	c := &copier{b: b, s: s, take: take, run: run, merging: merging, methods: map[layout.Narrow]MethodRef{}, contexts: map[layout.Narrow]ContextRef{}, profiles: map[layout.Narrow]ProfileRef{}}
	for _, step := range []func() error{c.copyTypes, c.copyMethods, c.copyContexts, c.copyProfiles, c.copyTables} {
		if err := step(); err != nil {
			return err
		}
	}
	return b.Err()
}

// A copier knows what the records of one archive are in a builder.
type copier struct {
	b        *Builder
	s        *reader.Store
	take     Take
	run      runData
	merging  bool
	types    []TypeRef // by ordinal
	methods  map[layout.Narrow]MethodRef
	contexts map[layout.Narrow]ContextRef
	profiles map[layout.Narrow]ProfileRef
}

func (c *copier) copyTypes() error {
	for t, err := range c.s.Types() {
		if err != nil {
			return err
		}
		if _, err := c.typeRef(t); err != nil {
			return err
		}
	}
	return nil
}

// typeRef interns a type of the archive, or a late one.
func (c *copier) typeRef(t reader.Type) (TypeRef, error) {
	for int(t.Ordinal()) >= len(c.types) {
		c.types = append(c.types, 0)
	}
	if ref := c.types[t.Ordinal()]; ref != 0 {
		return ref, nil
	}
	name, err1 := t.Name()
	loader, err2 := t.Loader()
	alias, err3 := t.Alias()
	flags, err4 := t.Flags()
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return 0, err
	}
	ref := c.b.Type(TypeKey{name.String(), loader.String()})
	c.b.DescribeType(ref, TypeInfo{alias.String(), flags})
	c.types[t.Ordinal()] = ref
	return ref, nil
}

func (c *copier) copyMethods() error {
	for m, err := range c.s.Methods() {
		if err != nil {
			return err
		}
		key, err := m.Key()
		if err != nil {
			return err
		}
		ref := c.b.Method(key)
		c.b.DescribeMethod(ref, MethodInfo{m.Access(), m.Flags()})
		if m.NeverRan() {
			c.b.Seen(ref)
		}
		c.methods[m.Ref()] = ref
	}
	return nil
}

func (c *copier) copyContexts() error {
	for m, err := range c.s.Methods() {
		if err != nil {
			return err
		}
		for node, err := range m.Contexts() {
			if err != nil {
				return err
			}
			frames, err := node.Frames()
			if err != nil {
				return err
			}
			c.contexts[node.Ref()] = c.b.Context(c.methods[m.Ref()], c.frames(frames)...)
		}
	}
	return nil
}

func (c *copier) frames(from []reader.Frame) []Frame {
	frames := make([]Frame, len(from))
	for i, f := range from {
		frames[i] = Frame{c.methods[f.Caller.Ref()], f.Point}
	}
	return frames
}

func (c *copier) copyProfiles() error {
	for m, err := range c.s.Methods() {
		if err != nil {
			return err
		}
		for p, err := range m.Profiles() {
			if err != nil {
				return err
			}
			if err := c.copyProfile(c.methods[m.Ref()], p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *copier) copyProfile(m MethodRef, p reader.Profile) error {
	if c.take != Trained {
		live, err := p.Adopt()
		if err != nil {
			return err
		}
		p = live
	}
	if c.take == Delta && !c.changed(p) {
		return nil
	}
	node, inContext, err := p.Context()
	if err != nil {
		return err
	}
	context := NoContext
	if inContext {
		context = c.contexts[node.Ref()]
	}
	to := c.profile(m, p.Code(), context)
	c.copyFields(to, p)
	for section := layout.SectionData; section < layout.SectionDirectory; section++ {
		for e := range p.Section(section) {
			if err := c.copyEntry(to, section, e); err != nil {
				return err
			}
		}
	}
	c.profiles[p.Ref()] = to.Ref()
	return to.Done()
}

// profile begins a profile of the archive's run.
func (c *copier) profile(m MethodRef, code uint64, context ContextRef) *Profile {
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	return c.b.profile(c.run, m, code, context)
}

// copyFields copies the optional fields that say something of the method.
func (c *copier) copyFields(to *Profile, p reader.Profile) {
	block := p.Block()
	for f := layout.HasSize; f < layout.HasSections; f <<= 1 {
		if start, ok := block.FieldOffset(f); ok {
			end, _ := block.FieldOffset(f << 1)
			to.copyField(f, block[start:end])
		}
	}
	if n, ok := p.Invocations(); ok {
		to.Invocations(c.count(n))
	}
	if n, ok := p.Backedges(); ok {
		to.Backedges(c.count(n))
	}
	if n, ok := p.Interpreted(); ok {
		to.Interpreted(c.count(n))
	}
	if traps := p.TrapHistory(); traps != nil {
		to.TrapHistory(traps)
	}
}

// count is a counter as taken.
func (c *copier) count(n reader.Counter) uint64 {
	switch c.take {
	case Live:
		return n.Load()
	case Delta:
		return n.Load() - n.Trained()
	}
	return n.Trained()
}

// copyEntry copies an entry: all of it as it lies, then its counts as taken,
// then references in the place of pointers.
func (c *copier) copyEntry(to *Profile, section layout.BlockSection, e reader.Entry) error {
	var failed error
	to.add(section, e.Raw().Cells(), func(b []byte) ([]byte, layout.Entry) {
		at := len(b)
		b = append(b, e.Raw()...)
		return b, layout.Entry(b[at:])
	}, func(raw layout.Entry) {
		raw.SetFlags(e.Flags())
		switch {
		case !raw.Tag().Wide():
			raw.SetTraps(e.Traps())
		case raw.Tag() == layout.TagReceivers:
			raw.SetCell(1, uint64(e.Traps()))
		}
		c.b.shape.Counts(raw, func(cell int) bool {
			raw.SetCell(cell, c.count(e.Cell(cell)))
			return true
		})
		failed = c.copyPointers(raw, e)
	})
	return failed
}

func (c *copier) copyPointers(raw layout.Entry, e reader.Entry) (err error) {
	receivers, hasRows := e.Receivers()
	row := 0
	c.b.shape.Pointers(raw, func(cell int, kind layout.PointerKind) bool {
		var v uint64
		if kind == layout.PointerType && hasRows {
			v, err = c.receiverCell(receivers, row)
			row++
		} else {
			v, err = c.pointerCell(raw.Cell(cell), kind)
		}
		raw.SetCell(cell, v)
		return err == nil
	})
	return err
}

// receiverCell is the reference for a row of a type profile, which may have
// been claimed since the dump.
func (c *copier) receiverCell(r reader.Receivers, row int) (uint64, error) {
	seen, ok := r.Row(row)
	if !ok {
		return 0, nil
	}
	ref, err := c.typeRef(seen.Type)
	return uint64(ref) << refShift, err
}

// pointerCell is the reference for a pointer that does not change.
func (c *copier) pointerCell(v uint64, kind layout.PointerKind) (uint64, error) {
	tags := v & layout.TypeTags
	if kind != layout.PointerTypeWord {
		tags = 0
	}
	if v == tags {
		return tags, nil
	}
	at := layout.NarrowOf(int64(v - tags - c.s.Header().Base))
	if kind == layout.PointerMethod {
		m, err := c.s.MethodAt(at)
		return uint64(c.methods[m.Ref()]) << refShift, err
	}
	t, err := c.s.TypeAt(at)
	if err != nil {
		return 0, err
	}
	ref, err := c.typeRef(t)
	return uint64(ref)<<refShift | tags, err
}

// changed reports whether anything was counted in an adopted profile.
func (c *copier) changed(p reader.Profile) bool {
	differs := func(n reader.Counter, ok bool) bool { return ok && n.Load() != n.Trained() }
	if differs(p.Invocations()) || differs(p.Backedges()) || differs(p.Interpreted()) {
		return true
	}
	for e := range p.Entries() {
		same := c.b.shape.Counts(e.Raw(), func(cell int) bool { return !differs(e.Cell(cell), true) })
		if !same {
			return true
		}
	}
	return false
}

func (c *copier) copyTables() error {
	for t, err := range c.s.Tables() {
		if err != nil {
			return err
		}
		if c.take == Delta && t.Kind != layout.TableProperties {
			continue // tables are of the whole run, not of what came since
		}
		if c.merging && (t.Kind == layout.TableOrder || t.Kind == layout.TableDumps) {
			continue // of one source; of all dumps
		}
		if err := c.copyTable(&t); err != nil {
			return err
		}
	}
	return nil
}

func (c *copier) copyTable(t *layout.Table) error {
	kinds := make([]layout.ColumnKind, t.Columns())
	for i := range kinds {
		kinds[i] = t.Column(i)
	}
	to := c.b.Table(t.Kind, t.Flags, kinds...)
	var cells []uint64
	for r := range t.Rows {
		for i, kind := range kinds {
			cell, err := c.tableCell(kind, t.Cell(i, r))
			if err != nil {
				return err
			}
			cells = append(cells, cell)
		}
		if c.merging {
			scaleRow(t.Kind, cells[len(cells)-len(kinds):], c.run.Weight)
		}
	}
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	to.appendRows(cells)
	return nil
}

// tableCell is the builder's reference for a cell of a table.
func (c *copier) tableCell(kind layout.ColumnKind, v uint64) (uint64, error) {
	n := layout.Narrow(v)
	if kind == layout.ColumnWord || v == 0 {
		return v, nil
	}
	switch kind {
	case layout.ColumnSymbol:
		text, err := c.s.SymbolAt(n)
		return uint64(c.b.Symbol(text.String())), err
	case layout.ColumnType:
		t, err := c.s.TypeAt(n)
		if err != nil {
			return 0, err
		}
		ref, err := c.typeRef(t)
		return uint64(ref), err
	case layout.ColumnMethod:
		return uint64(c.methods[n]), nil
	case layout.ColumnContext:
		return uint64(c.contexts[n]), nil
	case layout.ColumnProfile:
		return uint64(c.profiles[n]), nil
	}
	return 0, fmt.Errorf("builder: unknown column kind %d", kind)
}
