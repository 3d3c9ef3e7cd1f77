package builder_test

import (
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/memstore"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// hasRow reports whether a method of the store has a row.
func hasRow(t *testing.T, s *reader.Store, k layout.Key) bool {
	t.Helper()
	m, err := s.Find(k)
	if err != nil {
		t.Fatalf("%v: %v", k, err)
	}
	return s.Header().Parts[disk.PartUnexecuted].Holds(m.Ref().Offset(), disk.UnexecutedRowSize)
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

// What is seen in one run, and called or sampled in another, ran.
func TestMethodsThatAreMetRan(t *testing.T) {
	caller, callee := layout.Key{Class: "A", Name: "caller"}, layout.Key{Class: "A", Name: "callee"}
	for name, met := range map[string]func(b *builder.Builder){
		"as a caller": func(b *builder.Builder) {
			mustDone(t, b.Profile(b.Method(callee), 0, b.Context(b.Method(callee), builder.Frame{Caller: b.Method(caller)})))
		},
		"on a stack": func(b *builder.Builder) {
			b.Table(layout.TableSamples, 0, layout.ColumnWord, layout.ColumnMethod, layout.ColumnWord, layout.ColumnWord).Row(0, uint64(b.Method(caller)), 3, 1)
		},
		"as a callee": func(b *builder.Builder) {
			p := b.Profile(b.Method(callee), 0, builder.NoContext)
			p.Callees(1, builder.Callee{Method: b.Method(caller), Count: 2})
			mustDone(t, p)
		},
	} {
		seen, ran := builder.New(layout.DomainGraal, builder.Config{}), builder.New(layout.DomainGraal, builder.Config{})
		seen.Seen(seen.Method(caller))
		met(ran)
		for _, order := range [][]*builder.Builder{{seen, ran}, {ran, seen}} {
			b := builder.New(layout.DomainGraal, builder.Config{})
			for _, one := range order {
				if err := merge.Into(t.Context(), b, memstore.Open(t, one), builder.Run{}); err != nil {
					t.Fatal(err)
				}
			}
			m, err := memstore.Open(t, b).Find(caller)
			if err != nil || m.Unexecuted() {
				t.Errorf("%s: %v, never ran: %t", name, err, m.Unexecuted())
			}
		}
	}
}
