package fit_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/testkit/memstore"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/internal/testkit/testarchive"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/verify"
	"pgregory.net/rapid"
)

// elsewhere has no code at all to look at.
type elsewhere struct{}

func (elsewhere) Method(layout.Key) (methodcode.Answer, error) {
	return methodcode.Answer{Presence: methodcode.Unknown, Reason: "it is elsewhere"}, nil
}

// Unchecked methods are taken over unchanged: all of them with all entries and fields of every kind.
func TestRewritingKeepsWhatFits(t *testing.T) {
	t.Parallel()
	for _, s := range specimen.All() {
		if s.Domain != layout.DomainHotSpot && !s.Domain.LLVM() {
			continue
		}
		from := memstore.Open(t, s.Build())
		into := builder.New(s.Domain, builder.ConfigOf(from.Header()))
		r, err := fit.Check(t.Context(), from, elsewhere{}, fit.Options{Into: into})
		if err != nil {
			t.Fatal(err)
		}
		if r.Profiles[fit.Unchecked] != int(from.Header().Counts.Profiles) || r.Score() != 0 ||
			r.Verdict(0, 0) != fit.Unchecked {
			t.Errorf("%s: %v, score %v, %s", s.Name, r.Profiles, r.Score(), r.Verdict(0, 0))
		}
		to := memstore.Open(t, into)
		for m, err := range from.Methods() {
			if err != nil {
				t.Fatal(err)
			}
			if m.Unexecuted() || profiles(m) > 0 {
				sameMethod(t, from, to, m)
			}
		}
	}
}

func profiles(m reader.Method) (n int) {
	for range m.Profiles() {
		n++
	}
	return n
}

func sameMethod(t *testing.T, from, to *reader.Store, m reader.Method) {
	t.Helper()
	k, err := m.Key()
	if err != nil {
		t.Fatal(err)
	}
	n, err := to.Find(k)
	if err != nil {
		t.Errorf("%v: %v", k, err)
		return
	}
	var a, b bytes.Buffer
	if err := errors.Join(jsondump.WriteMethod(&a, from, m), jsondump.WriteMethod(&b, to, n)); err != nil {
		t.Fatal(err)
	}
	if a.String() != b.String() {
		t.Errorf("%s\nhas become\n%s", &a, &b)
	}
}

func TestDomainsWithoutCode(t *testing.T) {
	t.Parallel()
	for _, s := range specimen.All() {
		if s.Domain == layout.DomainGraal || s.Domain == layout.DomainJamaica {
			if _, err := fit.Check(t.Context(), memstore.Open(t, s.Build()), elsewhere{}, fit.Options{}); !errors.Is(err,
				fit.ErrDomain) {
				t.Errorf("%s: %v", s.Name, err)
			}
		}
	}
}

// One method whose code is a version.
type one struct{ methodcode.Version }

func (o one) Method(k layout.Key) (methodcode.Answer, error) {
	switch k.Name {
	case "run":
		return methodcode.Answer{Presence: methodcode.Present, Versions: []methodcode.Version{o.Version}}, nil
	case "renamed":
		return methodcode.Answer{Presence: methodcode.NoMethod}, nil
	}
	return methodcode.Answer{Presence: methodcode.NoClass}, nil
}

// drawCode draws the points of a method: of all kinds, at growing places, going anywhere.
func drawCode(t *rapid.T, n int) (v methodcode.Version) {
	bci := int32(0)
	for range n {
		bci += int32(rapid.IntRange(1, 9).Draw(t, "distance"))
		kind := methodcode.PointKind(rapid.IntRange(int(methodcode.Call), int(methodcode.Switch)).Draw(t, "kind"))
		if n := len(v.Points); kind == methodcode.Jump && (n == 0 || v.Points[n-1].Kind == methodcode.Jump ||
			v.Points[n-1].Kind == methodcode.Switch) {
			kind = methodcode.Call // nothing would lead to it
		}
		v.Points = append(v.Points, methodcode.Point{Bci: bci, Kind: kind})
		if p := &v.Points[len(v.Points)-1]; p.Kind.Sketched() {
			p.Sketch = disk.SketchPoint{What: uint16(rapid.IntRange(1, 40).Draw(t, "what")),
				Operands: uint16(rapid.IntRange(0, 3).Draw(t, "operands"))}
		}
	}
	for i := range v.Points {
		targets := 0
		switch v.Points[i].Kind {
		case methodcode.Jump, methodcode.Branch:
			targets = 1
		case methodcode.Switch:
			targets = rapid.IntRange(1, 5).Draw(t, "cases")
		}
		for range targets {
			v.Points[i].Targets = append(v.Points[i].Targets, int32(rapid.IntRange(0, n).Draw(t, "target")))
		}
	}
	v.Size = int(bci) + 4
	v.ID = rapid.Uint64Range(1, 1<<40).Draw(t, "id")
	return v
}

