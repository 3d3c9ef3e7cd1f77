package live

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/profarc/profarc/layout"
)

// A Refusal is the reason why profiles were left out.
type Refusal string

// Error makes a refusal an error.
func (r Refusal) Error() string { return string(r) }

// The reasons for leaving a profile out.
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

// A Refused counts the profiles that were left out for one reason.
type Refused struct {
	Why     Refusal
	Count   int
	Example string // a method, if its name is known
}

// An Undecoded counts the profiles that were decoded up to an entry that came after JDK 25,
// and have the words from there on as they are: they can be read, and are never adopted.
type Undecoded struct {
	Tag     layout.Tag // the VM's own
	Count   int
	Example string // a method
}

// Why describes in words why the profiles are not decoded to their ends.
func (u *Undecoded) Why() string {
	return fmt.Sprintf("MethodData with an entry of HotSpot's tag %d, which came after JDK 25, are raw from there on: "+
		"use a newer profarc", u.Tag)
}

// A Report describes a dump and its cost.
type Report struct {
	Run       layout.Provenance // with the content of the class path once Describe was called
	origin    *origin
	described bool
	Producer  string // the VM
	Release   int    // for instance 17
	Methods   int    // profiles that were taken
	Skipped   int    // profiles that the options exclude
	Refused   []Refused
	Undecoded []Undecoded // by tag; their profiles are among Methods
	Adopted   *Adopted    // nil if the JVM had adopted nothing
	Entries   int
	// Compilations is how many pieces of compiled code were recorded, also of methods without a profile.
	Compilations int
	Inlined      int           // calls that were inlined
	Classes      int           // classes and arrays that are loaded
	Loaders      int           // class loaders
	Bytes        int64         // of all MethodData
	Running      time.Duration // of reading while the process ran
	Stopped      time.Duration // for which the process was held, 0 if it was not
	Threads      int           // that were held
	// Consistent is whether all profiles are of one moment. It is false if the process was
	// not held, or not until the end because the limit was reached.
	Consistent bool
}

// countRefused counts n profiles that are left out. The method is one of them, or nil.
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

// countUndecoded counts a profile that is taken as far as it could be decoded.
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
	// ErrUnsupported: this system has no way to read another process.
	ErrUnsupported = errors.New("a live JVM can be read on 64-bit Linux only")
	// ErrNoProcess: there is no such process.
	ErrNoProcess = errors.New("there is no such process")
	// ErrZombie: the process has ended, and its parent has not waited for it.
	ErrZombie = errors.New("it has ended and is a zombie, whose memory is gone")
	// ErrGone: the process ended, or became another program, while it was read.
	ErrGone = errors.New("the process ended while it was read, or became another program")
	// ErrPermission: the system does not let this user read the process.
	ErrPermission = errors.New("no permission to read the process")
	// ErrTraced: another process traces it. The tracer's number follows.
	ErrTraced = errors.New("it is traced by process")
	// ErrNotHotSpot: no HotSpot VM in the process.
	ErrNotHotSpot = errors.New("not a HotSpot JVM")
	// ErrOpenJ9: the JVM is OpenJ9, which has no MethodData. It matches ErrNotHotSpot.
	ErrOpenJ9 = fmt.Errorf("%w but OpenJ9, which has no MethodData", ErrNotHotSpot)
	// ErrNoTables: a HotSpot VM that does not export all the needed tables and fields.
	ErrNoTables = errors.New("the JVM does not export the tables of its structures")
	// ErrStructure: the memory of the process contradicts its tables.
	ErrStructure = errors.New("the JVM's memory contradicts its tables")
)

// errFault: nothing is mapped at an address.
var errFault = errors.New("no memory there")
