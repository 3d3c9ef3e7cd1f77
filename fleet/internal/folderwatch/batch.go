package folderwatch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/fleet/internal/counted"
	"github.com/profarc/profarc/formats/codec"
	account "github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

type Batch struct {
	Merged  int   `json:"merged"`  // files whose counts are in the archive now
	Bytes   int64 `json:"bytes"`   // bytes of the merged files
	Known   int   `json:"known"`   // files whose counts the archive already had
	Removed int   `json:"removed"` // removed files, merged or known
	InUse   int   `json:"in_use"`  // files left alone because a process writes to them
	// Aside are files that cannot be merged. They stay where they are. Each is named once, and again after it has changed.
	Aside   []Aside      `json:"-"`
	Lost    codec.Losses `json:"lost"`          // losses of all merged files
	Archive int64        `json:"archive_bytes"` // bytes of the archive; 0 if it did not change
	Dumps   int          `json:"dumps"`         // number of dumps in the archive; 0 if it did not change
	State   State        `json:"-"`
}

// A State is the state of the folder and of the archive after a batch, whether or not the batch changed it.
type State struct {
	Files int     // files in the folder when the batch began, without hidden ones
	Aside []error // reasons of all files that are set aside
	Size  int64   // bytes of the archive; 0 without one
	Dumps int     // number of dumps in the archive
}

type Aside struct {
	Path   string
	Reason error
}

func (b *Batch) DidAnything() bool { return b.Merged+b.Known+b.Removed+len(b.Aside) > 0 }

type openBatch struct {
	*Batch
	w       *Watcher
	ledger  *counted.Ledger
	archive *reader.Store    // archive before the batch; nil if there was none
	sum     *builder.Builder // nil until a file is merged
	claimed string           // folder of the files claimed by this batch
	remove  []*input         // files to remove after publishing
	settle  []candidate      // files to keep, settled after publishing
}

// mergeBatch merges a batch, which ends early with ctx. After an error, the archive is either unchanged or complete,
// and the next batch takes up the claimed files.
func (w *Watcher) mergeBatch(ctx context.Context) (*Batch, error) {
	until := ctx
	ctx = context.WithoutCancel(ctx)
	m := &openBatch{Batch: &Batch{Lost: codec.Losses{}}, w: w,
		ledger: counted.NewLedger(hashInputs)}
	defer m.closeFiles()
	if err := m.openTarget(); err != nil {
		return m.Batch, err
	}
	candidates, err := w.candidates()
	if err != nil {
		return m.Batch, err
	}
	w.unsettled = 0
	most := m.maxFiles()
	for _, c := range candidates {
		if err := m.addFile(ctx, c); err != nil {
			return m.Batch, err
		}
		if m.Merged >= most || m.Bytes >= maxBatchBytes || until.Err() != nil {
			break
		}
	}
	err = m.publishBatch(ctx)
	m.describeState()
	return m.Batch, err
}

// describeState completes the state. openTarget has set the size of the archive that the batch did not change.
func (m *openBatch) describeState() {
	m.State.Files = m.w.files
	m.State.Dumps = len(m.ledger.IDs)
	if m.Merged > 0 {
		m.State.Size, m.State.Dumps = m.Archive, m.Dumps
	}
	for _, s := range m.w.seen {
		if s.aside != nil {
			m.State.Aside = append(m.State.Aside, s.aside)
		}
	}
}

// maxFiles returns the maximum number of files to merge. It grows with the number of dumps in the archive, so that
// copying the archive for each batch takes time proportional to the number of all files. Files to be removed stay open
// until then, which limits their number.
func (m *openBatch) maxFiles() int {
	most := max(minBatchFiles, len(m.ledger.IDs))
	if m.w.o.Remove {
		return min(most, maxOpenFiles)
	}
	return most
}

func (m *openBatch) closeFiles() {
	for _, in := range m.remove {
		in.file.Close()
	}
	if m.archive != nil {
		m.archive.Close()
	}
}

// openTarget reads the archive's ledger. If another program replaced the archive, all files are examined again.
func (m *openBatch) openTarget() (err error) {
	var id [16]byte
	m.archive, err = openArchive(m.w.out)
	if err != nil {
		return err
	}
	if s := m.archive; s != nil {
		id = s.Header().DumpID
		m.State.Size = s.Header().FileSize
		err = s.Mapping().Guard(func() error { return m.ledger.AddStore(s) })
	}
	if id != m.w.published {
		m.w.seen = map[string]sighting{}
		m.w.published = id
	}
	return err
}

// addFile merges, skips or sets aside a file. It returns only errors that are not caused by the file.
func (m *openBatch) addFile(ctx context.Context, c candidate) error {
	in, err := m.w.openInput(c)
	if err != nil {
		return m.leaveFile(c, err)
	}
	owned := false
	defer func() {
		if !owned {
			in.file.Close()
		}
	}()
	p, err := m.w.readInput(ctx, in, m.ledger)
	if p.store != nil {
		defer p.store.Close()
	}
	if err == nil && (p.set != nil || p.store != nil) {
		err = m.mergeProfile(ctx, in, &p)
	} else if err == nil {
		err = m.w.claimInput(m, in)
		if err == nil {
			m.Known++
		}
	}
	var fatal fatalError
	switch {
	case errors.As(err, &fatal):
		return fatal.error
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return m.leaveFile(c, err)
	}
	owned = in.claimed
	if owned {
		delete(m.w.seen, c.path)
		m.remove = append(m.remove, in)
	} else {
		m.settle = append(m.settle, c)
	}
	return nil
}

