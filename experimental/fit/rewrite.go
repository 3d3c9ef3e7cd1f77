package fit

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/copier"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type rewriter struct {
	s       *reader.Store
	shape   disk.Shape
	b       *builder.Builder
	report  *Report
	counts  *Rewritten
	code    methodcode.Types        // classes of the new program; nil if unknown
	kept    map[layout.Ref][]uint64 // code ids by method of profiles whose sketches are copied
	same    map[layout.Ref][]uint64 // code ids by method of unchanged profiles
	renames *renames                // nil keeps old names
	copier  *copier.Copier
	marks   disk.Marks
	// filterStacks returns the row filter of GraalVM's sampled stacks.
	filterStacks func(*reader.Table) func(row int) (bool, error)
	least        float64 // minimum confidence of a derived count
}

func newRewriter(ctx context.Context, s *reader.Store, b *builder.Builder, against Code, report *Report) *rewriter {
	code, _ := against.(methodcode.Types)
	shape := (*mapped.Mapping)(s.Mapping()).Shape()
	w := &rewriter{s: s, shape: shape, b: b, report: report, counts: &report.Rewritten, code: code,
		kept: map[layout.Ref][]uint64{}, same: map[layout.Ref][]uint64{}}
	set := b.Internal()
	set.Explain(ledger.OperationRewrite, "code that changed")
	w.copier = copier.New(ctx, set, s, set.CurrentRun(),
		copier.Hooks{Lazy: true, Type: w.renameType, Key: w.renameKey, Skip: w.dependsOnCode, Rows: w.rowFilter})
	return w
}

func (w *rewriter) renameType(name, loader, alias string) (string, string, string) {
	if w.renames != nil {
		name = w.renames.presentClass(name)
	}
	return name, loader, alias
}

// renameKey is the hook that renames methods. It copies their classes too.
func (w *rewriter) renameKey(m reader.Method, k layout.Key) (layout.Key, error) {
	if w.renames != nil {
		k, _ = w.renames.presentKey(m, k)
	}
	class, ok, err := m.Class()
	if err == nil && ok {
		_, err = w.copier.TypeRef(class)
	}
	return k, err
}

func (w *rewriter) copyUnexecuted(m reader.Method) error {
	ref, err := w.copier.MethodRef(m.Ref())
	w.b.Seen(ref)
	return err
}

// copyMethod copies a method's usable profiles, only the most valuable one if several versions of its code became one.
func (w *rewriter) copyMethod(judgements []judgement) error {
	best := map[adaptedCode]*judgement{}
	for i := range judgements {
		j := &judgements[i]
		if t, ok := j.adaptedTarget(); ok && (best[t] == nil || j.validCounts() > best[t].validCounts()) {
			best[t] = j
		}
	}
	for i := range judgements {
		j := &judgements[i]
		if t, _ := j.adaptedTarget(); best[t] != j {
			w.counts.Dropped++
		} else if err := w.copyProfile(j); err != nil {
			return err
		}
	}
	return nil
}

type adaptedCode struct {
	code    uint64
	context layout.Ref
}

// adaptedTarget returns the target of a profile; ok is false if the profile is dropped.
func (j *judgement) adaptedTarget() (t adaptedCode, ok bool) {
	t.context, _ = disk.Block(j.Profile.Bytes()).Links()
	t.code = j.Profile.Code()
	if j.State == Moved {
		t.code = j.now.ID
	}
	return t, j.State != Stale && j.State != Gone
}

// validCounts returns the valid counts of a profile. An exact profile is worth more than any moved one.
func (j *judgement) validCounts() float64 {
	if j.State == Moved {
		return j.Weight * j.Confidence
	}
	return math.Inf(1)
}

