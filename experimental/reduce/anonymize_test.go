package reduce_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/reduce"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
	"pgregory.net/rapid"
)

// anonymizer returns an anonymizer with a key.
func anonymizer(t testarchive.TB, key string, keep func(string) bool) *reduce.Anonymizer {
	t.Helper()
	a, err := reduce.NewAnonymizer([]byte(key), keep)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

const testKey = "a key that only this test has"

// vocabulary matches words with a meaning in a domain, which stay.
var vocabulary = regexp.MustCompile(
	`^(void|boolean|byte|char|short|int|long|float|double|init|clinit|platform|boot|llvm|trace_stream_size|memprof_version|[BCDFIJSZV]+)$`,
)

var wordText = regexp.MustCompile(`[\pL\pN_$]+`)

// namesOf returns all texts of an archive that may name something, and the words in them.
func namesOf(t testarchive.TB, s *reader.Store) (names []string) {
	add := func(name reader.Name, err error) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name.String())
		names = append(names, wordText.FindAllString(name.String(), -1)...)
	}
	for of := range s.Types() {
		add(of.Name())
		add(of.Loader())
		add(of.Alias())
	}
	for m := range s.Methods() {
		add(m.Name())
		add(m.Signature())
	}
	for table := range s.Tables() {
		for column := range table.Columns() {
			for row := range table.Rows {
				if n := table.Cell(column, row); table.Column(column) == disk.ColumnSymbol && n != 0 {
					add(s.SymbolAt(layout.Ref(n)))
				}
			}
		}
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		isName := func(word string) bool { return !vocabulary.MatchString(word) }
		return len(name) < 4 || !slices.ContainsFunc(wordText.FindAllString(name, -1), isName)
	})
}

// checkNameless checks that the bytes of an anonymous archive hold no name of the original.
func checkNameless(t testarchive.TB, s *reader.Store, anonymous []byte) {
	t.Helper()
	hidden := bytes.Replace(anonymous, []byte(s.Header().Producer), nil, 1) // the producer stays
	for _, name := range namesOf(t, s) {
		if bytes.Contains(hidden, []byte(name)) {
			t.Errorf("%q is still there", name)
		}
	}
}

func TestNoNameRemains(t *testing.T) {
	t.Parallel()
	testarchive.EachSpecimen(t, func(t *testing.T, s testarchive.Archive) {
		out, _ := reduced(t, s.Store, reduce.Options{Names: anonymizer(t, testKey, nil)})
		checkNameless(t, s.Store, out.Bytes)
		before, after := s.Header().Counts, out.Header().Counts
		if before.Symbols = after.Symbols; before != after {
			t.Errorf("%+v became %+v", before, after)
		}
		hot, _ := reduced(t, s.Store, reduce.Options{Names: anonymizer(t, testKey, nil), Hot: layout.WeightOne})
		checkNameless(t, s.Store, hot.Bytes)
	})
}

func TestNoNameOfRandomArchivesRemains(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := testarchive.DrawRun(rt, rapid.SampledFrom(testarchive.Domains).Draw(rt, "domain"), "run")
		out, _ := reduced(rt, s.Store, reduce.Options{Names: anonymizer(rt, testKey, nil)})
		checkNameless(rt, s.Store, out.Bytes)
	})
}

