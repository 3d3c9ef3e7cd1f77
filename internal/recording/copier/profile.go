package copier

import (
	"cmp"
	"errors"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/methoddata"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func (c *Copier) copyProfiles() error {
	copyProfile := c.Profile
	if c.copiesBlocks() {
		copyProfile = c.copyBlock
	}
	copyOf := func(m reader.Method) error { return c.copyProfilesOf(m, copyProfile) }
	return poll.Each(c.poll, c.methodsOfCopy(), copyOf)
}

func (c *Copier) copyProfilesOf(m reader.Method, copyProfile func(reader.Method, reader.Profile) error) error {
	for p, err := range m.Profiles() {
		c.profilesSeen++
		if err == nil {
			err = cmp.Or(c.poll.Err(), copyProfile(m, p))
		}
		if err = c.WithoutLost(m, err); err != nil {
			return err
		}
	}
	return nil
}

// copyIncrements copies the claimed profiles with counts since the start of Increments.
func (c *Copier) copyIncrements() error {
	if err := c.Since.begin(c.s); err != nil {
		return err
	}
	for p, err := range c.s.ClaimedOn(c.Since.next) {
		if err = cmp.Or(err, c.poll.Err()); err != nil {
			return err
		}
		m, err := p.Method()
		if err != nil && !c.hasCounted(p) {
			continue // nothing is lost
		}
		if err == nil {
			err = c.Profile(m, p)
		}
		if err = c.WithoutLost(m, err); err != nil {
			return err
		}
	}
	return nil
}

// WithoutLost calls Hooks.Lost and returns its result if err concerns a single profile, which the copy then lacks. It
// returns other errors unchanged.
func (c *Copier) WithoutLost(m reader.Method, err error) error {
	if c.hooks.Lost == nil || !errors.Is(err, layout.ErrCorrupt) && !errors.Is(err, profileset.ErrDuplicate) {
		return err
	}
	c.partial = true
	return c.hooks.Lost(m, err)
}

// Unmet returns the number of profiles that All did not reach because they can only be found from damaged ones.
func (c *Copier) Unmet() int {
	if c.Counts == Increments {
		return 0
	}
	return int(max(c.s.Header().Counts.Profiles, c.profilesSeen) - c.profilesSeen)
}

func (c *Copier) Profile(m reader.Method, p reader.Profile) error {
	c.method = m
	c.ran = c.Counts != Trained && p.Claimed()
	if c.ran {
		live, err := p.Claim()
		if err != nil {
			return err
		}
		p = live
	}
	if c.Counts == Increments && !c.hasCounted(p) {
		return nil
	}
	c.countRead(disk.Block(p.Bytes()))
	var to profileset.Recording
	if err := c.Begin(&to, m.Ref(), p, p.Code()); err != nil {
		return err
	}
	c.Fields(&to, p, AllFields)
	if err := c.copyEntries(&to, p); err != nil {
		to.Discard()
		return err
	}
	if err := to.Done(); err != nil {
		return err
	}
	c.profiles.addRef(p.Ref(), to.Ref())
	return nil
}

func (c *Copier) countRead(b disk.Block) {
	if c.Read != nil {
		counter := ledger.Counter{Domain: c.s.Header().Domain, Shape: c.shape, Totals: c.Read}
		counter.AddBlock(b)
	}
}

