package watcher

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/reader"
)

// Why a file is set aside, to match with errors.Is. The errors of its format, and of merging, are others.
var (
	// ErrChanged is returned for a file that changed after it was merged and kept.
	ErrChanged = errors.New("it was merged with other content before, and may have what was counted then: " +
		"let each run write a file of its own, or let what was merged be removed")
	// ErrLarge is returned for a file larger than Options.MaxInput.
	ErrLarge = errors.New("it is larger than a file may be")
)

// errInUse means that a process may still write to a file, and errUnsettled that this is unknown
// for a recent file. errUnwritten means that the file is empty, as LLVM's
// runtime leaves its file until the program ends.
var (
	errInUse     = errors.New("in use")
	errUnwritten = errors.New("not written yet")
	errUnsettled = fmt.Errorf("perhaps %w", errInUse)
)

// An input is an open candidate, locked against LLVM's runtime.
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

// checkReady locks an input. It returns an error if the input is incomplete.
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

// checkUnchanged returns an error unless the input is still the file at its path, and unmodified.
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

type profile struct {
	store *reader.Store // nil if the ledger has the input
	lost  codec.Losses
}

// readInput reads an input, unless the ledger has it.
func (w *Watcher) readInput(ctx context.Context, in *input, l *ledger) (profile, error) {
	if in.isArchive() {
		return in.readArchive(l)
	}
	content, err := hashContent(io.NewSectionReader(in.file, 0, in.info.Size()))
	if err != nil {
		return profile{}, err
	}
	id := newInputID(in.name, content, in.info.ModTime().UnixNano())
	switch l.lookUpFile(id, content, w.o.Remove) {
	case isKnown:
		return profile{}, nil
	case isChanged:
		return profile{}, ErrChanged
	}
	found, err := formats.Import(ctx, formats.Files(in.path), formats.ImportOptions{Unordered: true,
		Config: builder.Config{DumpID: id, DumpTime: in.info.ModTime(), SpillFolder: filepath.Dir(w.out)}})
	if err != nil {
		return profile{}, err
	}
	s, err := found.Builder.Open(in.path)
	return profile{s, found.Lost}, err
}

func (in *input) readArchive(l *ledger) (profile, error) {
	s, err := reader.Open(in.path, archive.Options{})
	if err != nil {
		return profile{}, err
	}
	what := isNew
	err = s.Mapping().Guard(func() (err error) {
		what, err = l.lookUpArchive(s)
		return err
	})
	if err != nil || what == isKnown {
		s.Close()
		return profile{}, err
	}
	return profile{store: s}, nil
}
