package source

import (
	"encoding/hex"
	"strings"
	"testing"
)

// TestScanCalls finds the calls in instructions that an assembler encoded at the address 0x1000. The callee f is at
// 0x2000, g at 0x1010, and the function itself at 0x1000.
func TestScanCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, code string
		arch       architecture
		direct     string
		indirect   bool
	}{
		{"call f", "e8fb0f0000", amd64, "f", false},
		{"jmp f", "e9fb0f0000", amd64, "f", false},
		{"test %rsi,%rsi; jne f", "4885f60f85f70f0000", amd64, "f", false},
		{"jg f", "0f8ffa0f0000", amd64, "f", false},
		{"jmp g", "eb0e", amd64, "g", false},
		{"je g", "740e", amd64, "g", false},
		{"nop; call self", "90e8faffffff", amd64, "self", false},
		{"jmp self", "ebfe", amd64, "", false},
		{"b self", "00000014", arm64, "", false},
		{"bl self", "00000094", arm64, "self", false},
		{"jmp f+1", "e9fc0f0000", amd64, "", false},
		{"call *%rax", "ffd0", amd64, "", true},
		{"call *8(%rdi)", "ff5708", amd64, "", true},
		{"jmp *%rax", "ffe0", amd64, "", true},
		{"jmp *0x10(%r11)", "41ff6310", amd64, "", true},
		{"push 8(%rdi)", "ff7708", amd64, "", false},
		{"sete %cl", "0f94c1", amd64, "", false},
		{"bl f", "00040094", arm64, "f", false},
		{"b f", "00040014", arm64, "f", false},
		{"b f+4", "01040014", arm64, "", false},
		{"blr x8", "00013fd6", arm64, "", true},
		{"br x8", "00011fd6", arm64, "", true},
		{"ret", "c0035fd6", arm64, "", false},
	} {
		code, err := hex.DecodeString(c.code)
		if err != nil {
			t.Fatal(err)
		}
		self := symbol{name: "self"}
		of := &compiled{symbol: self, calls: map[string][]int32{}, indirect: map[int32]bool{}}
		r := binaryReader{text: code, start: 0x1000, arch: c.arch,
			entries: map[uint64]symbol{0x1000: self, 0x1010: {name: "g"}, 0x2000: {name: "f"}}}
		r.scanCalls(place{of: of, line: 3}, 0, uint64(len(code)))
		var called string
		for callee := range of.calls {
			called += strings.TrimPrefix(callee, ".")
		}
		if called != c.direct || of.indirect[3] != c.indirect {
			t.Errorf("%s: calls %v, indirect %v", c.text, of.calls, of.indirect)
		}
	}
}
