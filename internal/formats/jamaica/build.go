package jamaica

import (
	"cmp"
	"slices"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// A methodProfile collects the counts and callees of a method in one run.
type methodProfile struct {
	counts  []builder.Count
	callees []callee
}

type callee struct {
	point  int32
	n      uint64
	method nameID
}

func (t *profileText) addRunProfiles(b *builder.Builder, runs [][]record, report *Report) error {
	methods := t.internRunMethods(b, runs, report)
	for i, run := range runs {
		if i > 0 {
			b.Internal().NextRun(profileset.RunRules{})
		}
		if err := t.addMethodProfiles(b, methods, run, report); err != nil {
			return err
		}
	}
	report.Runs += len(runs)
	t.addTables(b, runs, report)
	return b.Err()
}

func (t *profileText) internRunMethods(
	b *builder.Builder,
	runs [][]record,
	report *Report,
) map[nameID]builder.MethodRef {
	methods := map[nameID]builder.MethodRef{}
	for _, run := range runs {
		for i := range run {
			r := &run[i]
			f := &lineForms[r.key]
			for j := range f.names {
				if id := r.names[j]; f.methods && methods[id] == 0 {
					methods[id] = t.addMethod(b, id, report)
				}
			}
			if r.key == keyNative {
				b.Internal().DescribeMethod(methods[r.names[0]], disk.AccNative, 0)
			}
		}
	}
	return methods
}

func (t *profileText) addMethod(b *builder.Builder, id nameID, report *Report) builder.MethodRef {
	signature := t.names.nameOf(id)
	m := b.Method(layout.Key{Name: signature})
	if !isCompleteSignature(signature) {
		report.Cut++
		b.Internal().DescribeMethod(m, 0, layout.MethodNotMatchable)
	}
	return m
}

var countSubs = map[keyword]layout.Sub{
	keyBytecodes: layout.SubBytecodes, keyCycles: layout.SubCycles,
	keyNative: layout.SubNativeCalls, keyNewArray: layout.SubNewArrays,
}

func groupByMethod(run []record) (profiles map[nameID]*methodProfile) {
	profiles = map[nameID]*methodProfile{}
	for i := range run {
		r := &run[i]
		sub, counted := countSubs[r.key]
		if !counted && r.key != keyInvoke {
			continue
		}
		p := profiles[r.names[0]]
		if p == nil {
			p = &methodProfile{}
			profiles[r.names[0]] = p
		}
		if !counted {
			p.callees = append(p.callees, callee{int32(r.numbers[1]), r.numbers[0], r.names[1]})
			continue
		}
		c := builder.Count{Sub: sub, N: r.numbers[0]}
		if r.key == keyNewArray {
			c.Point = int32(r.numbers[1])
		}
		if r.interpreted {
			c.Flags = disk.EntryInterpreted
		}
		p.counts = append(p.counts, c)
	}
	return profiles
}

func (t *profileText) addMethodProfiles(
	b *builder.Builder,
	methods map[nameID]builder.MethodRef,
	run []record,
	report *Report,
) error {
	for id, gathered := range groupByMethod(run) {
		p := b.ProfileIn(methods[id], 0, profileset.NoContext)
		report.Methods++
		report.Entries += len(gathered.counts)
		gathered.sortEntries(t)
		for _, c := range gathered.counts {
			p.Count(c)
		}
		for calls := gathered.callees; len(calls) > 0; {
			point := calls[0].point
			var here []callee
			here, calls = parse.CutWhile(calls, func(c callee) bool { return c.point == point })
			rows := make([]builder.Callee, len(here))
			for i, c := range here {
				rows[i] = builder.Callee{Method: methods[c.method], Count: c.n}
			}
			p.Callees(point, rows...)
			report.Entries++
		}
		if err := p.Done(); err != nil {
			return err
		}
	}
	return nil
}

// sortEntries sorts the entries so that equal runs with lines in any order give equal archives.
func (p *methodProfile) sortEntries(t *profileText) {
	slices.SortFunc(p.counts, func(a, b builder.Count) int {
		return cmp.Or(cmp.Compare(a.Point, b.Point), cmp.Compare(a.Sub, b.Sub), cmp.Compare(a.Flags, b.Flags),
			cmp.Compare(b.N, a.N))
	})
	slices.SortFunc(p.callees, func(a, b callee) int {
		return cmp.Or(cmp.Compare(a.point, b.point), cmp.Compare(b.n, a.n),
			cmp.Compare(t.names.nameOf(a.method), t.names.nameOf(b.method)))
	})
}
