package example

import (
	"context"
	"errors"
	"fmt"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// The archive is of this VM and no other: producerID changes whenever profile points, keys
// or the shapes below get another meaning.
const (
	producer  = "example VM 1"
	domain    = layout.DomainCustom
	tagBranch = layout.TagProducer
)

var producerID = [16]byte{'p', 'r', 'o', 'f', 'a', 'r', 'c', '-', 'e', 'x', 'a', 'm', 'p', 'l', 'e', 1}

// branchShape is how this VM records a branch. Its record of operations and sends,
// the classes that they met, is one of profarc's own shapes.
var branchShape = layout.EntryShape{Tag: tagBranch, Name: "Choice",
	Cells: []layout.CellShape{{Name: "taken", Kind: layout.CellCount}, {Name: "not-taken", Kind: layout.CellCount}}}

// newBuilder makes a builder for an archive of this VM.
func newBuilder(dumpID [16]byte) (*builder.Builder, error) {
	b := builder.New(domain, builder.Config{Producer: producer, ProducerID: producerID, DumpID: dumpID,
		ReceiverRows: receiverRows})
	return b, b.DeclareShape(branchShape)
}

// Dump writes what this run has counted into an archive: to the archive that it started
// with only what came on top, so that the two can be merged.
func (vm *VM) Dump(ctx context.Context, path string) error {
	b, err := newBuilder(builder.RandomDumpID())
	if err != nil {
		return err
	}
	if vm.archive.store != nil {
		dropped, err := merge.Snapshot(ctx, b, vm.archive.store, merge.Increments)
		if err != nil {
			return fmt.Errorf("what was counted in the archive: %w", err)
		}
		if dropped.Rows > 0 { // this VM counts by the library alone, which writes no such rows
			return fmt.Errorf("rows of the archive were overwritten: %v", dropped)
		}
	}
	for _, f := range vm.program.Functions {
		if f.calls != nil && f.state != adopted {
			if err := f.record(b); err != nil {
				return fmt.Errorf("%s.%s: %w", f.Owner, f.Name, err)
			}
		}
	}
	_, err = b.Commit(ctx, path)
	return err
}

// record puts the counters of a function that the VM has itself into an archive.
func (f *Function) record(b *builder.Builder) error {
	p := b.Profile(f.Key(), f.id)
	p.Invocations(f.calls.Load())
	for pc, in := range f.Code {
		if in.Site < 0 {
			continue
		}
		point, s := int32(pc), &f.sites[in.Site]
		if in.Op == opUnless {
			p.Custom(builder.Custom{Point: point, Tag: tagBranch, Cells: []uint64{s.taken.Load(), s.notTaken.Load()}})
			continue
		}
		var rows []builder.Row
		for _, r := range s.rows {
			if r.class != nil {
				rows = append(rows, builder.Row{Type: b.Type(builder.TypeKey{Name: r.class.Name}), Count: r.count.Load()})
			}
		}
		p.Receivers(builder.Receivers{Point: point, Sub: layout.SubVirtualCall, Other: s.other.Load()}, rows...)
	}
	return p.Done()
}

// Merge sums the dumps of several runs, and what they started with.
func Merge(ctx context.Context, to string, dumps ...string) error {
	b, err := newBuilder([16]byte{})
	if err != nil {
		return err
	}
	for _, path := range dumps {
		s, err := reader.Open(path, archive.Options{})
		if err != nil {
			return err
		}
		if err := errors.Join(merge.Into(ctx, b, s, builder.Run{}), s.Close()); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	_, err = b.Commit(ctx, to)
	return err
}
