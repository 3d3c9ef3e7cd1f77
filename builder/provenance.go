package builder

import (
	"crypto/rand"
	"errors"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// RandomDumpID makes an identity for a dump, for Config.DumpID. Without one the
// identity comes from the content: two runs that counted just the same would be
// taken for one dump.
func RandomDumpID() (id [16]byte) {
	_, _ = rand.Read(id[:]) // it cannot fail
	return id
}

// errNoIdentity: rows about a dump need its identity before it is written.
var errNoIdentity = errors.New("a run is described and its dump has no identity: " +
	"set Config.DumpID, for instance to RandomDumpID, or the process of the run and Config.DumpTime")

// DescribeRun says which run the dump is of, as Config.Run does: its DumpID and
// Time are those of the archive. A dump without an identity gets one by the run's
// process and the archive's time. An archive without a fingerprint gets that of
// the run's program.
func (b *Builder) DescribeRun(run layout.Provenance) {
	b.mu.Lock()
	c := &b.config
	if c.DumpID == ([16]byte{}) && run.Process.Known() && !c.DumpTime.IsZero() {
		c.DumpID = layout.DumpID(run.Process, run.Since, c.DumpTime)
	}
	if c.Fingerprint == ([16]byte{}) {
		c.Fingerprint = layout.Fingerprint(run.VM, run.ClassPath)
	}
	if c.DumpID == ([16]byte{}) {
		b.fail(errNoIdentity)
	}
	run.DumpID, run.Time = c.DumpID, c.DumpTime
	b.mu.Unlock()
	row := disk.RunRowOf(&run)
	cells := append([]uint64(nil), row.Words[:]...)
	for _, text := range row.Texts {
		cells = append(cells, uint64(b.optionalSymbol(text)))
	}
	b.Table(layout.TableRuns, 0, disk.TableColumns(layout.TableRuns)...).Row(cells...)
	for i, e := range run.ClassPath {
		b.Table(layout.TableClassPath, 0, disk.TableColumns(layout.TableClassPath)...).Row(
			row.Words[disk.RunClassPath], uint64(i), uint64(b.optionalSymbol(e.Path)), uint64(e.Kind), e.Size, e.Sum)
	}
}

// optionalSymbol interns a text of a table; no text is no symbol.
func (b *Builder) optionalSymbol(text string) SymbolRef {
	if text == "" {
		return 0
	}
	return b.Symbol(text)
}

// anonymousRun takes out of a row of TableRuns what names the program or the
// machine. Identities become others that are equal where they were.
func (a *Anonymizer) anonymousRun(row []uint64) {
	hash := func(at, words int) {
		cells := row[at : at+words]
		b := make([]byte, 0, 8*words)
		for _, w := range cells {
			b = le.AppendUint64(b, w)
		}
		known := le.Uint64(b)|le.Uint64(b[8:]) != 0
		clear(cells)
		if known {
			sum := a.sum(string(b))
			cells[0], cells[1] = le.Uint64(sum), le.Uint64(sum[8:])
		}
	}
	hash(0, 2) // dump
	hash(2, 2) // that it was counted from
	hash(4, 5) // process
	clear(row[disk.RunClassPath:])
}
