package stacks

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

const unknownFunction = "[unknown]"

// Named caches the names of methods.
type Named struct {
	domain layout.Domain
	names  map[layout.Ref]Name
}

// A Name is the name of a method.
type Name struct {
	Class string // Java class with dots, or ""
	File  string // source file of a local function of LLVM, or ""
	Short string // name without class and parameters
	// Parameters has the parameters in parentheses, and the return type if it ends the signatures of the domain.
	Parameters string
}

// NewNamed returns an empty cache for the methods of s.
func NewNamed(s *reader.Store) *Named { return &Named{s.Header().Domain, map[layout.Ref]Name{}} }

// Of returns the name of a method. The name of an invalid method is "[unknownFunction]".
func (n *Named) Of(m reader.Method) (Name, error) {
	if !m.Valid() {
		return Name{Short: unknownFunction}, nil
	}
	if name, ok := n.names[m.Ref()]; ok {
		return name, nil
	}
	k, err := m.Key()
	if err != nil {
		return Name{}, err
	}
	name := newName(n.domain, k)
	n.names[m.Ref()] = name
	return name, nil
}

func newName(d layout.Domain, k layout.Key) (n Name) {
	k = k.Split(d)
	n.Short = k.Name
	n.Parameters = k.Signature
	switch {
	case d.LLVM():
		n.File, n.Short = splitSourceFile(k.Name)
	case d == layout.DomainGraal: // the return type precedes the parameters
		if at := strings.IndexByte(n.Parameters, '('); at >= 0 {
			n.Parameters = n.Parameters[at:]
		}
	}
	n.Class = strings.ReplaceAll(k.Class, "/", ".")
	if d == layout.DomainSampled && n.Short == "" {
		n.Short = unknownFunction
	}
	return n
}

// splitSourceFile splits the PGO name of a local function into file and function. The separator is a semicolon, or a
// colon in older profiles.
func splitSourceFile(name string) (file, function string) {
	if file, function, ok := strings.Cut(name, ";"); ok {
		return file, function
	}
	// Objective-C and Swift names can contain colons, but a file name has a dot before the colon.
	if at := strings.IndexByte(name, ':'); at > 0 && strings.IndexByte(name[:at], '.') > 0 {
		return name[:at], name[at+1:]
	}
	return "", name
}

// String returns class and method without parameters.
func (n Name) String() string {
	if n.Class == "" {
		return n.Short
	}
	return n.Class + "." + n.Short
}

// Full returns class and method with parameters.
func (n Name) Full() string { return n.String() + n.Parameters }

// AddressName returns the name of code without a symbol, as [libc-2.15.so]+0x1a2b, given the base name of its file and
// the offset in it.
func AddressName(file string, offset uint64) string {
	return fmt.Sprintf("[%s]+%#x", strings.Trim(cmp.Or(file, unknownFunction), "[]"), offset)
}

// ParseAddressName parses the result of AddressName. The file is without brackets.
func ParseAddressName(name string) (file string, offset uint64, ok bool) {
	at := strings.LastIndex(name, "]+0x")
	if at < 1 || name[0] != '[' {
		return "", 0, false
	}
	offset, err := strconv.ParseUint(name[at+len("]+0x"):], 16, 64)
	return name[1:at], offset, err == nil && name == AddressName(name[1:at], offset)
}

// A Counter is a count of a whole method.
type Counter struct {
	Name string // plural noun, such as "bytecodes"
	Unit ledger.Unit
	// each calls yield with the counts in a profile.
	each func(p reader.Profile, yield func(n uint64))
}

// Counters returns all counters. No counter is a time.
func Counters() []Counter {
	return []Counter{
		{"invocations", ledger.Invocations, eachField(reader.Profile.Invocations)},
		{"backedges", ledger.Backedges, eachField(reader.Profile.Backedges)},
		{"calls", ledger.Calls, eachCount(layout.SubCalls)},
		{"bytecodes", ledger.Bytecodes, eachCount(layout.SubBytecodes)},
		{"cycles", ledger.Cycles, eachCount(layout.SubCycles)},
		{"native_calls", ledger.NativeCalls, eachCount(layout.SubNativeCalls)},
		{"new_arrays", ledger.NewArrays, eachCount(layout.SubNewArrays)},
		{"block_counts", ledger.BlockCounts, eachBlockCount},
	}
}

func eachField(of func(reader.Profile) (reader.Counter, bool)) func(reader.Profile, func(uint64)) {
	return func(p reader.Profile, yield func(uint64)) {
		if c, ok := of(p); ok {
			yield(c.Trained())
		}
	}
}

// eachCount returns a function that yields the Count entries of a sub.
func eachCount(what layout.Sub) func(reader.Profile, func(uint64)) {
	return func(p reader.Profile, yield func(uint64)) {
		for e := range p.Entries() {
			if c, isCount := e.Counter(); isCount && e.Tag() == layout.TagCount && e.Sub() == what {
				yield(c.Trained())
			}
		}
	}
}

// eachBlockCount yields LLVM's counters, but not the counters of a sampled function, which begin with a mark.
func eachBlockCount(p reader.Profile, yield func(uint64)) {
	hasMarks := p.Store().Header().Domain.LLVM()
	for e := range p.Entries() {
		rows, isList := e.Rows()
		if !isList || e.Tag() != layout.TagCounters ||
			hasMarks && rows.Len() > 0 && ledger.IsMark(rows.Cell(0, 0).Trained()) {
			continue
		}
		for i := range rows.Len() {
			yield(rows.Cell(i, 0).Trained())
		}
	}
}

// LossPoints counts the samples at points of a method, which other domains than sampled have next to stacks.
const LossPoints codec.LossKind = "samples at points, which are not stacks"

// LosePoints adds the loss of samples that are not stacks.
func LosePoints(s *reader.Store, lost *codec.Losses) (err error) {
	if s.Header().Domain == layout.DomainSampled {
		return nil
	}
	points := Counter{each: eachCount(layout.SubSamples)}
	for m := range poll.Values(s.Methods(), &err) {
		err = points.Each(m, func(n uint64) {
			lost.AddLoss(codec.Loss{What: LossPoints, Count: 1, Unit: ledger.Samples, Amount: n})
		})
	}
	return err
}

// Each calls yield with the counts in all profiles of a method.
func (c *Counter) Each(m reader.Method, yield func(n uint64)) (err error) {
	for p := range poll.Values(m.Profiles(), &err) {
		c.each(p, yield)
	}
	return err
}
