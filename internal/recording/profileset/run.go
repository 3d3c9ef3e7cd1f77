package profileset

import (
	"cmp"
	"os"
	"sync"
	"time"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/internal/system/procfs"
	"github.com/profarc/profarc/internal/system/secrets"
	"github.com/profarc/profarc/layout"
)

type RunRules struct {
	Weight    layout.Weight // factor for its counts; 0 means layout.WeightOne
	AsLLVM    bool          // merge as llvm-profdata does
	FileOrder bool          // the profiles are in the order of a file
	Source    string        // name of the input, for the account of losses; may be empty
	Line      int           // line of the profile in the input; 0 if it has none
}

// NextRun begins another run. Later profiles are merged with the profiles of earlier runs. Recording a profile twice in
// a run fails with ErrDuplicate.
func (b *Set) NextRun(r RunRules) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Mixed = b.Mixed || b.Profiles.Len() > 0 || len(b.Tables) > 0
	b.Ordered = b.nextOrder(r)
	b.Run = b.NewRun(r)
}

// AtLine sets the line from which the next profiles of the current run come.
func (b *Set) AtLine(line int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Run.Line = line
}

// CurrentRun returns the run for new profiles. Their entries must have the shape that the set has now.
func (b *Set) CurrentRun() Run {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Shaped = ShapeUse{Types: true, Returns: true}
	return b.Run
}

// nextOrder returns the order of profiles that is kept when another run begins.
func (b *Set) nextOrder(r RunRules) keptOrder {
	switch first := b.Profiles.Len() == 0; {
	case r.AsLLVM && (first || b.Ordered == mergeOrder):
		return mergeOrder
	case r.FileOrder && (first || b.Ordered == fileOrder):
		return fileOrder
	}
	return NoOrder
}

type keptOrder uint8

const (
	NoOrder    keptOrder = iota
	fileOrder            // order in the only file
	mergeOrder           // order in which llvm-profdata reads the profiles
)

// listFirstOrder creates the order table of LLVM's profiles if their order is kept. The caller holds mu.
func (b *Set) listFirstOrder() {
	if b.Ordered == NoOrder || !b.Domain.LLVM() {
		return
	}
	t := &Table{b: b, Kind: disk.TableOrder, Columns: []disk.ColumnKind{disk.ColumnProfile}}
	if b.Ordered == fileOrder {
		t.Flags = disk.OrderOfFile
	}
	for i := range b.Profiles.Len() {
		t.Cells = append(t.Cells, uint64(i+1)) // references ascend in the order of recording
	}
	b.Tables[disk.TableOrder] = t
}

// A Run is a training run with a number. The number detects profiles that a run records twice.
type Run struct {
	RunRules
	number uint32
	Time   int64 // time of the dump in nanoseconds since 1970; 0 if unknown
}

func (b *Set) NewRun(r RunRules) Run {
	b.runs++
	return Run{RunRules: r, number: b.runs}
}

type Dump struct {
	ID     [16]byte
	Time   int64
	Weight layout.Weight
}

// A RunKey identifies the counts of a process since a moment. A dump of these counts includes the counts of all earlier
// dumps with the same key.
type RunKey struct {
	Process layout.Process
	Since   [16]byte
}

func RunKeyOf(r layout.Provenance) RunKey { return RunKey{Process: r.Process, Since: r.Since} }

// A ShapeUse records the parts of a shape on which any entry depends.
type ShapeUse struct {
	Types   bool // receiver rows and the gap before them
	Returns bool // rows of a Ret
}

// ThisProcess returns the identity of this process, or the zero Process if the system does not provide it.
var ThisProcess = sync.OnceValue(func() layout.Process {
	id, _ := procfs.Identify(os.Getpid())
	return layout.Process(id)
})

// CountedSince records the earlier dump at which the counts of this dump begin. The caller holds mu.
func (b *Set) CountedSince(dump [16]byte) {
	b.since = cmp.Or(b.since, dump)
	t := b.Tables[disk.TableRuns]
	if t == nil {
		return
	}
	own := disk.RunRowOf(&layout.Provenance{DumpID: b.Heading.DumpID, Since: dump}).Words
	for at := 0; at < len(t.Cells); at += len(t.Columns) {
		if row := t.Cells[at:]; row[0] == own[0] && row[1] == own[1] && row[2] == 0 && row[3] == 0 {
			copy(row[2:4], own[2:4])
		}
	}
}

// DescribeRun records the run of the dump. It sets DumpID and Time of the run to the archive's. A zero Process means
// this process and its current counts. If the archive has no dump ID, it gets one derived from the run's process and
// the archive's time. If either is unknown, the ID is random, so that two runs with equal counts stay distinct. If the
// archive has no fingerprint, it gets the fingerprint of the run's program. Secrets are masked.
func (b *Set) DescribeRun(run layout.Provenance) {
	b.mu.Lock()
	c := &b.Heading
	if run.Process == (layout.Process{}) {
		run.Process, run.Since = ThisProcess(), cmp.Or(run.Since, b.since)
		if run.Process.Known() && c.DumpTime.IsZero() {
			c.DumpTime = time.Now()
		}
	}
	if c.DumpID == ([16]byte{}) && run.Process.Known() && !c.DumpTime.IsZero() {
		c.DumpID = disk.DumpID(run.Process, run.Since, c.DumpTime)
	}
	if c.Fingerprint == ([16]byte{}) {
		c.Fingerprint = disk.Fingerprint(run.VM, run.ClassPath)
	}
	if c.DumpID == ([16]byte{}) {
		c.DumpID = disk.RandomDumpID()
	}
	run.DumpID = c.DumpID
	run.Time = c.DumpTime
	run.Command, run.Options = secrets.MaskLine(run.Command), secrets.MaskOptionsLine(run.Options)
	b.mu.Unlock()
	row := disk.RunRowOf(&run)
	cells := append([]uint64(nil), row.Words[:]...)
	for _, text := range row.Texts {
		cells = append(cells, uint64(b.optionalSymbol(text)))
	}
	b.Table(disk.TableRuns, 0).Row(cells...)
	for i, e := range run.ClassPath {
		b.Table(disk.TableClassPath, 0).Row(
			row.Words[disk.RunClassPath], uint64(i), uint64(b.optionalSymbol(e.Path)), uint64(e.Kind), e.Size, e.Sum)
	}
}

func (b *Set) optionalSymbol(text string) intern.SymbolRef {
	if text == "" {
		return 0
	}
	return b.Symbol(text)
}

// NameDump makes the identity of the dump depend on a name. It does nothing if the identity is derived from the content
// later.
func (b *Set) NameDump(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if id := &b.Heading.DumpID; *id != ([16]byte{}) {
		*id = disk.ContentID(append(id[:], name...))
	}
}
