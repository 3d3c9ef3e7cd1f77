package agent_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// defaultWeight is the number of invocations of an adopted method.
const defaultWeight = 200

// A scale computes the count that the VM must have from the one in the archive.
type scale func(n uint64) uint64

// scaleOf returns the scale of a profile.
func scaleOf(p reader.Profile) scale {
	invocations, _ := p.Invocations()
	factor := float64(defaultWeight) / float64(invocations.Load())
	if invocations.Load() == 0 {
		backedges, _ := p.Backedges()
		factor = defaultWeight / (float64(backedges.Load())/40 + 1)
	}
	return func(n uint64) uint64 {
		if n == 0 {
			return 0
		}
		return max(1, uint64(factor*float64(n)))
	}
}

// A view is how an archive is compared: its counts scaled, without the classes that the
// program did not load.
type view struct {
	invocations func(p reader.Profile) uint64
	scale       func(p reader.Profile) scale
	absent      string
	anyOrder    bool // of receivers
	// withoutTypes leaves out the types of arguments and parameters.
	withoutTypes bool
}

// archived returns the view of an archive as the VM must have it.
func archived(absent string) view {
	return view{invocations: func(reader.Profile) uint64 { return defaultWeight }, scale: scaleOf, absent: absent}
}

// adopted returns the view of the profiles in the VM.
func adopted(absent string) view {
	asTheyAre := func(n uint64) uint64 { return n }
	invocations := func(p reader.Profile) uint64 {
		c, _ := p.Invocations()
		return c.Load()
	}
	return view{invocations: invocations, scale: func(reader.Profile) scale { return asTheyAre }, absent: absent}
}

// sees reports whether a class was loaded. The classes of lambdas are others in each run.
func (v view) sees(class string) bool {
	return class != v.absent && !strings.Contains(class, "$$Lambda")
}

// describe returns an entry as text, with its counts scaled.
func (v view) describe(e reader.Entry, s scale) string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "%d tag %d flags %d traps %d:", e.Point(), e.Tag(), e.Flags(), e.Traps())
	count := func(i int) { fmt.Fprintf(b, " %d", s(e.Cell(i).Load())) }
	place := func(i int) { fmt.Fprintf(b, " [%d]", int64(e.Cell(i).Load())) }
	switch e.Tag() {
	case layout.TagCounter, layout.TagCallType:
		count(0)
	case layout.TagJump:
		count(0)
		place(1)
	case layout.TagBranch:
		count(0)
		place(1)
		count(2)
	case layout.TagMultiBranch:
		place(0)
		for i := 1; i < e.Cells(); i += 2 {
			count(i)
			place(i + 1)
		}
	}
	if r, ok := e.Receivers(); ok {
		v.describeReceivers(b, r, s)
	}
	if l, ok := e.Types(); ok && !v.withoutTypes {
		v.describeTypes(b, l)
	}
	return b.String()
}

func (v view) describeReceivers(b *strings.Builder, r reader.Receivers, s scale) {
	other := int64(r.Other().Load())
	if other < 0 {
		fmt.Fprintf(b, " other -%d", s(uint64(-other)))
	} else {
		fmt.Fprintf(b, " other %d", s(uint64(other)))
	}
	rows := make([]string, r.Len())
	for i := range rows {
		row, ok := r.Row(i)
		if name, _ := row.Type.Name(); ok && v.sees(name.String()) {
			rows[i] = fmt.Sprintf(" %s %d", name, s(row.Count.Load()))
		} else {
			rows[i] = " -"
		}
	}
	if v.anyOrder {
		slices.Sort(rows)
	}
	b.WriteString(strings.Join(rows, ""))
}

func (v view) describeTypes(b *strings.Builder, l reader.TypeList) {
	word := func(w reader.TypeWord) {
		name := "-"
		if n, err := w.Type.Name(); err == nil && w.Type.Valid() && !w.Unknown && v.sees(n.String()) {
			name = n.String()
		}
		fmt.Fprintf(b, " %s null %t unknown %t", name, w.NullSeen, w.Unknown)
	}
	for i := range l.Args() {
		_, w := l.Arg(i)
		word(w)
	}
	if w, ok := l.Return(); ok {
		word(w)
	}
}

// profiles returns the profiles of the methods of a class, as text.
func (v view) profiles(t *testing.T, s *reader.Store, class string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	eachProfile(t, s, func(k layout.Key, p reader.Profile) {
		if k.Class == class {
			all[k.Name+k.Signature] = v.profile(p)
		}
	})
	return all
}

// profile returns a profile as text: its own fields, and each entry.
func (v view) profile(p reader.Profile) []string {
	s := v.scale(p)
	list := []string{fmt.Sprintf("%d invocations", v.invocations(p)), fmt.Sprintf("traps %v", p.TrapHistory())}
	sections := []disk.BlockSection{disk.SectionData}
	if !v.withoutTypes {
		sections = append(sections, disk.SectionParameters)
	}
	for _, section := range sections {
		for e := range p.Section(section) {
			list = append(list, v.describe(e, s))
		}
	}
	for e := range p.Section(disk.SectionExtra) {
		if e.Tag() == layout.TagBit {
			list = append(list, v.describe(e, s))
		}
	}
	return list
}

// Profiles that were adopted, and that nothing ran since, are read back from the VM by the
// package live: each cell must be what the archive has, scaled.
func TestAdoptedProfilesAreThoseOfTheArchive(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	testjvm.Each(t, func(t *testing.T, home string) {
		classes := testjvm.Compile(t, home, "testdata/Adopted.java")
		trained := train(t, home, classes, 20000)
		reportFile := filepath.Join(t.TempDir(), "report.json")
		j := startJVM(t, home, agentFlag(t, trained, ",report="+reportFile), "-cp", classes, "Adopted", "load")
		j.Await("ready")
		early := dumpAll(t, j)
		j.Send("more")
		j.Await("loaded")
		late := dumpAll(t, j)
		if _, errs := j.End(); errs != "" {
			t.Errorf("stderr: %s", errs)
		}
		for absent, archive := range map[string]string{"Adopted$Line": early, "none": late} {
			want := archived(absent).profiles(t, open(t, trained), "Adopted$Work")
			if diff := cmp.Diff(want, adopted(absent).profiles(t, open(t, archive), "Adopted$Work")); diff != "" ||
				len(want) != 9 {
				t.Errorf("%d methods; without %s the VM has not what was archived:\n%s", len(want), absent, diff)
			}
		}
		r := readReport(t, reportFile)
		for name, least := range map[string]int{"methods_adopted": 9, "receivers_bound": 1, "receivers_bound_late": 2} {
			if r.count(name) < least {
				t.Errorf("%s is %d", name, r.count(name))
			}
		}
		for _, name := range []string{"methods_refused_other_code", "methods_refused_other_layout", "methods_refused_damaged",
			"receivers_gone", "methods_adopted_over_cache"} {
			if r.count(name) != 0 {
				t.Errorf("%s is %d", name, r.count(name))
			}
		}
	})
}
