package live

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/hotspot"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/reader"
)

// A VM that prints its MethodData into a pipe without a reader is stuck in the middle of
// it. Its MethodData do not change any more, so the dump and the text are of one moment.

var textRule = strings.Repeat("-", 72)

// settle waits until the compilers have nothing left to do: they change
// MethodData too, and go on when a VM ends.
func (j *jvm) settle() {
	j.t.Helper()
	var last []string
	for range 50 {
		now := methodsOf(j.t, dump(j.t, j.pid(), Options{}).Store)
		if slices.Equal(now, last) {
			return
		}
		last = now
		time.Sleep(200 * time.Millisecond)
	}
	j.t.Fatal("the VM does not come to rest")
}

// printing ends a VM and returns the beginning of its output, as soon as it prints MethodData.
func (j *jvm) printing() string {
	_ = j.in.Close()
	var front strings.Builder
	for {
		line, err := j.out.ReadString('\n')
		front.WriteString(line)
		if err != nil {
			j.t.Fatalf("no MethodData printed: %v", err)
		}
		if strings.HasPrefix(line, "  mdo size:") {
			return front.String()
		}
	}
}

// methodTexts returns the text of every method, sorted.
func methodsOf(t testing.TB, s *reader.Store) []string {
	t.Helper()
	var b bytes.Buffer
	if _, err := (&hotspot.Exporter{}).Export(&b, s); err != nil {
		t.Fatal(err)
	}
	methods := strings.Split(b.String(), textRule+"\n")
	return slices.Sorted(slices.Values(methods[1 : len(methods)-1]))
}

func TestDumpIsWhatPrintMethodDataPrints(t *testing.T) {
	full.Only(t, "starts JVMs")
	testjvm.Each(t, func(t *testing.T, home string) {
		all := [][]string{{"-XX:TypeProfileLevel=222", "-XX:TypeProfileWidth=3", "-XX:-UseCompressedClassPointers"}}
		if os.Getenv(dumpsVariable) != "" {
			all = append(all, []string{"-Xshare:auto"}, []string{"-XX:-TieredCompilation"}, []string{"-XX:TypeProfileWidth=0"})
		}
		for _, flags := range all {
			t.Run(strings.Join(flags, " "), func(t *testing.T) {
				flags = append([]string{"-XX:+UnlockDiagnosticVMOptions", "-XX:+PrintMethodData"}, flags...)
				j := compiling(t, home, flags...)
				j.settle()
				front := j.printing()
				d := dump(t, j.pid(), Options{Stop: true})
				text := front + j.end()
				report, err := (&hotspot.Importer{}).Import(&codec.Input{Reader: strings.NewReader(text)})
				if err != nil {
					t.Fatal(err)
				}
				b := report.Dumps[0]
				if got, want := disk.ShapeOfParams(&d.Header().Params), b.Internal().Params(); got != disk.ShapeOfParams(&want) {
					t.Errorf("shape %v, the text shows %v", got, want)
				}
				got, want := methodsOf(t, d.Store), methodsOf(t, open(t, b))
				if len(want) < 1000 || len(got) != len(want) {
					t.Errorf("%d methods, printed were %d", len(got), len(want))
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("printed (-), dumped (+):\n%.3000s", diff)
				}
				t.Logf("%d methods are the same", len(got))
			})
		}
	})
}
