package profileset

import (
	"errors"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/intern"
	"github.com/profarc/profarc/layout"
)

// errNoIdentity: rows about a dump need its identity before it is written.
var errNoIdentity = errors.New("a run is described and its dump has no identity: " +
	"set Config.DumpID, for instance to RandomDumpID, or the process of the run and Config.DumpTime")

// DescribeRun says which run the dump is of, as Config.Run does: its DumpID and
// Time are those of the archive. A dump without an identity gets one by the run's
// process and the archive's time. An archive without a fingerprint gets that of
// the run's program.
func (b *Set) DescribeRun(run layout.Provenance) {
	b.Mu.Lock()
	c := &b.Heading
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
	b.Mu.Unlock()
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
func (b *Set) optionalSymbol(text string) intern.SymbolRef {
	if text == "" {
		return 0
	}
	return b.Symbol(text)
}
