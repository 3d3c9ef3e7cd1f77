package builder_test

import (
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// TestOnlyUnexecutedMethodsHaveRows: a method has a row if nothing is known of it
// but its key, and nothing refers to it.
func TestOnlyUnexecutedMethodsHaveRows(t *testing.T) {
	t.Parallel()
	key := func(name string) layout.Key { return layout.Key{Class: "Point", Name: name, Signature: "int()"} }
	for name, c := range map[string]struct {
		key  layout.Key
		more func(b *builder.Builder, m builder.MethodRef)
		row  bool
	}{
		"unexecuted":   {key("x"), func(*builder.Builder, builder.MethodRef) {}, true},
		"no signature": {layout.Key{Class: "Point", Name: "x"}, func(*builder.Builder, builder.MethodRef) {}, true},
		"executed": {key("x"), func(b *builder.Builder, m builder.MethodRef) {
			testarchive.MustDone(t, b.ProfileIn(m, 0, profileset.NoContext))
		}, false},
		"executed in a context": {key("x"), func(b *builder.Builder, m builder.MethodRef) {
			testarchive.MustDone(t, b.ProfileIn(m, 0, b.Context(m, builder.Frame{Caller: b.Method(key("caller"))})))
		}, false},
		"known in a context": {key("x"), func(b *builder.Builder, m builder.MethodRef) {
			b.Context(m, builder.Frame{Caller: b.Method(key("caller"))})
		}, false},
		"a caller": {key("x"), func(b *builder.Builder, m builder.MethodRef) {
			b.Context(b.Method(key("callee")), builder.Frame{Caller: m})
		}, false},
		"a callee": {key("x"), func(b *builder.Builder, m builder.MethodRef) {
			p := b.Profile(key("caller"), 0)
			testarchive.RecordAs(b, layout.DomainJamaica, func() { p.Callees(3, builder.Callee{Method: m, Count: 5}) })
			testarchive.MustDone(t, p)
		}, false},
		"not matchable": {key("x"), func(b *builder.Builder, m builder.MethodRef) {
			b.Internal().DescribeMethod(m, 0, layout.MethodNotMatchable)
		}, false},
		"access flags": {key("x"), func(b *builder.Builder, m builder.MethodRef) {
			b.Internal().DescribeMethod(m, disk.AccStatic, 0)
		}, false},
		"a loader": {layout.Key{Class: "Point", Name: "x", Loader: "app"},
			func(*builder.Builder, builder.MethodRef) {}, false},
		"two of a name": {key("x"), func(b *builder.Builder, _ builder.MethodRef) {
			b.Type(builder.TypeKey{Name: "Point", Loader: "app"})
		}, false},
		"no class": {layout.Key{Name: "x", Signature: "int()"}, func(*builder.Builder, builder.MethodRef) {}, false},
		"in a table": {key("x"), func(b *builder.Builder, m builder.MethodRef) {
			b.Internal().Table(disk.TableOrder, 0, disk.ColumnMethod).Row(uint64(m))
		}, true},
		"another is unexecuted": {key("x"), func(b *builder.Builder, _ builder.MethodRef) {
			b.Seen(b.Method(key("y")))
		}, true},
		"class interned before": {key("x"), func(b *builder.Builder, _ builder.MethodRef) {
			b.Type(builder.TypeKey{Name: "Area"})
		}, true},
	} {
		b := builder.New(layout.DomainGraal, builder.Config{})
		m := b.Method(c.key)
		b.Seen(m)
		c.more(b, m)
		if row := hasRow(t, memstore.Open(t, b), c.key); row != c.row {
			t.Errorf("%s: has a row: %t, want %t", name, row, c.row)
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

// TestSignaturesOfKnownNamesAreLists: a signature is stored as a list if the
// archive has symbols of all its parts.
func TestSignaturesOfKnownNamesAreLists(t *testing.T) {
	t.Parallel()
	b := builder.New(layout.DomainGraal, builder.Config{})
	for _, name := range []string{"void", "java.lang.String", "int"} {
		b.Type(builder.TypeKey{Name: name})
	}
	sizes := map[string]int64{
		"java.lang.String(int)":                               disk.ListSize(2),
		"void(java.lang.String,java.lang.String,int)":         disk.ListSize(4),
		"java.lang.String()":                                  disk.ListSize(1),
		"void(java.lang.String,java.lang.StringBuilder)":      disk.SymbolSize(46),
		"void(java.lang.String,)":                             disk.SymbolSize(len("void(java.lang.String,)")),
		"void(java.lang.String)java.lang.String":              disk.SymbolSize(len("void(java.lang.String)java.lang.String")),
		"int(int,int,int,int,int,int,int,int,int,int,int)":    disk.ListSize(12),
		"int(int,int,int,int,int,int,int,int,int,int,int,va)": disk.SymbolSize(51),
	}
	size := func() int64 { return memstore.Open(t, b).Header().Parts[disk.PartSymbols].Size }
	method := func(signature string) { b.Seen(b.Method(layout.Key{Class: "int", Name: "int", Signature: signature})) }
	method("") // the class and the name are there
	for signature, want := range sizes {
		t.Run(signature, func(t *testing.T) {
			before := size()
			method(signature)
			if got := size() - before; got != want {
				t.Errorf("%s takes %d bytes, want %d", signature, got, want)
			}
		})
	}
}
