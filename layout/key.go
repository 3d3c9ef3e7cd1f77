package layout

import (
	"fmt"
	"strings"
)

// The hashes in this file are part of the file format and must not change.

// A Key identifies a method. Its fields must not contain NUL bytes.
type Key struct {
	Class     string `json:"class"`               // declaring class in the domain's spelling; "" if Name is the whole key
	Name      string `json:"name,omitempty"`      // method name, or LLVM's PGO name
	Signature string `json:"signature,omitempty"` // descriptor or parameter list; "" if the domain has none
	Loader    string `json:"loader,omitempty"`    // identity of the class loader; "" for the boot loader or if unknown
}

// Reserved code ids. All other values belong to the VM, such as LLVM's function hash.
const (
	CodeUnknown uint64 = 0         // code id of a profile whose code is unknown
	CodeAny     uint64 = 1<<64 - 1 // matches any version in lookups; invalid in profiles
)

// ID returns the stable 64-bit id of the method in domain d. For LLVM it is the low half of the MD5 of the PGO name.
// Otherwise it is a hash of class, name, signature and loader, see docs/format.md. It does not allocate.
func (k Key) ID(d Domain) uint64 {
	if d.LLVM() {
		return hashPGOName(k.Name)
	}
	return foldText(foldText(foldText(foldText(fold0, k.Class), k.Name), k.Signature), k.Loader)
}

// TypeID returns the stable 64-bit id of a type.
func TypeID(name, loader string) uint64 { return foldText(foldText(fold0, name), loader) }

// Split returns the key with class, name and signature in separate fields, for display and filters. It changes only
// keys of JamaicaVM, whose Name is the whole signature. For example, "java/nio/B.m()V" becomes class java/nio/B,
// name m, signature ()V. Do not use the result for lookups.
func (k Key) Split(d Domain) Key {
	if d != DomainJamaica || k.Class != "" {
		return k
	}
	if at := strings.IndexByte(k.Name, '('); at >= 0 {
		k.Name, k.Signature = k.Name[:at], k.Name[at:]
	}
	if at := strings.LastIndexByte(k.Name, '.'); at >= 0 {
		k.Class = k.Name[:at]
		k.Name = k.Name[at+1:]
	}
	return k
}

// A Domain is the kind of profiler of an archive. Each archive has one domain; 0 is invalid.
type Domain uint32

// The domains.
const (
	DomainHotSpot      Domain = 1 // HotSpot's MethodData
	DomainLLVMIR       Domain = 2 // LLVM, instrumented IR (-fprofile-generate)
	DomainLLVMFrontend Domain = 3 // LLVM, instrumented by clang's front end (-fprofile-instr-generate)
	DomainGraal        Domain = 4 // GraalVM's iprof
	DomainJamaica      Domain = 5 // JamaicaVM's profile text
	DomainCustom       Domain = 6 // any other VM, identified by Header.ProducerID
	DomainSampled      Domain = 7 // sampled native stacks, such as Go's CPU profiles
)

var domainNames = map[Domain]string{
	DomainHotSpot: "hotspot", DomainLLVMIR: "llvm-ir", DomainLLVMFrontend: "llvm-frontend",
	DomainGraal: "graal", DomainJamaica: "jamaica", DomainCustom: "custom",
	DomainSampled: "sampled",
}

func (d Domain) String() string {
	if s, ok := domainNames[d]; ok {
		return s
	}
	return fmt.Sprintf("domain(%d)", uint32(d))
}

// LLVM reports whether method ids are LLVM's (MD5 of the PGO name).
func (d Domain) LLVM() bool { return d == DomainLLVMIR || d == DomainLLVMFrontend }

// Params are the producer's settings that determine the cells of entries or affect their counts. Settings that do not
// apply to the domain are 0.
type Params struct {
	TypeProfileWidth uint32 // HotSpot, number of receiver rows per entry
	BciProfileWidth  uint32 // HotSpot, number of rows of a Ret entry
	ReceiverGap      uint32 // HotSpot, cells between count and rows of a receiver entry; 1 if the VM has nonprofiled_count
	TypeProfileLevel uint32 // HotSpot, -XX:TypeProfileLevel
	VMRelease        uint32 // HotSpot, feature release such as 17
	LLVMVersion      uint32 // LLVM, version of the indexed format that the producer writes
	LLVMVariant      uint32 // LLVM, bits 55..63 of the version word, shifted down by 55
	ProfileTraps     uint32 // HotSpot, -XX:+ProfileTraps
	// LLVM, newest version of the indexed format if several releases are possible; LLVMVersion is the oldest.
	LLVMNewest uint32
	Other      [7]uint32 // reserved
}
