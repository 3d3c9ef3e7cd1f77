package fit

import (
	"math"
	"slices"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A rewriter puts profiles into a builder, adapted to new code.
type rewriter struct {
	s       *reader.Store
	shape   disk.Shape
	b       *builder.Builder
	report  *Report
	counts  *Rewritten
	code    Types                      // what is known of the classes of the new program; nil for nothing
	kept    map[layout.Ref][]uint64    // by method: the code ids of profiles that stay as they are
	types   map[uint32]builder.TypeRef // by ordinal
	methods map[layout.Ref]builder.MethodRef
	renames *renames // nil where names stay
	// contexts has those that were taken over: each is one that was and a frame
	// more, however deep it is.
	contexts map[layout.Ref]builder.ContextRef
}

func newRewriter(s *reader.Store, b *builder.Builder, against Code, report *Report) *rewriter {
	code, _ := against.(Types)
	return &rewriter{s: s, shape: disk.ShapeOf(&s.Header().Params), b: b, report: report, counts: &report.Rewritten, code: code, kept: map[layout.Ref][]uint64{},
		types: map[uint32]builder.TypeRef{}, methods: map[layout.Ref]builder.MethodRef{}, contexts: map[layout.Ref]builder.ContextRef{}}
}

// seen takes a method over that never ran.
func (w *rewriter) seen(m reader.Method) error {
	ref, err := w.methodRef(m)
	w.b.Seen(ref)
	return err
}

// method takes the profiles of a method over that are of use. Several versions
// of its code may have become one: then the profile that is worth most is taken.
func (w *rewriter) method(judgements []judgement) error {
	best := map[target]*judgement{}
	for i := range judgements {
		j := &judgements[i]
		if t, ok := j.target(); ok && (best[t] == nil || j.worth() > best[t].worth()) {
			best[t] = j
		}
	}
	for i := range judgements {
		j := &judgements[i]
		if t, _ := j.target(); best[t] != j {
			w.counts.Dropped++
		} else if err := w.profile(j); err != nil {
			return err
		}
	}
	return nil
}

// A target is what a profile will be of.
type target struct {
	code    uint64
	context layout.Ref
}

// target is what a profile will be of; ok is false if it is of no use.
func (j *judgement) target() (t target, ok bool) {
	t.context, _ = disk.Block(j.Profile.Bytes()).Links()
	t.code = j.Profile.Code()
	if j.State == Moved {
		t.code = j.now.ID
	}
	return t, j.State != Stale && j.State != Gone
}

// worth is how much of what a profile has counted is worth something; what is
// exact is worth more than anything that has moved.
func (j *judgement) worth() float64 {
	if j.State == Moved {
		return j.Weight * j.Confidence
	}
	return math.Inf(1)
}

// profile takes a profile over.
func (w *rewriter) profile(j *judgement) error {
	m, err := w.methodRef(j.Method)
	if err != nil {
		return err
	}
	context, err := w.context(m, j.Profile)
	if err != nil {
		return err
	}
	w.counts.Profiles++
	if j.State == Moved {
		p := w.b.Profile(m, j.now.ID, context)
		w.fields(p, j.Profile, true)
		p.Size(uint32(j.now.Size), 0)
		if err := (&mover{rewriter: w, judgement: j, p: p}).run(); err != nil {
			return err
		}
		w.sketch(m, &j.now)
		return p.Done()
	}
	if (j.State == Exact || j.State == Renamed) && slices.ContainsFunc(j.old.points, func(p Point) bool { return p.known() }) {
		w.sketch(m, &j.now) // what it names may have other names
	} else {
		w.kept[j.Method.Ref()] = append(w.kept[j.Method.Ref()], j.Profile.Code())
	}
	p := w.b.Profile(m, j.Profile.Code(), context)
	w.fields(p, j.Profile, false)
	for section := layout.SectionData; section < layout.SectionDirectory; section++ {
		for e := range j.Profile.Section(section) {
			if err := w.entry(p, section, e, disk.Entry(e.Bytes())); err != nil {
				return err
			}
		}
	}
	return p.Done()
}

// fields takes the optional fields over: of a profile that has moved those that
// say nothing of the code.
func (w *rewriter) fields(p *builder.Profile, from reader.Profile, moved bool) {
	for _, f := range []struct {
		get func() (reader.Counter, bool)
		set func(uint64)
	}{{from.Invocations, p.Invocations}, {from.Backedges, p.Backedges}, {from.Interpreted, p.Interpreted}} {
		if c, ok := f.get(); ok {
			f.set(c.Trained())
		}
	}
	if c, ok := from.Compile(); ok {
		if moved {
			c.Loops, c.Blocks = 0, 0
		}
		p.Compile(builder.Compile(c))
	}
	if h, ok := from.History(); ok {
		p.History(builder.History(h))
	}
	if traps := from.TrapHistory(); traps != nil {
		p.TrapHistory(traps)
	}
	if moved {
		return
	}
	if e, ok := from.Escape(); ok {
		p.Escape(builder.Escape(e))
	}
	if code, host := from.Size(); code|host != 0 {
		p.Size(code, host)
	}
}

// context takes the calling context of a profile over.
func (w *rewriter) context(m builder.MethodRef, p reader.Profile) (builder.ContextRef, error) {
	node, ok, err := p.Context()
	if err != nil || !ok {
		return builder.NoContext, err
	}
	path := []reader.Context{node}
	for inner := node.Inner(); inner != 0 && w.contexts[inner] == builder.NoContext; inner = node.Inner() {
		if node, err = w.s.ContextAt(inner); err != nil {
			return builder.NoContext, err
		}
		path = append(path, node)
	}
	var to builder.ContextRef
	for _, node := range slices.Backward(path) {
		f, err := node.Caller()
		if err != nil {
			return builder.NoContext, err
		}
		caller, err := w.methodRef(f.Caller)
		if err != nil {
			return builder.NoContext, err
		}
		to = w.b.OuterContext(m, w.contexts[node.Inner()], builder.Frame{Caller: caller, Point: f.Point})
		w.contexts[node.Ref()] = to
	}
	return to, nil
}

func (w *rewriter) methodRef(m reader.Method) (builder.MethodRef, error) {
	if ref, ok := w.methods[m.Ref()]; ok {
		return ref, nil
	}
	k, err := m.Key()
	if err != nil {
		return 0, err
	}
	if w.renames != nil {
		k, _ = w.renames.key(m, k)
	}
	ref := w.b.Method(k)
	w.b.DescribeMethod(ref, builder.MethodInfo{Access: m.Access(), Flags: m.Flags() & layout.MethodNotMatchable})
	if class, ok, err := m.Class(); err != nil {
		return 0, err
	} else if ok {
		if _, err := w.typeRef(class); err != nil {
			return 0, err
		}
	}
	w.methods[m.Ref()] = ref
	return ref, nil
}

func (w *rewriter) typeRef(t reader.Type) (builder.TypeRef, error) {
	if ref, ok := w.types[t.Ordinal()]; ok {
		return ref, nil
	}
	var text [3]string
	for i, get := range []func() (reader.Name, error){t.Name, t.Loader, t.Alias} {
		name, err := get()
		if err != nil {
			return 0, err
		}
		text[i] = name.String()
	}
	flags, err := t.Flags()
	if err != nil {
		return 0, err
	}
	if w.renames != nil {
		text[0] = w.renames.class(text[0])
	}
	ref := w.b.Type(builder.TypeKey{Name: text[0], Loader: text[1]})
	w.b.DescribeType(ref, builder.TypeInfo{Alias: text[2], Flags: flags})
	w.types[t.Ordinal()] = ref
	return ref, nil
}
