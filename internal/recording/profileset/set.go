package profileset

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/spill"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/intern"
	"github.com/profarc/profarc/internal/recording/methoddata"
	"github.com/profarc/profarc/layout"
)

// ErrMismatch means that two archives cannot be merged.
var ErrMismatch = errors.New("archives do not fit together")

// ErrDomain means that the domain is unknown, or does not have the recorded entry.
var ErrDomain = errors.New("the domain does not fit")

// A Set holds the content of an archive. Exported methods take the lock, except those whose doc comment requires that
// the caller holds mu.
type Set struct {
	Domain layout.Domain
	Room   int // minimum number of rows of a wide type profile

	Workers  int                     // number of goroutines that write an archive; 0 means GOMAXPROCS
	Progress func(done, total int64) // called with the number of written bytes and of all bytes; can be nil

	mu sync.Mutex
	contents
	Symbols  intern.Symbols
	Types    intern.Table[typeKey, typeData]
	Methods  methods
	Contexts contexts
	Profiles intern.List[ProfileData]
	Versions map[ProfileKey]ProfileRef // all profiles except the first of each method and context
	Tables   map[disk.TableKind]*Table
	Blocks   spill.Store
	merger   methoddata.Merger
	Partial  bool   // the set is a part of a merge, so that its account has more than its counts
	block    []byte // block of the last function
	scratch  []byte // copy of the last changed block of the spill file

	Dumps  map[[16]byte]Dump   // merged dumps, by ID; Put adds to this map and the next two
	Copied map[[16]byte]Source // archives from which merged or copied dumps came, by ID
	RunIDs map[RunKey][16]byte // ID of the last dump of each run

	runs uint32 // number of runs

	listedVersions bool // TableVersions was listed from the profiles

	Base *layout.BaseArchive // base of the merged archives; nil if they are no layers

	open         map[uint64]MethodRef // methods of unfinished recordings, by number of the recording
	recordings   uint64               // number of recordings
	hasDiscarded bool                 // a profile can lack its block because it was discarded

	explained  ledger.Loss                 // operation and reason of differences; see Explain
	weighed    map[ledger.Unit]weighed     // effect of weights since the last flushLosses
	unmerged   map[ledger.Unit]*lossOfUnit // losses of merges since the last flushLosses
	since      [16]byte                    // ID of the dump that increments begin with; zero for totals
	Duplicates int                         // number of profiles refused with ErrDuplicate
	batch      *Batch                      // open batch, or nil
	era        int                         // number of batches that began or ended
	refused    error                       // reason why the set refuses all profiles
}

// contents are the fields that a rollback restores by assignment.
type contents struct {
	Heading     Heading
	Shape       disk.Shape
	Run         Run       // current run
	Mixed       bool      // the set has several runs
	Ordered     keptOrder // order of the profiles' references
	united      int       // number of table rows after they were last united
	Shaped      ShapeUse  // parts of Shape on which entries depend
	unmatchable uint64    // number of merged profiles whose methods can differ
	err         error

	SampleTypes disk.SampleTypes // types of the merged archives' samples; zero before the first
}

// A Source is an archive from which dumps were copied.
type Source struct {
	Name  string // file name
	Dumps int    // number of its dumps
}

// A Heading is the part of an archive's header that describes the dump.
type Heading struct {
	Params      layout.Params
	Producer    string
	ProducerID  [16]byte
	Fingerprint [16]byte
	DumpID      [16]byte // derived from the content if zero
	DumpTime    time.Time
	Flags       uint64
}

// New returns an empty set. memory configures the storage of blocks. If the arguments are invalid, the set has an error
// and refuses all profiles.
func New(domain layout.Domain, heading Heading, memory spill.Config) *Set {
	b := &Set{Blocks: spill.Store{Config: memory}, Domain: domain,
		contents: contents{Heading: heading, Shape: disk.ShapeOfParams(&heading.Params)},
		Dumps:    map[[16]byte]Dump{}, Copied: map[[16]byte]Source{}, RunIDs: map[RunKey][16]byte{},
		Tables: map[disk.TableKind]*Table{}, Versions: map[ProfileKey]ProfileRef{}, open: map[uint64]MethodRef{}}
	b.Symbols.ByNameRef = domain.LLVM()
	b.merger = methoddata.Merger{LLVM: domain.LLVM(), Refs: b, Lost: ledger.Totals{},
		Saturated: map[ledger.Unit]bool{}}
	b.Run = b.NewRun(RunRules{})
	if !disk.KnownDomain(domain) {
		b.failWith(fmt.Errorf("%w: there is no domain %d", ErrDomain, uint32(domain)))
	}
	if err := disk.CheckParams(&heading.Params); err != nil {
		b.failWith(err)
	}
	if err := heading.checkHeading(); err != nil {
		b.failWith(err)
	}
	if domain != layout.DomainCustom && heading.ProducerID != [16]byte{} {
		b.failWith(fmt.Errorf("a producer id in an archive of domain %s: only %s has one", domain, layout.DomainCustom))
	}
	b.refused = b.err
	return b
}

