package profileset

import (
	"errors"
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// Declare adds shapes of entries to the declarations in the archive. Declaring a shape again does nothing. The error
// matches ErrMismatch if a tag has another shape already. After an error nothing has changed.
func (b *Set) Declare(shapes ...layout.EntryShape) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.DeclareLocked(shapes)
}

// DeclareLocked implements Declare. The caller holds mu.
func (b *Set) DeclareLocked(shapes []layout.EntryShape) error {
	if len(shapes) == 0 {
		return nil
	}
	if b.Domain != layout.DomainCustom {
		return fmt.Errorf("builder: shapes of entries in an archive of domain %s: only %s has entries of a producer's own",
			b.Domain, layout.DomainCustom)
	}
	if b.needProducer(); b.err != nil {
		return b.err
	}
	declared := new(disk.Declared)
	if b.Shape.Declared != nil {
		declared = b.Shape.Declared.Clone()
	}
	for _, s := range shapes {
		err := declared.Declare(s)
		if errors.Is(err, disk.ErrDeclared) {
			err = fmt.Errorf("%w: %w", ErrMismatch, err)
		}
		if err != nil {
			return fmt.Errorf("builder: %w", err)
		}
	}
	if len(declared.Shapes()) > len(b.Shape.Declared.Shapes()) {
		b.Shape.Declared = declared // immutable from now on, since profiles can use it
	}
	return nil
}

// JoinProducer sets the producer to the producer of an archive whose profiles will be added. The error matches
// ErrMismatch if the set has profiles of another producer. The caller holds mu.
func (b *Set) JoinProducer(h *layout.Header) error {
	switch have := b.Heading.ProducerID; {
	case have == h.ProducerID:
		return nil
	case have == [16]byte{} && b.Profiles.Len() == 0:
		b.Heading.ProducerID = h.ProducerID
		return nil
	default:
		return fmt.Errorf("%w: it is of the producer %x (%s), the others are of %x (%s): merge the archives of each "+
			"producer by themselves",
			ErrMismatch, h.ProducerID, h.Producer, have, b.Heading.Producer)
	}
}

// CheckProducer returns an error if the domain requires a producer and the set has none. Merging an archive into an
// empty set sets the producer. Recording requires one beforehand.
func (b *Set) CheckProducer() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.checkProducer()
}

// checkProducer implements CheckProducer. The caller holds mu.
func (b *Set) checkProducer() error {
	if b.Domain == layout.DomainCustom && b.Heading.ProducerID == [16]byte{} {
		return fmt.Errorf("an archive of domain %s without a producer: set Config.ProducerID to 16 bytes of the "+
			"VM's own", b.Domain)
	}
	return nil
}

// needProducer fails the set if it lacks a required producer. The caller holds mu.
func (b *Set) needProducer() {
	if err := b.checkProducer(); err != nil {
		b.failWith(err)
	}
}

// listShapes creates the table of shapes. The caller holds mu.
func (b *Set) listShapes() {
	if len(b.Shape.Declared.Shapes()) == 0 {
		return
	}
	t := &Table{b: b, Kind: disk.TableShapes, Columns: disk.TableColumns(disk.TableShapes)}
	for row := range b.Shape.Declared.Rows() {
		t.Cells = append(t.Cells, row[:]...)
	}
	b.Tables[disk.TableShapes] = t
}
