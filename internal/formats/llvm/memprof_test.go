package llvm

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// memProfVersions are the versions of the section that LLVM 19 writes.
var memProfVersions = []int{0, 1, 2, 3}

// heapRows returns the memory profiles of an archive as text, sorted, without the places of their records.
func heapRows(t testing.TB, s *reader.Store) (rows []string) {
	t.Helper()
	for _, kind := range []disk.TableKind{disk.TableAllocations, disk.TableAllocationCalls} {
		table, err := s.TableOrEmpty(kind)
		if err != nil {
			t.Fatal(err)
		}
		for row := range table.Rows {
			stack, err := table.Text(disk.AllocationStack, row)
			if err != nil {
				t.Fatal(err)
			}
			text := fmt.Sprintf("%v %#x %x", kind, table.Cell(0, row), stack)
			for c := disk.AllocationFields; c < table.Columns(); c++ {
				text += fmt.Sprint(" ", table.Cell(c, row))
			}
			rows = append(rows, text)
		}
	}
	slices.Sort(rows)
	return rows
}

// withHeap returns an archive with one function and a memory profile at random.
func withHeap(t testing.TB, r *rand.Rand, version int) *reader.Store {
	t.Helper()
	b := builder.New(layout.DomainLLVMIR, builder.Config{Params: layout.Params{LLVMVersion: 12, LLVMVariant: 2}})
	p := b.Profile(layout.Key{Name: "main"}, 1)
	p.Counters(0, 1, 2)
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	set := b.Internal()
	stack := func() uint64 {
		var frames []byte
		for range 1 + r.IntN(6) {
			frames = disk.AppendHeapFrame(frames, disk.HeapFrame{Function: r.Uint64N(9) << 60, Line: r.Uint32N(3),
				Column: r.Uint32N(2), Inline: r.IntN(2) == 0})
		}
		return uint64(b.Internal().Symbol(string(frames)))
	}
	for record := range uint64(1 + r.IntN(40)) {
		function := r.Uint64()
		for range r.IntN(4) {
			row := []uint64{function, stack(), record + 1}
			for i, f := range disk.HeapFields {
				v := uint64(r.Uint32())
				if f.Long {
					v = r.Uint64()
				}
				if version >= 2 && !slices.Contains(shortSchema, i) {
					v = 0
				}
				row = append(row, v)
			}
			set.Table(disk.TableAllocations, 0).Row(row...)
		}
		set.Table(disk.TableAllocationCalls, 0).Row(function, stack(), record+1)
	}
	b.Internal().
		Table(disk.TableProperties, 0).
		Row(uint64(b.Internal().Symbol(disk.PropertyMemProf)), uint64(b.Internal().Symbol(fmt.Sprint(version))))
	return memstore.Open(t, b)
}

// What is written of a memory profile in any version is read again, whatever the stacks are.
func TestMemProfReadsWhatIsWritten(t *testing.T) {
	full.Only(t, "takes many inputs")
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		for _, version := range memProfVersions {
			want := withHeap(t, r, version)
			file, report := writeIndexed(t, want, WriteOptions{})
			if len(report.Lost) > 0 {
				t.Fatalf("lost: %v", report.Lost)
			}
			b, _ := readInto(t, ReadOptions{}, file)
			got := memstore.Open(t, b)
			if diff := cmp.Diff(heapRows(t, want), heapRows(t, got)); diff != "" {
				t.Fatalf("version %d:\n%s", version, diff)
			}
			if again, _ := writeIndexed(t, got, WriteOptions{}); !bytes.Equal(again, file) {
				t.Fatalf("version %d is written with other bytes the second time", version)
			}
		}
	}
}

// A version of the format that cannot hold a memory profile, and text, say so.
func TestMemProfLosses(t *testing.T) {
	s := withHeap(t, rand.New(rand.NewPCG(3, 4)), 3)
	if _, r := writeIndexed(t, s, WriteOptions{Version: 7}); r.Lost.Count(LossMemProfVersion) == 0 {
		t.Errorf("version 7 loses %v", r.Lost)
	}
	if _, r := writeText(t, s, WriteOptions{}); r.Lost.Count(LossTextMemProf) == 0 {
		t.Errorf("text loses %v", r.Lost)
	}
}

