package profileset

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/spill"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/internal/recording/methoddata"
	"github.com/profarc/profarc/layout"
)

// ErrDuplicate means that the run has already recorded a profile with the same method, code and context.
var ErrDuplicate = errors.New("profile was given before")

// A Recording is a profile under construction. It belongs to one goroutine until Done.
type Recording struct {
	b      *Set
	ref    ProfileRef
	run    Run
	number uint64 // number of the recording in the set
	before claim
	era    int        // era of the set at the start of the recording
	shape  disk.Shape // settings of the entries; Done converts them to the settings of the set
	err    error
	ended  string            // "Done" or "Discard"; empty until then
	parts  *methoddata.Parts // nil once the recording has ended
}

type ProfileKey struct {
	Method  MethodRef
	Context ContextRef
	Code    uint64
}

// ProfileData is a finished profile. Its block has the format of the file, but lacks links and holds references instead
// of pointers.
type ProfileData struct {
	ProfileKey
	Time  int64       // time of the newest dump; 0 for that of the set, UnknownTime if it is not known
	run   uint32      // number of the last run that recorded it
	Block spill.Place // nowhere until Done
}

// Record begins the profile of a method for a code ID and a context, in the current run. Errors are returned by Done.
func (b *Set) Record(p *Recording, m MethodRef, code uint64, c ContextRef) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Shaped = ShapeUse{true, true} // the entries have the current shape of the set
	b.recordIn(p, b.Run, m, code, c)
}

// RecordIn is like Record for a given run, so that several goroutines can each record a run.
func (b *Set) RecordIn(p *Recording, run Run, m MethodRef, code uint64, c ContextRef) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.recordIn(p, run, m, code, c)
}

func (b *Set) recordIn(p *Recording, run Run, m MethodRef, code uint64, c ContextRef) {
	*p = Recording{b: b, run: run, era: b.era, shape: b.Shape, parts: methoddata.BorrowParts()}
	ref, before, err := b.claimProfile(ProfileKey{m, c, code}, &p.run)
	p.ref, p.before = ref, before
	if err != nil {
		p.Fail(err)
	} else if code != 0 {
		p.parts.Put64(disk.HasCode, code)
	}
	b.noteOpened(p, m)
}

func (p *Recording) Ref() ProfileRef { return p.ref }

// Shape returns the shape of the entries, with all declared ones.
func (p *Recording) Shape() disk.Shape {
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	return p.shape.WithDeclared(p.b.Shape.Declared)
}

// SetShape sets the shape of entries that are copied from an archive. It must be called before any is added.
func (p *Recording) SetShape(s disk.Shape) { p.shape = s }

// reshape returns a block with entries of another shape in the shape of the set. The caller holds mu.
func (b *Set) reshape(from disk.Shape, block disk.Block) disk.Block {
	if b.Domain != layout.DomainHotSpot || from.Gap == b.Shape.Gap {
		return block
	}
	to := from
	to.Gap = b.Shape.Gap
	return methoddata.NewReshaper(from, to).Block(block)
}

func (p *Recording) Domain() layout.Domain { return p.b.Domain }

func (p *Recording) Fail(err error) {
	if p.err == nil {
		p.err = fmt.Errorf("profile: %w", err)
	}
}

// tooLate reports whether the recording has ended, and fails the set in this case, since an entry added now would be
// lost.
func (p *Recording) tooLate() bool {
	if p.ended == "" {
		return false
	}
	p.Fail(fmt.Errorf("something was added after %s", p.ended))
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	p.b.failWith(p.err)
	return true
}

// Put64 sets an optional field of 64-bit words.
func (p *Recording) Put64(f disk.Presence, values ...uint64) {
	if !p.tooLate() {
		p.parts.Put64(f, values...)
	}
}

// Put32 sets an optional field of 32-bit words.
func (p *Recording) Put32(f disk.Presence, values ...uint32) {
	if !p.tooLate() {
		p.parts.Put32(f, values...)
	}
}

