package text

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// manyMethods returns an archive of n methods with ten entries each.
func manyMethods(t testing.TB, n int) []byte {
	t.Helper()
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: layout.Params{TypeProfileWidth: 2, BciProfileWidth: 2,
		ReceiverGap: 1}})
	for i := range n {
		key := layout.Key{Class: fmt.Sprintf("com/example/shop/order/Order%dService", i/20),
			Name: fmt.Sprintf("handle%dRequest", i), Signature: "(Lcom/example/shop/Request;I)V", Loader: "app"}
		m := b.Method(key)
		p := b.ProfileIn(m, 0, profileset.NoContext)
		p.Invocations(uint64(i) * 7)
		fill(b, p, i)
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
	}
	return bytesOf(t, b)
}

func fill(b *builder.Builder, p *builder.Profile, i int) {
	typ := func(n int) builder.TypeRef {
		return b.Type(builder.TypeKey{Name: fmt.Sprintf("com/example/shop/model/Customer%d", n%500), Loader: "app"})
	}
	for e := range int32(4) {
		p.Branch(builder.At{Bci: 10 * e}, builder.Branch{Taken: uint64(i) * 3, Displacement: 64, NotTaken: uint64(e)})
		p.VirtualCall(builder.At{Bci: 10*e + 3}, builder.Others{Count: 12},
			builder.Row{Type: typ(i), Count: 4711}, builder.Row{Type: typ(i + 1), Count: 3})
	}
	p.Counter(builder.At{Bci: 50}, 17)
	p.ReceiverType(builder.At{Bci: 60, Flags: layout.EntryNullSeen, Traps: 3}, builder.Others{Count: 5},
		builder.Row{Type: typ(i), Count: 9})
}

func BenchmarkWrite(b *testing.B) {
	s := open(b, manyMethods(b, 5000))
	var size pieces
	if _, err := Write(&size, s); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(size.n))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Write(io.Discard, s); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	var text bytes.Buffer
	if _, err := Write(&text, open(b, manyMethods(b, 5000))); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Read(bytes.NewReader(text.Bytes()), ReadOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

// linesOf returns a text of one profile with n times the same line.
func linesOf(domain layout.Domain, line string, n int) string {
	return "profarc text 1\ndomain " + domain.String() + "\nparam type-rows 2\nmethod A::a()V\n  profile\n" +
		strings.Repeat(line, n) + "end\n"
}

// A line that repeats names makes no garbage in addition to what the
// builder keeps: a thousand lines more are less than fifty allocations more.
func TestEntriesMakeNoGarbage(t *testing.T) {
	for line, domain := range map[string]layout.Domain{
		"    @5 Branch taken=1 not-taken=2 displacement=40\n":          layout.DomainHotSpot,
		"    @5 VirtualCall [null-seen trap=3] count=2 B{app}=7 C=9\n": layout.DomainHotSpot,
		"    extra @5 SpeculativeTrap [trap=3] method=A::a()V\n":       layout.DomainHotSpot,
		"    @5 CallType count=2 args 0=B{app}+null return=C\n":        layout.DomainHotSpot,
		"    @5 Receivers virtual-call other=2 B=7 C=9 D=10\n":         layout.DomainGraal,
		"    @5 Callees A::a()V=5 A::b()V=6\n":                         layout.DomainJamaica,
		"    @5 Counters 1 2 3\n":                                      layout.DomainLLVMIR,
		"    @5 ValueSite indirect-call name=5 7=8\n":                  layout.DomainLLVMIR,
		"    @5 Successors conditional 1:2=3\n":                        layout.DomainGraal,
		"    @5 Count calls 7\n":                                       layout.DomainJamaica,
	} {
		allocs := func(n int) float64 {
			text := linesOf(domain, line, n)
			data := read(t, text)
			s := open(t, data)
			reading := testing.AllocsPerRun(5, func() {
				if _, _, err := Read(strings.NewReader(text), ReadOptions{}); err != nil {
					t.Fatal(err)
				}
			})
			return reading + testing.AllocsPerRun(5, func() {
				if _, err := Write(io.Discard, s); err != nil {
					t.Fatal(err)
				}
			})
		}
		if few, many := allocs(10), allocs(1010); many > few+50 {
			t.Errorf("%.0f allocations for 10 lines, %.0f for 1010 of%s", few, many, line)
		}
	}
}