func TestTheKeyDecidesTheNames(t *testing.T) {
	t.Parallel()
	testarchive.EachSpecimen(t, func(t *testing.T, s testarchive.Archive) {
		with := func(key string) []byte {
			out, _ := reduced(t, s.Store, reduce.Options{Names: anonymizer(t, key, nil)})
			return out.Bytes
		}
		if !bytes.Equal(with(testKey), with(testKey)) {
			t.Error("one key makes two archives")
		}
		if len(namesOf(t, s.Store)) > 0 && bytes.Equal(with(testKey), with(testKey+"!")) {
			t.Error("two keys make the same archive")
		}
	})
	if _, err := reduce.NewAnonymizer(make([]byte, reduce.MinKey-1), nil); err == nil {
		t.Error("a short key is accepted")
	}
	random := func() []byte {
		a, err := reduce.NewAnonymizer(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		b := builder.New(layout.DomainGraal, builder.Config{})
		b.Type(builder.TypeKey{Name: "Circle"})
		out, _ := reduced(t, testarchive.Build(t, b).Store, reduce.Options{Names: a})
		return out.Bytes
	}
	if bytes.Equal(random(), random()) {
		t.Error("two random keys make the same archive")
	}
}

// TestReasonsOfTrapsStay: what the numbers of a VM mean stays, unlike other properties.
func TestReasonsOfTrapsStay(t *testing.T) {
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	for _, property := range [][2]string{{disk.PropertyTrapReasons, "none,null_check"},
		{disk.PropertyTrapReasons, "none of Yours"}, {"vm.info", "host"}} {
		b.Internal().
			Table(disk.TableProperties, 0).
			Row(uint64(b.Internal().Symbol(property[0])), uint64(b.Internal().Symbol(property[1])))
	}
	anonymous, _ := reduced(t, testarchive.Build(t, b).Store, reduce.Options{Names: anonymizer(t, testKey, nil)})
	table, err := anonymous.Store.Table(disk.TableProperties)
	if err != nil || table.Rows != 1 {
		t.Fatalf("%d rows, %v", table.Rows, err)
	}
	if text, err := table.Text(1, 0); text != "none,null_check" {
		t.Errorf("%q stays, %v", text, err)
	}
}

// anonymousKey returns the anonymous key of a method.
func anonymousKey(t testarchive.TB, d layout.Domain, k layout.Key, keep func(string) bool) layout.Key {
	t.Helper()
	b := builder.New(d, builder.Config{})
	b.Seen(b.Method(k))
	out, _ := reduced(t, testarchive.Build(t, b).Store, reduce.Options{Names: anonymizer(t, testKey, keep)})
	for m := range out.Methods() {
		k, err := m.Key()
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	t.Fatal("the method is dropped")
	return layout.Key{}
}

var hashed = regexp.MustCompile(`x[0-9a-f]{20}`)

func TestNamesKeepTheirShape(t *testing.T) {
	t.Parallel()
	jvm, graal, jamaica := layout.DomainHotSpot, layout.DomainGraal, layout.DomainJamaica
	for _, c := range []struct {
		domain  layout.Domain
		k, want layout.Key
	}{
		{jvm, layout.Key{Class: "shapes/Area", Name: "total", Signature: "(Ljava/util/List;I[[J[Lshapes/Area;)D",
			Loader: "app"},
			layout.Key{Class: "N", Name: "N", Signature: "(LN;I[[J[LN;)D", Loader: "app"}},
		{jvm, layout.Key{Class: "[Lshapes/Area;", Name: "<init>", Signature: "()V", Loader: "com.acme.Loader"},
			layout.Key{Class: "[LN;", Name: "<init>", Signature: "()V", Loader: "N"}},
		{jvm, layout.Key{Class: "[[I", Name: "clone", Signature: "()Ljava/lang/Object;", Loader: "platform"},
			layout.Key{Class: "[[I", Name: "N", Signature: "()LN;", Loader: "platform"}},
		{jvm, layout.Key{Class: "[shapes/Area", Name: "m", Signature: "(Lshapes/Area"},
			layout.Key{Class: "N", Name: "N", Signature: "N"}},
		{jvm, layout.Key{Class: "I", Name: "m", Signature: "(Q)V"}, layout.Key{Class: "N", Name: "N", Signature: "N"}},
		{jvm, layout.Key{Class: "A", Name: "m", Signature: "<T:Ljava/lang/Object;>"},
			layout.Key{Class: "N", Name: "N", Signature: "N"}},
		{graal, layout.Key{Class: "shapes.Area", Name: "main",
			Signature: "void(java.lang.String[], int, [Ljava.lang.String;)", Loader: "#12"},
			layout.Key{Class: "N", Name: "N", Signature: "void(N[], int, [LN;)", Loader: "#12"}},
		{graal, layout.Key{Class: "shapes.Area", Name: "get", Signature: "shapes.Area()"},
			layout.Key{Class: "N", Name: "N", Signature: "N()"}},
		{jamaica, layout.Key{Name: "HelloWorld.main([Ljava/lang/String;)V"}, layout.Key{Name: "N.N([LN;)V"}},
		{jamaica, layout.Key{Name: "java/util/HashMap.<init>(I)V"}, layout.Key{Name: "N.<init>(I)V"}},
		{jamaica, layout.Key{Name: "java/nio/ByteBufferImpl.put(B)Ljava/nio/ByteBu"}, layout.Key{Name: "N"}},
		{jamaica, layout.Key{Name: "gnu/java/nio/charset/ISO_8859_1$Encoder.en"}, layout.Key{Name: "N"}},
		{layout.DomainLLVMIR, layout.Key{Name: "shapes.cpp;_ZL5totalv"}, layout.Key{Name: "N"}},
	} {
		got := anonymousKey(t, c.domain, c.k, nil)
		for _, part := range []*string{&got.Class, &got.Name, &got.Signature, &got.Loader} {
			*part = hashed.ReplaceAllString(*part, "N")
		}
		if got != c.want {
			t.Errorf("%+v became %+v, want %+v", c.k, got, c.want)
		}
	}
}

func TestKeptNames(t *testing.T) {
	t.Parallel()
	java := func(name string) bool { return strings.HasPrefix(strings.ReplaceAll(name, "/", "."), "java.") }
	k := layout.Key{Class: "java/util/HashMap", Name: "get", Signature: "(Ljava/lang/Object;Lshapes/Area;)V"}
	got := anonymousKey(t, layout.DomainHotSpot, k, java)
	got.Signature = hashed.ReplaceAllString(got.Signature, "N")
	if want := (layout.Key{Class: "java/util/HashMap", Name: "get", Signature: "(Ljava/lang/Object;LN;)V"}); got != want {
		t.Errorf("%+v became %+v, want %+v", k, got, want)
	}
	hosted := layout.Key{Class: "java/util/Comparator$$Lambda@shapes/Area#0", Name: "compare"}
	if got := anonymousKey(t, layout.DomainHotSpot, hosted, java); strings.Contains(got.Class, "shapes") ||
		got.Name == "compare" {
		t.Errorf("the class that hosts %+v is in %+v", hosted, got)
	}
	whole := layout.Key{Name: "java/util/HashMap.get(I)V"}
	if got := anonymousKey(t, layout.DomainJamaica, whole, java); got != whole {
		t.Errorf("%+v became %+v", whole, got)
	}
}

// llvmReferences reports for each ID in an archive of LLVM whether it names a
// function or vtable of the archive.
func llvmReferences(t testarchive.TB, s *reader.Store) (known []bool) {
	vtables := map[uint64]bool{}
	for table := range s.Tables() {
		for row := range table.Rows {
			switch table.Kind {
			case disk.TableVTables:
				name, err := s.SymbolAt(layout.Ref(table.Cell(0, row)))
				if err != nil {
					t.Fatal(err)
				}
				vtables[disk.NameRef(name.String())] = true
			case disk.TableTraces:
				_, err := s.FindID(table.Cell(2, row))
				known = append(known, err == nil)
			}
		}
	}
	for _, hash := range []uint64{0x0a1b2c3d4e5f6071, 0x18, 0x8000000000000001} {
		for m := range s.Methods() {
			p, _, err := m.Profile(hash)
			if err != nil {
				continue
			}
			for e := range p.Entries() {
				if rows, ok := e.Rows(); ok && e.Tag() == layout.TagValueSite {
					for i := range rows.Len() {
						v := rows.Cell(i, 0).Load()
						_, err := s.FindID(v)
						known = append(known, err == nil, vtables[v])
					}
				}
			}
		}
	}
	return known
}

func TestIdsFollowTheNamesOfFunctions(t *testing.T) {
	t.Parallel()
	testarchive.EachSpecimen(t, func(t *testing.T, s testarchive.Archive) {
		want := llvmReferences(t, s.Store)
		for _, keep := range []func(string) bool{nil,
			func(name string) bool { return name == "main" || name == "_ZTV6Circle" }} {
			out, _ := reduced(t, s.Store, reduce.Options{Names: anonymizer(t, testKey, keep)})
			if d := cmp.Diff(want, llvmReferences(t, out.Store)); d != "" {
				t.Errorf("other IDs are those of functions (-before +after): %s", d)
			}
		}
		if s.Header().Domain == layout.DomainLLVMIR && !slices.Contains(want, true) {
			t.Error("the specimen has no IDs of functions")
		}
	})
}

// sortedDump returns the JSON dump of an archive without its header, which has sums and seeds. Rows and extra
// entries are sorted by their text, since merging orders those with equal counts by name.
func sortedDump(t testarchive.TB, s *reader.Store) map[string]any {
	t.Helper()
	var text bytes.Buffer
	if err := jsondump.WriteArchive(&text, s); err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(&text)
	d.UseNumber()
	all := map[string]any{}
	if err := d.Decode(&all); err != nil {
		t.Fatal(err)
	}
	delete(all, "header")
	sortRows(all["methods"])
	return all
}

// sortRows sorts all lists of rows, values and extra entries in a dump.
func sortRows(v any) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			sortRows(x)
		}
	case map[string]any:
		for name, x := range v {
			sortRows(x)
			if list, ok := x.([]any); ok && (name == "rows" || name == "values" || name == "extra") {
				slices.SortFunc(list, func(a, b any) int {
					x, _ := json.Marshal(a)
					y, _ := json.Marshal(b)
					return bytes.Compare(x, y)
				})
			}
		}
	}
}

