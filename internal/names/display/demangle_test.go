package display_test

import (
	"bytes"
	"debug/elf"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/names/display"
)

// rust are names of both of Rust's manglings.
var rust = []string{
	"_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE",
	"_ZN71_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..clone..Clone$GT$5clone17h0123456789abcdefE",
	"_RNvCs1234_7mycrate3foo", "_RNvMs_Cs4Cv8Wi1oAIB_7mycrateNtB4_7Example3foo",
	"_RINvNtC3std3mem8align_ofjE", "_RNCNvC7mycrate4main0",
}

// exported returns names that a library of this machine exports, every so many of them.
func exported(t *testing.T, pattern string, every int) (names []string) {
	t.Helper()
	files, _ := filepath.Glob(pattern)
	for _, file := range files {
		f, err := elf.Open(file)
		if err != nil {
			continue
		}
		defer f.Close()
		symbols, _ := f.DynamicSymbols()
		for i := 0; i < len(symbols); i += every {
			if strings.HasPrefix(symbols[i].Name, "_Z") {
				names = append(names, symbols[i].Name)
			}
		}
		return names
	}
	return nil
}

// binutils spells the same names in the same way.
func TestNamesAsByFilter(t *testing.T) {
	t.Parallel()
	tool, err := exec.LookPath("c++filt")
	if err != nil {
		t.Skip("no c++filt: install binutils")
	}
	names := append(exported(t, "/usr/lib/*/libstdc++.so.6", 1), exported(t, "/usr/lib/*/libLLVM*.so*", 20)...)
	names = append(names, rust...)
	filter := exec.Command(tool, "-i") // without what stands behind std::string
	filter.Stdin = strings.NewReader(strings.Join(names, "\n") + "\n")
	out, err := filter.Output()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(bytes.TrimSuffix(out, []byte("\n"))), "\n")
	if len(want) != len(names) {
		t.Fatalf("%d names, %d spellings", len(names), len(want))
	}
	different := 0
	for i, name := range names {
		got, ok := display.Demangle(name)
		if !ok {
			got = name
		}
		// c++filt is not of one mind about the space between two closing brackets
		if strings.ReplaceAll(got, "> >", ">>") == strings.ReplaceAll(want[i], "> >", ">>") {
			continue
		}
		if different++; strings.HasPrefix(name, "_R") || different <= 3 {
			t.Logf("%s:\n got  %s\n want %s", name, got, want[i])
		}
	}
	if different*200 > len(names) {
		t.Errorf("%d of %d names differ", different, len(names))
	}
}

// A short name that stands for a very long text, or is no name, is left as it is.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	doubling := "_Z1f" + strings.Repeat("I", 20)
	var pairs strings.Builder
	pairs.WriteString("_Z1f1AIiiE")
	for i := range 60 {
		digit := string("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i%36])
		pairs.WriteString("S_IS" + digit + "_S" + digit + "_E")
	}
	for _, name := range []string{"", "main", "_Z", "_R", "_Zx", "_ZN", doubling, pairs.String(),
		"_Z1f" + strings.Repeat("P", 5000) + "i",
		"_Z" + strings.Repeat("9", 100), "_ZN" + strings.Repeat("1a", 1<<20) + "E", "_Z1f\x00",
		"_RNvC" + strings.Repeat("9", 20)} {
		if got, _ := display.Demangle(name); len(got) > 1<<14 {
			t.Errorf("%.40s: %d bytes", name, len(got))
		}
	}
}
