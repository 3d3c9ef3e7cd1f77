package autofdo

import (
	"bufio"
	"bytes"
	"debug/elf"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/formats/llvm/sample"
	"github.com/profarc/profarc/internal/testkit/full"
)

// TestInstructionsAreThoseOfObjdump compares the sizes of instructions, and which ones leave, in a large program.
func TestInstructionsAreThoseOfObjdump(t *testing.T) {
	full.Only(t, "disassembles a compiler's tool")
	path, err := exec.LookPath("perf")
	objdump, err2 := exec.LookPath("objdump")
	if err != nil || err2 != nil {
		t.Skip(err, err2)
	}
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text := f.Section(".text")
	code, err := text.Data()
	if err != nil || f.Machine != elf.EM_X86_64 {
		t.Skip(err, f.Machine)
	}
	listing, err := exec.Command(objdump, "-d", "-w", "-j", ".text", "--no-show-raw-insn", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	var last uint64
	var words []string
	for lines := bufio.NewScanner(bytes.NewReader(listing)); lines.Scan(); {
		at, rest, ok := strings.Cut(lines.Text(), ":\t")
		address, err := strconv.ParseUint(strings.TrimSpace(at), 16, 64)
		if !ok || err != nil {
			continue
		}
		if last != 0 {
			size, next := decodeX86(code[last-text.Addr:])
			words = slices.DeleteFunc(words, func(w string) bool { return w == "bnd" || w == "notrack" || w == "repz" })
			want := map[string]flow{"call": flowCall, "ret": flowReturn, "jmp": flowJump}[words[0]]
			if size != address-last || next != want {
				t.Errorf("%x %v: size %d, flow %v; want %d", last, words, size, next, address-last)
			}
			compared++
		}
		last = address
		words = strings.Fields(rest)
	}
	if compared < 100000 {
		t.Errorf("compared %d instructions", compared)
	}
}

func TestInstructions(t *testing.T) {
	for _, c := range []struct {
		code   string
		size   uint64
		leaves bool
	}{
		{"\xc3", 1, true},
		{"\xf3\xc3", 2, true},
		{"\xe8\x01\x02\x03\x04", 5, true},
		{"\xff\xe0", 2, true},                                   // jmp *%rax
		{"\xff\xc0", 2, false},                                  // inc %eax
		{"\x0f\x84\x01\x02\x03\x04", 6, false},                  // je
		{"\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08", 10, false}, // movabs
		{"\x66\x81\xc3\x01\x02", 5, false},
		{"\xf7\x44\x24\x08\x01\x02\x03\x04", 8, false}, // testl $,8(%rsp)
		{"\xf7\x5c\x24\x08", 4, false},                 // negl 8(%rsp)
		{"\xc5\xf8\x77", 3, false},                     // vzeroupper
		{"\xc4\xe3\x7d\x06\xc0\x31", 6, false},         // vperm2f128
		{"\x62\xf1\x7c\x48\x10\x00", 6, false},         // vmovups (%rax),%zmm0
		{"\xe8\x01\x02", 0, false},                     // cut off
		{"", 0, false},
	} {
		size, next := decodeX86([]byte(c.code))
		leaves := next != flowOn
		if size != c.size || size > 0 && leaves != c.leaves {
			t.Errorf("% x: size %d, leaves %v", c.code, size, leaves)
		}
	}
	for word, want := range map[string]flow{
		"\x00\x00\x00\x14": flowJump, "\x00\x00\x00\x94": flowCall, "\xc0\x03\x5f\xd6": flowReturn,
		"\x00\x02\x3f\xd6": flowCall, "\x00\x02\x1f\xd6": flowJump, "\x00\x00\x00\x54": flowOn,
		"\x1f\x20\x03\xd5": flowOn,
	} {
		if size, next := decodeARM([]byte(word)); size != 4 || next != want {
			t.Errorf("% x: size %d, flow %v", word, size, next)
		}
	}
}

// TestDiscriminators decodes what LLVM encodes: a base, and a number of copies.
func TestDiscriminators(t *testing.T) {
	for d, want := range map[uint32][2]uint64{0: {0, 1}, 2: {1, 1}, 1: {0, 1}, 2 | 4<<8: {1, 4}, 0xc6: {35, 1},
		1 | 8<<2: {0, 8}, 15: {1, 1}} {
		got := (&Program{}).baseLocation(location(d)).Discriminator
		if uint64(got) != want[0] || duplicates(d) != want[1] {
			t.Errorf("%d: base %d, %d copies; want %v", d, got, duplicates(d), want)
		}
	}
}

func location(discriminator uint32) sample.Location {
	return sample.Location{Discriminator: discriminator}
}
