package watcher

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

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

// newClaims makes a folder for the claimed files of a batch.
func (w *Watcher) newClaims() (string, error) {
	all := filepath.Join(w.folder, claimsFolder)
	if err := os.Mkdir(all, 0o700); err != nil && !os.IsExist(err) {
		return "", err
	}
	return os.MkdirTemp(all, "")
}