func (p *Recording) PutTraps(byReason []byte) {
	if !p.tooLate() {
		p.parts.PutTraps(byReason)
	}
}

// PutField sets an optional field to its encoded bytes.
func (p *Recording) PutField(f disk.Presence, encoded []byte) {
	if !p.tooLate() {
		field := p.parts.Field(f)
		*field = append(*field, encoded...)
	}
}

// maxCells is the maximum number of cells of an entry, since a block has a 32-bit size in units of 8 bytes.
const maxCells = 1 << 28

// Add appends an entry to a section. entry appends the bytes of an entry with this number of cells, and fill, if not
// nil, sets the cells.
func (p *Recording) Add(section disk.BlockSection, cells int, entry func(b []byte) ([]byte, disk.Entry),
	fill func(e disk.Entry)) {
	if p.tooLate() || p.err != nil {
		return
	}
	if section < 0 || section >= disk.SectionDirectory {
		p.Fail(fmt.Errorf("section %d holds no entries", section))
		return
	}
	s := &p.parts.Sections[section]
	if cells < 0 || cells > maxCells-len(s.Bytes)/disk.CellSize {
		p.Fail(fmt.Errorf("%w: an entry of %d cells in section %d", layout.ErrTooLarge, cells, section))
		return
	}
	start := len(s.Bytes)
	bytes, e := entry(s.Bytes)
	s.Bytes = bytes
	if fill != nil {
		fill(e)
	}
	if disk.TagByProducer(e.Tag()) {
		methoddata.UniteRows(p.Shape(), e)
	}
	s.Bytes = p.b.padRows(s.Bytes, e)
	s.Add(start)
}

// padRows appends empty rows to the type profile e at the end of bytes, if it has fewer rows than b.Room.
func (b *Set) padRows(bytes []byte, e disk.Entry) []byte {
	if e.Tag() != layout.TagReceivers || e.Rows() >= b.Room {
		return bytes
	}
	more := 2 * (b.Room - e.Rows())
	e.SetCounts(e.Cells()+more, b.Room)
	return append(bytes, make([]byte, more*disk.CellSize)...)
}

// TypeCell returns the cell that holds a type until the archive is laid out.
func (p *Recording) TypeCell(t TypeRef) uint64 { return p.refCell("type", uint32(t), p.b.Types.Has) }

// MethodCell returns the cell that holds a method until the archive is laid out.
func (p *Recording) MethodCell(m MethodRef) uint64 {
	return p.refCell("method", uint32(m), p.b.Methods.Has)
}

func (p *Recording) refCell(what string, ref uint32, has func(uint32) bool) uint64 {
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	if ref != 0 && !has(ref) {
		p.Fail(fmt.Errorf("%s %d is not of this builder", what, ref))
	}
	return uint64(ref) << methoddata.RefShift
}

// Done adds the profile to the set. It must be called once. If the run has recorded the profile before, Done returns
// ErrDuplicate, and the set stays usable.
func (p *Recording) Done() error {
	if p.ended != "" {
		p.b.mu.Lock()
		defer p.b.mu.Unlock()
		p.Fail(fmt.Errorf("Done was called after %s", p.ended))
		p.b.failWith(p.err)
		return p.err
	}
	if p.err == nil {
		p.parts.Encode()
	}
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	if p.era != p.b.era { // the method or context can have been rolled back
		p.Fail(errors.New("a batch began or ended between its beginning and Done"))
	} else {
		delete(p.b.open, p.number)
		if p.err == nil {
			p.b.storeProfile(p.ref, p.run.RunRules, p.b.reshape(p.shape, p.parts.Block))
		} else {
			p.b.refuseProfile(p.err)
		}
	}
	p.endRecording("Done")
	return p.err
}

// refuseProfile counts a duplicate, and fails the set for any other error.
func (b *Set) refuseProfile(err error) {
	if errors.Is(err, ErrDuplicate) {
		b.Duplicates++
	} else {
		b.failWith(err)
	}
}

func (p *Recording) endRecording(how string) {
	p.ended = how
	p.parts.GiveBack()
	p.parts = nil
}

