package iprof

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// printers is the program of the format's own documentation: main calls printEvenOrOdd at 3, that calls
// printEven at 9 or printOdd at 15, and both call print at 2. printOdd was a root of compilation.
const printers = `{"version":"1.0.0","types":[{"id":0,"name":"void"},{"id":1,"name":"EvenOrOddLength"},{"id":2,"name":"java.lang.String"},` +
	`{"id":3,"name":"[Ljava.lang.String;"}],"methods":[{"id":1,"name":"main","signature":[1,0,3]},{"id":2,"name":"printEvenOrOdd","signature":[1,0,2]},` +
	`{"id":3,"name":"printEven","signature":[1,0]},{"id":4,"name":"printOdd","signature":[1,0]},{"id":5,"name":"print","signature":[1,0,2]}],` +
	`"callCountProfiles":[{"ctx":"1:0","records":[1]},{"ctx":"2:0<1:3","records":[100]},{"ctx":"5:0<3:2<2:9<1:3","records":[70]},{"ctx":"5:0<4:2","records":[30]}],` +
	`"conditionalProfiles":[],"virtualInvokeProfiles":[],"monitorProfiles":[],"samplingProfiles":[]}`

func find(tb testing.TB, s *reader.Store, class, name, signature string) reader.Method {
	tb.Helper()
	m, err := s.Find(layout.Key{Class: class, Name: name, Signature: signature})
	if err != nil {
		tb.Fatalf("%s.%s %s: %v", class, name, signature, err)
	}
	return m
}

