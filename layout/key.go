package layout

import (
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/internal/fast"
)

// The hashes of this file are frozen: a file made with one of them can only be
// read with it.

// A Key names a method. Its fields hold no NUL byte.
type Key struct {
	Class     string // declaring class, in the domain's own spelling; empty for LLVM and for Jamaica's whole signatures
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

// ID is the method's stable 64-bit id in a domain: for LLVM the low 64 bits of
// MD5 of the PGO name, otherwise XXH64 (seed 0) of class NUL name NUL signature
// NUL loader. It allocates nothing for keys of up to some 1,000 bytes.
func (k Key) ID(d Domain) uint64 {
	if d.LLVM() {
		ref, _ := fast.MD5Pair(k.Name, "")
		return ref
	}
	return hashFields(k.Class, k.Name, k.Signature, k.Loader)
}

// TypeID is the stable 64-bit id of a type: XXH64 (seed 0) of name NUL loader.
func TypeID(name, loader string) uint64 { return hashFields(name, loader) }

func hashFields(fields ...string) uint64 {
	size := len(fields)
	for _, f := range fields {
		size += len(f)
	}
	if size <= 256 { // most: less to be zeroed
		var buf [256]byte
		return hashJoined(buf[:0], fields)
	}
	var buf [1024]byte
	return hashJoined(buf[:0], fields)
}

func hashJoined(b []byte, fields []string) uint64 {
	for i, f := range fields {
		if i > 0 {
			b = append(b, 0)
		}
		b = append(b, f...)
	}
	return xxhash.Sum64(b)
}

// Split returns the key with class, name and signature in separate fields, for
// display and for filters. Only keys of JamaicaVM change, whose Name holds the
// whole signature: "java/nio/B.m()V" becomes class java/nio/B, name m, signature
// ()V. The result is not a key of the archive.
func (k Key) Split(d Domain) Key {
	if d != DomainJamaica || k.Class != "" {
		return k
	}
	if at := strings.IndexByte(k.Name, '('); at >= 0 {
		k.Name, k.Signature = k.Name[:at], k.Name[at:]
	}
	if at := strings.LastIndexByte(k.Name, '.'); at >= 0 {
		k.Class, k.Name = k.Name[:at], k.Name[at+1:]
	}
	return k
}