// A fatalError is not caused by a file.
type fatalError struct{ error }

func (m *openBatch) leaveFile(c candidate, err error) error {
	switch s, seen := m.w.seen[c.path]; {
	case errors.Is(err, fs.ErrNotExist):
		delete(m.w.seen, c.path)
	case errors.Is(err, errUnwritten): // a later batch takes it after it is written
	case errors.Is(err, errInUse):
		m.InUse++
		if errors.Is(err, errUnsettled) {
			m.w.unsettled++
		}
		if !seen || !unchanged(s.info, c.info) {
			m.w.seen[c.path] = sighting{info: c.info, since: time.Now()}
		}
	default:
		m.Aside = append(m.Aside, Aside{c.path, err})
		m.w.seen[c.path] = sighting{c.info, time.Now(), true, err}
	}
	return nil
}

func (w *Watcher) settledSince(c candidate) bool {
	s, ok := w.seen[c.path]
	return ok && unchanged(s.info, c.info) && time.Since(s.since) >= settling
}

func (m *openBatch) mergeProfile(ctx context.Context, in *input, p *profile) error {
	first := m.sum == nil
	if err := m.beginSum(ctx, &p.header); err != nil {
		return err
	}
	batch, err := m.sum.Internal().Begin()
	if err != nil {
		return fatalError{err}
	}
	defer func() {
		batch.Rollback() // does nothing after Commit
		if first && m.Merged == 0 && m.archive == nil {
			m.sum = nil // the next input decides the domain
		}
	}()
	err = p.addTo(ctx, m.sum, in.path)
	if broken := m.sum.Err(); broken != nil && (!first || m.archive != nil) {
		return fatalError{broken}
	}
	if err == nil {
		err = m.w.claimInput(m, in)
	}
	if err != nil {
		return err
	}
	if err := batch.Commit(); err != nil {
		return fatalError{err}
	}
	m.Merged++
	m.Bytes += in.info.Size()
	for _, l := range p.lost {
		m.Lost.Add(l.What, l.Count)
	}
	if p.set != nil {
		m.ledger.AddDump(p.header.DumpID, p.header.DumpTime)
		return nil
	}
	return m.ledger.AddStore(p.store)
}

func (m *openBatch) beginSum(ctx context.Context, h *layout.Header) error {
	if m.sum != nil {
		return nil
	}
	if m.archive != nil {
		h = m.archive.Header()
	}
	sum := builder.New(h.Domain, builder.Config{Params: h.Params, SpillFolder: filepath.Dir(m.w.out)})
	if s := m.archive; s != nil {
		if err := s.Mapping().Guard(func() error { return merge.Into(ctx, sum, s, merge.Run{}) }); err != nil {
			return fatalError{err}
		}
	}
	m.sum = sum
	return nil
}

// accountForAside adds the files that were set aside to the account of the archive, unless it has them. A continuous
// watcher tries them again, and so adds none.
func (m *openBatch) accountForAside() {
	b := m.sum.Internal()
	merging.NoteOperation(b)
	if m.w.continuous {
		return
	}
	bad := slices.Clone(m.w.o.Missing)
	for _, aside := range m.Aside {
		bad = append(bad, account.LeftOut(aside.Path, aside.Reason, false))
	}
	counted.AddInputs(b, bad)
}

func (m *openBatch) publishBatch(ctx context.Context) error {
	if m.Merged > 0 {
		m.w.traceStep("publish")
		if m.archive != nil { // some systems cannot replace a mapped file
			m.archive.Close()
			m.archive = nil
		}
		m.accountForAside()
		r, err := m.sum.Commit(ctx, m.w.out)
		if err != nil {
			return err
		}
		m.Archive, m.Dumps, m.w.published = r.Bytes, merging.Dumps(m.sum.Internal()), r.DumpID
	}
	m.w.traceStep("published")
	for _, c := range m.settle {
		m.w.seen[c.path] = sighting{info: c.info, settled: true}
	}
	for _, in := range m.remove {
		if err := m.removeMerged(in); err != nil {
			return err
		}
	}
	return nil
}

// removeMerged removes a file whose counts are in the archive. It keeps a file that a process has appended to since.
func (m *openBatch) removeMerged(in *input) error {
	delete(m.w.seen, in.path)
	m.w.traceStep("remove")
	if err := in.checkUnchanged(); err != nil {
		return m.leaveFile(in.candidate, ErrChanged)
	}
	if err := os.Remove(in.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	m.Removed++
	_ = os.Remove(filepath.Dir(in.path)) // the folder of a batch stays until it is empty
	return nil
}
