package llvm

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// What writing a profile loses.
const (
	LossNoRecord   Loss = "names without a profile that LLVM has a place for"
	LossContext    Loss = "profiles of one calling context: LLVM has no place for them"
	LossNoCounters Loss = "profiles without counters"
	LossEntry      Loss = "profile entries that LLVM does not have"
	LossValues     Loss = "values of a site beyond the 255 most frequent"

	// What only older versions of the indexed format do not hold.
	LossBinaryIDs   Loss = "binary ids: the version cannot hold them (--profdata-version 9 or higher can)"
	LossTraces      Loss = "temporal traces: the version cannot hold them (--profdata-version 10 or higher can)"
	LossBitmaps     Loss = "MC/DC bitmaps: the version cannot hold them (--profdata-version 11 or higher can)"
	LossVTableSites Loss = "vtable value sites: the version cannot hold them (--profdata-version 12 or higher can)"
	LossVTableNames Loss = "names of vtables: left out (--keep-vtable-symbols and --profdata-version 12 or higher keep them)"

	// What text does not hold.
	LossTextBinaryIDs Loss = "binary ids: text has no place for them"
	LossTextVTables   Loss = "names of vtables: left out (--keep-vtable-symbols prints those that sites have)"
	LossTextName      Loss = "functions whose names text cannot hold"
	LossTextTrace     Loss = "functions of temporal traces whose names are not known"
	LossTextEntryOnly Loss = "marks that function entries alone are covered: text cannot say it"
	LossTextByte      Loss = "marks that counters are of coverage: text of this LLVM cannot say it"
)

// A WriteReport says what was written.
type WriteReport struct {
	Version   int // of the indexed format, 0 of text
	Names     int // of functions
	Functions int // records: a name with a FuncHash
	Cold      int // names left out because nothing of them ever ran
	Lost      []Lost
}

// losses counts what is lost. A nil one counts nothing.
type losses map[Loss]int

func (l *losses) add(what Loss, n int) {
	if l == nil || n == 0 {
		return
	}
	if *l == nil {
		*l = losses{}
	}
	(*l)[what] += n
}

// sorted lists the losses by what was lost.
func (l losses) sorted() []Lost {
	var all []Lost
	for what, n := range l {
		all = append(all, Lost{what, n})
	}
	slices.SortFunc(all, func(a, b Lost) int { return cmp.Compare(a.What, b.What) })
	return all
}

// Losses is how often something of that kind was lost.
func (r *WriteReport) Losses(what Loss) int {
	for _, l := range r.Lost {
		if l.What == what {
			return l.Count
		}
	}
	return 0
}

// checkDomain refuses archives that are not LLVM's.
func checkDomain(s *reader.Store) error {
	if d := s.Header().Domain; !d.LLVM() {
		return fmt.Errorf("profiles of domain %s are not LLVM's: export them in the format of their own domain", d)
	}
	return nil
}

// variantOf gives the variant bits that an archive was made with.
func variantOf(s *reader.Store) Variant { return Variant(s.Header().Params[layout.ParamLLVMVariant]) }

// producerVersion is the version of the indexed format that the LLVM writes
// which made the profiles, 0 if it is not known.
func producerVersion(s *reader.Store) int { return int(s.Header().Params[layout.ParamLLVMVersion]) }