// TestLookupInContext: a method is found by its key, and its profile by the
// callers, the longest context that fits first.
func TestLookupInContext(t *testing.T) {
	data, _ := read(t, printers, ReadOptions{})
	s := open(t, data)
	const class = "EvenOrOddLength"
	main := find(t, s, class, "main", "void([Ljava.lang.String;)")
	evenOrOdd := find(t, s, class, "printEvenOrOdd", "void(java.lang.String)")
	even, odd := find(t, s, class, "printEven", "void()"), find(t, s, class, "printOdd", "void()")
	print := find(t, s, class, "print", "void(java.lang.String)")
	long := []reader.Frame{{Caller: even, Point: 2}, {Caller: evenOrOdd, Point: 9}, {Caller: main, Point: 3}}
	for _, c := range []struct {
		name   string
		m      reader.Method
		frames []reader.Frame
		count  uint64
		depth  int
	}{
		{"5:0<3:2<2:9<1:3", print, long, 70, 3},
		{"5:0<4:2", print, []reader.Frame{{Caller: odd, Point: 2}}, 30, 1},
		{"5:0<4:2<2:15<1:3", print, []reader.Frame{{Caller: odd, Point: 2}, {Caller: evenOrOdd, Point: 15},
			{Caller: main, Point: 3}}, 30, 1},
		{"2:0<1:3", evenOrOdd, long[2:], 100, 1},
		{"1:0", main, nil, 1, 0},
		{"1:0<4:2", main, []reader.Frame{{Caller: odd, Point: 2}}, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, depth, err := c.m.Profile(layout.CodeAny, c.frames...)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				return
			}
			if n, ok := p.Invocations(); !ok || n.Load() != c.count || depth != c.depth {
				t.Errorf("%s: %d calls at depth %d, want %d at %d", c.name, n.Load(), depth, c.count, c.depth)
			}
		})
	}
	for name, frames := range map[string][]reader.Frame{"5:0": nil, "5:0<3:2": long[:1], "5:0<3:2<2:9": long[:2],
		"5:0<3:3": {{Caller: even, Point: 3}}} {
		if _, _, err := print.Profile(layout.CodeAny, frames...); !errors.Is(err, reader.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// fibonacci has the records that the format's documentation shows.
const fibonacci = `{"version":"1.0.0","types":[{"id":8,"name":"void"},{"id":9,"name":"java.lang.Object"},{"id":10,"name":"Fib"},` +
	`{"id":1322,"name":"A"},{"id":2280,"name":"java.lang.String"},{"id":3660,"name":"B"},{"id":4823,"name":"[Ljava.lang.String;"}],` +
	`"methods":[{"id":19547,"name":"main","signature":[10,8,4823]},{"id":19551,"name":"fibonacci","signature":[10,8]},` +
	`{"id":4669,"name":"print","signature":[9,8,2280]},{"id":3236,"name":"valueOf","signature":[2280,2280,9]},{"id":7,"name":"neverCalled","signature":[10,8]}],` +
	`"callCountProfiles":[{"ctx":"19551:0","records":[1]},{"ctx":"4669:0<19551:34","records":[10]}],` +
	`"conditionalProfiles":[{"ctx":"19551:11","records":[20,0,10,53,1,1]}],` +
	`"virtualInvokeProfiles":[{"ctx":"3236:11<4669:2<19551:34","records":[2280,10]},{"ctx":"19551:4","records":[1322,2,2280,60,3660,56]}],` +
	`"monitorProfiles":[{"ctx":"0:0","records":[9,4,10,1]}],` +
	`"samplingProfiles":[{"ctx":"4669:38<19551:17<19547:9","records":[10]},{"ctx":"19547:2","records":[1]}]}`

// TestFibonacci: every section becomes the entries or table of its kind.
func TestFibonacci(t *testing.T) {
	data, report := read(t, fibonacci, ReadOptions{})
	s := open(t, data)
	fib := find(t, s, "Fib", "fibonacci", "void()")
	print := find(t, s, "java.lang.Object", "print", "void(java.lang.String)")
	p, _, err := fib.Profile(layout.CodeAny)
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := p.Invocations(); n.Load() != 1 {
		t.Errorf("%d calls", n.Load())
	}
	loop, _ := p.At(11)
	rows, ok := loop.Rows()
	if !ok || rows.Len() != 2 || rows.Cell(0, 0).Load() != disk.PackSuccessor(20, 0) || rows.Cell(0, 1).Load() != 10 ||
		rows.Cell(1, 0).Load() != disk.PackSuccessor(53, 1) {
		t.Errorf("the loop: %v %v", loop, ok)
	}
	call, _ := p.At(4)
	seen := map[string]uint64{}
	receivers, _ := call.Receivers()
	for r := range receivers.All() {
		name, _ := r.Type.Name()
		seen[name.String()] = r.Count.Load()
	}
	if diff := cmp.Diff(map[string]uint64{"A": 2, "java.lang.String": 60, "B": 56}, seen); diff != "" {
		t.Error(diff)
	}
	inlined, depth, err := find(t, s, "java.lang.String", "valueOf", "java.lang.String(java.lang.Object)").
		Profile(layout.CodeAny, reader.Frame{Caller: print, Point: 2}, reader.Frame{Caller: fib, Point: 34})
	if e, ok := inlined.At(11); err != nil || depth != 2 || !ok || e.Sub() != layout.SubVirtualCall {
		t.Errorf("valueOf: %v at %d, %v", e, depth, err)
	}
	if never := find(t, s, "Fib", "neverCalled", "void()"); !never.Unexecuted() || print.Unexecuted() || report.Seen != 1 {
		t.Errorf("seen %d, %t, %t", report.Seen, never.Unexecuted(), print.Unexecuted())
	}
	if find(t, s, "Fib", "main", "void([Ljava.lang.String;)").Unexecuted() {
		t.Error("main never ran, though it was sampled")
	}
	monitors, err := s.Table(disk.TableMonitors)
	if err != nil || monitors.Rows != 2 || monitors.Cell(1, 0) != 4 {
		t.Errorf("monitors: %d rows, %v", monitors.Rows, err)
	}
	stacks, err := s.Table(disk.TableSamples)
	if err != nil || stacks.Rows != 4 || layout.Ref(stacks.Cell(1, 0)) != print.Ref() || stacks.Cell(2, 1) != 17 ||
		stacks.Cell(3, 2) != 10 || stacks.Cell(0, 3) != 1 {
		t.Errorf("samples: %d rows, %v", stacks.Rows, err)
	}
	back, _ := write(t, data, WriteOptions{})
	valid(t, back, "1.0.0")
	if back != fibonacci {
		t.Errorf("other bytes: %s", back)
	}
}

// strangeThings are legal and strange, and as compact as GraalVM writes.
var strangeThings = map[string]struct {
	text          string
	odd, dangling int
}{
	"negative bcis": {strange(`,"conditionalProfiles":[{"ctx":"3:-1<3:-6","records":[-5,0,1,-4,0,2]},{"ctx":"3:-4","records":[]}]`), 0, 0},
	"equal branch indexes": {strange(`,"conditionalProfiles":[{"ctx":"3:4","records":[60,0,7,-5,0,0,64,1,0,-5,1,0]}]`), 0,
		0},
	"descending points":  {strange(`,"conditionalProfiles":[{"ctx":"3:9","records":[1,0,1]},{"ctx":"3:4","records":[2,0,2]},{"ctx":"3:9","records":[3,0,3]},{"ctx":"3:1","records":[]}]`), 0, 0},
	"ids without rows":   {strange(`,"virtualInvokeProfiles":[{"ctx":"77:4<3:1","records":[99,1,-1,2]}]`), 0, 3},
	"large counts":       {strange(`,"callCountProfiles":[{"ctx":"3:0","records":[34303903801135]},{"ctx":"3:0<3:1","records":[9223372036854775807]}]`), 0, 0},
	"calls elsewhere":    {strange(`,"callCountProfiles":[{"ctx":"3:7","records":[1]},{"ctx":"3:0","records":[2]},{"ctx":"3:0","records":[3]},{"ctx":"3:-1","records":[4]}]`), 0, 0},
	"instanceofs":        {strange(`,"instanceofProfiles":[{"ctx":"3:1","records":[5,1,6,2]}]`), 0, 0},
	"unknown keys":       {strange(`,"futureProfiles":[{"ctx":"1:0","x":1.5e3}],"a/b~c":null`), 0, 0},
	"sections of others": {strange(`,"callCountProfiles":{"a":1}`), 0, 0},
	"no monitors":        {strange(`,"monitorProfiles":[]`), 0, 0},
	"empty monitors":     {strange(`,"monitorProfiles":[{"ctx":"0:0","records":[]}]`), 0, 0},
	"two monitors": {strange(`,"monitorProfiles":[{"ctx":"0:0","records":[5,1]},{"ctx":"0:0","records":[6,1]}]`),
		1, 0},
	"monitors in context": {strange(`,"monitorProfiles":[{"ctx":"3:0","records":[5,1]}]`), 1, 0},
	"negative counts": {strange(`,"callCountProfiles":[{"ctx":"3:0","records":[-1]},{"ctx":"3:0<3:1","records":[1]}]`),
		1, 0},
	"huge counts":    {strange(`,"callCountProfiles":[{"ctx":"3:0","records":[9223372036854775808]}]`), 1, 0},
	"wrong lengths":  {strange(`,"callCountProfiles":[{"ctx":"3:0","records":[]}],"conditionalProfiles":[{"ctx":"3:0","records":[1,2]}],"virtualInvokeProfiles":[{"ctx":"3:0","records":[1]}]`), 3, 0},
	"wrong contexts": {strange(`,"callCountProfiles":[{"ctx":"3","records":[1]},{"ctx":"","records":[1]},{"ctx":"03:0","records":[1]},{"ctx":"3:-0","records":[1]},{"ctx":"3:0<","records":[1]},{"ctx":"-3:0","records":[1]},{"ctx":"3:99999999999","records":[1]}]`), 7, 0},
	"no records": {strange(`,"samplingProfiles":[{"ctx":"3:0"},7,null,{},{"ctx":"3:0","records":[4]},[]]`), 5,
		0},
	"more in a record":     {strange(`,"samplingProfiles":[{"ctx":"3:0","records":[4],"thread":"main"},{"ctx":"3:1","records":[5]}]`), 1, 0},
	"more in a row":        {`{"version":"1.0.0","types":[{"id":1,"name":"A","x":{}},{"id":2,"name":"B"}],"methods":[{"signature":[1,2],"name":"m","id":3,"x":0}],"callCountProfiles":[{"ctx":"3:0","records":[1]}]}`, 2, 0},
	"equal rows":           {`{"version":"1.0.0","types":[{"id":1,"name":"A"},{"id":2,"name":"A"},{"id":1,"name":"B"}],"methods":[{"id":3,"name":"m","signature":[1,2]},{"id":4,"name":"m","signature":[1,2]},{"id":5,"name":"m","signature":[2,1,2]},{"id":3,"name":"n","signature":[]}],"virtualInvokeProfiles":[{"ctx":"4:0<3:1","records":[2,1,1,5]}]}`, 0, 0},
	"short signatures":     {`{"version":"1.0.0","types":[{"id":1,"name":""}],"methods":[{"id":3,"name":"","signature":[]},{"id":4,"name":"","signature":[1]},{"id":5,"name":"","signature":[1,1]},{"id":6,"name":"","signature":[1,1,1]},{"id":7,"name":"","signature":[1,1,1,1]}]}`, 0, 0},
	"types without a name": {`{"version":"1.0.0","types":[{"id":0,"name":""},{"id":1,"name":""}],"methods":[{"id":0,"name":"","signature":[1]},{"id":1,"name":"","signature":[0]},{"id":2,"name":"","signature":[1]},{"id":3,"name":"","signature":[1,1,0]}]}`, 0, 0},
	"names":                {`{"version":"1.0.0","types":[{"id":1,"name":"a,b(c)\\#2\"\t\u001f"},{"id":2,"name":"?7"},{"id":3,"name":"\\x"},{"id":4,"name":"\u0000é𝄞\ud800"}],"methods":[{"id":3,"name":"?3","signature":[1,2,3,4,1]},{"id":4,"name":"String(AA)","signature":[4,4]}],"callCountProfiles":[{"ctx":"7:0","records":[1]}]}`, 0, 1},
	"order of keys":        {`{"samplingProfiles":[{"ctx":"3:2<4:1","records":[2]}],"callCountProfiles":[{"ctx":"3:0","records":[2]}],"methods":[{"id":3,"name":"m","signature":[1]}],"version":"0.4.0","types":[{"id":1,"name":"A"}]}`, 0, 1},
	"far ids":              {`{"version":"1.0.0","types":[{"id":9223372036854775807,"name":"A"},{"id":-9223372036854775808,"name":"B"}],"methods":[{"id":0,"name":"m","signature":[-9223372036854775808,9223372036854775807]}]}`, 0, 0},
}

func strange(rest string) string {
	return `{"version":"1.1.0","types":[{"id":5,"name":"A"},{"id":6,"name":""}],"methods":[{"id":3,"name":"m","signature":[5,6]}]` + rest + `}`
}

// TestStrangeThings: strange parts are kept, told apart from damage, and come back byte by
// byte. What iprof has no item for is counted.
func TestStrangeThings(t *testing.T) {
	for name, c := range strangeThings {
		t.Run(name, func(t *testing.T) {
			data, in := read(t, c.text, ReadOptions{})
			text, out := write(t, data, WriteOptions{})
			if (text == c.text) != (c.odd == 0) {
				t.Errorf("other bytes:\n%s\n%s", c.text, text)
			}
			if in.Lost.Count(LossOdd) != c.odd || in.Dangling != c.dangling || len(out.Lost) > 0 {
				t.Errorf("%+v, %+v", in, out)
			}
			if again, _ := read(t, text, ReadOptions{}); c.odd > 0 {
				if back, _ := write(t, again, WriteOptions{}); back != text {
					t.Errorf("what was left of it changed:\n%s\n%s", text, back)
				}
			}
			plain, report := read(t, c.text, ReadOptions{Unordered: true})
			if n := report.Lost.Count(LossOdd); n != c.odd {
				t.Errorf("unordered: lost %v", report.Lost)
			}
			if again, _ := write(t, plain, WriteOptions{}); name != "calls elsewhere" { // which the schema refuses
				valid(t, again, "1.1.0")
			}
		})
	}
}

// TestOldDialectProfiles: sections of 0.2.0 equal the sections of later versions.
func TestOldDialectProfiles(t *testing.T) {
	const old = `{"version":"0.2.0","types":[{"id":1,"typeName":"A"}],"methods":[{"id":3,"methodName":"m","signature":[1,1]}],
		"hotnessPoints":[{"methodBciList":"3:0,3:5","records":[4]},{"methodBciList":"3:0","records":[4],"more":1}],
		"conditionalPoints":[{"methodBciList":"3:2","records":[7,0,1]}],
		"invokePoints":[{"methodBciList":"3:3","records":[1,9]}],"monitorsProfile":{"records":[1,2]}}`
	const want = `{"version":"1.0.0","types":[{"id":1,"name":"A"}],"methods":[{"id":3,"name":"m","signature":[1,1]}],` +
		`"callCountProfiles":[{"ctx":"3:0<3:5","records":[4]},{"ctx":"3:0","records":[4]}],"conditionalProfiles":[{"ctx":"3:2","records":[7,0,1]}],` +
		`"virtualInvokeProfiles":[{"ctx":"3:3","records":[1,9]}],"monitorProfiles":[{"ctx":"0:0","records":[1,2]}]}`
	data, report := read(t, old, ReadOptions{})
	got, _ := write(t, data, WriteOptions{})
	if got != want || report.Lost.Count(LossOdd) != 1 {
		t.Errorf("%s, lost %v", got, report.Lost)
	}
}

// TestRefused: the error for a file that is not a profile matches its sentinel.
func TestRefused(t *testing.T) {
	for text, kind := range map[string]error{
		``: ErrCut, `[]`: ErrSyntax, `{}`: ErrNoProfile, `{"version":"1.0.0","types":[]}`: ErrNoProfile,
		`{"version":"2.0.0","types":[],"methods":[]}`:                                     ErrVersion,
		`{"version":"x","types":[],"methods":[]}`:                                         ErrNoProfile,
		`{"version":1,"types":[],"methods":[]}`:                                           ErrNoProfile,
		`{"version":"1.0.0","types":{},"methods":[]}`:                                     ErrNoProfile,
		`{"version":"1.0.0","types":[],"types":[],"methods":[]}`:                          ErrSyntax,
		`{"version":"1.0.0","types":[],"methods":[],"x":1,"x":2}`:                         ErrSyntax,
		`{"version":"1.0.0","types":[],"methods":[]}x`:                                    ErrSyntax,
		`{"version":"1.0.0","types":[{"id":01,"name":"a"}],"methods":[]}`:                 ErrSyntax,
		"{\"version\":\"1.0.0\",\"types\":[{\"id\":1,\"name\":\"\xff\"}],\"methods\":[]}": ErrSyntax,
		"{\"version\":\"1.0.0\",\"types\":[],\"methods\":[],\"x\":\"\x00\"}":              ErrSyntax,
		`{"version":"1.0.0","types":[,],"methods":[]}`:                                    ErrSyntax,
		`{"version":"1.0.0","types":[1,],"methods":[]}`:                                   ErrSyntax,
		`{"version":"1.0.0","types":[],"methods":[],}`:                                    ErrSyntax,
		`{"version" "1.0.0"}`:                                                             ErrSyntax, `{1:2}`: ErrSyntax,
		`{"version":"1.0.0","types":[],"methods":[],"x":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) +
			`}`: parse.ErrLimit,
	} {
		_, _, err := Read(strings.NewReader(text), ReadOptions{Name: "a.iprof"})
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, kind) || e.Name != "a.iprof" || e.Offset > int64(len(text)) {
			t.Errorf("%.100s: %v, want %v", text, err, kind)
		}
	}
}
