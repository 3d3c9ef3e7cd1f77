package c_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// replayer returns tests/replay.c, whose allocations can be made to fail.
func (b build) replayer(t *testing.T) string {
	t.Helper()
	b.link = "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc"
	return b.client(t, "tests/replay.c")
}

// replayed returns the archive that the builder in C writes of a journal, or its message.
func replayed(t *testing.T, program string, j *journal, more ...string) (data []byte, message string) {
	t.Helper()
	folder := t.TempDir()
	path, to := filepath.Join(folder, "journal"), filepath.Join(folder, "a.parc")
	if err := os.WriteFile(path, j.bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	out, stderr, status := runProgram(t, program, append([]string{path, to}, more...)...)
	if status == 3 {
		return nil, string(stderr)
	}
	data, err := os.ReadFile(to)
	if status != 0 || err != nil {
		t.Fatalf("exit status %d, %v: %s%s", status, err, out, stderr)
	}
	if names, err := os.ReadDir(folder); err != nil || len(names) != 2 {
		t.Errorf("%d files, %v", len(names), err)
	}
	if len(out) > 0 {
		t.Logf("%s", out)
	}
	return data, ""
}

// compareBytes compares the archive in C with the Go builder's.
func compareBytes(t *testing.T, j *journal, got []byte) {
	t.Helper()
	want, _, err := j.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(want, got) {
		return
	}
	at := 0
	for at < min(len(want), len(got)) && want[at] == got[at] {
		at++
	}
	t.Errorf("Go writes %d bytes, C %d; they differ from 0x%x on", len(want), len(got), at)
}

// TestBuilderWritesTheSame records random profiles with the builders in Go and C.
func TestBuilderWritesTheSame(t *testing.T) {
	t.Parallel()
	program := sanitized(t, "address,undefined").replayer(t)
	rounds := uint64(30)
	if testing.Short() {
		rounds = 10
	}
	for _, domain := range testarchive.Domains {
		t.Run(domain.String(), func(t *testing.T) {
			t.Parallel()
			for seed := range rounds {
				j := drawProgram(domain, seed)
				if err := j.Err(); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				got, message := replayed(t, program, j)
				if message != "" {
					t.Fatalf("seed %d: %s", seed, message)
				}
				compareBytes(t, j, got)
				if t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
		})
	}
}

// TestFailedAllocations lets each allocation of a recording fail.
func TestFailedAllocations(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := sanitized(t, "address,undefined").replayer(t)
	for seed := range uint64(4) {
		j := drawProgram([]layout.Domain{layout.DomainHotSpot, layout.DomainCustom}[seed%2], 100+seed)
		got, message := replayed(t, program, j, "fail")
		if message != "" {
			t.Fatal(message)
		}
		compareBytes(t, j, got)
	}
}

// TestManyMethods writes 10^5 methods; a tenth is unexecuted.
func TestManyMethods(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	if testing.Short() {
		t.Skip("100,000 methods")
	}
	j := newJournal(layout.DomainGraal, builder.Config{Producer: "VM"})
	for i := range 100_000 {
		m := j.method(layout.Key{Class: "com.example.Class" + strconv.Itoa(i/17*7919%10007), Name: "method" + strconv.Itoa(i),
			Signature: "void(int,com.example.Class" + strconv.Itoa(i%5000) + ")"})
		if i%10 == 0 {
			j.seen(m)
			continue
		}
		j.begin(m, 0, profileset.NoContext)
		j.invocations(uint64(i))
		j.receivers(builder.Receivers{Point: int32(i % 90), Sub: layout.SubVirtualCall},
			builder.Row{Type: j.typ("com.example.Class"+strconv.Itoa(i%10007), ""), Count: 7}, builder.Row{})
		j.count(builder.Count{Point: 3, Sub: layout.SubCalls, N: uint64(i)})
		j.done()
	}
	got, message := replayed(t, build{cc: compilers(t)[0], flags: "-O2"}.replayer(t), j)
	if message != "" {
		t.Fatal(message)
	}
	compareBytes(t, j, got)
}

// TestBuilderRefusesTheSame: what the builder in Go refuses, that in C refuses too.
func TestBuilderRefusesTheSame(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := sanitized(t, "address,undefined").replayer(t)
	word, symbol := disk.ColumnWord, disk.ColumnSymbol
	long := strings.Repeat("x", 1<<20+1)
	for name, c := range map[string]struct {
		domain layout.Domain
		record func(j *journal)
	}{
		"NUL in a type": {layout.DomainGraal, func(j *journal) { j.typ("a\x00b", "") }},
		"NUL in a signature": {layout.DomainGraal,
			func(j *journal) { j.method(layout.Key{Class: "A", Name: "m", Signature: "\x00"}) }},
		"long name":        {layout.DomainGraal, func(j *journal) { j.method(layout.Key{Name: long}) }},
		"long alias":       {layout.DomainGraal, func(j *journal) { j.describeType(j.typ("A", ""), long, 0) }},
		"loader, no class": {layout.DomainGraal, func(j *journal) { j.method(layout.Key{Name: "m", Loader: "app"}) }},
		"unknown type":     {layout.DomainGraal, func(j *journal) { j.describeType(99, "", 1) }},
		"unknown method":   {layout.DomainGraal, func(j *journal) { j.seen(99) }},
		"method 0":         {layout.DomainGraal, func(j *journal) { j.seen(0) }},
		"unknown caller": {layout.DomainGraal,
			func(j *journal) { j.context(j.method(layout.Key{Name: "m"}), 0, builder.Frame{Caller: 9}) }},
		"context of another":   {layout.DomainGraal, contextOfAnother},
		"profile of no method": {layout.DomainGraal, func(j *journal) { j.begin(7, 0, 0); j.done() }},
		"any code": {layout.DomainGraal,
			func(j *journal) { j.begin(j.method(layout.Key{Name: "m"}), layout.CodeAny, 0); j.done() }},
		"narrow in Graal": {layout.DomainGraal, profileWith(func(j *journal) { j.counter(builder.At{Bci: 3}, 1) })},
		"rows": {layout.DomainHotSpot,
			profileWith(func(j *journal) { j.virtualCall(builder.At{}, builder.Others{}, make([]builder.Row, 3)...) })},
		"ret rows": {layout.DomainHotSpot,
			profileWith(func(j *journal) { j.ret(builder.At{}, 1, make([]builder.RetRow, 3)...) })},
		"gap": {layout.DomainGraal,
			profileWith(func(j *journal) { j.virtualCall(builder.At{}, builder.Others{Gap: 1}) })},
		"unknown row": {layout.DomainGraal,
			profileWith(func(j *journal) { j.receivers(builder.Receivers{}, builder.Row{Type: 77}) })},
		"undecoded in Graal":  {layout.DomainGraal, profileWith(func(j *journal) { j.undecoded(3, 0, 14) })},
		"undecoded in custom": {layout.DomainCustom, profileWith(func(j *journal) { j.undecoded(3, 0, 14) })},
		"unknown callee": {layout.DomainGraal,
			profileWith(func(j *journal) { j.callees(3, builder.Callee{Method: 77}) })},
		"section 4":             {layout.DomainHotSpot, profileWith(func(j *journal) { j.counter(builder.At{In: 4}, 1) })},
		"table 0":               {layout.DomainGraal, func(j *journal) { j.table(0, 0, word) }},
		"65 columns":            {layout.DomainGraal, func(j *journal) { j.table(99, 0, make([]disk.ColumnKind, 65)...) }},
		"column 9":              {layout.DomainGraal, func(j *journal) { j.table(99, 0, 9) }},
		"columns of dumps":      {layout.DomainGraal, func(j *journal) { j.table(disk.TableDumps, 0, word) }},
		"other columns":         {layout.DomainGraal, func(j *journal) { j.table(99, 0, word); j.table(99, 0, symbol) }},
		"other flags":           {layout.DomainGraal, func(j *journal) { j.table(99, 0, word); j.table(99, 1, word) }},
		"short row":             {layout.DomainGraal, func(j *journal) { j.table(99, 0, word, word).row(1) }},
		"unknown symbol":        {layout.DomainGraal, func(j *journal) { j.table(99, 0, symbol).row(3) }},
		"unfinished":            {layout.DomainGraal, func(j *journal) { j.begin(j.method(layout.Key{Name: "m"}), 0, 0) }},
		"too much text of keys": {layout.DomainGraal, tooMuchText},
		"table of shapes": {layout.DomainCustom,
			func(j *journal) { j.table(disk.TableShapes, 0, word, word, word, word, word) }},
		"a producer's table": {layout.DomainGraal, func(j *journal) { j.table(disk.TableProducer, 0, word) }},
		"undeclared":         {layout.DomainCustom, profileWith(func(j *journal) { j.custom(builder.Custom{Tag: 200}) })},
		"cells of a shape": {layout.DomainCustom,
			profileWith(func(j *journal) { declareOne(j); j.custom(builder.Custom{Tag: 200}) })},
		"rows of no shape": {layout.DomainCustom,
			profileWith(func(j *journal) { declareOne(j); j.custom(builder.Custom{Tag: 200, Cells: []uint64{0}}, nil, nil) })},
		"type of a shape": {layout.DomainCustom,
			profileWith(func(j *journal) { declareOne(j); j.custom(builder.Custom{Tag: 200, Cells: []uint64{77}}) })},
	} {
		t.Run(name, func(t *testing.T) {
			j := newJournal(c.domain, testarchive.Config(c.domain))
			c.record(j)
			if _, _, err := j.Bytes(); err == nil {
				t.Fatal("the builder in Go takes it")
			}
			if _, message := replayed(t, program, j); message == "" {
				t.Error("the builder in C takes it")
			}
		})
	}
}

func profileWith(add func(j *journal)) func(j *journal) {
	return func(j *journal) {
		j.begin(j.method(layout.Key{Name: "m"}), 0, 0)
		add(j)
		j.done()
	}
}

func declareOne(j *journal) {
	_ = j.declare(layout.EntryShape{Tag: 200, Name: "One",
		Cells: []layout.CellShape{{Name: "class", Kind: layout.CellType}}})
}

// TestShapesAreRefused: shapes that Go does not declare, C does not declare either.
func TestShapesAreRefused(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := sanitized(t, "address,undefined").replayer(t)
	cell := func(name string, kind layout.CellKind, bits ...string) []layout.CellShape {
		return []layout.CellShape{{Name: name, Kind: kind, Bits: bits}}
	}
	for what, s := range map[string]layout.EntryShape{
		"tag": {Tag: 191, Name: "A"}, "name": {Tag: 200, Name: "a"}, "long name": {Tag: 200, Name: strings.Repeat("A", 33)},
		"no name": {Tag: 200},
		"NUL":     {Tag: 200, Name: "A\x00"}, "name of a tag": {Tag: 200, Name: "Receivers"},
		"unit":            {Tag: 200, Name: "A", Unit: disk.NumCountUnits},
		"kind 0":          {Tag: 200, Name: "A", Cells: cell("x", 0)},
		"kind 10":         {Tag: 200, Name: "A", Rows: cell("x", layout.CellLast+1)},
		"cell name":       {Tag: 200, Name: "A", Cells: cell("point", 1)},
		"cells":           {Tag: 200, Name: "A", Cells: make([]layout.CellShape, 33)},
		"row":             {Tag: 200, Name: "A", Rows: make([]layout.CellShape, 9)},
		"two cells":       {Tag: 200, Name: "A", Cells: append(cell("x", 1), cell("x", 1)...)},
		"bits of a count": {Tag: 200, Name: "A", Cells: cell("x", 1, "bit")},
		"two bits":        {Tag: 200, Name: "A", Cells: cell("x", 3, "bit", "bit")},
		"twice":           {Tag: 201, Name: "Other", Unit: 1}, "name of another": {Tag: 202, Name: "Other"},
	} {
		t.Run(what, func(t *testing.T) {
			j := newJournal(layout.DomainCustom, testarchive.Config(layout.DomainCustom))
			first := j.declare(layout.EntryShape{Tag: 201, Name: "Other"})
			err := j.declare(s)
			if _, message := replayed(t, program, j); first != nil || err == nil || message == "" {
				t.Errorf("%s: %v, %v in Go, %q in C", what, first, err, message)
			}
		})
	}
	j := newJournal(layout.DomainCustom, builder.Config{})
	if _, _, err := j.Bytes(); err == nil {
		t.Error("Go writes an archive without a producer id")
	}
	if _, message := replayed(t, program, j); message == "" {
		t.Error("C writes an archive without a producer id")
	}
}

func contextOfAnother(j *journal) {
	m, n := j.method(layout.Key{Name: "m"}), j.method(layout.Key{Name: "n"})
	c := j.context(m, 0, builder.Frame{Caller: n})
	j.begin(n, 0, c)
	j.done()
}

// TestTwinIsLeftOut: of two profiles with one key the first stays, and all others.
func TestTwinIsLeftOut(t *testing.T) {
	t.Parallel()
	j := newJournal(layout.DomainGraal, builder.Config{})
	for n, code := range []uint64{7, 7, 8} {
		j.begin(j.method(layout.Key{Name: "m"}), code, 0)
		j.invocations(uint64(n) + 1)
		j.count(builder.Count{Point: int32(n), Sub: layout.SubCalls, N: 5})
		j.done()
	}
	got, message := replayed(t, sanitized(t, "address,undefined").replayer(t), j)
	if message != "" {
		t.Fatal(message)
	}
	compareBytes(t, j, got)
	if h := openBytes(t, got).Header(); h.Counts.Profiles != 2 || h.Summary.TotalInvocations != 1+3 {
		t.Errorf("%d profiles with %d invocations, want 2 with 4", h.Counts.Profiles, h.Summary.TotalInvocations)
	}
}

func tooMuchText(j *journal) {
	class := strings.Repeat("c", 1<<20)
	for i := range 70 {
		j.method(layout.Key{Class: class, Name: fmt.Sprint(i)})
	}
}

// TestConfigsAreRefused: a header that can't be is refused by both.
func TestConfigsAreRefused(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := sanitized(t, "address,undefined").replayer(t)
	for name, c := range map[string]builder.Config{
		"producer": {Producer: strings.Repeat("x", 65)}, "NUL": {Producer: "a\x00b"}, "flags": {Flags: 4},
		"rows": {Params: layout.Params{TypeProfileWidth: 65}}, "gap": {Params: layout.Params{ReceiverGap: 65}},
	} {
		j := newJournal(layout.DomainHotSpot, c)
		if _, message := replayed(t, program, j); message == "" || j.Err() == nil {
			t.Errorf("%s: %q, %v", name, message, j.Err())
		}
	}
}

// TestRewrite walks archives through the reader in C and writes them again, with each
// compiler.
func TestRewrite(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	for _, cc := range compilers(t) {
		program := build{cc: cc, flags: "-O2"}.client(t, "tests/rewrite.c")
		for _, s := range append(specimen.All(), specimen.Hostile()...) {
			t.Run(cc+"/"+s.Name, func(t *testing.T) {
				data := archiveOf(t, s)
				to := filepath.Join(t.TempDir(), "b.parc")
				if out, stderr, status := runProgram(t, program, writeArchive(t, data), to, "trained"); status != 0 {
					t.Fatalf("exit status %d: %s%s", status, out, stderr)
				}
				if got, err := os.ReadFile(to); err != nil || !bytes.Equal(got, data) {
					t.Errorf("%v, or other bytes", err)
				}
			})
		}
	}
}

// TestWrittenArchivesAreRead reads what the builder in C wrote, with the reader in C and
// sanitizers.
func TestWrittenArchivesAreRead(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	b := sanitized(t, "address,undefined")
	program, reader := b.replayer(t), b.client(t, "tests/dump.c")
	for seed := range uint64(12) {
		data, message := replayed(t, program, drawProgram(testarchive.Domains[seed%uint64(len(testarchive.Domains))],
			1000+seed))
		if message != "" {
			t.Fatal(message)
		}
		var want bytes.Buffer
		if err := jsondump.WriteArchive(&want, openBytes(t, data)); err != nil {
			t.Fatal(err)
		}
		got, stderr, status := runProgram(t, reader, writeArchive(t, data))
		if status != 0 {
			t.Fatalf("exit status %d: %s", status, stderr)
		}
		compare(t, want.String(), string(got))
	}
}

// TestSnapshots counts the same in adopted archives in Go and in C, and compares their
// snapshots.
func TestSnapshots(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := sanitized(t, "address,undefined").client(t, "tests/rewrite.c")
	for _, s := range specimen.All() {
		data := archiveOf(t, s)
		for _, where := range []string{"requested", "anywhere", "memory"} {
			for name, take := range map[string]merge.Counts{"live": merge.Totals, "delta": merge.Increments} {
				to := filepath.Join(t.TempDir(), "b.parc")
				if out, stderr, status := runProgram(t, program, writeArchive(t, data), to, name, where); status != 0 {
					t.Fatalf("%s, %s, %s: exit status %d: %s%s", s.Name, name, where, status, out, stderr)
				}
				got, err := os.ReadFile(to)
				if want := snapshot(t, data, take); err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s, %s, %s: %v, or other bytes than in Go", s.Name, name, where, err)
				}
			}
		}
	}
}

// snapshot adopts an archive, counts what rewrite.c counts, and returns a snapshot.
func snapshot(t *testing.T, data []byte, take merge.Counts) []byte {
	t.Helper()
	copied, dropped := snapshotOf(t, openBytes(t, data), take)
	if dropped.Profiles != 0 {
		t.Errorf("a snapshot lacks %v", dropped)
	}
	return copied
}

func snapshotOf(t *testing.T, st *reader.Store, take merge.Counts) ([]byte, merge.Dropped) {
	t.Helper()
	if err := st.Adopt(reader.AdoptOptions{Anywhere: true}); err != nil {
		t.Fatal(err)
	}
	late, err := st.LateType("Late", "test")
	if err != nil {
		t.Fatal(err)
	}
	number := uint32(0)
	for m, err := range st.Methods() {
		if err != nil {
			t.Fatal(err)
		}
		for p, err := range m.Profiles() {
			if err != nil {
				break // as rewrite.c does
			}
			if number%3 != 2 {
				countIn(t, st, p, number, late)
			}
			number++
		}
	}
	b := builder.New(st.Header().Domain, builder.ConfigOf(st.Header()))
	dropped, err := merge.Snapshot(t.Context(), b, st, take)
	if err != nil {
		t.Fatal(err)
	}
	copied, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return copied, dropped
}

// TestSnapshotsOfDamagedArchives damages profiles, and compares the rest of the snapshots in
// Go and in C.
func TestSnapshotsOfDamagedArchives(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := plain(t).client(t, "tests/rewrite.c")
	lost := 0
	for _, s := range specimen.All() {
		data := archiveOf(t, s)
		rw := disk.RegionOf(openBytes(t, data).Header(), disk.RegionRW)
		for i := range min(40, int(rw.Size)) {
			at := rw.Offset + rw.Size*int64(i)/40
			damaged := slices.Clone(data)
			damaged[at] ^= 1 << (i % 8)
			m, err := archive.FromBytes(s.Name, damaged, archive.Options{Unchecked: true})
			if err != nil {
				t.Fatal(err)
			}
			take, name := merge.Totals, "live"
			if i%2 == 1 {
				take, name = merge.Increments, "delta"
			}
			want, dropped := snapshotOf(t, reader.New(m), take)
			lost += dropped.Profiles
			to := filepath.Join(t.TempDir(), "b.parc")
			_, stderr, status := runProgram(t, program, writeArchive(t, damaged), to, name, "unsummed",
				fmt.Sprint(dropped.Profiles))
			got, err := os.ReadFile(to)
			if status != 0 || err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s, bit %d at 0x%x, %s: exit status %d, %v, or other bytes than in Go: %s", s.Name, i%8, at, name, status,
					err, stderr)
			}
		}
	}
	if lost == 0 {
		t.Error("no damage was seen")
	}
}