// with inserts points without counts at a place, which moves the points after it.
func with(v methodcode.Version, place, inserted int) methodcode.Version {
	out := methodcode.Version{ID: v.ID + 1, Size: v.Size + 10*inserted}
	moved := func(t int32) int32 {
		if int(t) >= place {
			return t + int32(inserted)
		}
		return t
	}
	for i, p := range v.Points {
		if i == place {
			start := p.Bci
			for k := range inserted {
				out.Points = append(out.Points, methodcode.Point{Bci: start + int32(10*k), Kind: methodcode.Call,
					Sketch: disk.SketchPoint{What: 99}})
			}
		}
		q := methodcode.Point{Bci: p.Bci, Kind: p.Kind, Sketch: p.Sketch}
		if i >= place {
			q.Bci += int32(10 * inserted)
		}
		for _, t := range p.Targets {
			q.Targets = append(q.Targets, moved(t))
		}
		out.Points = append(out.Points, q)
	}
	return out
}

// profileOf builds the profile that a VM would have of a version: each count is
// its point's number, so that it can be found again.
func profileOf(v methodcode.Version) *builder.Builder {
	var params layout.Params
	params.TypeProfileWidth, params.BciProfileWidth = 2, 2
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: params})
	shape := disk.ShapeOfParams(&params)
	offsets := []int64{0}
	for _, p := range v.Points {
		cells := map[methodcode.PointKind]int{
			methodcode.Call: shape.Cells(layout.TagCounter, 0), methodcode.VirtualCall: shape.Cells(layout.TagVirtualCall, 0),
			methodcode.TypeCheck: shape.Cells(layout.TagReceiverType, 0),
			methodcode.Jump:      2, methodcode.Branch: 3, methodcode.Switch: 1 + 2*len(p.Targets),
		}[p.Kind]
		offsets = append(offsets, offsets[len(offsets)-1]+8+8*int64(cells))
	}
	m := b.Method(layout.Key{Class: "C", Name: "run", Signature: "()V"})
	sketch(b, m, v)
	q := b.ProfileIn(m, v.ID, profileset.NoContext)
	q.Internal().SetSize(profileset.CodeSize{Code: uint32(v.Size)})
	square := builder.Row{Type: b.Type(builder.TypeKey{Name: "Square"}), Count: 1000}
	for i, p := range v.Points {
		at, n := builder.At{Bci: int32(p.Bci)}, uint64(1000+i)
		to := func(k int) int64 { return offsets[p.Targets[k]] - offsets[i] }
		switch p.Kind {
		case methodcode.Call:
			q.Counter(at, n)
		case methodcode.VirtualCall:
			q.VirtualCall(at, builder.Others{Count: n}, square)
		case methodcode.TypeCheck:
			q.ReceiverType(at, builder.Others{Count: n})
		case methodcode.Jump:
			q.Jump(at, n, to(0))
		case methodcode.Branch:
			q.Branch(at, builder.Branch{Taken: n, Displacement: to(0), NotTaken: 7})
		case methodcode.Switch:
			var cases []builder.SwitchCase
			for k := range p.Targets {
				cases = append(cases, builder.SwitchCase{Count: n, Displacement: to(k)})
			}
			q.MultiBranch(at, cases[0], cases[1:]...)
		}
	}
	_ = q.Done()
	return b
}

