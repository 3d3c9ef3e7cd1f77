package watcher

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/recording/copier"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/reader"
)

type ledger struct {
	dumps map[[16]byte]bool
	names map[uint64][]namedContent        // contents by hash of the name
	runs  map[profileset.RunKey]countedRun // last dump of each run
}

type namedContent struct {
	content uint64
	at      int64
}

type countedRun struct {
	at        time.Time
	selection string
}

func newLedger() *ledger {
	return &ledger{dumps: map[[16]byte]bool{}, names: map[uint64][]namedContent{},
		runs: map[profileset.RunKey]countedRun{}}
}

func openArchive(path string) (*reader.Store, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return reader.Open(path, archive.Options{})
}

func (l *ledger) addDump(id inputID, at int64) {
	l.dumps[id] = true
	l.names[id.nameHash()] = append(l.names[id.nameHash()], namedContent{id.contentHash(at), at})
}

func (l *ledger) addStore(s *reader.Store) error {
	dumps, err := copier.Dumps(s)
	if err != nil {
		return err
	}
	for _, d := range dumps {
		l.addDump(d.ID, d.Time)
	}
	runs, err := s.Runs()
	for _, r := range runs { // sorted by time
		if r.Process.Known() && r.DumpID != ([16]byte{}) {
			l.runs[profileset.RunKeyOf(r)] = countedRun{r.Time, r.Selection}
		}
	}
	return err
}

type finding int

const (
	isNew finding = iota
	isKnown
	isChanged // a file of this name was merged with other content
)

// lookUpFile looks up a file that is no archive. If merged files are removed, the same name later means another file.
// Otherwise a name means one file, whose time can change.
func (l *ledger) lookUpFile(id inputID, content uint64, removes bool) finding {
	if l.dumps[id] {
		return isKnown
	}
	merged := l.names[id.nameHash()]
	if removes || len(merged) == 0 {
		return isNew
	}
	for _, m := range merged {
		if m.content == content {
			return isKnown
		}
	}
	return isChanged
}

func (l *ledger) lookUpArchive(s *reader.Store) (finding, error) {
	dumps, errDumps := copier.Dumps(s)
	runs, errRuns := s.Runs()
	if err := cmp.Or(errDumps, errRuns); err != nil {
		return isNew, err
	}
	later := map[[16]byte]bool{} // dumps superseded by a counted one
	for _, r := range runs {
		if have, ok := l.runs[profileset.RunKeyOf(r)]; ok && r.Process.Known() && have.at.After(r.Time) &&
			(have.selection == "" || have.selection == r.Selection) {
			later[r.DumpID] = true
		}
	}
	for _, d := range dumps {
		if !l.dumps[d.ID] && !later[d.ID] {
			return isNew, nil
		}
	}
	return isKnown, nil
}
