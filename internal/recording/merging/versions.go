package merging

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/methoddata"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
)

// Versions selects the versions of a method's code that keep their profiles.
type Versions string

// Versions to keep. Profiles of different versions are never added up.
const (
	AllVersions     Versions = "all"
	NewestVersion   Versions = "newest"   // version with the newest dump
	HeaviestVersion Versions = "heaviest" // version with the highest total of counts
)

// ErrVersionOrder means that the archives do not say which version of a method's code ran last.
var ErrVersionOrder = errors.New("it is not known which version of the code ran last")

// KeepVersions drops the profiles of all but one version of each method's code, in all contexts. Of equally heavy
// versions it keeps the one with the higher code ID. The error matches ErrVersionOrder if two versions are equally new.
// It returns the number of methods with several versions and the number of dropped profiles. After an error the set is
// unchanged.
func KeepVersions(ctx context.Context, b *profileset.Set, v Versions) (methods, dropped int, err error) {
	if v != AllVersions && v != NewestVersion && v != HeaviestVersion {
		return 0, 0, fmt.Errorf("versions %q: keep all, newest or heaviest", string(v))
	}
	b.Lock()
	defer b.Unlock()
	if err := cmp.Or(b.WithoutBatch(), b.Unfinished()); err != nil {
		return 0, 0, err
	}
	if err := b.DropDiscarded(); err != nil {
		return 0, 0, err
	}
	best := map[instrumentation]rankedVersion{}
	several := map[profileset.MethodRef]bool{}
	ranks, err := rankVersions(ctx, b, v)
	if err != nil {
		return 0, 0, err
	}
	for _, d := range b.Profiles.All {
		this := rankedVersion{true, ranks[profileset.ProfileKey{Method: d.Method, Code: d.Code}], d.Code}
		of := instrumentationOf(b, d)
		have := best[of]
		if have.preferred && have.code != d.Code {
			several[d.Method] = true
		}
		if this.compare(have) > 0 {
			best[of] = this
		}
	}
	switch v {
	case AllVersions:
		return len(several), 0, nil
	case NewestVersion:
		if err := unorderedVersions(b, best, ranks); err != nil {
			return 0, 0, err
		}
	}
	return len(several), b.KeepProfiles(func(d *profileset.ProfileData) bool {
		return best[instrumentationOf(b, d)].code == d.Code
	}), nil
}

// BoundVersions drops the profiles of all but n versions of each method's code, in all contexts, at the end of a dump.
// It keeps the versions of the last run that ran any of them first, then those with the highest total of counts, then
// those with the higher code ID. The account names what the dump lacks, and gets the run as an input if it has none.
func BoundVersions(ctx context.Context, b *profileset.Set, n int) error {
	b.Explain(ledger.OperationDump, "counts of the run, and damaged profiles")
	b.Lock()
	defer b.Unlock()
	if err := cmp.Or(b.WithoutBatch(), b.Unfinished(), b.DropDiscarded()); err != nil {
		return err
	}
	codes := map[instrumentation]map[uint64]bool{}
	if len(b.Versions) >= n { // otherwise no method has more than n
		codes = versionsOf(b)
	}
	maps.DeleteFunc(codes, func(_ instrumentation, versions map[uint64]bool) bool { return len(versions) <= n })
	if len(codes) > 0 || b.Tables[disk.TableLosses] != nil {
		b.AccountRun(archiveFormat)
	}
	if len(codes) == 0 {
		return nil
	}
	times, err := rankVersions(ctx, b, NewestVersion)
	if err != nil {
		return err
	}
	weights, err := rankVersions(ctx, b, HeaviestVersion)
	if err != nil {
		return err
	}
	for of, versions := range codes {
		last := uint64(0)
		key := func(code uint64) profileset.ProfileKey { return profileset.ProfileKey{Method: of.method, Code: code} }
		for code := range versions {
			last = max(last, times[key(code)])
		}
		rank := func(code uint64) rankedVersion {
			return rankedVersion{times[key(code)] == last, weights[key(code)], code}
		}
		best := slices.SortedFunc(maps.Keys(versions), func(x, y uint64) int { return rank(y).compare(rank(x)) })
		for _, code := range best[n:] {
			versions[code] = false
		}
	}
	b.KeepProfiles(func(d *profileset.ProfileData) bool {
		versions := codes[instrumentationOf(b, d)]
		return versions == nil || versions[d.Code]
	})
	return nil
}

