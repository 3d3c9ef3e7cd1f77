package builder_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/memstore"
	"github.com/profarc/profarc/internal/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"pgregory.net/rapid"
)

func TestSmallArchiveIsSound(t *testing.T) {
	b := testarchive.New(layout.DomainHotSpot)
	m := b.Method(layout.Key{Class: "java/lang/String", Name: "length", Signature: "()I"})
	square := b.Type(builder.TypeKey{Name: "Square"})
	p := b.Profile(m, 0, builder.NoContext)
	p.Invocations(61205)
	p.VirtualCall(builder.At{Bci: 6}, builder.Others{Count: 60949}, builder.Row{Type: square, Count: 7})
	p.Branch(builder.At{Bci: 3}, builder.Branch{Taken: 1, Displacement: 32, NotTaken: 2})
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
	data, report, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	h, err := disk.ParseHeader(data, int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if h.Counts.Profiles != 1 || h.Counts.Entries != 2 || h.Counts.Pointers != 2 || report.Bytes != int64(len(data)) {
		t.Errorf("header %+v, report %+v", h.Counts, report)
	}
	again, _, err := b.Bytes()
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("the same builder gave other bytes: %v", err)
	}
	mapping, err := archive.FromBytes("small", data, archive.Options{Check: archive.CheckAll})
	if err != nil {
		t.Fatal(err)
	}
	_ = mapping
}

func TestBytesDependOnContentAlone(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		steps := testarchive.DrawSteps(rt)
		want := testarchive.BuildSteps(t, steps, testarchive.Concurrency{Adders: 1, Writers: 1}).Bytes
		shuffled := rapid.Permutation(steps).Draw(rt, "order")
		if !bytes.Equal(want, testarchive.BuildSteps(t, shuffled, testarchive.Concurrency{Adders: 1, Writers: 8}).Bytes) {
			rt.Fatal("shuffled input and eight writers gave other bytes")
		}
		if !bytes.Equal(want, testarchive.BuildSteps(t, steps, testarchive.Concurrency{Adders: 8, Writers: 8}).Bytes) {
			rt.Fatal("eight adders gave other bytes")
		}
	})
}

// A row is for a method of which nothing is known but its key, and to which
// nothing leads.
func TestOnlyMethodsThatNeverRanHaveRows(t *testing.T) {
	key := func(name string) layout.Key { return layout.Key{Class: "Point", Name: name, Signature: "int()"} }
	for name, c := range map[string]struct {
		key  layout.Key
		more func(b *builder.Builder, m builder.MethodRef)
		row  bool
	}{
		"never ran":    {key("x"), func(*builder.Builder, builder.MethodRef) {}, true},
		"no signature": {layout.Key{Class: "Point", Name: "x"}, func(*builder.Builder, builder.MethodRef) {}, true},
		"ran":          {key("x"), func(b *builder.Builder, m builder.MethodRef) { mustDone(t, b.Profile(m, 0, builder.NoContext)) }, false},
		"ran in a context": {key("x"), func(b *builder.Builder, m builder.MethodRef) {
			mustDone(t, b.Profile(m, 0, b.Context(m, builder.Frame{Caller: b.Method(key("caller"))})))
		}, false},
		"known in a context": {key("x"), func(b *builder.Builder, m builder.MethodRef) {
			b.Context(m, builder.Frame{Caller: b.Method(key("caller"))})
		}, false},
		"a caller": {key("x"), func(b *builder.Builder, m builder.MethodRef) {
			b.Context(b.Method(key("callee")), builder.Frame{Caller: m})
		}, false},
		"a callee": {key("x"), func(b *builder.Builder, m builder.MethodRef) {
			p := b.Profile(b.Method(key("caller")), 0, builder.NoContext)
			p.Callees(3, builder.Callee{Method: m, Count: 5})
			mustDone(t, p)
		}, false},
		"not matchable": {key("x"), func(b *builder.Builder, m builder.MethodRef) {
			b.DescribeMethod(m, builder.MethodInfo{Flags: layout.MethodNotMatchable})
		}, false},
		"access flags": {key("x"), func(b *builder.Builder, m builder.MethodRef) {
			b.DescribeMethod(m, builder.MethodInfo{Access: disk.AccStatic})
		}, false},
		"a loader":      {layout.Key{Class: "Point", Name: "x", Loader: "app"}, func(*builder.Builder, builder.MethodRef) {}, false},
		"two of a name": {key("x"), func(b *builder.Builder, _ builder.MethodRef) { b.Type(builder.TypeKey{Name: "Point", Loader: "app"}) }, false},
		"no class":      {layout.Key{Name: "x", Signature: "int()"}, func(*builder.Builder, builder.MethodRef) {}, false},
		"in a table": {key("x"), func(b *builder.Builder, m builder.MethodRef) {
			b.Table(layout.TableOrder, 0, layout.ColumnMethod).Row(uint64(m))
		}, true},
		"another never ran":  {key("x"), func(b *builder.Builder, _ builder.MethodRef) { b.Seen(b.Method(key("y"))) }, true},
		"class seen earlier": {key("x"), func(b *builder.Builder, _ builder.MethodRef) { b.Type(builder.TypeKey{Name: "Area"}) }, true},
	} {
		b := builder.New(layout.DomainGraal, builder.Config{})
		m := b.Method(c.key)
		b.Seen(m)
		c.more(b, m)
		if row := hasRow(t, memstore.Open(t, b), c.key); row != c.row {
			t.Errorf("%s: has a row: %t", name, row)
		}
	}
}

