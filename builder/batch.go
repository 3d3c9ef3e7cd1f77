package builder

import (
	"github.com/profarc/profarc/internal/profileset"
)

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
type Batch struct{ of *profileset.Batch }

// Begin starts a batch. The error matches ErrBatch if one is open already, and
// is that of the builder if it has one.
func (b *Builder) Begin() (*Batch, error) {
	t, err := b.set.Begin()
	if err != nil {
		return nil, err
	}
	return &Batch{t}, nil
}

// Commit ends the batch and keeps what it has added. The error is that of the
// builder: then the batch is still open, and Rollback removes what caused it.
func (t *Batch) Commit() error { return t.of.Commit() }

// Rollback ends the batch and makes the builder what it was when the batch
// began; it has no error then. References that the batch was given, and profiles
// that it began, are of no use any more. It does nothing if the batch has ended.
func (t *Batch) Rollback() { t.of.Rollback() }
