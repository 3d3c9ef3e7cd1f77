package live

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// The JDK's own debugger, jhsdb, prints the MethodData of a process. A dump is
// printed in its way, and both must be the same, line by line.

// debuggerText returns what jhsdb prints: the lines of every method, by its name.
func debuggerText(t *testing.T, home string, pid int) map[string][]string {
	t.Helper()
	jhsdb := filepath.Join(home, "bin", "jhsdb")
	if _, err := os.Stat(jhsdb); err != nil {
		t.Skip("the JVM has no jhsdb")
	}
	cmd := exec.Command(jhsdb, append(testjvm.Briefly, "clhsdb", "--pid", fmt.Sprint(pid))...)
	cmd.Stdin = strings.NewReader("printmdo -a\n")
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("jhsdb cannot read the process: %v", err)
	}
	methods := map[string][]string{}
	var name string
	var body strings.Builder
	flush := func() {
		if name != "" {
			methods[name] = append(methods[name], body.String())
		}
		name = ""
		body.Reset()
	}
	for line := range strings.Lines(string(out)) {
		if m := debuggerHeader.FindStringSubmatch(line); m != nil {
			flush()
			name = m[1]
			continue
		}
		if strings.HasPrefix(line, "hsdb>") {
			flush()
			continue
		}
		body.WriteString(debuggerMethod.ReplaceAllString(line, ")\n"))
	}
	flush()
	return methods
}

var (
	debuggerHeader = regexp.MustCompile(`^(?:hsdb> )?MethodData 0x[0-9a-f]+ for method (.*)@0x[0-9a-f]+`)
	debuggerMethod = regexp.MustCompile(`\)[^)]*@0x[0-9a-f]+\n$`)
)

// A debuggerWriter prints profiles as jhsdb does.
type debuggerWriter struct {
	strings.Builder
	t *testing.T
	d dumped
}

// asDebugger prints a dump.
func asDebugger(t *testing.T, d dumped) map[string][]string {
	t.Helper()
	methods := map[string][]string{}
	for m, err := range d.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		for p, err := range m.Profiles() {
			if err != nil {
				t.Fatal(err)
			}
			w := &debuggerWriter{t: t, d: d}
			w.profile(p)
			name := w.method(m)
			methods[name] = append(methods[name], w.String())
		}
	}
	return methods
}

func (w *debuggerWriter) method(m reader.Method) string {
	class, _, err := m.Class()
	if err != nil {
		w.t.Fatal(err)
	}
	name, _ := m.Name()
	signature, _ := m.Signature()
	return w.name(class) + "." + name.String() + signature.String()
}

// name returns the VM's own name of a type.
func (w *debuggerWriter) name(t reader.Type) string {
	if alias, err := t.Alias(); err != nil || alias.Len() > 0 {
		return alias.String()
	}
	name, err := t.Name()
	if err != nil {
		w.t.Fatal(err)
	}
	return name.String()
}

func (w *debuggerWriter) klass(t reader.Type) string {
	name := w.name(t)
	switch {
	case strings.HasPrefix(name, "[") && len(strings.TrimLeft(name, "[")) == 1 && strings.Count(name, "[") == 1:
		return "TypeArrayKlass for " + name
	case strings.HasPrefix(name, "["):
		return "ObjArrayKlass for " + w.element(name[1:])
	}
	return "InstanceKlass for " + name
}

func (w *debuggerWriter) element(name string) string {
	switch {
	case strings.HasPrefix(name, "L"):
		return "InstanceKlass for " + strings.TrimSuffix(name[1:], ";")
	case strings.HasPrefix(name, "[") && len(name) > 2:
		return "ObjArrayKlass for " + w.element(name[1:])
	}
	return "TypeArrayKlass for " + name
}

func (w *debuggerWriter) profile(p reader.Profile) {
	for e := range p.Section(disk.SectionParameters) {
		types, _ := e.Types()
		w.types("parameter types", types)
	}
	size := 0
	for e := range p.Entries() {
		w.entry(e, size)
		size += len(e.Bytes())
	}
	w.WriteString("--- Extra data:\n")
	_, host := p.Size()
	end := int(host) - int(w.d.vm.schema.data.data)
	for _, s := range []disk.BlockSection{disk.SectionParameters, disk.SectionHandlers} {
		for e := range p.Section(s) {
			end -= len(e.Bytes())
		}
	}
	for e := range p.Section(disk.SectionExtra) {
		if e.Tag() == layout.TagArgInfo {
			size = end - len(e.Bytes())
		}
		w.entry(e, size)
		size += len(e.Bytes())
	}
}

var debuggerKinds = map[layout.Tag]string{layout.TagCallType: "Counter", layout.TagVirtualCallType: "VirtualCall"}