// A changed byte and a missing end make an error with a place, or an archive; a newer version of the section is lost.
func TestMemProfDamage(t *testing.T) {
	full.Only(t, "takes hostile inputs by the thousand")
	for _, version := range memProfVersions {
		file, _ := writeIndexed(t, withHeap(t, rand.New(rand.NewPCG(5, uint64(version))), version), WriteOptions{})
		at := int(le.Uint64(file[40:]))
		try := func(what string, file []byte) {
			t.Helper()
			var e *Error
			_, _, err := Read(bytes.NewReader(file), ReadOptions{})
			if err != nil && !errors.As(err, &e) {
				t.Fatalf("%s: %v", what, err)
			}
		}
		for i := at + int(version); i < len(file); i += len(memProfVersions) { // each version other bytes
			for _, mask := range []byte{1, 0x80, 0xff} {
				changed := bytes.Clone(file)
				changed[i] ^= mask
				try(fmt.Sprint("byte ", i), changed)
			}
			try(fmt.Sprint("cut at ", i), file[:i])
		}
		if version > 0 {
			le.PutUint64(file[at:], memProfNewest+1)
			if _, r, err := Read(bytes.NewReader(file), ReadOptions{}); err != nil || r.Lost.Count(LossMemProf) != 1 {
				t.Errorf("a newer version: %v, %v", r, err)
			}
		}
	}
}

// Stacks of version 3 that share their frames may stand for more than any profile has.
func TestMemProfBomb(t *testing.T) {
	const frames = 60_000 // each word of the array begins a stack of so many, or of what is behind it
	m := &memProfReader{version: 3, frames: make([]byte, (frames+1)*disk.HeapFrameSize), known: map[uint64][]byte{}}
	for range 2 * frames {
		m.array = le.AppendUint32(m.array, 1)
	}
	m.b = m.array
	record := le.AppendUint64(nil, 1000) // allocations without fields
	for i := range uint32(1000) {
		le.PutUint32(m.array[4*i:], frames)
		record = le.AppendUint32(record, i)
	}
	record = append(record, make([]byte, 8)...)
	if err := m.readRecord(&heapRecord{}, record); !errors.Is(err, errStacks) {
		t.Errorf("%v, want an error of a limit", err)
	}
}

// The files that llvm-profdata wrote of two programs come back: with the same bytes if they are of LLVM 16 or of
// versions 0, 1 and 3; of version 2 the ids of stacks differ.
func TestMemProfSamples(t *testing.T) {
	files, _ := filepath.Glob("../../../../shared/samples/compilers/memprof/*.profdata")
	if len(files) == 0 {
		t.Skip("no recorded samples next to the project")
	}
	for _, name := range files {
		want := mustLoad(t, name)
		b, r := readInto(t, ReadOptions{}, want)
		got, _ := writeIndexed(t, memstore.Open(t, b), WriteOptions{})
		if same := bytes.Equal(got, want); r.Allocations == 0 || !same && !strings.Contains(name, ".v2.") ||
			len(got) != len(want) {
			t.Errorf("%s: %d allocations, same bytes: %v", filepath.Base(name), r.Allocations, same)
		}
	}
}

// heapProgram returns a C++ program at random that allocates in many calling contexts.
func heapProgram(r *rand.Rand, functions int) string {
	var b strings.Builder
	b.WriteString("#include <vector>\nstatic volatile int sink; static std::vector<char*> kept;\n")
	for i := range functions {
		fmt.Fprintf(&b, "%s void f%d(int d);\n", []string{"__attribute__((noinline))", "static inline"}[r.IntN(5)/3], i)
	}
	for i := range functions {
		fmt.Fprintf(&b, "void f%d(int d) {\n", i)
		for range 1 + r.IntN(3) {
			if r.IntN(2) == 0 {
				fmt.Fprintf(&b, "  { char *p = new char[%d]; for (int j = 0; j < %d; j++) p[0] += j; sink += p[0];\n"+
					"    if (d & 1) delete[] p; else kept.push_back(p); }\n", 1+r.IntN(400), 1+r.IntN(30))
			}
			if i+1 < functions {
				fmt.Fprintf(&b, "  if (d > 0) f%d(d - 1);\n", min(functions-1, i+1+r.IntN(9)))
			}
		}
		b.WriteString("  sink++;\n}\n")
	}
	b.WriteString("int main() { for (int i = 0; i < 3; i++) { f0(6 + i); f1(5); f2(4); }\n" +
		"  for (char *p : kept) delete[] p; }\n")
	return b.String()
}

// Flags of programs with memory profiles. The second list lets everything be cold that lives on.
var (
	heapFlags = strings.Fields("-O1 -g -gmlt -fdebug-info-for-profiling -fno-omit-frame-pointer " +
		"-mno-omit-leaf-frame-pointer -fno-optimize-sibling-calls")
	coldFlags = strings.Fields("-mllvm -memprof-ave-lifetime-cold-threshold=0 " +
		"-mllvm -memprof-lifetime-access-density-cold-threshold=20 -S -emit-llvm")
)

