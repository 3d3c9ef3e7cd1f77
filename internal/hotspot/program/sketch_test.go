package program_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/hotspot"
	"github.com/profarc/profarc/internal/hotspot/live"
	"github.com/profarc/profarc/internal/hotspot/program"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// homes returns the JDKs that there are.
func homes(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	if java, err := exec.LookPath("java"); err == nil {
		if java, err = filepath.EvalSymlinks(java); err == nil {
			found["the first JDK"] = filepath.Dir(filepath.Dir(java))
		}
	}
	if list, _ := filepath.Glob("/usr/lib/jvm/*25*"); len(list) > 0 {
		found["JDK 25"] = list[0]
	}
	return found
}

// Whoever reads a method's code, a VM, a class file or what a VM prints, makes the same sketch of it.
func TestSketchesOfAllReadersAgree(t *testing.T) {
	full.Only(t, "starts JVMs")
	c := compile(t)
	for name, home := range homes(t) {
		t.Run(name, func(t *testing.T) {
			code, err := program.OpenClassPath([]string{c.dir, home}, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer code.Close()
			c.java = filepath.Join(home, "bin", "java")
			vm, err := live.Attach(t.Context(), c.start(t))
			if err != nil {
				t.Skipf("cannot read a JVM here: %v", err)
			}
			b, _, err := vm.Dump(t.Context(), live.Options{})
			if err != nil {
				t.Fatal(err)
			}
			sameSketches(t, "a VM", open(t, b), code, 0)
			cmd := exec.Command(c.java, "-XX:+UnlockDiagnosticVMOptions", "-XX:+PrintMethodData", "-Xbatch",
				"-XX:TieredStopAtLevel=3", "-cp", c.dir, "Market")
			cmd.Stderr = os.Stderr
			text, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			report, err := (&hotspot.Importer{}).Import(&codec.Input{Reader: bytes.NewReader(text)})
			if err != nil {
				t.Fatal(err)
			}
			sameSketches(t, "a text", open(t, report.Dumps[0]), code, 0.01) // names that are not ASCII
		})
	}
}

// sameSketches compares the sketches of an archive with sketches of class files. A share of them may differ.
func sameSketches(t *testing.T, what string, s *reader.Store, code *program.ClassPath, tolerated float64) {
	t.Helper()
	table, err := s.Table(disk.TableCode)
	if err != nil {
		t.Fatalf("%s: no sketches: %v", what, err)
	}
	same, other, without := 0, 0, 0
	for row := range table.Rows {
		m, err := s.MethodAt(layout.Ref(table.Cell(0, row)))
		if err != nil {
			t.Fatal(err)
		}
		sketch, err := s.SymbolAt(layout.Ref(table.Cell(1, row)))
		if err != nil {
			t.Fatal(err)
		}
		want, ok := sketchOf(t, code, key(t, m))
		switch {
		case !ok:
			without++
		case want == sketch.String()[2:]: // after the code id, which a text does not have
			same++
		default:
			if other++; other < 4 {
				t.Logf("%s: %s is %x, the class file's %x", what, name(t, m), sketch.String()[2:], want)
			}
		}
	}
	t.Logf("%s: %d methods of one sketch, %d of two, %d without a class file", what, same, other, without)
	if same < 150 || float64(other) > tolerated*float64(same) || without > same/10 {
		t.Errorf("%s: %d sketches of %d methods differ, %d have no class file", what, other, same+other, without)
	}
}

// sketchOf returns the records of the sketch of a method in a class file.
func sketchOf(t *testing.T, code *program.ClassPath, k layout.Key) (records string, ok bool) {
	t.Helper()
	a, err := code.Method(k)
	if err != nil {
		t.Fatal(err)
	}
	if a.Presence != methodcode.Present || len(a.Versions) != 1 {
		return "", false
	}
	var points []disk.SketchPoint
	for _, p := range a.Versions[0].Points {
		if p.Kind.Sketched() {
			points = append(points, p.Sketch)
		}
	}
	return string(disk.AppendSketch(nil, 0, points)[2:]), true
}
