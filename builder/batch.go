package builder

import (
	"errors"
	"fmt"
	"maps"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// ErrBatch: a batch is open, and the call needs a builder without one.
var ErrBatch = errors.New("a batch is open: commit it or roll it back first")

// A Batch is everything that a Builder is given from [Builder.Begin] on until
// the batch is committed or rolled back. An importer gives one input as a batch,
// so that an input with an error in its last line leaves nothing behind:
//
//	batch, err := b.Begin()
//	if err != nil { ... }
//	defer batch.Rollback() // does nothing after Commit
//	... b.Method, b.Profile, b.Table, b.NextRun, ...
//	err = batch.Commit()
//
// Begin and Commit take no longer for a large builder than for a small one. A
// batch keeps what it changes of older profiles, types and methods, and nothing
// for what is new; Rollback takes time in proportion to the builder if the batch
// added anything.
//
// A profile that is begun in a batch has to be done in it, and one that is begun
// before it has to be done before.
type Batch struct {
	b      *Builder
	before builderState

	// What was there before and has changed, as it was, in the order of the changes.
	types    []changed[typeData]
	methods  []changed[methodData]
	profiles []changed[profileData]
	blocks   []changedBlock
	bytes    arena // of blocks
}

// changed is a numbered value before a change.
type changed[V any] struct {
	number uint32
	value  V
}

// changedBlock is a block that was summed in place: where it is, and where the
// batch keeps what it was.
type changedBlock struct{ at, was place }

// builderState is the part of a Builder that is copied when a batch begins.
type builderState struct {
	config      Config
	shape       disk.Shape
	symbols     symbolsState
	types       int
	methods     int
	byName      int
	contexts    int
	profiles    int
	tables      map[layout.TableKind]Table
	blocks      arenaState
	dumps       map[[16]byte]dump
	copied      map[[16]byte]bool
	runIDs      map[runKey][16]byte
	shaped      shapeUse
	mixed       bool
	ordered     keptOrder
	united      int
	run         runData
	unmerged    uint64
	unmatchable uint64
	err         error
}

// Begin starts a batch. The error matches ErrBatch if one is open already, and
// is that of the builder if it has one.
func (b *Builder) Begin() (*Batch, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.withoutBatch(); err != nil {
		return nil, err
	}
	if b.err != nil {
		return nil, b.err
	}
	t := &Batch{b: b, before: b.state()}
	b.batch = t
	b.era++
	return t, nil
}

// withoutBatch reports that a batch is open. The caller holds mu.
func (b *Builder) withoutBatch() error {
	if b.batch != nil {
		return fmt.Errorf("builder: %w", ErrBatch)
	}
	return nil
}

func (b *Builder) state() builderState {
	s := builderState{
		config: b.config, shape: b.shape, symbols: b.symbols.state(),
		types: b.types.len(), methods: b.methods.len(), byName: len(b.methods.byName), contexts: b.contexts.len(), profiles: b.profiles.len(),
		tables: map[layout.TableKind]Table{}, blocks: b.blocks.state(),
		dumps: maps.Clone(b.dumps), copied: maps.Clone(b.copied), runIDs: maps.Clone(b.runIDs),
		shaped: b.shaped, mixed: b.mixed, ordered: b.ordered, united: b.united, run: b.run,
		unmerged: b.unmerged, unmatchable: b.unmatchable, err: b.err,
	}
	for kind, t := range b.tables {
		s.tables[kind] = *t
	}
	return s
}

// Commit ends the batch and keeps what it has added. The error is that of the
// builder: then the batch is still open, and Rollback removes what caused it.
func (t *Batch) Commit() error {
	b := t.b
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.batch != t:
		return errors.New("builder: the batch has ended")
	case b.err != nil:
		return b.err
	}
	b.batch = nil
	b.era++
	b.compactBlocks()
	return nil
}