// heapProfile19 builds a program, runs it, and returns the folder in which `raw` is its memory profile.
func heapProfile19(t *testing.T, clang string, r *rand.Rand, functions int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	save(t, dir, "a.cc", []byte(heapProgram(r, functions)))
	run(t, dir, slices.Concat([]string{clang, "a.cc", "-o", "a", "-fmemory-profile", "-no-pie", "-Wl,--build-id",
		"-Wl,-z,noseparate-code"}, heapFlags)...)
	t.Setenv("MEMPROF_OPTIONS", "print_text=0:log_path=stdout")
	save(t, dir, "raw", run(t, dir, filepath.Join(dir, "a")))
	return dir
}

// hints returns what clang makes of a program and a memory profile.
func hints(t *testing.T, dir, clang, profile string) string {
	t.Helper()
	run(t, dir, slices.Concat([]string{clang, "a.cc", "-o", "a.ll", "-fmemory-profile-use=" + profile}, heapFlags,
		coldFlags)...)
	text, err := os.ReadFile(filepath.Join(dir, "a.ll"))
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(regexp.QuoteMeta(profile)).ReplaceAllString(string(text), "")
}

// Of what llvm-profdata makes of programs' runs version 3 comes back with the same bytes, with few fields and with
// all, and clang makes the same of the others.
func TestMemProfOfPrograms(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	clang, profdata := tool(t, "clang++", "19"), tool(t, "llvm-profdata", "19")
	dir := heapProfile19(t, clang, rand.New(rand.NewPCG(7, 8)), 80)
	want := ""
	for _, schema := range []string{"--memprof-full-schema=false", "--memprof-full-schema"} {
		for _, version := range memProfVersions {
			run(t, dir, profdata, "merge", "raw", "--profiled-binary=a", "-o", "want.profdata", schema,
				fmt.Sprint("--memprof-version=", version))
			file := mustLoad(t, filepath.Join(dir, "want.profdata"))
			b, _ := readInto(t, ReadOptions{}, file)
			got, _ := writeIndexed(t, memstore.Open(t, b), WriteOptions{})
			if version == 3 && !bytes.Equal(got, file) {
				t.Errorf("version 3 %s: other bytes", schema)
			}
			save(t, dir, "got.profdata", got)
			if want == "" {
				want = hints(t, dir, clang, "want.profdata")
			}
			if hints(t, dir, clang, "got.profdata") != want || !strings.Contains(want, `"cold"`) {
				t.Errorf("version %d %s: clang does not make the same of it", version, schema)
			}
		}
	}
}

// A profile that is added to itself gives clang the same hints, and two runs have the sums of both.
func TestMemProfSums(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	clang, profdata := tool(t, "clang++", "19"), tool(t, "llvm-profdata", "19")
	dir := heapProfile19(t, clang, rand.New(rand.NewPCG(9, 10)), 50)
	save(t, dir, "raw2", run(t, dir, filepath.Join(dir, "a")))
	merge := func(out string, raws ...string) {
		run(t, dir, append([]string{profdata, "merge", "--profiled-binary=a", "--memprof-version=3", "-o", out}, raws...)...)
	}
	merge("one.profdata", "raw")
	merge("two.profdata", "raw2")
	sum := func(a, b string) *reader.Store {
		into, _ := readInto(t, ReadOptions{}, mustLoad(t, filepath.Join(dir, a)), mustLoad(t, filepath.Join(dir, b)))
		return memstore.Open(t, into)
	}
	twice, _ := writeIndexed(t, sum("one.profdata", "one.profdata"), WriteOptions{})
	save(t, dir, "twice.profdata", twice)
	if hints(t, dir, clang, "one.profdata") != hints(t, dir, clang, "twice.profdata") {
		t.Error("clang does not make the same of the sum")
	}
	s := sum("one.profdata", "two.profdata")
	one, two := totals(t, dir, "one.profdata"), totals(t, dir, "two.profdata")
	if totalsOf(t, s) != [2]uint64{one[0] + two[0], one[1] + two[1]} {
		t.Errorf("the sum has %v, the runs %v and %v", totalsOf(t, s), one, two)
	}
}

func totals(t *testing.T, dir, file string) [2]uint64 {
	b, _ := readInto(t, ReadOptions{}, mustLoad(t, filepath.Join(dir, file)))
	return totalsOf(t, memstore.Open(t, b))
}

// totalsOf returns the numbers of allocations and bytes of an archive.
func totalsOf(t *testing.T, s *reader.Store) (sum [2]uint64) {
	table, err := s.Table(disk.TableAllocations)
	if err != nil {
		t.Fatal(err)
	}
	for row := range table.Rows {
		sum[0] += table.Cell(disk.AllocationFields+disk.HeapAllocations, row)
		sum[1] += table.Cell(disk.AllocationFields+disk.HeapBytes, row)
	}
	return sum
}