// GiveRoom sets the minimum number of rows of wide type profiles.
func (b *Set) GiveRoom(rows int) {
	b.Room = rows
	if rows < 0 || rows > disk.MaxRows {
		b.Room = 0
		b.failWith(fmt.Errorf("room for %d receivers in each type profile: 0 to %d are possible", rows, disk.MaxRows))
		b.refused = b.err
	}
}

// DescribeHeader sets the fields of a header that describe the dump. The caller holds mu.
func (b *Set) DescribeHeader(h *layout.Header) {
	c := &b.Heading
	h.Domain = b.Domain
	h.Params = c.Params
	h.Producer = c.Producer
	h.ProducerID = c.ProducerID
	h.Fingerprint = c.Fingerprint
	h.DumpID = c.DumpID
	h.Flags = c.Flags
	if !c.DumpTime.IsZero() {
		h.DumpTime = c.DumpTime.UnixNano()
	}
}

const maxProducer = 64

func (h *Heading) checkHeading() error {
	switch {
	case len(h.Producer) > maxProducer:
		return fmt.Errorf("a producer of %d bytes, at most %d are kept: shorten %.20q", len(h.Producer), maxProducer,
			h.Producer)
	case strings.IndexByte(h.Producer, 0) >= 0:
		return fmt.Errorf("a producer holds a NUL byte: %q", h.Producer)
	case !h.DumpTime.IsZero() && !time.Unix(0, h.DumpTime.UnixNano()).Equal(h.DumpTime):
		return fmt.Errorf("a dump of %s: times reach from 1678 to 2262", h.DumpTime)
	case h.Flags&^disk.KnownFlags != 0:
		return fmt.Errorf("unknown flags %#x", h.Flags&^disk.KnownFlags)
	}
	return nil
}

// failWith keeps the first error. The caller holds mu, or has not shared b yet.
func (b *Set) failWith(err error) {
	if b.err == nil {
		b.err = fmt.Errorf("builder: %w", err)
	}
}

// Fail sets the error of the set unless it has one. The caller holds mu.
func (b *Set) Fail(err error) { b.failWith(err) }

// Lock takes the lock. Until Unlock the caller can use the fields of the set, and the methods that require the lock.
func (b *Set) Lock()   { b.mu.Lock() }
func (b *Set) Unlock() { b.mu.Unlock() }

// Locked calls f with the lock held.
func (b *Set) Locked(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}

func (b *Set) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// Symbol interns any string of bytes, for tables.
func (b *Set) Symbol(text string) intern.SymbolRef {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.internSymbol(text, disk.MaxBlob)
}

// internSymbol interns text of at most limit bytes. The caller holds mu.
func (b *Set) internSymbol(text string, limit int) intern.SymbolRef {
	if err := checkLength(text, limit); err != nil {
		b.failWith(err)
		return 0
	}
	ref, _ := b.Symbols.Intern(text)
	return intern.SymbolRef(ref)
}

// internName interns a part of a key. "" returns 0. The caller holds mu.
func (b *Set) internName(text string) intern.SymbolRef {
	if text == "" {
		return 0
	}
	if err := CheckName(text); err != nil {
		b.failWith(err)
		return 0
	}
	return b.internSymbol(text, disk.MaxName)
}

// CheckName returns an error if text can be neither a part of a key nor the name of a type. It matches
// layout.ErrTooLarge.
func CheckName(text string) error {
	if strings.IndexByte(text, 0) >= 0 {
		return fmt.Errorf("%w: a name holds a NUL byte: %.80q", layout.ErrTooLarge, text)
	}
	return checkLength(text, disk.MaxName)
}

func checkLength(text string, limit int) error {
	if len(text) <= limit {
		return nil
	}
	return fmt.Errorf("%w: a name of %d bytes, at most %d are possible; it begins with %.40q", layout.ErrTooLarge,
		len(text), limit, text)
}