// Discard drops the profile and its error. It does nothing after a successful Done.
func (p *Recording) Discard() {
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	if p.ended == "" {
		p.endRecording("Discard")
	}
	if _, open := p.b.open[p.number]; open {
		delete(p.b.open, p.number)
		p.b.unclaimProfile(p)
	}
}

func (b *Set) mayBeAnother(ref MethodRef) bool {
	m := b.Methods.At(uint32(ref))
	return m.Flags&layout.MethodNotMatchable != 0 ||
		m.Holder != 0 && disk.NumberedLoader(b.Text(b.Types.At(uint32(m.Holder)).Loader))
}

// storeProfile stores the encoded profile of a run, or merges it into the profile of earlier runs. It accounts for the
// weight of the run and for counts that the merge drops. The caller holds mu.
func (b *Set) storeProfile(ref ProfileRef, run RunRules, block disk.Block) {
	d := b.Profiles.At(uint32(ref))
	if run.Weight != layout.WeightOne && run.Weight != 0 {
		before := b.totalsOfProfile(d)
		b.counterOf(before).AddBlock(block)
		b.mergeProfile(ref, d, run, block)
		after := b.totalsOfProfile(d)
		after.AddAll(b.merger.Lost)
		b.noteWeights(before, after)
	} else {
		b.mergeProfile(ref, d, run, block)
	}
	if len(b.merger.Lost) > 0 {
		b.noteUnmerged(d.Method, run)
	}
}

func (b *Set) mergeProfile(ref ProfileRef, d *ProfileData, run RunRules, block disk.Block) {
	m := b.mergerFor(run)
	if d.Block.Nowhere() {
		m.Scale(block)
		d.Block = b.keepBlock(block)
		return
	}
	if b.mayBeAnother(d.Method) {
		b.unmatchable++
	}
	defer b.addCertain(ref)
	if have := disk.Block(b.Blocks.Memory(d.Block)); have != nil {
		b.changesBlock(ref)
		if !m.AddInPlace(have, block) {
			if both := m.Merge(have, block); &both[0] != &have[0] {
				b.replaceBlock(d, both)
			}
		}
		return
	}
	have, err := b.Block(ref)
	if err != nil {
		b.failWith(err)
		return
	}
	b.scratch = append(b.scratch[:0], have...)
	have = b.scratch
	if !m.AddInPlace(have, block) {
		have = m.Merge(have, block)
	}
	b.replaceBlock(d, have)
}

// keepBlock stores a block. The caller holds mu.
func (b *Set) keepBlock(block []byte) spill.Place {
	at := b.Blocks.Keep(block)
	if err := b.Blocks.Err(); err != nil {
		b.failWith(err)
	}
	return at
}

// mergerFor returns the merger, configured for profiles of a run. The caller holds mu.
func (b *Set) mergerFor(run RunRules) *methoddata.Merger {
	b.merger.Shape = b.Shape
	b.merger.Room = b.Room
	b.merger.Domain = b.Domain
	b.merger.Rules = methoddata.Rules{Weight: run.Weight, AsLLVM: run.AsLLVM, Params: &b.Heading.Params}
	return &b.merger
}

func (b *Set) replaceBlock(d *ProfileData, block []byte) {
	b.Blocks.Free(d.Block)
	d.Block = b.keepBlock(block)
	b.compactBlocks()
}

// compactBlocks copies the blocks to new memory if most of the old memory is unused. It does nothing while a batch is
// open, since the batch can need the old bytes.
func (b *Set) compactBlocks() {
	if b.batch == nil && b.err == nil && b.Blocks.Wasteful() {
		if err := b.RewriteBlocks(func(block disk.Block) ([]byte, error) { return block, nil }); err != nil {
			b.failWith(err)
		}
	}
}

