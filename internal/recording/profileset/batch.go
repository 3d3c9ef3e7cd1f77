package profileset

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/spill"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/intern"
)

// ErrBatch means that a batch is open and the call requires a set without one.
var ErrBatch = errors.New("a batch is open: commit it or roll it back first")

// A Batch is all changes of a set from Begin until Commit or Rollback. An importer records each input in a batch, so
// that an input with an error in its last line leaves no trace:
//
//	batch, err := b.Begin()
//	if err != nil { ... }
//	defer batch.Rollback() // does nothing after Commit
//	... b.Method, b.Record, b.Table, b.NextRun, ...
//	err = batch.Commit()
//
// The time for Begin and Commit does not depend on the size of the set. A batch keeps the old values of older
// profiles, types and methods that it changes. If it added anything, the time for Rollback is proportional to the size
// of the set. Done must be called in the same batch as Record, or before the next batch begins. Otherwise it returns
// an error, and the profile must be discarded.
type Batch struct {
	b      *Set
	before builderState

	// Old values of changed records, in the order of the changes.
	types    []changed[typeData]
	methods  []changed[methodData]
	profiles []changed[ProfileData]
	blocks   []changedBlock
	bytes    spill.Store // old bytes of blocks
	puts     []func()    // each undoes a Put
}

type changed[V any] struct {
	number uint32
	value  V
}

type changedBlock struct {
	of  ProfileRef
	at  spill.Place
	was spill.Place
}

type builderState struct {
	contents
	symbols    intern.SymbolsState
	types      int
	methods    int
	byName     int
	contexts   int
	profiles   int
	recordings uint64
	tables     map[disk.TableKind]Table
	blocks     spill.State
	unmerged   uint64
	saturated  map[ledger.Unit]bool
}

// Begin starts a batch. The error matches ErrBatch if one is open; otherwise it is the set's.
func (b *Set) Begin() (*Batch, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.WithoutBatch(); err != nil {
		return nil, err
	}
	if b.err != nil {
		return nil, b.err
	}
	b.flushLosses() // so that a rollback of the tables restores the account
	t := &Batch{b: b, before: b.saveState()}
	b.batch = t
	b.era++
	return t, nil
}

// WithoutBatch returns an error if a batch is open. The caller holds mu.
func (b *Set) WithoutBatch() error {
	if b.batch != nil {
		return fmt.Errorf("builder: %w", ErrBatch)
	}
	return nil
}

func (b *Set) saveState() builderState {
	s := builderState{
		contents: b.contents, symbols: b.Symbols.State(),
		types: b.Types.Len(), methods: b.Methods.Len(), byName: len(b.Methods.byName), contexts: b.Contexts.Len(),
		profiles: b.Profiles.Len(), recordings: b.recordings,
		tables: map[disk.TableKind]Table{}, blocks: b.Blocks.State(), unmerged: b.merger.Unmerged,
		saturated: maps.Clone(b.merger.Saturated),
	}
	for kind, t := range b.Tables {
		s.tables[kind] = *t
	}
	return s
}

// Commit ends the batch and keeps its changes. It returns the error of the set, or an error that names an unfinished
// profile of the batch. After an error the batch is still open.
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
	if err := b.unfinishedSince(t.before.recordings); err != nil {
		return err
	}
	b.batch = nil
	b.era++
	b.compactBlocks()
	return nil
}

// Rollback ends the batch and restores the set. It does nothing if the batch has ended.
func (t *Batch) Rollback() {
	b := t.b
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.batch != t {
		return
	}
	b.batch = nil
	b.era++
	maps.DeleteFunc(b.open, func(number uint64, _ MethodRef) bool { return number > t.before.recordings })
	restoreValues(&b.Methods.List, t.methods) // before the profiles, since changed methods can refer to new profiles
	restoreValues(&b.Types.List, t.types)
	t.undoProfiles()
	t.undoRecords()
	t.undoTables()
	for _, undo := range slices.Backward(t.puts) {
		undo()
	}
	b.contents = t.before.contents
	b.merger.Unmerged = t.before.unmerged
	b.merger.Saturated = t.before.saturated
	b.unmerged = nil
	b.weighed = nil
}