// sketch notes what the points of a version test, call and check.
func sketch(b *builder.Builder, m builder.MethodRef, v methodcode.Version) {
	var points []disk.SketchPoint
	for _, p := range v.Points {
		if p.Kind.Sketched() {
			points = append(points, p.Sketch)
		}
	}
	b.Internal().
		Table(disk.TableCode, 0).
		Row(uint64(m), uint64(b.Internal().Symbol(string(disk.AppendSketch(nil, v.ID, points)))))
}

// check checks the one profile of an archive, and returns the verdict and the adapted one.
func check(t testing.TB, s *reader.Store, v methodcode.Version) (fit.Verdict, *reader.Store) {
	t.Helper()
	var verdict fit.Verdict
	into := builder.New(layout.DomainHotSpot, builder.ConfigOf(s.Header()))
	r, err := fit.Check(t.Context(), s, one{v}, fit.Options{Into: into, Confidence: fit.AssumedConfidence,
		Each: func(f *fit.Verdict) error { verdict = *f; return nil }})
	if err != nil {
		t.Fatal(err)
	}
	if want := verdict.Confidence; math.Abs(r.Score()-want) > 1e-9 {
		t.Fatalf("score %v of a confidence of %v", r.Score(), want)
	}
	to := memstore.Open(t, into)
	sound, err := verify.Store(t.Context(), to, nil)
	if err != nil || !sound.Sound() {
		t.Fatalf("the adapted archive: %v %v", err, sound.Problems)
	}
	return verdict, to
}

func TestSameCodeIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		v := drawCode(rt, rapid.IntRange(0, 20).Draw(rt, "points"))
		verdict, _ := check(t, memstore.Open(t, profileOf(v)), v)
		if verdict.State != fit.Exact || verdict.Confidence != 1 {
			rt.Errorf("%s: %s", verdict.State, verdict.Reason)
		}
	})
}

// An inserted call moves the points after it. Every point finds its place
// but where another one would do as well, which lowers the confidence.
func TestInsertedPoints(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		v := drawCode(rt, rapid.IntRange(4, 24).Draw(rt, "points"))
		place := rapid.IntRange(0, len(v.Points)-1).Draw(rt, "place")
		now := with(v, place, rapid.IntRange(1, 2).Draw(rt, "inserted"))
		verdict, to := check(t, memstore.Open(t, profileOf(v)), now)
		if verdict.State != fit.Moved {
			rt.Fatalf("%s: %s", verdict.State, verdict.Reason)
		}
		inserted := len(now.Points) - len(v.Points)
		right := 0
		for i := range v.Points {
			j := i
			if i >= place {
				j += inserted
			}
			if counted(t, to, now.Points[j]) == uint64(1000+i) {
				right++
			}
		}
		if alike := len(v.Points) - len(distinctPoints(v)); right < len(v.Points)-inserted-1-alike {
			rt.Errorf("%d of %d points are right, %d of them resemble others, confidence %v", right, len(v.Points), alike,
				verdict.Confidence)
		}
		if right < len(v.Points)-inserted-1 && verdict.Confidence >= fit.AssumedConfidence {
			rt.Errorf("%d of %d points are right, and yet the confidence is %v", right, len(v.Points), verdict.Confidence)
		}
	})
}

// distinctPoints returns what the points of a version do, each once.
func distinctPoints(v methodcode.Version) map[string]bool {
	distinct := map[string]bool{}
	for _, p := range v.Points {
		distinct[fmt.Sprint(p.Kind, p.Sketch)] = true
	}
	return distinct
}

// counted returns the first count at a point of the adapted profile.
func counted(t testing.TB, s *reader.Store, p methodcode.Point) uint64 {
	t.Helper()
	m, err := s.Find(layout.Key{Class: "C", Name: "run", Signature: "()V"})
	if err != nil {
		t.Fatal(err)
	}
	q, _, err := m.Profile(layout.CodeAny)
	if err != nil {
		t.Fatal(err)
	}
	e, ok := q.At(p.Bci)
	if !ok {
		t.Fatalf("no entry at %d", p.Bci)
	}
	cell := 0
	if p.Kind == methodcode.Switch {
		cell = 1
	}
	return e.Cell(cell).Trained()
}

