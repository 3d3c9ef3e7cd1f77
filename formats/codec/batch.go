package codec

import "github.com/profarc/profarc/builder"

// A Batch takes the profiles of one input. If Import returns an error, the batch is
// dropped, and none of its profiles reach the archive.
//
// There are two kinds of inputs, and an importer knows which it reads. Most are dumps: one input has all that
// a process dumped. The importer fills a builder for it and hands that over with [Batch.AddDump]; the dumps
// of several inputs are merged as archives are, none counted twice. Other inputs are parts, such as LLVM's: a
// training run may leave thousands: all of them share one builder ([Batch.Parts], [Batch.SetParts]), and
// their profiles are summed while they are read.
type Batch struct {
	// Run says how the input counts. The importer may set AsLLVM.
	Run builder.Run

	dumps []*builder.Builder
	parts *builder.Builder
}

// NewBatch returns the batch of one input. Parts is the builder that the inputs
// before pushed their parts into, nil if there is none.
func NewBatch(run builder.Run, parts *builder.Builder) *Batch { return &Batch{Run: run, parts: parts} }

// AddDump takes the builder of one dump. An importer that keeps the dumps of an
// input apart calls it once for each.
func (b *Batch) AddDump(dump *builder.Builder) { b.dumps = append(b.dumps, dump) }

// Dumps returns what AddDump took.
func (b *Batch) Dumps() []*builder.Builder { return b.dumps }

// Parts returns the builder that the importer adds a part to, nil if the input is
// the first: then the importer makes the builder and sets it with SetParts.
func (b *Batch) Parts() *builder.Builder { return b.parts }

// SetParts takes the builder with the part of the input.
func (b *Batch) SetParts(parts *builder.Builder) { b.parts = parts }