func (t *Batch) undoProfiles() {
	b := t.b
	for ref := t.before.profiles + 1; ref <= b.Profiles.Len(); ref++ {
		key := b.Profiles.At(uint32(ref)).ProfileKey
		if first := b.firstProfile(key); *first == ProfileRef(ref) {
			*first = 0
		} else {
			delete(b.Versions, key)
		}
	}
	b.Profiles.Truncate(t.before.profiles)
	restoreValues(&b.Profiles, t.profiles)
	b.Blocks.Restore(t.before.blocks)
	t.undoBlocks()
}

// undoBlocks restores the bytes of blocks in reverse order. A block that has moved to the spill file is stored again.
func (t *Batch) undoBlocks() {
	b := t.b
	for i := len(t.blocks) - 1; i >= 0; i-- {
		c := t.blocks[i]
		was := t.bytes.Memory(c.was)
		if now := b.Blocks.Memory(c.at); now != nil {
			copy(now, was)
		} else {
			b.Blocks.Free(c.at)
			b.Profiles.At(uint32(c.of)).Block = b.Blocks.Keep(was)
		}
	}
}

func (t *Batch) undoRecords() {
	b := t.b
	s := &t.before
	if b.Contexts.Len() > s.contexts {
		b.Contexts.Truncate(s.contexts)
		b.Contexts.index.Truncate(uint32(s.contexts))
	}
	b.Methods.truncateTo(s.methods, s.byName)
	for ref := s.types + 1; ref <= b.Types.Len(); ref++ {
		delete(b.Types.Refs, b.Types.At(uint32(ref)).typeKey)
	}
	b.Types.Truncate(s.types)
	b.Symbols.Restore(s.symbols)
}

func (t *Batch) undoTables() {
	for kind, table := range t.b.Tables {
		if was, ok := t.before.tables[kind]; ok {
			*table, table.firsts = was, nil
		} else {
			delete(t.b.Tables, kind)
		}
	}
}

func restoreValues[V any](l *intern.List[V], values []changed[V]) {
	for i := len(values) - 1; i >= 0; i-- {
		*l.At(values[i].number) = values[i].value
	}
}

// The set calls one of these methods before it changes a value that can be older than an open batch. The caller holds
// mu.

// Put sets the value of a key in one of the maps of the set. The caller holds mu.
func Put[K comparable, V any](b *Set, m map[K]V, key K, value V) {
	if t := b.batch; t != nil {
		was, had := m[key]
		t.puts = append(t.puts, func() {
			delete(m, key)
			if had {
				m[key] = was
			}
		})
	}
	m[key] = value
}

func (b *Set) changesType(ref TypeRef) {
	if t := b.batch; t != nil && int(ref) <= t.before.types {
		t.types = append(t.types, changed[typeData]{uint32(ref), *b.Types.At(uint32(ref))})
	}
}

func (b *Set) changesMethod(ref MethodRef) {
	if t := b.batch; t != nil && int(ref) <= t.before.methods {
		t.methods = append(t.methods, changed[methodData]{uint32(ref), *b.Methods.At(uint32(ref))})
	}
}

func (b *Set) changesProfile(ref ProfileRef) {
	if t := b.batch; t != nil && int(ref) <= t.before.profiles {
		t.profiles = append(t.profiles, changed[ProfileData]{uint32(ref), *b.Profiles.At(uint32(ref))})
	}
}

func (b *Set) changesBlock(ref ProfileRef) {
	if t := b.batch; t != nil && int(ref) <= t.before.profiles {
		at := b.Profiles.At(uint32(ref)).Block
		if !t.before.blocks.Holds(at) {
			return // another run of the batch has replaced it
		}
		t.blocks = append(t.blocks, changedBlock{ref, at, t.bytes.Keep(b.Blocks.Memory(at))})
	}
}