func (c *Copier) copyEntries(to *profileset.Recording, p reader.Profile) error {
	for section := disk.SectionData; section < disk.SectionDirectory; section++ {
		for e := range p.Section(section) {
			if err := cmp.Or(c.poll.Err(), c.copyEntry(to, section, p, e)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Begin starts the copy of a profile of the method whose record is at n, with the same context and the given code ID.
func (c *Copier) Begin(to *profileset.Recording, n layout.Ref, p reader.Profile, code uint64) error {
	m, context, err := c.refsOfProfile(n, p)
	run := c.targetRun
	if err == nil && !c.ran {
		run.Time, err = c.lastRun(n, p.Code())
	}
	if err == nil {
		c.b.RecordIn(to, run, m, code, context)
		to.SetShape(c.shape)
	}
	return err
}

// A versionKey identifies a version of the code of a method of the archive.
type versionKey struct {
	method layout.Ref
	code   uint64
}

// lastRun returns the time of the last dump that ran a version of a method's code.
func (c *Copier) lastRun(method layout.Ref, code uint64) (int64, error) {
	if c.lastRuns == nil {
		t, err := c.s.TableOrEmpty(disk.TableVersions)
		if err != nil {
			return 0, err
		}
		c.lastRuns = map[versionKey]int64{}
		for row := range t.Rows {
			c.lastRuns[versionKey{layout.Ref(t.Cell(0, row)), t.Cell(1, row)}] = int64(t.Cell(2, row))
		}
	}
	last := c.s.Header().DumpTime
	if len(c.lastRuns) > 0 {
		if own, ok := c.lastRuns[versionKey{method, code}]; ok {
			last = own
		}
	}
	return cmp.Or(last, profileset.UnknownTime), nil
}

// refsOfProfile returns the references for the method whose record is at n and for the context of one of its profiles.
func (c *Copier) refsOfProfile(n layout.Ref, p reader.Profile) (m profileset.MethodRef, context profileset.ContextRef,
	err error) {
	m, err = c.MethodRef(n)
	if err != nil {
		return 0, 0, err
	}
	at, _ := disk.Block(p.Bytes()).Links()
	context = c.contexts.refOf(at)
	if context != profileset.NoContext || at == 0 || !c.hooks.Lazy {
		return m, context, nil
	}
	node, _, err := p.Context()
	if err == nil {
		context, err = c.copyContext(n, node)
	}
	return m, context, err
}

func (c *Copier) Copied(n layout.Ref) bool {
	_, ok := c.profiles.findRef(n)
	return ok
}

// profileRef returns the reference for the profile whose block is at n. If the profile is not copied, Hooks.Elsewhere
// decides the result.
func (c *Copier) profileRef(n layout.Ref) (profileset.ProfileRef, error) {
	if ref, ok := c.profiles.findRef(n); ok || c.hooks.Elsewhere == Nothing {
		return ref, nil
	}
	if ref, ok := c.absent[n]; ok {
		return ref, nil
	}
	p, err := c.s.ProfileAt(n)
	if err != nil {
		return 0, err
	}
	of, err := p.Method()
	if err != nil {
		return 0, err
	}
	ref, err := c.substituteFor(of.Ref(), p)
	c.absent[n] = ref
	return ref, err
}

// substituteFor returns the substitute for a profile outside the copy. n is the record of its method.
func (c *Copier) substituteFor(n layout.Ref, p reader.Profile) (profileset.ProfileRef, error) {
	if c.hooks.Elsewhere == ALatecomer {
		m, context, err := c.refsOfProfile(n, p)
		if err != nil {
			return 0, err
		}
		return c.b.Expect(profileset.ProfileKey{Method: m, Context: context, Code: p.Code()}), nil
	}
	var stub profileset.Recording
	if err := c.Begin(&stub, n, p, p.Code()); err != nil {
		return 0, err
	}
	return stub.Ref(), stub.Done()
}

const AllFields = ^disk.Presence(0)

// Fields copies the selected optional fields that describe the method, and the counters that Counts selects.
func (c *Copier) Fields(to *profileset.Recording, p reader.Profile, which disk.Presence) {
	block := disk.Block(p.Bytes())
	for f := disk.HasSize; f < disk.HasSections; f <<= 1 {
		if start, ok := block.FieldOffset(f); ok && which&f != 0 {
			end, _ := block.FieldOffset(f << 1)
			to.PutField(f, block[start:end])
		}
	}
	if n, ok := p.Invocations(); ok {
		to.Put64(disk.HasInvocations, c.selectCount(n))
	}
	if n, ok := p.Backedges(); ok {
		to.Put64(disk.HasBackedges, c.selectCount(n))
	}
	if n, ok := p.Interpreted(); ok {
		to.Put64(disk.HasInterpreted, c.selectCount(n))
	}
	if traps := p.TrapHistory(); traps != nil {
		to.PutTraps(traps)
	}
}

func (c *Copier) selectCount(n reader.Counter) uint64 {
	switch c.Counts {
	case Totals:
		return n.Load()
	case Increments:
		return c.Since.increment(n)
	}
	return n.Trained()
}

// copyEntry copies an entry with the counts that Counts selects, and with references instead of pointers.
func (c *Copier) copyEntry(to *profileset.Recording, section disk.BlockSection, p reader.Profile,
	e reader.Entry) error {
	var failed error
	to.AddCopy(section, disk.Entry(e.Bytes()), func(raw disk.Entry) {
		raw.SetFlags(e.Flags())
		if !disk.IsWide(raw.Tag()) {
			raw.SetTraps(e.Traps())
		}
		for cell := range c.shape.Counts(raw) {
			raw.SetCell(cell, c.selectCount(e.Cell(cell)))
		}
		c.liveCells(raw, e)
		if disk.TagByProducer(raw.Tag()) {
			failed = c.producersCells(raw, e)
		} else {
			failed = c.copyPointers(raw, e)
		}
		if c.hooks.Entry != nil {
			failed = errors.Join(failed, c.hooks.Entry(raw))
		}
	})
	return failed
}

// liveCells sets the cells, other than counts, for which an entry has a live value. These are the traps and, unless
// Counts is Trained, bits.
func (c *Copier) liveCells(raw disk.Entry, e reader.Entry) {
	schema, ok := disk.SchemaOf(raw.Tag())
	if !ok || !schema.HasKind(disk.CellTraps) && (c.Counts == Trained || !schema.HasKind(disk.CellBits)) {
		return
	}
	for cell, kind := range c.shape.WalkCells(raw) {
		switch {
		case kind == disk.CellTraps:
			raw.SetCell(cell, uint64(e.Traps()))
		case kind == disk.CellBits && c.Counts != Trained:
			raw.SetCell(cell, e.Cell(cell).Load())
		}
	}
}

// ChangedEntry adds an entry that the archive does not have. Its pointers are pointers of the archive.
func (c *Copier) ChangedEntry(to *profileset.Recording, section disk.BlockSection, e disk.Entry) (err error) {
	to.AddCopy(section, e, func(raw disk.Entry) {
		for cell, kind := range c.shape.Pointers(raw) {
			v, failed := c.pointerCell(raw.Cell(cell), kind)
			err = cmp.Or(err, failed)
			raw.SetCell(cell, v)
		}
	})
	return err
}

// producersCells copies the cells of a producer's entry that are not counts. Unless Counts is Trained, it copies live
// values, since only the VM knows which of them it can change.
func (c *Copier) producersCells(raw disk.Entry, e reader.Entry) (err error) {
	for cell, kind := range c.shape.WalkCells(raw) {
		v := raw.Cell(cell)
		switch {
		case c.Counts == Trained && disk.IsPointer(kind):
			v, err = c.pointerCell(v, kind)
		case c.Counts == Trained || kind == disk.CellCount:
		case kind == disk.CellType:
			v, err = c.liveType(e, cell)
		case kind == disk.CellMethod:
			v, err = c.liveMethod(e, cell)
		default:
			v = e.Cell(cell).Load()
		}
		if err != nil {
			return err
		}
		raw.SetCell(cell, v)
	}
	return nil
}

func (c *Copier) copyPointers(raw disk.Entry, e reader.Entry) (err error) {
	receivers, hasRows := e.Receivers()
	row := 0
	for cell, kind := range c.shape.Pointers(raw) {
		var v uint64
		if kind == disk.CellType && hasRows {
			v, err = c.receiverCell(raw, e, cell, receivers, row)
			row++
		} else if kind == disk.CellTypeWord && c.Counts != Trained {
			v, err = c.liveTypeWord(e, cell)
		} else {
			v, err = c.pointerCell(raw.Cell(cell), kind)
		}
		if err != nil {
			return err
		}
		raw.SetCell(cell, v)
	}
	return nil
}

func (c *Copier) pointerCell(v uint64, kind disk.CellKind) (uint64, error) {
	tags := v & disk.TypeTags
	if kind != disk.CellTypeWord {
		tags = 0
	}
	if v == tags {
		return tags, nil
	}
	at := disk.RefOf(int64(v - tags - c.s.Header().Base))
	if kind == disk.CellMethod {
		return cellOf(c.MethodRef(at))
	}
	t, err := c.s.TypeAt(at)
	if err != nil {
		return 0, err
	}
	cell, err := cellOf(c.TypeRef(t))
	return cell | tags, err
}

// cellOf returns the cell that holds a reference until the archive is laid out.
func cellOf[R ~uint32](ref R, err error) (uint64, error) {
	return uint64(ref) << methoddata.RefShift, err
}

// Changed reports whether a profile of an adopted archive has other counts than the file.
func (c *Copier) Changed(p reader.Profile) (bool, error) {
	if !p.Claimed() {
		return false, nil
	}
	live, err := p.Claim()
	return err == nil && c.hasCounted(live), err
}

// hasCounted reports whether a claimed profile has counts since the start of Increments, or else counts of this run.
func (c *Copier) hasCounted(p reader.Profile) bool {
	differs := func(n reader.Counter, ok bool) bool {
		if c.Counts == Increments {
			return ok && c.Since.increment(n) != 0
		}
		return ok && n.Load() != n.Trained()
	}
	if differs(p.Invocations()) || differs(p.Backedges()) || differs(p.Interpreted()) {
		return true
	}
	for e := range p.Entries() {
		for cell, kind := range c.shape.WalkCells(disk.Entry(e.Bytes())) {
			if (kind == disk.CellCount || kind == disk.CellBits || disk.TagByProducer(e.Tag()) && !disk.IsPointer(kind)) &&
				differs(e.Cell(cell), true) {
				return true
			}
		}
	}
	return false
}

// copiesBlocks reports whether nothing but pointers differs between the blocks of the archive and of the set.
func (c *Copier) copiesBlocks() bool {
	_, adopted := c.s.Adoption()
	return c.Counts == Trained && !adopted && c.hooks.Entry == nil && c.hooks.Lost == nil && c.b.Room == 0
}

// copyBlock is Profile for copiesBlocks. If possible, it copies the block as a whole, which is much faster.
func (c *Copier) copyBlock(m reader.Method, p reader.Profile) (err error) {
	block := disk.Block(p.Bytes())
	var ok bool
	c.block, ok = methoddata.AppendStored(c.block[:0], c.shape, block)
	if !ok {
		return c.Profile(m, p)
	}
	key := profileset.ProfileKey{Code: block.Code()}
	run := c.targetRun
	key.Method, key.Context, err = c.refsOfProfile(m.Ref(), p)
	if err == nil {
		run.Time, err = c.lastRun(m.Ref(), key.Code)
	}
	if err == nil {
		err = c.referPointers(c.block)
	}
	if err != nil {
		return err
	}
	ref, err := c.b.AddStored(run, c.shape, key, c.block)
	c.profiles.addRef(p.Ref(), ref)
	c.countRead(block)
	return err
}

// referPointers replaces the pointers in a block by references of the set.
func (c *Copier) referPointers(b disk.Block) (err error) {
	methoddata.EachEntry(c.shape, b, func(_ disk.BlockSection, e disk.Entry) {
		for cell, kind := range c.shape.Pointers(e) {
			if err == nil {
				var v uint64
				v, err = c.pointerCell(e.Cell(cell), kind)
				e.SetCell(cell, v)
			}
		}
	})
	return err
}
