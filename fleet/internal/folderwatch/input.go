package folderwatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/fleet/internal/counted"
	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// Why a file is set aside, to match with errors.Is. The errors of its format, and of merging, are others.
var (
	// ErrChanged is returned for a file that changed after it was merged and kept.
	ErrChanged = errors.New("it was merged with other content before, and may have what was counted then: " +
		"let each run write a file of its own, or let what was merged be removed")
	// ErrLarge is returned for a file of more than Options.MaxInput bytes.
	ErrLarge = errors.New("it is larger than a file may be")
)

// errInUse means that a process may still write to a file, and errUnsettled that this is unknown for a recent file.
// errUnwritten means that the file is empty, as LLVM's runtime leaves its file until the program ends.
var (
	errInUse     = errors.New("in use")
	errUnwritten = errors.New("not written yet")
	errUnsettled = fmt.Errorf("perhaps %w", errInUse)
)

type input struct {
	candidate
	file *os.File
}

// openInput opens a candidate. The error matches errInUse if a process writes to it or may do so, and fs.ErrNotExist if
// it is gone.
func (w *Watcher) openInput(c candidate) (*input, error) {
	f, err := openRegular(c.path)
	if err != nil {
		return nil, err
	}
	in := &input{c, f}
	if err := w.checkReady(in); err != nil {
		f.Close()
		return nil, err
	}
	return in, nil
}

func (w *Watcher) checkReady(in *input) error {
	info, err := in.file.Stat()
	switch {
	case err != nil:
		return err
	case !unchanged(info, in.info):
		return errInUse
	case info.Size() == 0 && w.continuous:
		return errUnwritten
	}
	used, certain := openForWriting(in.file, in.path)
	switch {
	case used:
		return errInUse
	case !certain && !w.settledSince(in.candidate):
		return errUnsettled
	}
	if !lockForReading(in.file) {
		return errInUse
	}
	if info.Size() > w.o.MaxInput {
		return fmt.Errorf("%w: %d bytes, at most %d", ErrLarge, info.Size(), w.o.MaxInput)
	}
	return nil
}

func (in *input) checkUnchanged() error {
	now, err := in.file.Stat()
	there, err2 := os.Lstat(in.path)
	err = errors.Join(err, err2)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err != nil || !unchanged(now, in.info) || !os.SameFile(now, there) {
		return errInUse
	}
	return nil
}

func (in *input) isArchive() bool {
	head := make([]byte, schema.MagicSize)
	_, err := in.file.ReadAt(head, 0)
	return err == nil && schema.IsArchive(head)
}

// A profile is the content of an input. It has neither set nor store if the ledger has the input.
type profile struct {
	header layout.Header
	set    *profileset.Set // content of an imported file
	store  *reader.Store
	lost   codec.Losses
}

func (p *profile) addTo(ctx context.Context, sum *builder.Builder, name string) error {
	if p.set != nil {
		return merging.Target{Set: sum.Internal()}.AddSet(ctx, p.set, name, false)
	}
	return p.store.Mapping().Guard(func() error { return merge.Into(ctx, sum, p.store, merge.Run{}) })
}

func (w *Watcher) readInput(ctx context.Context, in *input, l *counted.Ledger) (profile, error) {
	if in.isArchive() {
		return in.readArchive(l)
	}
	content, err := hashContent(io.NewSectionReader(in.file, 0, in.info.Size()))
	if err != nil {
		return profile{}, err
	}
	id := hashInputs.NewID(in.name, content, in.info.ModTime().UnixNano())
	switch lookUpFile(l, id, in.name, content, w.o.Remove) {
	case counted.Known:
		return profile{}, nil
	case counted.Changed:
		return profile{}, ErrChanged
	}
	found, err := formats.Import(ctx, formats.Files(in.path), formats.ImportOptions{Unordered: true,
		Config: builder.Config{DumpID: id, DumpTime: in.info.ModTime(), SpillFolder: filepath.Dir(w.out)}})
	if err != nil {
		return profile{}, err
	}
	p := profile{set: found.Builder.Internal(), lost: found.Lost}
	p.set.Locked(func() { p.set.DescribeHeader(&p.header) })
	if !merging.CanAddSet(p.set) {
		p.set = nil
		p.store, err = found.Builder.Open(in.path)
	}
	return p, err
}

func (in *input) readArchive(l *counted.Ledger) (profile, error) {
	s, err := reader.Open(in.path, archive.Options{})
	if err != nil {
		return profile{}, err
	}
	known := false
	err = s.Mapping().Guard(func() (err error) {
		known, _, err = l.HasAll(s)
		return err
	})
	if err != nil || known {
		s.Close()
		return profile{}, err
	}
	return profile{header: *s.Header(), store: s}, nil
}

// hashInputs is XXH64.
var hashInputs counted.Hash = xxhash.Sum64

func hashContent(r io.Reader) (uint64, error) {
	h := xxhash.New()
	_, err := io.Copy(h, r)
	return h.Sum64(), err
}

// claimInput checks that an input is unchanged. If it will be removed, claimInput first moves it out of the folder, so
// that no process can append to it. The error matches errInUse if a process has it open; it is then tried again later.
func (w *Watcher) claimInput(m *openBatch, in *input) error {
	if !w.o.Remove || in.claimed {
		return w.checkUnused(in)
	}
	if m.claimed == "" {
		folder, err := w.newClaims()
		if err != nil {
			return fatalError{err}
		}
		m.claimed = folder
	}
	if err := w.checkUnused(in); err != nil {
		return err
	}
	w.traceStep("claim")
	to := filepath.Join(m.claimed, in.name)
	err := os.Rename(in.path, to)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // it may be gone
		return fatalError{err}
	}
	if err != nil {
		return err
	}
	in.path, in.claimed = to, true
	w.traceStep("claimed")
	// A process that looked the file up before the rename has it open by now.
	return w.checkUnused(in)
}

func (w *Watcher) checkUnused(in *input) error {
	if used, _ := openForWriting(in.file, in.path); used {
		return errInUse
	}
	return in.checkUnchanged()
}

func (w *Watcher) newClaims() (string, error) {
	all := filepath.Join(w.folder, claimsFolder)
	if err := os.Mkdir(all, 0o700); err != nil && !os.IsExist(err) {
		return "", err
	}
	return os.MkdirTemp(all, "")
}

func openArchive(path string) (*reader.Store, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return reader.Open(path, archive.Options{})
}

// lookUpFile looks up a file that is no archive. If merged files are removed, the same name later means another file.
func lookUpFile(l *counted.Ledger, id counted.ID, name string, content uint64, removes bool) counted.Finding {
	switch {
	case l.IDs[id]:
		return counted.Known
	case removes:
		return counted.New
	}
	return l.LookUp(name, content)
}
