package bench

import (
	"bufio"
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
)

// These tests guard what makes lookups fast by counts that are the same in every run: of
// machine instructions, of inlined calls, and of bytes.

// mostInstructions of the functions of the hit path, on amd64. Of ProfileID's some
// fifty run in a hit; the others serve misses and searches.
var mostInstructions = map[string]int{`reader.(*Store).ProfileID`: 130, `reader.(*Store).readySlot`: 150}

func TestHitPathStaysShort(t *testing.T) {
	t.Parallel()
	if runtime.GOARCH != "amd64" {
		t.Skip("instructions are counted on amd64, not on " + runtime.GOARCH)
	}
	program := filepath.Join(t.TempDir(), "hits")
	if out, err := exec.Command("go", "build", "-o", program, "./hits").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for name, most := range mostInstructions {
		out, err := exec.Command("go", "tool", "objdump", "-s", regexp.QuoteMeta(name)+"$", program).Output()
		if err != nil {
			t.Fatalf("objdump: %v", err)
		}
		n := 0
		for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
			// but padding
			if line := lines.Bytes(); bytes.HasPrefix(line, []byte("  ")) && !bytes.Contains(line, []byte("NOP")) {
				n++
			}
		}
		if n == 0 || n > most {
			t.Errorf("%s has %d instructions, want at most %d", name, n, most)
		}
	}
}

// inlined are the functions that a hit calls and that the compiler must inline.
var inlined = []string{"Profile.Invocations", "Counter.Load"}

func TestCountersAreReadInline(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "build", "-gcflags=-m", "../reader").CombinedOutput()
	if err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for _, name := range inlined {
		if !bytes.Contains(out, []byte("can inline "+name+"\n")) {
			t.Errorf("%s is not inlined", name)
		}
	}
}

func TestBytesOfAMethod(t *testing.T) {
	t.Parallel()
	const methods, block = 20_000, 400
	b, err := Build(Scale{Methods: methods, Block: block})
	if err != nil {
		t.Fatal(err)
	}
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	h, err := disk.ParseHeader(data, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if ix, keys := disk.RegionOf(h, disk.RegionIX).Size, int64(h.Counts.Methods+h.Counts.Types); ix > 13*keys {
		t.Errorf("the index has %.1f bytes a key, want at most 13", float64(ix)/float64(keys))
	}
	if size := int64(len(data)) / methods; size > 680 {
		t.Errorf("the archive has %d bytes a method, want at most 680", size)
	}
}