// RewriteBlocks replaces each block by the result of rewrite. If rewrite or reading a block fails, nothing has changed.
// The caller holds mu, and no batch is open.
func (b *Set) RewriteBlocks(rewrite func(block disk.Block) ([]byte, error)) error {
	anew := spill.Store{Config: b.Blocks.Config}
	places := make([]spill.Place, b.Profiles.Len())
	for ref, p := range b.Profiles.All {
		block, err := b.Blocks.Read(p.Block)
		if err != nil {
			anew.Close()
			return err
		}
		if block == nil {
			continue
		}
		bytes, err := rewrite(block)
		if err != nil {
			anew.Close()
			return err
		}
		places[ref-1] = anew.Keep(bytes)
	}
	if err := anew.Err(); err != nil {
		anew.Close()
		return err
	}
	for ref, p := range b.Profiles.All {
		p.Block = places[ref-1]
	}
	b.Blocks.Close()
	b.Blocks = anew
	return nil
}

// firstProfile returns a pointer to the first profile of a method and context. Nearly all have one profile only.
// Profiles of further code versions are in b.Versions.
func (b *Set) firstProfile(key ProfileKey) *ProfileRef {
	if key.Context == NoContext {
		return &b.Methods.At(uint32(key.Method)).first
	}
	return &b.Contexts.At(uint32(key.Context)).first
}

func (b *Set) findProfile(key ProfileKey) ProfileRef {
	first := *b.firstProfile(key)
	if first == 0 || b.Profiles.At(uint32(first)).Code == key.Code {
		return first
	}
	return b.Versions[key]
}

// Block returns a finished profile's block, valid until the next call. The caller holds mu.
func (b *Set) Block(ref ProfileRef) (disk.Block, error) {
	return b.Blocks.Read(b.Profiles.At(uint32(ref)).Block)
}

type claim struct {
	run  uint32
	time int64
}

// checkProfileKey returns an error if no profile of the set can have the key.
func (b *Set) checkProfileKey(key ProfileKey) error {
	m := key.Method
	c := key.Context
	switch err := cmp.Or(b.refused, b.checkProducer()); {
	case err != nil:
		return err
	case !b.Methods.Has(uint32(m)):
		return fmt.Errorf("method %d is not of this builder", m)
	case c != NoContext && (!b.Contexts.Has(uint32(c)) || b.Contexts.At(uint32(c)).Method != m):
		return fmt.Errorf("context %d is not one of method %d", c, m)
	case key.Code == layout.CodeAny:
		return fmt.Errorf("code id %#x means any code: no profile can have it", key.Code)
	}
	return nil
}

// claimProfile claims the profile with a key for a run, and adds the profile if it is new. before is the previous
// claim. The error matches ErrDuplicate if the run has already recorded the profile.
func (b *Set) claimProfile(key ProfileKey, run *Run) (ref ProfileRef, before claim, err error) {
	if err := b.checkProfileKey(key); err != nil {
		return 0, before, err
	}
	ref = b.findProfile(key)
	added := ref == 0
	if added {
		ref = b.addProfile(key)
	}
	d := b.Profiles.At(uint32(ref))
	before = claim{d.run, d.Time}
	if d.run == run.number {
		return ref, before, fmt.Errorf("%w: %s, code %016x, context %d", ErrDuplicate,
			b.Text(b.Methods.At(uint32(key.Method)).Name), key.Code, key.Context)
	}
	b.changesProfile(ref)
	d.run = run.number
	switch {
	case added || run.Time == 0:
		d.Time = run.Time
	case d.Time != 0:
		d.Time = max(d.Time, run.Time)
	}
	return ref, before, nil
}

// unclaimProfile undoes the claim of a recording, so that its run can record the profile. The caller holds mu.
func (b *Set) unclaimProfile(p *Recording) {
	if p.ref == 0 || errors.Is(p.err, ErrDuplicate) {
		return // it has no claim
	}
	d := b.Profiles.At(uint32(p.ref))
	if d.run == p.run.number {
		d.run = p.before.run
		d.Time = p.before.time
	}
	b.hasDiscarded = b.hasDiscarded || d.Block.Nowhere()
}

