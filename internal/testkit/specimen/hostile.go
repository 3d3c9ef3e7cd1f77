package specimen

import (
	"fmt"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// Forged begins the line that a hostile text tries to add to the output of a command.
const Forged = "FORGED"

// HostileText is a name that attacks programs that print it. It has escape sequences that clear a terminal or set its
// clipboard, C1 controls as characters and as bytes, controls that overwrite previous text, a line feed, bidirectional
// and zero-width characters, and invalid UTF-8.
const HostileText = "\x1b[2J\x1b]52;c;QUFB\x07\x1b]8;;http://x\x1b\\\u009b31m\x9b31m\r\b\x7f\v\f\n" + Forged +
	" sound\n\u202eevil\u202c\u2066\u200b\ufeff\u00ad\u2028\U000e0041\xff\xc0\x80\xed\xa0\x80\tend"

// A textMaker returns different hostile names with texts in turn.
type textMaker struct {
	texts []string
	n     int
}

func (h *textMaker) next() string {
	h.n++
	return fmt.Sprintf("n%d%s", h.n, h.texts[h.n%len(h.texts)])
}

func (h *textMaker) nextLong() string { return h.next() + strings.Repeat(h.texts[0], 200) }

// Hostile returns an archive of each domain in which all names contain HostileText.
func Hostile() []Specimen { return HostileWith(HostileText) }

// HostileWith returns an archive of each domain in which each name contains one of texts. Long names repeat the first.
func HostileWith(texts ...string) []Specimen {
	all := []Specimen{
		{"hostile-hotspot", layout.DomainHotSpot, nil}, {"hostile-llvm-ir", layout.DomainLLVMIR, nil},
		{"hostile-llvm-frontend", layout.DomainLLVMFrontend, nil},
		{"hostile-graal", layout.DomainGraal, nil}, {"hostile-jamaica", layout.DomainJamaica, nil},
		{"hostile-sampled", layout.DomainSampled, nil},
	}
	for i := range all {
		all[i].Build = func() *builder.Builder { return newHostile(all[i].Domain, texts) }
	}
	return all
}

// newHostile has methods with profiles, contexts, types and tables that the domain has.
func newHostile(d layout.Domain, texts []string) *builder.Builder {
	h := &textMaker{texts: texts}
	config := builder.Config{Producer: "\x1b[2J\u009b\x9b\r\n" + Forged + "\n\u202e\xff"}
	if d == layout.DomainHotSpot {
		config.Params = hotspotParams()
	}
	b := builder.New(d, config)
	key := func() layout.Key {
		switch {
		case d.LLVM(), d == layout.DomainSampled:
			return layout.Key{Name: h.next()}
		case d == layout.DomainJamaica:
			return layout.Key{Name: h.next() + ".m()V"}
		}
		return layout.Key{Class: h.next(), Name: h.next(), Signature: "(" + h.next() + ")V", Loader: h.next()}
	}
	long := key()
	long.Name = h.nextLong()
	methods := []builder.MethodRef{b.Method(key()), b.Method(key()), b.Method(long)}
	b.Seen(b.Method(key()))
	for i, m := range methods {
		addHostileProfile(b, h, m, methods[(i+1)%len(methods)], uint64(100*(i+1)))
	}
	addHostileTables(b, h, methods[0])
	addHostileRun(b, h)
	return b
}

// addHostileRun adds the description of a run without a dump id, so that archives with equal descriptions can be
// merged.
func addHostileRun(b *builder.Builder, h *textMaker) {
	row := disk.RunRow{}
	row.Words[disk.RunClassPath] = 1
	cells := row.Words[:]
	for range row.Texts {
		cells = append(cells, uint64(b.Internal().Symbol(h.next())))
	}
	b.Internal().Table(disk.TableRuns, 0).Row(cells...)
	for i, path := range []string{h.next(), h.nextLong()} {
		b.Internal().Table(disk.TableClassPath, 0).Row(1, uint64(i), uint64(b.Internal().Symbol(path)), 0, 0, 0)
	}
}

func addHostileProfile(b *builder.Builder, h *textMaker, m, other builder.MethodRef, count uint64) {
	p := b.ProfileIn(m, 0, profileset.NoContext)
	row := func(n uint64) builder.Row {
		return builder.Row{Type: b.Type(builder.TypeKey{Name: h.next(), Loader: hostileLoader(b, h)}), Count: n}
	}
	switch b.Internal().Domain {
	case layout.DomainHotSpot:
		p.Invocations(count)
		p.VirtualCall(builder.At{Bci: 5}, builder.Others{Count: 4}, row(count), row(5))
		p.Internal().AddSpeculativeTrap(profileset.Narrow{Bci: 78, Traps: 5}, other)
		p.Receivers(builder.Receivers{Point: 6, Sub: layout.SubTypeCheck, Flags: layout.EntryNullSeen, Other: 1, Traps: 5},
			row(1), row(2))
	case layout.DomainGraal:
		p.Count(builder.Count{Sub: layout.SubCalls, N: count})
		p.Receivers(builder.Receivers{Point: 4, Sub: layout.SubVirtualCall}, row(60), row(56))
		q := b.ProfileIn(m, 0, b.Context(m, builder.Frame{Caller: other, Point: 2}))
		q.Count(builder.Count{Sub: layout.SubCalls, N: 7})
		finishProfiles(q)
	case layout.DomainJamaica:
		p.Count(builder.Count{Sub: layout.SubBytecodes, N: count})
		p.Callees(7, builder.Callee{Method: other, Count: 5}, builder.Callee{Method: m, Count: 6})
	case layout.DomainSampled:
		p.Callees(7, builder.Callee{Method: other, Count: 5})
		q := b.ProfileIn(m, 0, b.Context(m, builder.Frame{Caller: other, Point: 2}))
		q.Count(builder.Count{Point: 3, Sub: layout.SubSamples, N: count})
		finishProfiles(q)
	default:
		p.Counters(0, count, 1)
		target := h.next()
		b.Seen(b.Method(layout.Key{Name: target}))
		p.ValueSite(0, layout.SubIndirectCall, builder.Value{Value: disk.NameRef(target), Count: 20})
	}
	finishProfiles(p)
}

// hostileLoader returns the loader of a type, or "" if the domain has none.
func hostileLoader(b *builder.Builder, h *textMaker) string {
	if b.Internal().Domain == layout.DomainHotSpot {
		return h.next()
	}
	return ""
}

func addHostileTables(b *builder.Builder, h *textMaker, m builder.MethodRef) {
	symbol := func() uint64 { return uint64(b.Internal().Symbol(h.next())) }
	typed := func() uint64 { return uint64(b.Type(builder.TypeKey{Name: h.next()})) }
	properties := b.Internal().Table(disk.TableProperties, 0)
	properties.Row(symbol(), symbol())
	switch b.Internal().Domain {
	case layout.DomainHotSpot:
		hidden := b.Type(builder.TypeKey{Name: h.next(), Loader: h.next()})
		b.Internal().DescribeType(hidden, h.next(), layout.TypeHidden|layout.TypeNotMatchable)
	case layout.DomainGraal:
		b.Internal().Table(disk.TableMonitors, 0).Row(typed(), 4)
		b.Internal().Table(disk.TableSamples, 0).Row(0, uint64(m), 3, 10)
		b.Internal().Table(disk.TableForeign, 0).Row(symbol(), symbol())
	case layout.DomainJamaica:
		b.Internal().Table(disk.TableReflected, 0).Row(typed())
	case layout.DomainSampled:
		b.Internal().Table(disk.TableFunctions, 0).Row(uint64(m), symbol(), symbol(), 7)
	default:
		b.Internal().Table(disk.TableBinaryIDs, 0).Row(symbol())
		b.Internal().Table(disk.TableVTables, 0).Row(symbol(), 0x7f0000401000, 32)
	}
}

func hotspotParams() (p layout.Params) {
	p.TypeProfileWidth = 2
	p.BciProfileWidth = 2
	p.ReceiverGap = 1
	p.TypeProfileLevel = 111
	p.VMRelease = 17
	p.ProfileTraps = 1
	return p
}

// finishProfiles calls Done. The builder keeps an error until it writes the archive.
func finishProfiles(profiles ...*builder.Profile) {
	for _, p := range profiles {
		_ = p.Done()
	}
}
