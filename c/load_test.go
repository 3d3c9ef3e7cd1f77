package c_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/profarc/profarc/internal/testkit/full"
)

// TestLoad: in each of several runs eight threads count, write checkpoints, open, adopt, claim, copy and close the
// archive, and drop its pages from memory. The checkpoints of all runs have all that was counted, once, and no
// descriptor, mapping or memory is left. PROFARC_LOAD=10m goes on for so long, without sanitizers, and logs how long
// each operation takes.
func TestLoad(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the program reads /proc")
	}
	b, long, eras := sanitized(t, "address,undefined"), 2*time.Second, 4
	if text := os.Getenv("PROFARC_LOAD"); text != "" {
		var err error
		if long, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
		b, eras = plain(t), max(4, int(long/(10*time.Second)))
	}
	dir := t.TempDir()
	app := filepath.Join(dir, "app.parc")
	if out, stderr, status := runProgram(t, b.client(t, "tests/run.c"), "dump", app, app, "10"); status != 0 {
		t.Fatalf("exit status %d: %s%s", status, out, stderr)
	}
	out, stderr, status := runProgram(t, b.client(t, "tests/load.c"), app, dir, strconv.Itoa(eras),
		strconv.Itoa(int(long.Milliseconds())/eras))
	if status != 0 {
		t.Fatalf("exit status %d: %s%s", status, out, stderr)
	}
	if os.Getenv("PROFARC_LOAD") != "" {
		t.Logf("%v: %d runs\n%s", long, eras, out)
	}
	var turns, checkpoints uint64
	if _, err := fmt.Sscan(string(out), &turns, &checkpoints); err != nil || turns == 0 {
		t.Fatal(turns, err)
	}
	files := []string{app}
	for i := range checkpoints {
		files = append(files, filepath.Join(dir, fmt.Sprint(i, ".parc")))
	}
	s, before := merged(t, files...), open(t, app)
	got, had := countsOf(t, s), countsOf(t, before)
	for i, name := range []string{"m", "n"} {
		t.Run(name, func(t *testing.T) {
			n := (turns + 1 - uint64(i)) / 2
			if got[name+" calls"]-had[name+" calls"] != n || got[name+" seen"]-had[name+" seen"] != n ||
				got[name+" taken"]+got[name+" not taken"]-had[name+" taken"]-had[name+" not taken"] != n ||
				receiversOf(t, s, name)-receiversOf(t, before, name) != n {
				t.Errorf("%s: %v and %d receivers, before %v and %d, want %d more of each", name, got, receiversOf(t, s, name),
					had, receiversOf(t, before, name), n)
			}
		})
	}
}
