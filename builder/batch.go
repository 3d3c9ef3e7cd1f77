package builder

import "github.com/profarc/profarc/internal/build/profileset"

// A Batch is everything that a Builder records from [Builder.Begin] on until the batch
// is committed or rolled back. An importer records each input in a batch, so that an
// input with an error in its last line leaves no trace:
//
//	batch, err := b.Begin()
//	if err != nil { ... }
//	defer batch.Rollback() // does nothing after Commit
//	... b.Method, b.Profile, b.Table, b.NextRun, ...
//	err = batch.Commit()
//
// Begin and Commit take no longer for a large builder than for a small one. A batch
// keeps the old values of older profiles, types and methods that it changes. If it added
// anything, Rollback takes time in proportion to the size of the builder.
//
// Done must be called in the same batch as Profile, or before the next batch begins:
// otherwise it is an error, and the profile must be discarded.
type Batch struct{ of *profileset.Batch }

// Begin starts a batch. The error matches ErrBatch if one is open, or comes from the builder.
func (b *Builder) Begin() (*Batch, error) {
	t, err := b.set().Begin()
	if err != nil {
		return nil, err
	}
	return &Batch{t}, nil
}

// Commit ends the batch and keeps its additions. The error comes from the builder, or
// names a profile that was begun in the batch and neither done nor discarded; the batch is
// still open then, and Rollback removes the cause.
func (t *Batch) Commit() error { return t.of.Commit() }

// Rollback ends the batch and restores the builder as it was when the batch began, without an error.
// References and profiles from the batch are invalid afterwards. It does nothing if the batch has ended.
func (t *Batch) Rollback() { t.of.Rollback() }
