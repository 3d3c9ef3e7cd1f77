package layout

import (
	"fmt"
	"math"
)

// A Domain says which kind of profiler the profiles come from. An archive has
// exactly one.
type Domain uint32

// The domains.
const (
	DomainHotSpot      Domain = 1 // HotSpot's MethodData
	DomainLLVMIR       Domain = 2 // LLVM, instrumented on IR (-fprofile-generate)
	DomainLLVMFrontend Domain = 3 // LLVM, instrumented by clang's front end (-fprofile-instr-generate)
	DomainGraal        Domain = 4 // GraalVM's iprof
	DomainJamaica      Domain = 5 // JamaicaVM's profile text
)

var domainNames = map[Domain]string{
	DomainHotSpot: "hotspot", DomainLLVMIR: "llvm-ir", DomainLLVMFrontend: "llvm-frontend",
	DomainGraal: "graal", DomainJamaica: "jamaica",
}

func (d Domain) String() string {
	if s, ok := domainNames[d]; ok {
		return s
	}
	return fmt.Sprintf("domain(%d)", uint32(d))
}

// Valid reports whether d is a domain of this format version.
func (d Domain) Valid() bool { return d >= DomainHotSpot && d <= DomainJamaica }

// LLVM reports whether the id of a method is LLVM's (MD5 of the PGO name).
func (d Domain) LLVM() bool { return d == DomainLLVMIR || d == DomainLLVMFrontend }

// Params are the producer's settings that shape entries or say how they were
// made. A setting that does not apply is 0.
type Params [16]uint32

// The settings.
const (
	ParamTypeProfileWidth = 0 // HotSpot: receiver rows of an entry
	ParamBciProfileWidth  = 1 // HotSpot: rows of a Ret entry
	ParamReceiverGap      = 2 // HotSpot: cells between a receiver entry's count and its rows (1 where the VM keeps nonprofiled_count)
	ParamTypeProfileLevel = 3 // HotSpot: -XX:TypeProfileLevel
	ParamVMRelease        = 4 // HotSpot: feature release, for instance 17
	ParamLLVMVersion      = 5 // LLVM: version of the indexed format the producer writes
	ParamLLVMVariant      = 6 // LLVM: bits 55..63 of the version word, shifted down by 55
	ParamProfileTraps     = 7 // HotSpot: -XX:+ProfileTraps
	ParamLLVMNewest       = 8 // LLVM: the newest such version, where the producer can be one of several LLVMs and the version is the oldest's
)

// LLVMCoverageOnly are the variant bits of LLVM that say that counters tell
// only whether something ran, not how often: single-byte coverage, and function
// entries alone.
const LLVMCoverageOnly = 1<<(60-55) | 1<<(61-55)

// LLVMMaxCount is the highest count of a counter of LLVM's. The two numbers above
// mark a function as warm and as hot, where they are its first counter.
const LLVMMaxCount = math.MaxUint64 - 2

// llvmMarksSince is the version of the indexed format of the first LLVM that
// knows marks, 16.
const llvmMarksSince = 9

// LLVMMarks reports whether the LLVM that made the profiles knows marks; one that
// nobody knows does.
func (p *Params) LLVMMarks() bool {
	return p[ParamLLVMVersion] == 0 || p[ParamLLVMVersion] >= llvmMarksSince
}

// MaxRows is the most that a setting that shapes entries can be, so that no
// entry's size can overflow.
const MaxRows = 64

// Check refuses settings that no entry can be shaped by.
func (p *Params) Check() error {
	for _, i := range []int{ParamTypeProfileWidth, ParamBciProfileWidth, ParamReceiverGap} {
		if p[i] > MaxRows {
			return Corrupt(RegionHeader, offParams+int64(i)*4, "parameter %d is %d, at most %d is possible", i, p[i], MaxRows)
		}
	}
	return nil
}

// TwinLoader begins the name of a class loader that an importer made up, to tell
// methods apart that its format prints alike. It says nothing of the loader.
const TwinLoader = "text#"