func countIn(t *testing.T, st *reader.Store, p reader.Profile, number uint32, late reader.Type) {
	t.Helper()
	live, err := p.Claim()
	if errors.Is(err, reader.ErrUndecoded) || errors.Is(err, layout.ErrCorrupt) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if n, ok := live.Invocations(); ok {
		err = n.Add(uint64(number) + 1)
	}
	types := uint32(st.Header().Counts.Types)
	for e := range live.Entries() {
		switch e.Tag() {
		case layout.TagCounter, layout.TagCount, layout.TagJump, layout.TagBranch, layout.TagCallType, layout.TagProducer:
			err = errors.Join(err, e.Cell(0).Add(7))
		}
		receivers, ok := e.Receivers()
		if !ok {
			continue
		}
		seen := []reader.Type{late, late}
		for i := uint32(0); i < 2 && types > 0; i++ {
			known, failed := st.Type((number + i) % types)
			seen, err = slices.Insert(seen, int(i), known), errors.Join(err, failed)
		}
		for _, s := range seen {
			_, failed := receivers.Record(s)
			err = errors.Join(err, failed)
		}
		err = errors.Join(err, e.RecordNull(), e.RecordTrap(1, true))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestPublish: an archive replaces a file in one step and keeps its permissions. Nothing
// else is written over, and nothing is left behind.
func TestPublish(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := plain(t).client(t, "tests/rewrite.c")
	data := archiveOf(t, specimen.All()[0])
	from, folder := writeArchive(t, data), t.TempDir()
	target := func(name string) string { return filepath.Join(folder, name) }
	for name, mode := range map[string]os.FileMode{"old": 0o604, "private": 0o600} {
		if err := errors.Join(os.WriteFile(target(name), []byte("old"), mode), os.Chmod(target(name), mode)); err != nil {
			t.Fatal(err)
		}
		_, stderr, status := runProgram(t, program, from, target(name), "trained")
		info, err := os.Stat(target(name))
		if now, failed := os.ReadFile(target(name)); status != 0 || err != nil || failed != nil || info.Mode() != mode ||
			!bytes.Equal(now, data) {
			t.Errorf("%s: exit status %d, %v, %v: %s", name, status, info, err, stderr)
		}
	}
	if err := errors.Join(os.Symlink("old", target("link")), os.Mkdir(target("folder"), 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"link", "folder", "missing/file", ""} {
		if _, stderr, status := runProgram(t, program, from, folder+"/"+name, "trained"); status != 1 || len(stderr) == 0 {
			t.Errorf("%s: exit status %d: %s", name, status, stderr)
		}
	}
	if names, err := os.ReadDir(folder); err != nil || len(names) != 4 {
		t.Errorf("%v, %v in the folder", names, err)
	}
	if to, err := os.Readlink(target("link")); to != "old" || err != nil {
		t.Errorf("the link leads to %q, %v", to, err)
	}
}

// TestDroppedRowsAreReported writes what leads to no type into live rows.
func TestDroppedRowsAreReported(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := sanitized(t, "address,undefined").client(t, "tests/dropped.c")
	if out, stderr, status := runProgram(t, program, filepath.Join(t.TempDir(), "a.parc")); status != 0 {
		t.Errorf("exit status %d: %s%s", status, out, stderr)
	}
}