// An adapted profile fits, and adapting it once more changes nothing: its
// displacements lead to where the code says.
func TestAdaptedProfilesFit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		v := drawCode(rt, rapid.IntRange(1, 20).Draw(rt, "points"))
		now := with(v, rapid.IntRange(0, len(v.Points)-1).Draw(rt, "place"), 1)
		verdict, to := check(t, memstore.Open(t, profileOf(v)), now)
		if verdict.State != fit.Moved {
			rt.Skip()
		}
		if again, _ := check(t, to, now); again.State != fit.Exact {
			rt.Errorf("the adapted profile is %s: %s", again.State, again.Reason)
		}
		unnamed := now
		unnamed.ID++ // the same points, under another id: all of them are found
		again, same := check(t, to, unnamed)
		if again.Matched != len(now.Points) {
			rt.Errorf("%d of %d points: %s", again.Matched, len(now.Points), again.Reason)
		}
		for _, p := range now.Points {
			if counted(t, to, p) != counted(t, same, p) {
				rt.Errorf("the point at %d has changed", p.Bci)
			}
		}
	})
}

func TestOtherCodeIsStale(t *testing.T) {
	t.Parallel()
	call := methodcode.Version{ID: 1, Size: 30}
	loop := methodcode.Version{ID: 2, Size: 90}
	for i := range int32(5) {
		call.Points = append(call.Points, methodcode.Point{Bci: 3 * i, Kind: methodcode.Call})
		loop.Points = append(loop.Points, methodcode.Point{Bci: 17 * i, Kind: methodcode.Branch, Targets: []int32{0}})
	}
	for _, v := range []methodcode.Version{loop, {ID: 2, Size: 9}, {ID: 2, Opaque: true}} {
		verdict, to := check(t, memstore.Open(t, profileOf(call)), v)
		if verdict.State != fit.Stale || to.Header().Counts.Profiles != 0 {
			t.Errorf("%s: %s", verdict.State, verdict.Reason)
		}
	}
	b := profileOf(call)
	for i, k := range []layout.Key{{Class: "C", Name: "renamed"}, {Class: "D", Name: "x"}} {
		p := b.Profile(k, 1)
		p.Invocations(uint64(5 + i))
		_ = p.Done()
	}
	r, err := fit.Check(t.Context(), memstore.Open(t, b), one{call}, fit.Options{Top: 5})
	if err != nil || r.Profiles[fit.Gone] != 2 || len(r.Misfits) != 2 {
		t.Fatalf("%+v %v", r, err)
	}
	if got := fmt.Sprint(r.Misfits[0].Reason, ", ",
		r.Misfits[1].Reason); got != "there is no such class, there is no such method" {
		t.Error(got)
	}
}

// Profiles of two versions that have become one: the heavier is taken.
func TestTwoVersionsBecomeOne(t *testing.T) {
	t.Parallel()
	v := methodcode.Version{ID: 1, Size: 20, Points: []methodcode.Point{
		{Bci: 4, Kind: methodcode.Call}, {Bci: 9, Kind: methodcode.Call}}}
	for i := range v.Points {
		v.Points[i].Sketch.What = uint16(1 + i)
	}
	b := profileOf(v)
	other := v
	other.ID = 2
	sketch(b, b.Method(layout.Key{Class: "C", Name: "run", Signature: "()V"}), other)
	heavier := b.Profile(layout.Key{Class: "C", Name: "run", Signature: "()V"}, 2)
	heavier.Internal().SetSize(profileset.CodeSize{Code: 20})
	heavier.Counter(builder.At{Bci: 4}, 5000)
	heavier.Counter(builder.At{Bci: 9}, 5000)
	if err := heavier.Done(); err != nil {
		t.Fatal(err)
	}
	now := v
	now.ID = 3
	_, to := check(t, memstore.Open(t, b), now)
	if n := counted(t, to, now.Points[0]); to.Header().Counts.Profiles != 1 || n != 5000 {
		t.Errorf("%d profiles, a count of %d", to.Header().Counts.Profiles, n)
	}
}