// headerFacts returns the part of a header that does not depend on names.
func headerFacts(h *layout.Header) map[string]any {
	return map[string]any{"counts": h.Counts, "summary": h.Summary, "time": h.DumpTime,
		"fingerprint": h.Fingerprint, "flags": h.Flags, "params": h.Params}
}

// withoutLostNames returns a sorted dump without the names of the first lost things. A merge of anonymous archives
// names them by their replacements, and replacing names clears them.
func withoutLostNames(t testarchive.TB, s *reader.Store) map[string]any {
	t.Helper()
	dump := sortedDump(t, s)
	for _, table := range dump["tables"].([]any) {
		fields := table.(map[string]any)
		if fields["kind"] != json.Number(fmt.Sprint(uint32(disk.TableLosses))) {
			continue
		}
		for _, row := range fields["rows"].([]any) {
			row.([]any)[disk.LossFirst] = nil
		}
	}
	return dump
}

func TestAnonymizedArchivesMergeToTheAnonymizedMerge(t *testing.T) {
	full.Only(t, "takes many inputs")
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		domain := rapid.SampledFrom(testarchive.Domains).Draw(rt, "domain")
		a, b := testarchive.DrawRun(rt, domain, "a"), testarchive.DrawRun(rt, domain, "b")
		names := anonymizer(rt, testKey, nil)
		anonymous := func(s testarchive.Archive) testarchive.Archive {
			out, _ := reduced(rt, s.Store, reduce.Options{Names: names})
			return out
		}
		first, last := testarchive.Merge(rt, anonymous(a), anonymous(b)), anonymous(testarchive.Merge(rt, a, b))
		if d := cmp.Diff(withoutLostNames(rt, first.Store), withoutLostNames(rt, last.Store)); d != "" {
			rt.Errorf("merged after (-) and before (+) names were replaced: %s", d)
		}
		ignoreSymbols := cmpopts.IgnoreFields(layout.Counts{}, "Symbols") // some are names of lost things
		if d := cmp.Diff(headerFacts(first.Header()), headerFacts(last.Header()), ignoreSymbols); d != "" {
			rt.Errorf("headers of the same archives: %s", d)
		}
	})
}

