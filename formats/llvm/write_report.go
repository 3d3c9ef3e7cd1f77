package llvm

import (
	"fmt"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// What writing a profile loses.
const (
	LossNoRecord   codec.LossKind = "names without a profile that LLVM has a place for"
	LossContext    codec.LossKind = "profiles of one calling context: LLVM has no place for them"
	LossNoCounters codec.LossKind = "profiles without counters"
	LossEntry      codec.LossKind = "profile entries that LLVM does not have"
	LossValues     codec.LossKind = "values of a site beyond the 255 most frequent"

	// What only older versions of the indexed format do not hold.
	LossBinaryIDs   codec.LossKind = "binary ids: the version cannot hold them (--profdata-version 9 or higher can)"
	LossTraces      codec.LossKind = "temporal traces: the version cannot hold them (--profdata-version 10 or higher can)"
	LossBitmaps     codec.LossKind = "MC/DC bitmaps: the version cannot hold them (--profdata-version 11 or higher can)"
	LossVTableSites codec.LossKind = "vtable value sites: the version cannot hold them (--profdata-version 12 or higher can)"
	LossVTableNames codec.LossKind = "names of vtables: left out (--keep-vtable-symbols and --profdata-version 12 or higher keep them)"

	// What text does not hold.
	LossTextBinaryIDs codec.LossKind = "binary ids: text has no place for them"
	LossTextVTables   codec.LossKind = "names of vtables: left out (--keep-vtable-symbols prints those that sites have)"
	LossTextName      codec.LossKind = "functions whose names text cannot hold"
	LossTextTrace     codec.LossKind = "functions of temporal traces whose names are not known"
	LossTextEntryOnly codec.LossKind = "marks that function entries alone are covered: text cannot say it"
	LossTextByte      codec.LossKind = "marks that counters are of coverage: text of this LLVM cannot say it"
)

// A WriteReport says what was written.
type WriteReport struct {
	Version   int // of the indexed format, 0 of text
	Names     int // of functions
	Functions int // records: a name with a FuncHash
	Cold      int // names left out because nothing of them ever ran
	Lost      codec.Losses
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

// newestVersion is the newest version that it can be.
func newestVersion(s *reader.Store) int {
	return max(producerVersion(s), int(s.Header().Params[layout.ParamLLVMNewest]))
}