// typed is code with classes. Square is no Shape.
type typed struct{ one }

func (typed) Assignable(class, to string) (is, known bool) { return class != "Square", true }

// Receivers that a call cannot have in the new code are dropped and reported.
func TestImpossibleReceivers(t *testing.T) {
	t.Parallel()
	v := methodcode.Version{ID: 1, Size: 20, Points: []methodcode.Point{
		{Bci: 4, Kind: methodcode.VirtualCall,
			Sketch: disk.SketchPoint{What: 1}}}}
	s := memstore.Open(t, profileOf(v))
	for holder, want := range map[string]uint64{"Shape": 0, "": 1000} {
		t.Run(holder, func(t *testing.T) {
			now := methodcode.Version{ID: 2, Size: 20, Points: []methodcode.Point{
				{Bci: 8, Kind: methodcode.VirtualCall, Sketch: v.Points[0].Sketch,
					Holder: holder}}}
			into := builder.New(layout.DomainHotSpot, builder.ConfigOf(s.Header()))
			r, err := fit.Check(t.Context(), s, typed{one{now}}, fit.Options{Into: into, Confidence: fit.AssumedConfidence})
			if err != nil {
				t.Fatal(err)
			}
			if lost := r.Lost["receiver types that the new code cannot have there"]; lost.Counts != float64(1000-want) {
				t.Errorf("holder %q: lost %v", holder, lost)
			}
			m, err := memstore.Open(t, into).Find(layout.Key{Class: "C", Name: "run", Signature: "()V"})
			if err != nil {
				t.Fatal(err)
			}
			p, _, err := m.Profile(layout.CodeAny)
			if err != nil {
				t.Fatal(err)
			}
			e, ok := p.At(8)
			if !ok || e.Cell(2).Trained() != want {
				t.Errorf("holder %q: %d receivers, want %d", holder, e.Cell(2).Trained(), want)
			}
		})
	}
}

// Code with the same bytecodes is not the same if it names other members.
func TestSameBytecodesWithOtherNames(t *testing.T) {
	t.Parallel()
	v := methodcode.Version{ID: 1, Size: 20, Points: []methodcode.Point{
		{Bci: 4, Kind: methodcode.Call, Sketch: disk.SketchPoint{What: 1}},
		{Bci: 9, Kind: methodcode.Call, Sketch: disk.SketchPoint{What: 2}}}}
	now := v
	now.Points = []methodcode.Point{v.Points[0], v.Points[1]}
	now.Points[0].Sketch, now.Points[1].Sketch = v.Points[1].Sketch, v.Points[0].Sketch
	verdict, to := check(t, memstore.Open(t, profileOf(v)), now)
	if verdict.State != fit.Moved || counted(t, to, now.Points[0]) != 1001 || counted(t, to, now.Points[1]) != 1000 {
		t.Errorf("%s: %s; counts %d and %d", verdict.State, verdict.Reason, counted(t, to, now.Points[0]),
			counted(t, to, now.Points[1]))
	}
}

// Nothing is moved where it is not known what points do.
func TestNothingMovesWithoutKnownPoints(t *testing.T) {
	t.Parallel()
	v := methodcode.Version{ID: 1, Size: 20, Points: []methodcode.Point{
		{Bci: 4, Kind: methodcode.Branch, Targets: []int32{2}},
		{Bci: 9, Kind: methodcode.VirtualCall}}}
	s := memstore.Open(t, profileOf(v))
	now := v
	now.ID = 2
	r, err := fit.Check(t.Context(), s, one{now}, fit.Options{Confidence: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	testarchive.CheckEqual(t, "stale profiles", r.Profiles[fit.Stale], 1)
	testarchive.CheckEqual(t, "points that were found", r.Found.Points, 0)
	testarchive.CheckEqual(t, "points that are unknown", r.Lost[fit.LostUnknown].Points, 2)
}