// noteOpened numbers a new recording and adds it to b.open. The caller holds mu.
func (b *Set) noteOpened(p *Recording, m MethodRef) {
	b.recordings++
	p.number = b.recordings
	b.open[p.number] = m
}

func (b *Set) addProfile(key ProfileKey) ProfileRef {
	ref := ProfileRef(b.Profiles.Add(ProfileData{ProfileKey: key}))
	if first := b.firstProfile(key); *first == 0 {
		*first = ref
	} else {
		b.Versions[key] = ref
	}
	return ref
}

// Expect returns the profile with a key, for tables that refer to it. If the set does not have the profile yet, it must
// be recorded before the archive is written.
func (b *Set) Expect(key ProfileKey) ProfileRef {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.Methods.Has(uint32(key.Method)) || key.Context != NoContext && !b.Contexts.Has(uint32(key.Context)) {
		b.failWith(fmt.Errorf("method %d or context %d is not of this builder", key.Method, key.Context))
		return 0
	}
	if ref := b.findProfile(key); ref != 0 {
		return ref
	}
	b.hasDiscarded = true // as if the profile had been begun and discarded
	return b.addProfile(key)
}

// KeepProfiles drops the profiles for which keep is false, and the source order. It returns the number of dropped
// profiles. The caller holds mu.
func (b *Set) KeepProfiles(keep func(d *ProfileData) bool) (dropped int) {
	b.noteDropped(keep)
	b.dropSourceOrder()
	b.Ordered = NoOrder
	became, dropped := b.renumber(keep)
	b.keepTablesOfCode()
	b.renumberProfiles(became)
	return dropped
}

// renumber drops the profiles for which keep is false. became has the new reference by the old one, 0 for dropped
// profiles.
func (b *Set) renumber(keep func(d *ProfileData) bool) (became []ProfileRef, dropped int) {
	all := b.Profiles
	b.Profiles = intern.List[ProfileData]{}
	b.Versions = map[ProfileKey]ProfileRef{}
	for _, m := range b.Methods.All {
		m.first = 0
	}
	for _, c := range b.Contexts.All {
		c.first = 0
	}
	became = make([]ProfileRef, all.Len()+1)
	for ref, d := range all.All {
		if !keep(d) {
			dropped++
			b.Blocks.Free(d.Block)
			continue
		}
		became[ref] = b.addProfile(d.ProfileKey)
		*b.Profiles.At(uint32(became[ref])) = *d
	}
	return became, dropped
}

// DropDiscarded drops discarded profiles without a block. It fails the set if a table refers to one. The caller holds
// mu. No batch is open, and no recording is unfinished.
func (b *Set) DropDiscarded() error {
	if !b.hasDiscarded {
		return b.err
	}
	b.hasDiscarded = false
	became, _ := b.renumber(func(d *ProfileData) bool { return !d.Block.Nowhere() })
	for _, t := range b.Tables {
		t.firsts = nil
		for i, cell := range t.Cells {
			if cell == 0 || t.Columns[i%len(t.Columns)] != disk.ColumnProfile {
				continue
			}
			t.Cells[i] = uint64(became[cell])
			if t.Cells[i] == 0 {
				b.failWith(fmt.Errorf("a row of table %s refers to a profile that was discarded", t.Kind))
			}
		}
	}
	return b.err
}

// Unfinished returns an error that names the first recording that has not ended. The caller holds mu.
func (b *Set) Unfinished() error { return b.unfinishedSince(0) }

func (b *Set) unfinishedSince(number uint64) error {
	first := uint64(math.MaxUint64)
	n := 0
	for open := range b.open {
		if open > number {
			first = min(first, open)
			n++
		}
	}
	if n == 0 {
		return nil
	}
	name := "a method of another builder"
	if m := b.open[first]; b.Methods.Has(uint32(m)) {
		name = b.Text(b.Methods.At(uint32(m)).Name)
	}
	return fmt.Errorf("builder: %d profiles were begun, and neither Done nor Discard was called: the first is that of %s",
		n, name)
}