// TestAnonymousRun: an anonymized archive names neither the program nor the machine.
// It still supersedes what its original superseded.
func TestAnonymousRun(t *testing.T) {
	t.Parallel()
	names, err := reduce.NewAnonymizer(make([]byte, reduce.MinKey), nil)
	if err != nil {
		t.Fatal(err)
	}
	anonymousAt := func(second int64) testarchive.Archive {
		run := layout.Provenance{Process: layout.Process{Boot: [16]byte{7}, PID: 4711, Start: 99},
			VM: "hidden", Vendor: "hidden", Command: "hidden", Options: "hidden", Selection: "hidden", Main: "hidden",
			ClassPath: []layout.ClassPathEntry{{Path: "hidden.jar"}}}
		b := builder.New(layout.DomainHotSpot, builder.Config{DumpTime: time.Unix(second, 0), Run: &run})
		p := b.Profile(layout.Key{Class: "A", Name: "m"}, 0)
		p.Invocations(uint64(second))
		testarchive.MustDone(t, p)
		out, _ := reduced(t, testarchive.Build(t, b).Store, reduce.Options{Names: names})
		return out
	}
	early, late := anonymousAt(10), anonymousAt(20)
	runs, err := early.Runs()
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	r := runs[0]
	if bytes.Contains(early.Bytes, []byte("hidden")) {
		t.Errorf("a name is in the archive, the run is %+v", r)
	}
	if r.ClassPath != nil {
		t.Errorf("the run has the class path %+v", r.ClassPath)
	}
	if r.Process.PID == 4711 || !r.Process.Known() {
		t.Errorf("the anonymous process is %+v", r.Process)
	}
	if r.DumpID != early.Header().DumpID || r.Time != early.Header().Time() {
		t.Errorf("the run is of the dump %x at %s, the archive is %x", r.DumpID, r.Time, early.Header().DumpID)
	}
	by, err := merge.Superseded(early.Store, late.Store)
	if err != nil || !slices.Equal(by, []int{1, -1}) {
		t.Errorf("superseded by %v, %v; want the late dump to supersede the early one", by, err)
	}
}