// versionsOf returns the versions of each method's code, all of them true.
func versionsOf(b *profileset.Set) map[instrumentation]map[uint64]bool {
	codes := map[instrumentation]map[uint64]bool{}
	for _, d := range b.Profiles.All {
		of := instrumentationOf(b, d)
		if codes[of] == nil {
			codes[of] = map[uint64]bool{}
		}
		codes[of][d.Code] = true
	}
	return codes
}

// KeepFitting drops the profiles of versions that do not fit a program, of each method with a version that fits. It
// returns the number of methods with several versions, of methods of which none fits, and of dropped profiles.
func KeepFitting(b *profileset.Set, fits func(k layout.Key, code uint64) bool) (methods, without, dropped int,
	err error) {
	b.Locked(func() {
		err = cmp.Or(b.WithoutBatch(), b.Unfinished(), b.DropDiscarded())
		if err != nil {
			return
		}
		codes := versionsOf(b)
		for of, versions := range codes {
			some := false
			for code := range versions {
				versions[code] = len(versions) == 1 || fits(b.KeyOf(of.method), code)
				some = some || versions[code]
			}
			if len(versions) > 1 {
				methods++
			}
			if !some {
				without++
				delete(codes, of)
			}
		}
		dropped = b.KeepProfiles(func(d *profileset.ProfileData) bool {
			versions := codes[instrumentationOf(b, d)]
			return versions == nil || versions[d.Code]
		})
	})
	return methods, without, dropped, err
}

// An instrumentation is the code of a method in one of its forms. LLVM's IR has two, before and after inlining, and
// both are kept.
type instrumentation struct {
	method           profileset.MethodRef
	contextSensitive bool
}

func instrumentationOf(b *profileset.Set, d *profileset.ProfileData) instrumentation {
	return instrumentation{d.Method, b.Domain == layout.DomainLLVMIR && d.Code&disk.LLVMContextSensitive != 0}
}

type rankedVersion struct {
	preferred bool
	rank      uint64
	code      uint64
}

// namedMethods is the number of methods that an error names.
const namedMethods = 3

// unorderedVersions returns an error that names the methods with a version that may have run last beside the newest, or
// nil.
func unorderedVersions(b *profileset.Set, best map[instrumentation]rankedVersion,
	ranks map[profileset.ProfileKey]uint64) error {
	var names []string
	for _, d := range b.Profiles.All {
		key := profileset.ProfileKey{Method: d.Method, Code: d.Code}
		if newest := best[instrumentationOf(b, d)]; d.Code != newest.code && (ranks[key] == newest.rank || ranks[key] == 0) {
			k := b.KeyOf(d.Method)
			names = append(names, strings.TrimPrefix(k.Class+"."+k.Name+k.Signature, "."))
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	names = slices.Compact(names)
	more := ""
	if n := len(names) - namedMethods; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Errorf("%w: of %s%s", ErrVersionOrder, strings.Join(names[:min(len(names), namedMethods)], ", "), more)
}

func (v rankedVersion) compare(w rankedVersion) int {
	if v.preferred != w.preferred {
		return map[bool]int{true: 1, false: -1}[v.preferred]
	}
	return cmp.Or(cmp.Compare(v.rank, w.rank), cmp.Compare(v.code, w.code))
}

func rankVersions(ctx context.Context, b *profileset.Set, v Versions) (map[profileset.ProfileKey]uint64, error) {
	ranks := map[profileset.ProfileKey]uint64{}
	stop := poll.New(ctx)
	for ref, d := range b.Profiles.All {
		if err := stop.Err(); err != nil {
			return nil, err
		}
		key := profileset.ProfileKey{Method: d.Method, Code: d.Code}
		switch v {
		case NewestVersion:
			at := d.Time
			if at == 0 {
				at = max(b.Heading.DumpTime.UnixNano(), 0)
			}
			ranks[key] = max(ranks[key], uint64(max(at, 0)))
		case HeaviestVersion:
			block, err := b.Block(profileset.ProfileRef(ref))
			if err != nil {
				return nil, err
			}
			ranks[key] = disk.SaturatingAdd(ranks[key], totalOfCounts(b, block))
		}
	}
	return ranks, nil
}

func totalOfCounts(b *profileset.Set, block disk.Block) (total uint64) {
	if f := block.Field(disk.HasInvocations); f != nil {
		total = binary.LittleEndian.Uint64(f)
	}
	methoddata.EachEntryIn(b.Shape, block.Section(disk.SectionData), func(e disk.Entry) {
		for cell := range b.Shape.Counts(e) {
			if n := e.Cell(cell); cell > 0 || !e.SignedCount() || int64(n) > 0 {
				total = disk.SaturatingAdd(total, n)
			}
		}
	})
	return total
}
