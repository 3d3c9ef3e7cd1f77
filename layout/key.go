package layout

import (
	"fmt"
	"strings"
)

// The hashes of this file are frozen: a file made with one of them can only be read with it.

// A Key names a method. Its fields hold no NUL byte.
type Key struct {
	Class     string // declaring class, in the domain's own spelling; empty where the name is the whole key
	Name      string // method name, or the PGO name of LLVM
	Signature string // descriptor or parameter list, empty if the domain has none
	Loader    string // identity of the class loader, empty for the boot loader or if not known
}

// Code ids that stand for no version of the code. All others are the VM's own
// numbers, such as LLVM's function hash.
const (
	CodeUnknown uint64 = 0         // of a profile whose code is not known
	CodeAny     uint64 = 1<<64 - 1 // in lookups: whatever version there is; no profile can have it
)

// ID returns the method's stable 64-bit id in a domain: for LLVM the low 64 bits of
// MD5 of the PGO name, otherwise the fold of class, name, signature and loader, as
// docs/format.md defines it. It allocates nothing.
func (k Key) ID(d Domain) uint64 {
	if d.LLVM() {
		return nameID(k.Name)
	}
	return foldText(foldText(foldText(foldText(fold0, k.Class), k.Name), k.Signature), k.Loader)
}

// TypeID returns the stable 64-bit id of a type: the fold of name and loader.
func TypeID(name, loader string) uint64 { return foldText(foldText(fold0, name), loader) }

// Split returns the key with class, name and signature in separate fields, for display and for filters. Only
// keys of JamaicaVM change, whose Name holds the whole signature: "java/nio/B.m()V" becomes class java/nio/B,
// name m, signature ()V. The result is not a key of the archive.
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

// A Domain is a kind of profiler. An archive has exactly one.
type Domain uint32

// The domains.
const (
	DomainHotSpot      Domain = 1 // HotSpot's MethodData
	DomainLLVMIR       Domain = 2 // LLVM, instrumented on IR (-fprofile-generate)
	DomainLLVMFrontend Domain = 3 // LLVM, instrumented by clang's front end (-fprofile-instr-generate)
	DomainGraal        Domain = 4 // GraalVM's iprof
	DomainJamaica      Domain = 5 // JamaicaVM's profile text
	DomainCustom       Domain = 6 // any other VM, which Header.ProducerID identifies
	DomainSampled      Domain = 7 // profilers that sample stacks of native code, as Go's CPU profiler does
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

// LLVM reports whether the id of a method is LLVM's (MD5 of the PGO name).
func (d Domain) LLVM() bool { return d == DomainLLVMIR || d == DomainLLVMFrontend }

// Params are the producer's settings that shape entries or affected their counts. A
// setting that does not apply is 0.
type Params struct {
	TypeProfileWidth uint32 // HotSpot: receiver rows of an entry
	BciProfileWidth  uint32 // HotSpot: rows of a Ret entry
	// HotSpot: cells between a receiver entry's count and its rows (1 where the VM keeps nonprofiled_count)
	ReceiverGap      uint32
	TypeProfileLevel uint32 // HotSpot: -XX:TypeProfileLevel
	VMRelease        uint32 // HotSpot: feature release, for instance 17
	LLVMVersion      uint32 // LLVM: version of the indexed format that the producer writes
	LLVMVariant      uint32 // LLVM: bits 55..63 of the version word, shifted down by 55
	ProfileTraps     uint32 // HotSpot: -XX:+ProfileTraps
	// LLVM: the newest such version, where several LLVMs may be the producer and LLVMVersion is the oldest's
	LLVMNewest uint32
	Other      [7]uint32 // settings without a meaning in this version
}
