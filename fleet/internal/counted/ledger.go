// Package counted records which files and objects an archive has. Its table of dumps has them, by the dump ids that
// this package gives to files and objects that are no archives.
package counted

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/profarc/profarc/internal/recording/copier"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Hash is a hash function of 64 bits.
type Hash func(data []byte) uint64

// An ID is the dump id of a file or an object that is no archive:
//
//	bytes 0 to 7   hash of "profarc watch", NUL, and its name
//	bytes 8 to 15  hash of its content, XOR the hash of its time
//
// with the time in nanoseconds since 1970, which the table of dumps has too. So the table shows whether a file with a
// name was merged, and which content it had.
type ID = [16]byte

// NewID returns the dump id of a name, the hash of its content, and its time.
func (h Hash) NewID(name string, content uint64, at int64) (id ID) {
	binary.LittleEndian.PutUint64(id[:], h.hashName(name))
	binary.LittleEndian.PutUint64(id[8:], content^h.hashTime(at))
	return id
}

func (h Hash) hashName(name string) uint64 { return h([]byte("profarc watch\x00" + name)) }
func (h Hash) hashTime(at int64) uint64    { return h(binary.LittleEndian.AppendUint64(nil, uint64(at))) }

// A Ledger has the dumps of an archive, and the last one of each run.
type Ledger struct {
	IDs      map[ID]bool
	runs     map[profileset.RunKey]layout.Provenance
	hash     Hash
	contents map[uint64][]Content // by hash of the name
}

// A Content is what a file or an object had when it was merged.
type Content struct {
	Hash uint64
	At   int64 // time in nanoseconds since 1970
}

// NewLedger returns the ledger of an empty archive.
func NewLedger(h Hash) *Ledger {
	return &Ledger{map[ID]bool{}, map[profileset.RunKey]layout.Provenance{}, h, map[uint64][]Content{}}
}

// AddStore adds the dumps of an archive.
func (l *Ledger) AddStore(s *reader.Store) error {
	dumps, err := copier.Dumps(s)
	if err != nil {
		return err
	}
	for _, d := range dumps {
		l.AddDump(d.ID, d.Time)
	}
	runs, err := s.Runs()
	for _, r := range runs { // sorted by time
		if r.Process.Known() && r.DumpID != (ID{}) {
			l.runs[profileset.RunKeyOf(r)] = r
		}
	}
	return err
}

// AddDump adds a dump of the time at, in nanoseconds since 1970.
func (l *Ledger) AddDump(id ID, at int64) {
	name := binary.LittleEndian.Uint64(id[:])
	l.IDs[id] = true
	l.contents[name] = append(l.contents[name], Content{binary.LittleEndian.Uint64(id[8:]) ^ l.hash.hashTime(at), at})
}

// HasAll reports whether the ledger has each dump of an archive, or a later one of the same process. It also returns
// the number of these dumps.
func (l *Ledger) HasAll(s *reader.Store) (known bool, number int, err error) {
	dumps, errDumps := copier.Dumps(s)
	runs, errRuns := s.Runs()
	if err := cmp.Or(errDumps, errRuns); err != nil {
		return false, 0, err
	}
	later := map[ID]bool{} // dumps superseded by one of the ledger
	for _, r := range runs {
		if have, ok := l.runs[profileset.RunKeyOf(r)]; ok && r.Process.Known() && have.Time.After(r.Time) &&
			(have.Selection == "" || have.Selection == r.Selection) {
			later[r.DumpID] = true
		}
	}
	for _, d := range dumps {
		if !l.IDs[d.ID] && !later[d.ID] {
			return false, len(dumps), nil
		}
	}
	return true, len(dumps), nil
}

// Contents returns what was merged under a name.
func (l *Ledger) Contents(name string) []Content { return l.contents[l.hash.hashName(name)] }

// A Finding says whether the counts of a file or an object are in the archive.
type Finding int

// Findings.
const (
	New Finding = iota
	Known
	Changed // the name was merged with other content
)

// LookUp looks up a file or an object that is no archive by its name and the hash of its content. A name means one
// file, whose time can change.
func (l *Ledger) LookUp(name string, content uint64) Finding {
	merged := l.Contents(name)
	switch {
	case len(merged) == 0:
		return New
	case slices.ContainsFunc(merged, func(m Content) bool { return m.Hash == content }):
		return Known
	}
	return Changed
}
