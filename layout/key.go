package layout

import (
	"fmt"
	"math/bits"
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

// This file has MD5 (RFC 1321) because crypto/md5 imports crypto/internal/fips140/drbg, which has a buffer of 32 MiB.

// md5Block is the size of an MD5 block in bytes.
const md5Block = 64

type md5State struct{ a, b, c, d uint32 }

// hashPGOName returns LLVM's id of a PGO name, the first 8 bytes of its MD5, little-endian. It allocates nothing.
func hashPGOName(name string) uint64 {
	s := md5State{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}
	var block [md5Block / 4]uint32
	rest := name
	for ; len(rest) >= md5Block; rest = rest[md5Block:] {
		for i := range block {
			block[i] = uint32(loadUint32(rest, 4*i))
		}
		s.addBlock(&block)
	}
	block = [md5Block / 4]uint32{}
	words := len(rest) / 4
	for i := range words {
		block[i] = uint32(loadUint32(rest, 4*i))
	}
	block[words] = appendEndMark(rest[4*words:])
	if len(rest) >= md5Block-8 {
		s.addBlock(&block)
		block = [md5Block / 4]uint32{}
	}
	size := uint64(len(name)) * 8 // number of bits
	block[14] = uint32(size)
	block[15] = uint32(size >> 32)
	s.addBlock(&block)
	return uint64(s.a) | uint64(s.b)<<32
}

// appendEndMark returns the last bytes of a message, fewer than 4, followed by the mark of its end.
func appendEndMark(b string) uint32 {
	word := uint32(0x80)
	for i := len(b) - 1; i >= 0; i-- {
		word = word<<8 | uint32(b[i])
	}
	return word
}

// addBlock hashes a block. Each loop is a round of 16 steps. Four steps rotate a, b, c and d back to their roles.
func (s *md5State) addBlock(m *[md5Block / 4]uint32) {
	a, b, c, d := s.a, s.b, s.c, s.d
	for i := 0; i < 16; i += 4 {
		a = b + bits.RotateLeft32(a+m[i&15]+sines[i&63]+((c^d)&b^d), 7)
		d = a + bits.RotateLeft32(d+m[(i+1)&15]+sines[(i+1)&63]+((b^c)&a^c), 12)
		c = d + bits.RotateLeft32(c+m[(i+2)&15]+sines[(i+2)&63]+((a^b)&d^b), 17)
		b = c + bits.RotateLeft32(b+m[(i+3)&15]+sines[(i+3)&63]+((d^a)&c^a), 22)
	}
	for i := 16; i < 32; i += 4 {
		a = b + bits.RotateLeft32(a+m[(5*i+1)&15]+sines[i&63]+(c&^d+b&d), 5)
		d = a + bits.RotateLeft32(d+m[(5*i+6)&15]+sines[(i+1)&63]+(b&^c+a&c), 9)
		c = d + bits.RotateLeft32(c+m[(5*i+11)&15]+sines[(i+2)&63]+(a&^b+d&b), 14)
		b = c + bits.RotateLeft32(b+m[5*i&15]+sines[(i+3)&63]+(d&^a+c&a), 20)
	}
	for i := 32; i < 48; i += 4 {
		a = b + bits.RotateLeft32(a+m[(3*i+5)&15]+sines[i&63]+(b^c^d), 4)
		d = a + bits.RotateLeft32(d+m[(3*i+8)&15]+sines[(i+1)&63]+(a^b^c), 11)
		c = d + bits.RotateLeft32(c+m[(3*i+11)&15]+sines[(i+2)&63]+(d^a^b), 16)
		b = c + bits.RotateLeft32(b+m[(3*i+14)&15]+sines[(i+3)&63]+(c^d^a), 23)
	}
	for i := 48; i < 64; i += 4 {
		a = b + bits.RotateLeft32(a+m[7*i&15]+sines[i&63]+(c^(b|^d)), 6)
		d = a + bits.RotateLeft32(d+m[(7*i+7)&15]+sines[(i+1)&63]+(b^(a|^c)), 10)
		c = d + bits.RotateLeft32(c+m[(7*i+14)&15]+sines[(i+2)&63]+(a^(d|^b)), 15)
		b = c + bits.RotateLeft32(b+m[(7*i+5)&15]+sines[(i+3)&63]+(d^(c|^a)), 21)
	}
	s.a += a
	s.b += b
	s.c += c
	s.d += d
}

// sines are the integer parts of 2^32 * |sin(i+1)|.
var sines = [64]uint32{
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
	0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
	0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
	0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
	0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
	0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
	0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
	0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
}

// The ids of methods and types are a hash over the strings of their keys. Each step multiplies 16 bytes of the string
// with the hash and XORs the halves of the product. The hash does not copy the key, and takes a quarter of the
// time of XXH64 for strings of this length. docs/format.md has the definition and test vectors.
const (
	fold0 = 0xa0761d6478bd642f
	fold1 = 0xe7037ed1a0b428db
	fold2 = 0x8ebc6af09c88c6e3
)

func foldText(h uint64, s string) uint64 {
	h ^= uint64(len(s)) * fold2
	for len(s) > 16 {
		h = foldProduct(loadUint64(s, 0)^fold0, loadUint64(s, 8)^h)
		s = s[16:]
	}
	var a, b uint64
	switch n := len(s); {
	case n >= 8:
		a = loadUint64(s, 0)
		b = loadUint64(s, n-8)
	case n >= 4:
		a = loadUint32(s, 0)
		b = loadUint32(s, n-4)
	case n > 0:
		a = uint64(s[0])<<16 | uint64(s[n/2])<<8 | uint64(s[n-1])
	}
	return foldProduct(a^fold1, b^h)
}

func foldProduct(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

func loadUint64(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func loadUint32(s string, i int) uint64 {
	s = s[i : i+4]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}