// hasRow reports whether a method of the store has a row.
func hasRow(t *testing.T, s *reader.Store, k layout.Key) bool {
	t.Helper()
	m, err := s.Find(k)
	if err != nil {
		t.Fatalf("%v: %v", k, err)
	}
	return s.Header().Parts[disk.PartUnexecuted].Holds(m.Ref().Offset(), disk.UnexecutedRowSize)
}

// A signature is a list where its parts are in the archive as they are.
func TestSignaturesOfKnownNamesAreLists(t *testing.T) {
	b := builder.New(layout.DomainGraal, builder.Config{})
	for _, name := range []string{"void", "java.lang.String", "int"} {
		b.Type(builder.TypeKey{Name: name})
	}
	sizes := map[string]int64{
		"java.lang.String(int)":                               disk.ListSize(2),
		"void(java.lang.String,java.lang.String,int)":         disk.ListSize(4),
		"java.lang.String()":                                  disk.ListSize(1),
		"void(java.lang.String,java.lang.StringBuilder)":      disk.SymbolSize(len("void(java.lang.String,java.lang.StringBuilder)")),
		"void(java.lang.String,)":                             disk.SymbolSize(len("void(java.lang.String,)")),
		"void(java.lang.String)java.lang.String":              disk.SymbolSize(len("void(java.lang.String)java.lang.String")),
		"int(int,int,int,int,int,int,int,int,int,int,int)":    disk.ListSize(12),
		"int(int,int,int,int,int,int,int,int,int,int,int,va)": disk.SymbolSize(len("int(int,int,int,int,int,int,int,int,int,int,int,va)")),
	}
	size := func() int64 { return memstore.Open(t, b).Header().Parts[disk.PartSymbols].Size }
	method := func(signature string) { b.Seen(b.Method(layout.Key{Class: "int", Name: "int", Signature: signature})) }
	method("") // the class and the name are there
	for signature, want := range sizes {
		before := size()
		method(signature)
		if got := size() - before; got != want {
			t.Errorf("%s takes %d bytes, want %d", signature, got, want)
		}
	}
}

func mustDone(t *testing.T, p *builder.Profile) {
	t.Helper()
	if err := p.Done(); err != nil {
		t.Fatal(err)
	}
}

// ending is a context that ends when it was asked a number of times.
type ending struct {
	context.Context
	left atomic.Int64
}

func (c *ending) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestAnInterruptEndsACommit ends the context of a commit at every question
// whether to go on, while it sorts, plans and writes: nothing is left behind.
func TestAnInterruptEndsACommit(t *testing.T) {
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	for i := range 40_000 {
		p := b.Profile(b.Method(layout.Key{Class: "C" + strconv.Itoa(i/9), Name: "m" + strconv.Itoa(i%9), Signature: "()V"}), 0, builder.NoContext)
		p.Invocations(uint64(i))
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	commit := func(questions int64) (asked int64, err error) {
		folder := t.TempDir()
		ctx := &ending{Context: t.Context()}
		ctx.left.Store(questions)
		_, err = b.Commit(ctx, filepath.Join(folder, "a.parc"))
		if left, dirErr := os.ReadDir(folder); err != nil && (dirErr != nil || len(left) > 0) {
			t.Errorf("%d files are left, %v", len(left), dirErr)
		}
		return questions - ctx.left.Load(), err
	}
	all, err := commit(1 << 40)
	if err != nil || all < 15 {
		t.Fatalf("%d questions, %v", all, err)
	}
	for questions := range all - 4 { // goroutines need not ask equally often each time
		if _, err := commit(questions); !errors.Is(err, context.Canceled) {
			t.Errorf("ended at question %d of %d: %v", questions, all, err)
		}
	}
}

// What describes a run needs an identity of the dump, which is one of its own
// for each dump of a process.
func TestIdentityOfADump(t *testing.T) {
	x, y := testarchive.ProcessDump(t, testarchive.Moment{PID: 1, Second: 10}, 1), testarchive.ProcessDump(t, testarchive.Moment{PID: 1, Second: 11}, 1)
	if x.Header().DumpID == y.Header().DumpID || x.Header().DumpID != testarchive.ProcessDump(t, testarchive.Moment{PID: 1, Second: 10}, 2).Header().DumpID {
		t.Error("a dump of a process is identified by its time")
	}
	b := builder.New(layout.DomainHotSpot, builder.Config{Run: &layout.Provenance{Main: "Main"}})
	if b.Err() == nil || !strings.Contains(b.Err().Error(), "RandomDumpID") {
		t.Errorf("error %v", b.Err())
	}
	if first, second := builder.RandomDumpID(), builder.RandomDumpID(); first == second {
		t.Error("two random identities are one")
	}
}
