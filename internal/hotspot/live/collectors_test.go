package live

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Class loaders, hidden classes and exception handlers are found with every
// collector, whether class pointers in objects are compressed or not.
func TestEveryCollector(t *testing.T) {
	full.Only(t, "starts JVMs")
	testjvm.Each(t, func(t *testing.T, home string) {
		for _, gc := range []string{"Serial", "Parallel", "G1", "Z"} {
			for _, compressed := range []string{"+", "-"} {
				t.Run(gc+compressed, func(t *testing.T) {
					j := start(t, home, "-XX:+Use"+gc+"GC", "-XX:"+compressed+"UseCompressedClassPointers", "-Xmx256m", "Twins")
					j.await("ready")
					checkTwins(t, dump(t, j.pid(), Options{Stop: true}))
				})
			}
		}
	})
}

func checkTwins(t *testing.T, d dumped) {
	t.Helper()
	if d.report.numRefused() > 0 || !d.report.Consistent {
		t.Errorf("report: %+v", d.report)
	}
	step := layout.Key{Class: "Twins$Work", Name: "step", Signature: "(I)I", Loader: "Twins$Own"}
	if _, err := d.Find(step); err != nil {
		t.Errorf("the loaders with one class: %v", err)
	}
	if _, err := d.Find(layout.Key{Class: "java/lang/Object", Name: "<init>", Signature: "()V"}); err != nil {
		t.Errorf("boot loader: %v", err)
	}
	if got := receivers(t, d, "run", "(LTwins$Step;I)I"); len(got) != len(slices.Compact(slices.Clone(got))) {
		t.Errorf("receivers of run: %q", got) // one row for the class of all these loaders
	}
	for _, r := range receivers(t, d, "apply", "(Ljava/util/function/IntUnaryOperator;I)I") {
		if !strings.HasPrefix(r, "Twins$$Lambda@Twins#") || !strings.HasSuffix(r, " of app") {
			t.Errorf("hidden receiver %s", r)
		}
	}
	checkHandlers(t, d)
}

// receivers returns the types of all receiver rows of a method of Twins.
func receivers(t *testing.T, d dumped, name, signature string) (types []string) {
	t.Helper()
	for e := range profileOf(t, d, layout.Key{Class: "Twins", Name: name, Signature: signature, Loader: "app"}).Entries() {
		r, ok := e.Receivers()
		if !ok {
			continue
		}
		for row := range r.All() {
			name, err := row.Type.Name()
			if err != nil {
				t.Fatal(err)
			}
			loader, _ := row.Type.Loader()
			types = append(types, fmt.Sprintf("%s of %s", name, loader))
		}
	}
	if len(types) == 0 {
		t.Errorf("%s has no receivers", name)
	}
	slices.Sort(types)
	return types
}

func profileOf(t *testing.T, d dumped, k layout.Key) reader.Profile {
	t.Helper()
	m, err := d.Find(k)
	if err != nil {
		t.Fatalf("%v: %v", k, err)
	}
	for p, err := range m.Profiles() {
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	t.Fatalf("%v has no profile", k)
	return reader.Profile{}
}

// checkHandlers: where the VM profiles exception handlers, the first of two was
// entered and the second was not.
func checkHandlers(t *testing.T, d dumped) {
	t.Helper()
	var flags []uint8
	for e := range profileOf(t, d, layout.Key{Class: "Twins$Work", Name: "step", Signature: "(I)I",
		Loader: "Twins$Own"}).Section(disk.SectionHandlers) {
		flags = append(flags, byte(e.Flags()))
	}
	const entered = 1 << 1
	switch {
	case d.report.Release < handlersRelease && len(flags) > 0:
		t.Errorf("handlers: %v", flags)
	case d.report.Release >= handlersRelease && !slices.Equal(flags, []uint8{entered, 0}):
		t.Errorf("handlers: %v", flags)
	}
}
