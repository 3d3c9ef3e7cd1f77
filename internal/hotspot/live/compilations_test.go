package live

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// printedLine is a compilation as -XX:+PrintCompilation prints it: time, id, attributes,
// level, method, bci of a loop, size, and what became of it.
var printedLine = regexp.MustCompile(`^ *\d+ +(\d+) ([% ][s ][! ][b ][n ]) +(\d)? +([^\s:]+)::(\S+) (?:@ (\d+) )?\((?:\d+ bytes|native)\) *(.*)$`)

// A printedCode is what the VM printed of a compilation.
type printedCode struct {
	class, name string
	level       uint64
	point       int64
	gone        bool
}

// printedCompilations reads the VM's output up to the line "ready".
func printedCompilations(t *testing.T, j *jvm) map[uint64]printedCode {
	t.Helper()
	all := map[uint64]printedCode{}
	for {
		line, err := j.out.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimSpace(line) == "ready" {
			return all
		}
		m := printedLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil || strings.Contains(m[2], "n") {
			continue // of a native method, or no compilation
		}
		id, _ := strconv.ParseUint(m[1], 10, 64)
		level, _ := strconv.ParseUint(m[3], 10, 64)
		point := int64(-1)
		if m[6] != "" {
			point, _ = strconv.ParseInt(m[6], 10, 64)
		}
		all[id] = printedCode{strings.ReplaceAll(m[4], ".", "/"), m[5], level, point, m[7] != ""}
	}
}

// compilationsOf returns the rows of the table by id, and how many methods with rows have no profile.
func compilationsOf(t *testing.T, s *reader.Store) (rows map[uint64]printedCode, plain int) {
	t.Helper()
	table, err := s.Table(disk.TableCompilations)
	if err != nil {
		t.Fatal(err)
	}
	rows = map[uint64]printedCode{}
	for r := range table.Rows {
		m, err := s.MethodAt(layout.Ref(table.Cell(0, r)))
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Key()
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := m.Profile(layout.CodeAny); err != nil {
			plain++
		}
		id := table.Cell(4, r)
		if _, twice := rows[id]; twice || table.Cell(5, r) == 0 || table.Cell(6, r) != 1 || table.Cell(7, r) > 1 {
			t.Errorf("%s: twice %v, size %d, runs %d, installed %d", k, twice, table.Cell(5, r), table.Cell(6, r),
				table.Cell(7, r))
		}
		rows[id] = printedCode{k.Class, k.Name, table.Cell(1, r), int64(table.Cell(2, r)), table.Cell(7, r) == 0}
	}
	return rows, plain
}

// The compilations of a dump are those that the VM printed: ids, methods, levels and entries
// of all of them agree, and none that is in use is left out.
func TestCompilationsAreThoseThatTheVMPrints(t *testing.T) {
	full.Only(t, "starts JVMs")
	testjvm.Each(t, func(t *testing.T, home string) {
		for _, program := range [][]string{{"Deoptimize"}, {"Compile", "1", t.TempDir()}} {
			j := start(t, home, append([]string{"-Xbatch", "-XX:+PrintCompilation"}, program...)...)
			printed := printedCompilations(t, j)
			d := dump(t, j.pid(), Options{Stop: true})
			checkCompilations(t, program[0], d, printed)
			j.end()
		}
	})
}

func checkCompilations(t *testing.T, program string, d dumped, printed map[uint64]printedCode) {
	t.Helper()
	rows, plain := compilationsOf(t, d.Store)
	gone, wrong := 0, 0
	for id, row := range rows {
		want := printed[id]
		if row.gone {
			gone++
		}
		if made := strings.Contains(row.class, "$$Lambda") || strings.Contains(row.class, "@"); made {
			row.class = want.class // the VM prints a name of its own
		}
		if row != want {
			t.Errorf("%s: compilation %d is %+v, the VM printed %+v", program, id, row, want)
		}
	}
	installed := 0
	for id, c := range printed {
		if _, ok := rows[id]; !c.gone && !ok {
			wrong++
			t.Logf("%s: the VM printed compilation %d, %+v", program, id, c)
		} else if !c.gone {
			installed++
		}
	}
	if wrong > 0 {
		t.Errorf("%s: %d of %d compilations in use are missing", program, wrong, wrong+installed)
	}
	if len(rows) != d.report.Compilations || installed == 0 || gone == 0 || plain == 0 && program == "Compile" {
		t.Errorf("%s: %d rows, reported %d, %d discarded, %d of methods without a profile", program, len(rows),
			d.report.Compilations, gone, plain)
	}
	t.Logf("%s: %d compilations, %d discarded, %d of methods without a profile; the VM printed %d", program, len(rows),
		gone, plain, len(printed))
}

// A copy of a process has the compilations of the process itself.
func TestCompilationsOfACopy(t *testing.T) {
	full.Only(t, "starts JVMs")
	testjvm.EachInLongForm(t, func(t *testing.T, home string) {
		j := compiling(t, home, "-Xbatch", profiling)
		want, _ := compilationsOf(t, dump(t, j.pid(), Options{}).Store)
		vm, err := Attach(context.Background(), j.pid())
		if err == nil {
			err = vm.Detach(context.Background())
		}
		if err != nil {
			t.Fatal(err)
		}
		j.end()
		b, _, err := vm.Dump(context.Background(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, _ := compilationsOf(t, open(t, b))
		if len(got) != len(want) || len(got) == 0 {
			t.Errorf("%d compilations, the process had %d", len(got), len(want))
		}
		for id, c := range want {
			if got[id] != c {
				t.Errorf("compilation %d is %+v, in the process %+v", id, got[id], c)
			}
		}
	})
}

// Classes are recorded as loaded, and as initialized if they are.
func TestInitializedClasses(t *testing.T) {
	full.Only(t, "starts JVMs")
	testjvm.Each(t, func(t *testing.T, home string) {
		j := start(t, home, "Initializing")
		j.await("ready")
		s := dump(t, j.pid(), Options{}).Store
		for class, want := range map[reader.Type]layout.TypeFlags{
			typeOf(t, s, "Initializing$Done", "app"):    disk.TypeLoaded | disk.TypeInitialized,
			typeOf(t, s, "Initializing$Pending", "app"): disk.TypeLoaded,
		} {
			if flags, err := class.Flags(); err != nil || flags != want {
				t.Errorf("type %d has flags %#x, want %#x: %v", class.Ordinal(), flags, want, err)
			}
		}
	})
}

func typeOf(t *testing.T, s *reader.Store, name, loader string) reader.Type {
	t.Helper()
	typ, err := s.FindType(name, loader)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return typ
}
