package replay

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/parse"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// read reads a file into an archive.
func read(t testing.TB, text string, o ReadOptions) ([]byte, *Report) {
	t.Helper()
	b, report, err := Read(strings.NewReader(text), o)
	if err != nil {
		t.Fatal(err)
	}
	data, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data, report
}

// open opens an archive on the heap.
func open(t testing.TB, data []byte) *reader.Store {
	t.Helper()
	m, err := archive.FromBytes("test.parc", data, archive.Options{Check: archive.CheckAll})
	if err != nil {
		t.Fatal(err)
	}
	s := reader.New(m)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func mustParse(t testing.TB, text string) *recording {
	t.Helper()
	r, err := parseFile(strings.NewReader(text), "test.log")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// compiled returns the key of the method that a file compiles, as in its archive.
func compiled(s *reader.Store, r *recording) layout.Key {
	names, err := readNames(s)
	if err != nil {
		panic(err)
	}
	k := r.compile.methodKey
	return layout.Key{Class: names.with(r).archive(k.class), Name: k.name, Signature: k.signature}
}

// masked returns the method data of a file with pointers and padding taken out:
// their values mean nothing.
func masked(r *recording) map[methodKey]methodData {
	all := map[methodKey]methodData{}
	for _, d := range r.data {
		d.place = parse.Place{}
		d.words = append([]uint64(nil), d.words...)
		for at := range d.klasses {
			d.words[at] &= disk.TypeTags
		}
		for at := range d.methods {
			d.words[at] = 0
		}
		if len(d.header) == countersSize {
			d.header = append([]byte(nil), d.header...)
			clear(d.header[12:countersReason])
		}
		all[d.methodKey] = d
	}
	return all
}

var inside = cmp.AllowUnexported(methodData{}, methodKey{}, klass{}, method{}, compilation{}, inlining{}, capability{})

// checkFile holds a file against what comes back of its archive.
func checkFile(t *testing.T, name, text string) *Report {
	t.Helper()
	if !Detect([]byte(text)) {
		t.Errorf("%s: Detect does not know it", name)
	}
	data, report := read(t, text, ReadOptions{Name: name})
	s, r := open(t, data), mustParse(t, text)
	if len(report.Lost) > 0 || report.Methods != len(r.data) {
		t.Errorf("%s: report %+v of %d methods", name, report, len(r.data))
	}
	if _, ok, _ := (&writer{store: s, recording: *r}).profileOf(methodKey{compiled(s, r).Class, r.compile.name, r.compile.signature}); !ok {
		return report // C1 compiles methods that have no profile yet
	}
	var out bytes.Buffer
	written, err := Write(&out, s, WriteOptions{Method: compiled(s, r)})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	back := mustParse(t, out.String())
	if diff := cmp.Diff(masked(r), masked(back), inside); diff != "" {
		t.Errorf("%s: method data came back otherwise:\n%.3000s", name, diff)
	}
	if diff := cmp.Diff(r.compile, back.compile, inside); diff != "" {
		t.Errorf("%s: compilation:\n%s", name, diff)
	}
	if diff := cmp.Diff(r.methods, back.methods, inside); diff != "" {
		t.Errorf("%s: methods:\n%s", name, diff)
	}
	if got := len(back.klasses) + written.Lost.Count(LossField); got != len(r.klasses) {
		t.Errorf("%s: %d records of classes and fields of %d", name, got, len(r.klasses))
	}
	first, _ := read(t, text, ReadOptions{ProfilesOnly: true})
	second, _ := read(t, out.String(), ReadOptions{ProfilesOnly: true})
	if !bytes.Equal(first, second) {
		t.Errorf("%s: another archive from what was written", name)
	}
	if again, _ := read(t, out.String(), ReadOptions{}); len(written.Lost) == 0 && !bytes.Equal(data, again) {
		t.Errorf("%s: another archive with its environment from what was written", name)
	}
	return report
}

func TestSamples(t *testing.T) {
	paths, _ := filepath.Glob("../../../../shared/samples/hotspot/*replay*")
	if len(paths) == 0 {
		t.Skip("no recorded samples next to the project")
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(path, "jhsdb") {
			checkDebugger(t, string(text))
			continue
		}
		checkFile(t, filepath.Base(path), string(text))
	}
}

// checkDebugger reads what jhsdb prints: data entries alone, and headers in
// which the counters are found.
func checkDebugger(t *testing.T, text string) {
	t.Helper()
	data, report := read(t, text, ReadOptions{})
	if len(report.Lost) > 0 || disk.ShapeOf(&report.Params).Gap != 1 {
		t.Errorf("report: %+v", report)
	}
	for m, err := range open(t, data).Methods() {
		if err != nil {
			t.Fatal(err)
		}
		for p := range m.Profiles() {
			if _, size := p.Size(); size < headSize17 || size > 1<<16 {
				t.Errorf("MethodData of %d bytes", size)
			}
		}
	}
}