func (w *rewriter) copyProfile(j *judgement) error {
	m, err := w.copier.MethodRef(j.Method.Ref())
	if err != nil {
		return err
	}
	w.counts.Profiles++
	var p profileset.Recording
	if j.State == Moved {
		if err := w.copier.Begin(&p, j.Method.Ref(), j.Profile, j.now.ID); err != nil {
			return err
		}
		w.copyMovedFields(&p, j)
		mover := &mover{rewriter: w, judgement: j, p: &p}
		if err := mover.writeProfile(); err != nil {
			return err
		}
		mover.markMovedPoints(m)
		w.recordSketch(m, &j.now)
		return p.Done()
	}
	w.same[j.Method.Ref()] = append(w.same[j.Method.Ref()], j.Profile.Code())
	if (j.State == Exact || j.State == Renamed) && anyKnown(j.old.points) {
		w.recordSketch(m, &j.now) // the names may have changed
	} else {
		w.kept[j.Method.Ref()] = append(w.kept[j.Method.Ref()], j.Profile.Code())
	}
	if err := w.copier.Begin(&p, j.Method.Ref(), j.Profile, j.Profile.Code()); err != nil {
		return err
	}
	w.copier.Fields(&p, j.Profile, sizeIfKnown(j.Profile))
	for section := disk.SectionData; section < disk.SectionDirectory; section++ {
		for e := range j.Profile.Section(section) {
			if err := w.copier.ChangedEntry(&p, section, disk.Entry(e.Bytes())); err != nil {
				return err
			}
		}
	}
	return p.Done()
}

// sizeIfKnown returns all optional fields, without the size if it is 0.
func sizeIfKnown(p reader.Profile) disk.Presence {
	if code, host := p.Size(); code|host == 0 {
		return copier.AllFields &^ disk.HasSize
	}
	return copier.AllFields
}

// copyMovedFields copies the optional fields of a moved profile that do not depend on the old code.
func (w *rewriter) copyMovedFields(p *profileset.Recording, j *judgement) {
	w.copier.Fields(p, j.Profile, copier.AllFields&^(disk.HasSize|disk.HasEscape))
	if compile := disk.Block(j.Profile.Bytes()).Field(disk.HasCompile); compile != nil {
		p.Put32(disk.HasCompile, binary.LittleEndian.Uint32(compile), 0) // without loops and blocks of the old code
	}
	p.Put32(disk.HasSize, uint32(j.now.Size), 0)
}

func (w *rewriter) copyTables() error {
	if err := w.copier.Tables(); err != nil {
		return err
	}
	return w.b.Err()
}

// dependsOnCode is the hook that skips tables that depend on the old code or on the order of profiles. Of sampled
// profiles, the table foreign has the locations of points.
func (w *rewriter) dependsOnCode(t *reader.Table) bool {
	if t.Kind == disk.TableOrder || t.Kind == disk.TableForeign && w.s.Header().Domain != layout.DomainSampled {
		return true
	}
	for i := range t.Columns() {
		if kind := t.Column(i); kind == disk.ColumnProfile || kind == disk.ColumnContext {
			return true
		}
	}
	return false
}

// rowFilter is the hook that drops sketches and moved points of old code. The table stays even if it becomes empty.
func (w *rewriter) rowFilter(t *reader.Table) func(row int) (bool, error) {
	if t.Kind != disk.TableCode && t.Kind != disk.TableMoved && t.Kind != disk.TableSamples {
		return nil
	}
	columns := make([]disk.ColumnKind, t.Columns())
	for i := range columns {
		columns[i] = t.Column(i)
	}
	w.b.Internal().Table(t.Kind, t.Flags, columns...)
	if t.Kind == disk.TableSamples {
		return w.filterStacks(t)
	}
	if t.Kind == disk.TableMoved {
		return func(row int) (bool, error) {
			return slices.Contains(w.same[layout.Ref(t.Cell(0, row))], t.Cell(1, row)), nil
		}
	}
	return func(row int) (bool, error) { return w.keepsSketch(t, row) }
}

func (w *rewriter) recordSketch(m profileset.MethodRef, v *methodcode.Version) {
	if !anyKnown(v.Points) {
		return
	}
	var points []disk.SketchPoint
	for i := range v.Points {
		if v.Points[i].Kind.Sketched() {
			points = append(points, v.Points[i].Sketch)
		}
	}
	t := w.b.Internal().Table(disk.TableCode, 0)
	t.Row(uint64(m), uint64(w.b.Internal().Symbol(string(disk.AppendSketch(nil, v.ID, points)))))
}

func (w *rewriter) keepsSketch(t *reader.Table, row int) (bool, error) {
	text, err := w.s.SymbolAt(layout.Ref(t.Cell(1, row)))
	if err != nil {
		return false, err
	}
	sketch := []byte(text.String())
	return slices.ContainsFunc(w.kept[layout.Ref(t.Cell(0, row))],
		func(code uint64) bool { return disk.SketchMayBeOf(sketch, code) }), nil
}
