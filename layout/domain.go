package layout

import (
	"fmt"
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
type Params struct {
	TypeProfileWidth uint32    // HotSpot: receiver rows of an entry
	BciProfileWidth  uint32    // HotSpot: rows of a Ret entry
	ReceiverGap      uint32    // HotSpot: cells between a receiver entry's count and its rows (1 where the VM keeps nonprofiled_count)
	TypeProfileLevel uint32    // HotSpot: -XX:TypeProfileLevel
	VMRelease        uint32    // HotSpot: feature release, for instance 17
	LLVMVersion      uint32    // LLVM: version of the indexed format that the producer writes
	LLVMVariant      uint32    // LLVM: bits 55..63 of the version word, shifted down by 55
	ProfileTraps     uint32    // HotSpot: -XX:+ProfileTraps
	LLVMNewest       uint32    // LLVM: the newest such version, where several LLVMs may be the producer and LLVMVersion is the oldest's
	Other            [7]uint32 // settings without a meaning in this version
}