// Rollback ends the batch and makes the builder what it was when the batch
// began; it has no error then. References that the batch was given, and profiles
// that it began, are of no use any more. It does nothing if the batch has ended.
func (t *Batch) Rollback() {
	b := t.b
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.batch != t {
		return
	}
	b.batch = nil
	b.era++
	restore(&b.methods.list, t.methods) // before profiles: what a method was may name one that goes
	restore(&b.types.list, t.types)
	t.undoProfiles()
	t.undoRecords()
	t.undoTables()
	s := &t.before
	b.config, b.shape, b.dumps, b.copied, b.runIDs = s.config, s.shape, s.dumps, s.copied, s.runIDs
	b.shaped, b.mixed, b.ordered, b.united, b.run = s.shaped, s.mixed, s.ordered, s.united, s.run
	b.unmerged, b.unmatchable, b.err = s.unmerged, s.unmatchable, s.err
}

// undoProfiles takes back profiles, and the bytes of blocks.
func (t *Batch) undoProfiles() {
	b := t.b
	for i := len(t.blocks) - 1; i >= 0; i-- {
		copy(b.blocks.at(t.blocks[i].at), t.bytes.at(t.blocks[i].was))
	}
	for ref := t.before.profiles + 1; ref <= b.profiles.len(); ref++ {
		key := b.profiles.at(uint32(ref)).profileKey
		if first := b.first(key); *first == ProfileRef(ref) {
			*first = 0
		} else {
			delete(b.versions, key)
		}
	}
	b.profiles.truncate(t.before.profiles)
	restore(&b.profiles, t.profiles)
	b.blocks.restore(t.before.blocks)
}

// undoRecords takes back contexts, methods, types and symbols.
func (t *Batch) undoRecords() {
	b, s := t.b, &t.before
	if b.contexts.len() > s.contexts {
		b.contexts.truncate(s.contexts)
		b.contexts.index.Truncate(uint32(s.contexts))
	}
	b.methods.truncateTo(s.methods, s.byName)
	for ref := s.types + 1; ref <= b.types.len(); ref++ {
		delete(b.types.refs, b.types.at(uint32(ref)).typeKey)
	}
	b.types.truncate(s.types)
	b.symbols.restore(s.symbols)
}

// undoTables takes back rows. Whoever has a Table can go on to use it.
func (t *Batch) undoTables() {
	for kind, table := range t.b.tables {
		if was, ok := t.before.tables[kind]; ok {
			*table, table.firsts = was, nil
		} else {
			delete(t.b.tables, kind)
		}
	}
}

// restore puts values back, the last first: the first is the oldest.
func restore[V any](l *list[V], values []changed[V]) {
	for i := len(values) - 1; i >= 0; i-- {
		*l.at(values[i].number) = values[i].value
	}
}

// The builder calls one of these before it changes what may be older than an
// open batch. The caller holds mu.

func (b *Builder) changesType(ref TypeRef) {
	if t := b.batch; t != nil && int(ref) <= t.before.types {
		t.types = append(t.types, changed[typeData]{uint32(ref), *b.types.at(uint32(ref))})
	}
}

func (b *Builder) changesMethod(ref MethodRef) {
	if t := b.batch; t != nil && int(ref) <= t.before.methods {
		t.methods = append(t.methods, changed[methodData]{uint32(ref), *b.methods.at(uint32(ref))})
	}
}

func (b *Builder) changesProfile(ref ProfileRef) {
	if t := b.batch; t != nil && int(ref) <= t.before.profiles {
		t.profiles = append(t.profiles, changed[profileData]{uint32(ref), *b.profiles.at(uint32(ref))})
	}
}

// changesBlock comes before a change of the bytes of a profile's block in place.
func (b *Builder) changesBlock(ref ProfileRef) {
	if t := b.batch; t != nil && int(ref) <= t.before.profiles {
		at := b.profiles.at(uint32(ref)).block
		if !t.before.blocks.holds(at) {
			return // another run of the batch has replaced it
		}
		t.blocks = append(t.blocks, changedBlock{at, t.bytes.keep(b.blocks.at(at))})
	}
}