// CheckKey returns the error for a key that no method can have. It matches layout.ErrTooLarge.
func CheckKey(k layout.Key) error {
	if k.Class == "" && k.Loader != "" {
		return fmt.Errorf("%w: method %.80q has a loader and no class", layout.ErrTooLarge, k.Name)
	}
	return cmp.Or(CheckName(k.Class), CheckName(k.Name), CheckName(k.Signature), CheckName(k.Loader))
}

// Text returns the string of a symbol, or "" for 0. The caller holds mu.
func (b *Set) Text(s intern.SymbolRef) string {
	if s == 0 {
		return ""
	}
	return b.Symbols.Text(s)
}

func (b *Set) Params() layout.Params {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Heading.Params
}

// JoinParams merges the settings of another run into the set. The error matches ErrMismatch.
func (b *Set) JoinParams(p layout.Params, asLLVM bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !disk.ShapeOfParams(&p).SameSettings(b.Shape) {
		return fmt.Errorf("builder: %w: entries of the shape %+v, the builder has %+v", ErrMismatch,
			disk.ShapeOfParams(&p), b.Shape)
	}
	b.MergeParams(p, asLLVM)
	return nil
}

// MergeParams keeps the higher value of each setting, the bits of both for the variant of LLVM, and the versions of the
// oldest and the newest LLVM. llvm-profdata, which asLLVM imitates, keeps only the version of the newest. The caller
// holds mu.
func (b *Set) MergeParams(p layout.Params, asLLVM bool) {
	have := &b.Heading.Params
	if !asLLVM {
		disk.JoinLLVMVersions(&p, have.LLVMVersion, have.LLVMNewest)
		have.LLVMVersion = p.LLVMVersion
		have.LLVMNewest = p.LLVMNewest
	}
	theirs := disk.Settings(&p)
	for i, v := range disk.Settings(have) {
		switch i {
		case disk.SettingTypeProfileWidth, disk.SettingBciProfileWidth, disk.SettingReceiverGap: // settings of the shape
		case disk.SettingLLVMVariant:
			*v |= *theirs[i]
		default:
			*v = max(*v, *theirs[i])
		}
	}
}

// Unmatchable returns the number of profiles that were merged with a profile of another run although their key can name
// different methods in the two runs.
func (b *Set) Unmatchable() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.unmatchable
}

// Unmerged returns the number of entries that could not be merged.
func (b *Set) Unmerged() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.merger.Unmerged
}

// Prepare completes the tables before an archive is written. It returns the error of the set, or an error that names an
// unfinished profile. The caller holds mu.
func (b *Set) Prepare() error {
	if err := b.EndRuns(); err != nil {
		return err
	}
	b.listFirstOrder()
	b.internAccount()
	b.listVersions()
	b.sortSets()
	if err := b.listHot(); err != nil {
		return err
	}
	b.listShapes()
	return b.checkBase()
}

// EndRuns completes what Prepare and a merge need. The caller holds mu.
func (b *Set) EndRuns() error {
	if err := cmp.Or(b.err, b.WithoutBatch(), b.Unfinished()); err != nil {
		return err
	}
	if err := b.checkProducer(); err != nil {
		return fmt.Errorf("builder: %w", err)
	}
	if err := b.DropDiscarded(); err != nil {
		return err
	}
	if b.Mixed {
		b.uniteTables()
	}
	b.flushLosses()
	return nil
}

func (b *Set) ExpectBase(base layout.BaseArchive) {
	words := disk.BaseRowOf(base)
	b.Table(disk.TableBase, 0).Row(append(words[:], uint64(b.Symbol(base.Producer)))...)
}

func (b *Set) baseOf(row []uint64) layout.BaseArchive {
	return disk.BaseOfRow([disk.BaseWords]uint64(row), b.Text(intern.SymbolRef(row[disk.BaseWords])))
}

// checkBase returns an error if the archive would be a layer on several bases. Equal rows must be united before. The
// caller holds mu.
func (b *Set) checkBase() error {
	t := b.Tables[disk.TableBase]
	if t == nil || t.Rows() < 2 {
		return nil
	}
	return fmt.Errorf("%w: a layer on %s, and on %s", ErrMismatch, b.baseOf(t.Cells).ID(),
		b.baseOf(t.Cells[len(t.Columns):]).ID())
}
