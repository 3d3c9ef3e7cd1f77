package live

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/layout"
)

type Refusal string

func (r Refusal) Error() string { return string(r) }

// The reasons for omitting a profile.
const (
	RefusedOwner Refusal = "MethodData that belong to another method"
	RefusedSize  Refusal = "MethodData of an impossible size"
	RefusedTag   Refusal = "MethodData with entries of a kind that came after JDK 25 outside their data: use a " +
		"newer profarc"
	RefusedData       Refusal = "MethodData whose data entries end elsewhere than their size says"
	RefusedExtra      Refusal = "MethodData whose extra entries end at a wrong place"
	RefusedParameters Refusal = "MethodData whose parameter entry ends at a wrong place"
	RefusedHandlers   Refusal = "MethodData whose handler entries end at a wrong place"
	RefusedType       Refusal = "MethodData with a type that no class loader has loaded"
	RefusedMethod     Refusal = "MethodData with a method that cannot be named"
	RefusedName       Refusal = "methods whose names cannot be read"
	RefusedTwice      Refusal = "methods that were found twice"
	RefusedShared     Refusal = "classes that share the methods of another class"
	RefusedMemory     Refusal = "MethodData that are no longer in memory"
	RefusedAdopting   Refusal = "MethodData that the agent was still writing an archive's counts to"
)

type Refused struct {
	Why     Refusal
	Count   int
	Example string // a method, if its name is known
}

// An Undecoded counts partly decoded profiles, up to an entry of a JDK after 25. The words from there on are kept
// unchanged. Such profiles can be read but are never adopted.
type Undecoded struct {
	Tag     layout.Tag // tag in the VM
	Count   int
	Example string // a method
}

func (u *Undecoded) Explanation() string {
	return fmt.Sprintf("MethodData with an entry of HotSpot's tag %d, which came after JDK 25, are raw from there on: "+
		"use a newer profarc", u.Tag)
}

// Recorded describes the profiles that a dump took.
type Recorded struct {
	Producer string `json:"producer,omitempty"` // name of the VM
	Methods  int    `json:"methods"`            // recorded profiles
	Entries  int    `json:"entries"`
	// Compilations is the number of recorded compilations, including code of methods without a profile.
	Compilations int         `json:"compilations"`
	Skipped      int         `json:"skipped"` // profiles that the options exclude
	Refused      []Refused   `json:"refused"`
	Undecoded    []Undecoded `json:"undecoded,omitempty"` // sorted by tag; Methods includes these profiles
}

type Report struct {
	Run       layout.Provenance // includes the content of the class path after Describe
	origin    *origin
	described bool
	Recorded
	Release int           // feature release, such as 17
	Adopted *Adopted      // nil if the JVM had adopted nothing
	Classes int           // loaded classes and arrays
	Loaders int           // class loaders
	Bytes   int64         // total size of all MethodData
	Running time.Duration // time of reading while the process ran
	Stopped time.Duration // time for which the process was held, 0 if it was not
	Threads int           // held threads
	// Consistent is whether all profiles show the same moment. It is false if the process was not held until the end.
	Consistent bool
}

func (r *Report) countRefused(why Refusal, n int, example *profiledMethod) {
	if n == 0 {
		return
	}
	i, ok := slices.BinarySearchFunc(r.Refused, why, func(x Refused, w Refusal) int { return cmp.Compare(x.Why, w) })
	if !ok {
		r.Refused = slices.Insert(r.Refused, i, Refused{Why: why})
	}
	r.Refused[i].Count += n
	if r.Refused[i].Example == "" {
		r.Refused[i].Example = example.displayName()
	}
}

func (r *Report) countUndecoded(tag layout.Tag, example *profiledMethod) {
	i, ok := slices.BinarySearchFunc(r.Undecoded, tag,
		func(x Undecoded, t layout.Tag) int { return cmp.Compare(x.Tag, t) })
	if !ok {
		r.Undecoded = slices.Insert(r.Undecoded, i, Undecoded{Tag: tag, Example: example.displayName()})
	}
	r.Undecoded[i].Count++
}

// The sentinels that errors of this package match.
var (
	// ErrUnsupported is the error on systems that cannot read another process.
	ErrUnsupported = errors.New("a live JVM can be read on 64-bit Linux only")
	ErrNoProcess   = errors.New("there is no such process")
	// ErrNotStarted is the error if the VM has loaded no class yet. It matches ErrStructure.
	ErrNotStarted = fmt.Errorf("%w: no classes", ErrStructure)
	// ErrZombie is the error if the process has ended and its parent has not waited for it.
	ErrZombie = errors.New("it has ended and is a zombie, whose memory is gone")
	// ErrGone is the error if the process ended, or executed another program, while it was read.
	ErrGone       = errors.New("the process ended while it was read, or became another program")
	ErrPermission = errors.New("no permission to read the process")
	// ErrTraced is the error if another process traces this one. The tracer's number follows.
	ErrTraced = errors.New("it is traced by process")
	// ErrNotHotSpot is the error if the process has no HotSpot VM.
	ErrNotHotSpot = errors.New("not a HotSpot JVM")
	// ErrOpenJ9 is the error for OpenJ9, which has no MethodData. It matches ErrNotHotSpot.
	ErrOpenJ9 = fmt.Errorf("%w but OpenJ9, which has no MethodData", ErrNotHotSpot)
	// ErrNoTables is the error for a HotSpot VM that does not export all required tables and fields.
	ErrNoTables  = errors.New("the JVM does not export the tables of its structures")
	ErrStructure = errors.New("the JVM's memory contradicts its tables")
)

var errFault = errors.New("no memory there")

// Names in the account of a dump.
const (
	accountFormat = "hotspot" // a running JVM
	notSelected   = "profiles that were not selected"
)

type account struct {
	totals ledger.Totals
	lost   map[string]*lostProfiles
}

type lostProfiles struct {
	profiles uint64
	totals   ledger.Totals
	first    string
}

func (b *build) totalsOf(f *profiledMethod) ledger.Totals {
	c := ledger.Counter{Shape: b.shape, Totals: ledger.Totals{}}
	if f.data == nil {
		return c.Totals
	}
	h := b.vm.schema.decodeHeader(f.data, f.counters)
	c.Totals.Add(ledger.Invocations, h.invocations)
	c.Totals.Add(ledger.Backedges, h.backedges)
	for _, e := range f.sections[disk.SectionData] {
		c.AddEntry(e)
	}
	return c.Totals
}

func (b *build) leaveOut(f *profiledMethod, reason string) {
	l := b.account.lost[reason]
	if l == nil {
		l = &lostProfiles{totals: ledger.Totals{}}
		b.account.lost[reason] = l
	}
	l.profiles++
	l.totals.AddAll(b.totalsOf(f))
	l.first = ledger.FirstLines(l.first, f.displayName())
}

func (b *build) addAccount() {
	set := b.Internal()
	set.AddInput(ledger.Input{Name: b.report.Run.Main, Format: accountFormat, State: ledger.Read, Times: 1,
		Totals: b.account.totals})
	set.AddLoss(ledger.Loss{Operation: ledger.OperationDump})
	for reason, l := range b.account.lost {
		set.AddLoss(ledger.Loss{Operation: ledger.OperationDump, Reason: reason, Things: l.profiles, First: l.first})
		for _, u := range ledger.SortedUnits(l.totals) {
			set.AddLoss(ledger.Loss{Operation: ledger.OperationDump, Reason: reason, Unit: u, Amount: l.totals[u]})
		}
	}
}
