package merging

import (
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/copier"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// archiveFormat is the format of an input that is an archive without an account. Such inputs have neither name nor
// hash, so that a merge does not depend on the names of files.
const archiveFormat = "archive"

func NoteOperation(b *profileset.Set) {
	if a := b.Account(); len(a.Inputs) > 0 {
		b.AddLoss(ledger.Loss{Operation: ledger.OperationMerge})
	}
}

// CopyAccounted copies an archive into the set with copyAll. If the archive has no account, it becomes an input of the
// set's. first is set unless the copy is one of several parts of the archive, and not the first.
func (b Target) CopyAccounted(c *copier.Copier, s *reader.Store, first bool, copyAll func() error) error {
	inputs, err := s.TableOrEmpty(disk.TableInputs)
	if err != nil {
		return err
	}
	isEmpty := s.Header().Counts == (layout.Counts{}) // and changes nothing
	if inputs.Rows > 0 || isEmpty {
		return copyAll()
	}
	c.Read = ledger.Totals{}
	if err := copyAll(); err != nil {
		return err
	}
	in := ledger.Input{Format: archiveFormat, State: ledger.Read, Totals: c.Read}
	if first {
		in.Times = 1
	}
	b.AddInput(in)
	return nil
}
