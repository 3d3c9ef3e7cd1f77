package agent_test

import (
	"maps"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// pointCounts are the counts of a profile, by point and by cell or receiver.
type pointCounts map[pointCount]uint64

type pointCount struct {
	point int32
	cell  int
	class string
}

func pointCountsOf(p reader.Profile, s scale) pointCounts {
	counts := pointCounts{}
	invocations, _ := p.Invocations()
	counts[pointCount{point: -1}] = invocations.Load()
	for e := range p.Entries() {
		for _, cell := range countCells(e) {
			counts[pointCount{point: e.Point(), cell: cell}] = s(e.Cell(cell).Load())
		}
		rows, ok := e.Receivers()
		for i := 0; ok && i < rows.Len(); i++ {
			row, filled := rows.Row(i)
			name, err := row.Type.Name()
			if filled && err == nil {
				counts[pointCount{point: e.Point(), class: name.String()}] += s(row.Count.Load())
			}
		}
	}
	return counts
}

func countCells(e reader.Entry) (cells []int) {
	switch e.Tag() {
	case layout.TagCounter, layout.TagCallType, layout.TagJump:
		return []int{0}
	case layout.TagBranch:
		return []int{0, 2}
	case layout.TagMultiBranch:
		for i := 1; i < e.Cells(); i += 2 {
			cells = append(cells, i)
		}
	}
	return cells
}

// profilesByKey returns the profile of each method with one profile.
func profilesByKey(t *testing.T, s *reader.Store) map[layout.Key]reader.Profile {
	t.Helper()
	all := map[layout.Key]reader.Profile{}
	eachProfile(t, s, func(k layout.Key, p reader.Profile) { all[k] = p })
	return all
}

// manyEvents lets methods adopt that have run very often, but that C2 compiles later.
const manyEvents = "-XX:Tier4MinInvocationThreshold=100000000"

// TestAdoptionAddsToOwnCounts checks methods that the VM ran before the agent saw their classes. Without a CDS archive
// there are many. Their counts must be their own plus the scaled counts of the archive.
func TestAdoptionAddsToOwnCounts(t *testing.T) {
	full.Only(t, "starts JVMs")
	t.Parallel()
	testjvm.Each(t, func(t *testing.T, home string) {
		classes, file := testjvm.Compile(t, home, "testdata/Adopted.java"), filepath.Join(t.TempDir(), "report.json")
		archive := train(t, home, classes, 20000, "-Xshare:off")
		j := startJVM(t, home, agentFlag(t, archive, ",report="+file), "-Xshare:off", manyEvents,
			"-cp", classes, "Adopted", "load")
		j.Await("ready")
		own := profilesByKey(t, open(t, dump(t, j)))
		live := profilesByKey(t, open(t, dumpAll(t, j)))
		j.End()
		compared := 0
		for key, p := range profilesByKey(t, open(t, archive)) {
			if addsToOwnCounts(t, key, p, own[key], live[key]) {
				compared++
			}
		}
		r := readReport(t, file)
		if n := r.count("methods_adopted_after_start"); n == 0 || compared == 0 {
			t.Errorf("%d methods adopted after they had run, and %d were compared", n, compared)
		}
		if n := r.count("methods_refused_already_profiled"); n != 0 {
			t.Errorf("%d methods did not adopt", n)
		}
	})
}

// addsToOwnCounts compares a method that ran in this VM and adopted with the full weight.
func addsToOwnCounts(t *testing.T, key layout.Key, archived, own, live reader.Profile) bool {
	t.Helper()
	if !own.Valid() || !live.Valid() {
		return false
	}
	asTheyAre := func(n uint64) uint64 { return n }
	want, got := pointCountsOf(own, asTheyAre), pointCountsOf(live, asTheyAre)
	trained, _ := archived.Invocations()
	total := pointCount{point: -1}
	if trained.Load() < 5*defaultWeight || want[total] == 0 || got[total] == want[total] {
		return false
	}
	for at, n := range pointCountsOf(archived, scaleOf(archived)) {
		if _, bound := got[at]; bound && at != total {
			want[at] += n
		}
	}
	want[total] += defaultWeight
	maps.DeleteFunc(want, func(_ pointCount, n uint64) bool { return n == 0 })
	maps.DeleteFunc(got, func(_ pointCount, n uint64) bool { return n == 0 })
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(pointCount{})); diff != "" {
		t.Errorf("%v: own counts and the archive's make others than the VM has:\n%s", key, diff)
	}
	return true
}

// TestMethodsThatRanOftenKeepTheirProfile checks methods that C2 may have compiled before the agent saw their classes.
func TestMethodsThatRanOftenKeepTheirProfile(t *testing.T) {
	full.Only(t, "starts JVMs")
	home := testjvm.First()
	classes, file := testjvm.Compile(t, home, "testdata/Adopted.java"), filepath.Join(t.TempDir(), "report.json")
	archive := train(t, home, classes, 20000, "-Xshare:off")
	j := startJVM(t, home, agentFlag(t, archive, ",report="+file), "-Xshare:off",
		"-XX:Tier4MinInvocationThreshold=1", "-cp", classes, "Adopted", "load")
	j.Await("ready")
	j.End()
	r := readReport(t, file)
	added := r.count("methods_adopted_after_start")
	if kept := r.count("methods_refused_already_profiled"); kept <= added {
		t.Errorf("%d methods adopted after they had run, %d did not", added, kept)
	}
}
