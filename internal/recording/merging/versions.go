package merging

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
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
	several := methodsWithVersions(b)
	if v == AllVersions {
		return len(several), 0, nil
	}
	all, err := rankVersions(ctx, b, v, several)
	if err == nil && v == NewestVersion {
		err = unorderedVersions(b, all)
	}
	if err != nil {
		return 0, 0, err
	}
	return len(several), keepFirst(b, all, 1), nil
}

// methodsWithVersions returns the methods that have profiles of several versions of their code.
func methodsWithVersions(b *profileset.Set) map[profileset.MethodRef]bool {
	several := map[profileset.MethodRef]bool{}
	var first [2][]uint64 // code of each method plus 1, which is never 0, by context sensitivity
	for i := range first {
		first[i] = make([]uint64, b.Methods.Len()+1)
	}
	for _, d := range b.Profiles.All {
		kind := 0
		if instrumentationOf(b, d).contextSensitive {
			kind = 1
		}
		code := &first[kind][d.Method]
		if *code != 0 && *code != d.Code+1 {
			several[d.Method] = true
		}
		*code = d.Code + 1
	}
	return several
}

// keepFirst keeps the first n versions of the ranked methods. It returns the number of dropped profiles.
func keepFirst(b *profileset.Set, all map[instrumentation][]*rankedVersion, n int) (dropped int) {
	drops := map[profileset.ProfileKey]bool{}
	for of, versions := range all {
		for _, v := range versions[min(n, len(versions)):] {
			drops[profileset.ProfileKey{Method: of.method, Code: v.code}] = true
		}
	}
	return b.KeepProfiles(func(d *profileset.ProfileData) bool {
		return !drops[profileset.ProfileKey{Method: d.Method, Code: d.Code}]
	})
}

// BoundVersions drops the profiles of all but n versions of each method's code, in all contexts, at the end of a dump.
// It keeps the versions of the last run that ran any of them first, then those with the highest total of counts, then
// those with the higher code ID. The account names what the dump lacks, and gets the run as an input.
func BoundVersions(ctx context.Context, b *profileset.Set, n int) error {
	b.Explain(ledger.OperationDump, "counts of the run, and damaged profiles")
	b.Lock()
	defer b.Unlock()
	if err := cmp.Or(b.WithoutBatch(), b.Unfinished(), b.DropDiscarded()); err != nil {
		return err
	}
	var all map[instrumentation][]*rankedVersion
	var err error
	if len(b.Versions) >= n { // otherwise no method has more than n
		all, err = rankVersions(ctx, b, boundedVersions, methodsWithVersions(b))
	}
	over := false
	for _, versions := range all {
		over = over || len(versions) > n
	}
	if err == nil && (over || b.Tables[disk.TableLosses] != nil || b.Tables[disk.TableInputs] != nil) {
		b.AccountRun(archiveFormat)
	}
	if over {
		keepFirst(b, all, n)
	}
	return err
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
		codes := map[instrumentation]map[uint64]bool{}
		for _, d := range b.Profiles.All {
			of := instrumentationOf(b, d)
			if codes[of] == nil {
				codes[of] = map[uint64]bool{}
			}
			codes[of][d.Code] = true
		}
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

type rankedVersion struct{ last, weight, code uint64 }

// namedMethods is the number of methods that an error names.
const namedMethods = 3

// unorderedVersions returns an error that names the methods with a version that may have run last beside the newest, or
// nil.
func unorderedVersions(b *profileset.Set, all map[instrumentation][]*rankedVersion) error {
	var names []string
	for of, versions := range all {
		for _, v := range versions[1:] {
			if v.last == versions[0].last || v.last == 0 {
				k := b.KeyOf(of.method)
				names = append(names, strings.TrimPrefix(k.Class+"."+k.Name+k.Signature, "."))
			}
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

// boundedVersions ranks the versions that ran last by their weight, and the others behind them.
const boundedVersions Versions = "bounded"

// rankVersions returns the versions of the code of some methods, the best first.
func rankVersions(ctx context.Context, b *profileset.Set, v Versions,
	of map[profileset.MethodRef]bool) (map[instrumentation][]*rankedVersion, error) {
	all := map[instrumentation][]*rankedVersion{}
	ranks := map[profileset.ProfileKey]*rankedVersion{}
	stop := poll.New(ctx)
	for ref, d := range b.Profiles.All {
		if err := stop.Err(); err != nil {
			return nil, err
		}
		if !of[d.Method] {
			continue
		}
		key := profileset.ProfileKey{Method: d.Method, Code: d.Code}
		r := ranks[key]
		if r == nil {
			r = &rankedVersion{code: d.Code}
			ranks[key] = r
			of := instrumentationOf(b, d)
			all[of] = append(all[of], r)
		}
		if v != HeaviestVersion {
			r.last = max(r.last, uint64(max(cmp.Or(d.Time, b.Heading.DumpTime.UnixNano()), 0)))
		}
		if v == HeaviestVersion || v == boundedVersions {
			block, err := b.Block(profileset.ProfileRef(ref))
			if err != nil {
				return nil, err
			}
			r.weight = disk.SaturatingAdd(r.weight, totalOfCounts(b, block))
		}
	}
	for _, versions := range all {
		sortVersions(versions, v)
	}
	return all, nil
}

func sortVersions(versions []*rankedVersion, v Versions) {
	last := slices.MaxFunc(versions, func(x, y *rankedVersion) int { return cmp.Compare(x.last, y.last) }).last
	for _, r := range versions {
		if v == boundedVersions && r.last < last {
			r.last = 0
		}
	}
	slices.SortFunc(versions, func(x, y *rankedVersion) int {
		return cmp.Or(cmp.Compare(y.last, x.last), cmp.Compare(y.weight, x.weight), cmp.Compare(y.code, x.code))
	})
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