func (w *debuggerWriter) entry(e reader.Entry, at int) {
	kind := e.Tag().String()
	if other, ok := debuggerKinds[e.Tag()]; ok {
		kind = other
	}
	fmt.Fprintf(w, "%d bci: %d %sData \t", at, e.Point(), kind)
	if e.Traps() != 0 {
		fmt.Fprintf(w, "trap(#%d) ", int32(e.Traps()))
	}
	if e.Flags() != 0 {
		fmt.Fprintf(w, "flags(%d) ", e.Flags())
	}
	w.cells(e)
	if types, ok := e.Types(); ok && e.Tag() != layout.TagParametersType {
		if types.Args() > 0 {
			w.types("\targument types", types)
		}
		if result, ok := types.Return(); ok {
			fmt.Fprintf(w, "\treturn type\t%s\n", w.word(result))
		}
	}
}

func (w *debuggerWriter) cells(e reader.Entry) {
	cell := func(i int) int32 { return int32(e.Cell(i).Load()) }
	switch e.Tag() {
	case layout.TagBit:
		fmt.Fprintln(w)
	case layout.TagCounter, layout.TagCallType:
		fmt.Fprintf(w, "count(%d)\n", cell(0))
	case layout.TagJump:
		fmt.Fprintf(w, "taken(%d) displacement(%d)\n", cell(0), cell(1))
	case layout.TagBranch:
		fmt.Fprintf(w, "taken(%d) displacement(%d)\n\tnot taken(%d)\n", cell(0), cell(1), cell(2))
	case layout.TagMultiBranch:
		fmt.Fprintf(w, "default_count(%d) displacement(%d)\n", cell(1), cell(2))
		for i := 3; i < e.Cells(); i += 2 {
			fmt.Fprintf(w, "\tcount(%d) displacement(%d)\n", cell(i), cell(i+1))
		}
	case layout.TagArgInfo:
		for i := 1; i < e.Cells(); i++ {
			fmt.Fprintf(w, "  0x%x", uint32(cell(i)))
		}
		fmt.Fprintln(w)
	case layout.TagSpeculativeTrap:
		m, err := e.Trap()
		if err != nil {
			w.t.Fatal(err)
		}
		name := w.method(m)
		fmt.Fprintf(w, "\tMethod %s\n", name[:strings.LastIndex(name, ")")+1])
	default:
		w.receivers(e)
	}
}

func (w *debuggerWriter) receivers(e reader.Entry) {
	r, _ := e.Receivers()
	rows := slices.Collect(r.All())
	fmt.Fprintf(w, "count(%d) entries(%d)\n", int32(r.Other().Load()), len(rows))
	for _, row := range rows {
		fmt.Fprintf(w, "\t%s(%d)\n", w.klass(row.Type), int32(row.Count.Load()))
	}
}

func (w *debuggerWriter) types(title string, types reader.TypeList) {
	for i := range types.Args() {
		slot, word := types.Arg(i)
		fmt.Fprintf(w, "%s\t%d: stack(%d) %s\n", title, i, slot, w.word(word))
		title = ""
	}
}

func (w *debuggerWriter) word(t reader.TypeWord) string {
	text := "none"
	if t.Unknown {
		text = "unknown"
	} else if t.Type.Valid() {
		text = w.klass(t.Type)
	}
	if t.NullSeen {
		text += " (null seen)"
	}
	return text
}

func TestDumpIsWhatTheDebuggerPrints(t *testing.T) {
	full.Only(t, "starts JVMs")
	testjvm.Each(t, func(t *testing.T, home string) {
		j := compiling(t, home)
		before := asDebugger(t, dump(t, j.pid(), Options{Stop: true}))
		want := debuggerText(t, home, j.pid())
		d := dump(t, j.pid(), Options{Stop: true})
		after := asDebugger(t, d)
		same, moved := 0, 0
		for name, bodies := range want {
			switch {
			case !slices.Equal(before[name], after[name]):
				moved++ // it ran while the debugger looked
			case !sameBodies(bodies, after[name]):
				t.Errorf("%s:\njhsdb\n%s\ndump\n%s", name, bodies, after[name])
			default:
				same++
			}
			if t.Failed() {
				return
			}
		}
		for name := range after {
			if want[name] == nil && before[name] != nil {
				t.Errorf("jhsdb does not have %s", name)
			}
		}
		t.Logf("%d methods and %d entries are the same, %d moved; held for %v", same, d.report.Entries, moved,
			d.report.Stopped)
		if moved > same/100 || same < 1000 || d.report.numRefused() > 0 {
			t.Errorf("%d methods are the same, %d moved, refused: %+v", same, moved, d.report.Refused)
		}
	})
}

// sameBodies compares the profiles of one name: several if several loaders have a class.
func sameBodies(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}
