package copier

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Counts selects the counts for the copy of an archive. The zero value is Trained.
type Counts int

// The choices.
const (
	Trained    Counts = iota // counts of the file
	Totals                   // counts of the file plus counts of this run, from an adopted archive
	Increments               // counts of this run only; profiles without any are left out
)

// Hooks change the copy. A nil hook changes nothing.
type Hooks struct {
	// Lazy copies a record only when a copied record refers to it.
	Lazy bool
	// Chosen reports whether a method is copied with its contexts and profiles, and Kind whether a type is copied, even if
	// no copied record refers to them.
	Chosen func(m reader.Method) (bool, error)
	Kind   func(t reader.Type) (bool, error)
	// Elsewhere selects the substitute for a profile that is not copied, in rows of tables.
	Elsewhere Elsewhere
	Type      func(name, loader, alias string) (newName, newLoader, newAlias string)
	Key       func(m reader.Method, k layout.Key) (layout.Key, error)
	Entry     func(e disk.Entry) error
	// Dropped is called for each row or type word that the copy has without its type or method, because the live cell
	// points to neither. An error ends the copy.
	Dropped func(m reader.Method, point int32, reason string) error
	// Lost is called for each profile that the copy lacks because it is damaged or because the run has recorded it
	// already. Profiles behind a damaged one in its list are lost too. An error ends the copy. If Lost is nil, the first
	// lost profile ends the copy.
	Lost func(m reader.Method, err error) error
	// Skip reports whether a table is left out.
	Skip   func(t *reader.Table) bool
	Rows   func(t *reader.Table) (stays func(row int) (bool, error))
	Symbol func(kind disk.TableKind, text string) string
	// Word returns the replacement for a number in a table.
	Word func(kind disk.TableKind, column int, v uint64) uint64
	// Row changes a row of a table, which holds references of the set and not of the file.
	Row func(t *reader.Table, row []uint64)
}

// Elsewhere selects the substitute for a profile that is not copied, in rows of tables.
type Elsewhere int

// The choices.
const (
	Nothing    Elsewhere = iota
	AStub                // an empty profile with the same method, code and context
	ALatecomer           // the profile with the same method, code and context that the set has or gets later
)

// A Copier copies an archive into a set. It maps each record of the archive to its reference in the set.
type Copier struct {
	hooks  Hooks
	poll   *poll.Poll
	b      *profileset.Set
	s      *reader.Store
	shape  disk.Shape
	Counts Counts
	Since  *Counted // start of Increments; New sets it to the start of the run
	// Read has the counts of the copied profiles and tables. It is nil for an archive with an account of its own.
	Read         ledger.Totals
	targetRun    profileset.Run
	method       reader.Method        // method of the current profile
	ran          bool                 // the current profile has counts of this run
	lastRuns     map[versionKey]int64 // times of versions; see lastRun
	profilesSeen uint64               // number of profiles read, or tried
	partial      bool                 // the copy lacks a profile
	chosen       []reader.Method      // methods chosen by Hooks.Chosen
	types        []profileset.TypeRef // indexed by ordinal
	methods      refs[profileset.MethodRef]
	contexts     contextRefs
	profiles     refs[profileset.ProfileRef]
	absent       map[layout.Ref]profileset.ProfileRef // substitutes for profiles outside the copy
	block        []byte                               // copy of the current block
}

// New returns a copier of an archive into a set, as part of a run.
func New(ctx context.Context, b *profileset.Set, s *reader.Store, run profileset.Run, hooks Hooks) *Copier {
	methods, profiles := 0, 0
	if h := s.Header(); !hooks.Lazy {
		methods = int(min(h.Counts.Methods, uint64(h.FileSize)/disk.Unit))
		profiles = int(min(h.Counts.Profiles, uint64(h.FileSize)/disk.Unit))
	}
	return &Copier{
		hooks: hooks, poll: poll.New(ctx), b: b, s: s, shape: (*mapped.Mapping)(s.Mapping()).Shape(), targetRun: run,
		methods:  newRefs[profileset.MethodRef](methods),
		contexts: newContextRefs(s.Header()),
		profiles: newRefs[profileset.ProfileRef](profiles),
		absent:   map[layout.Ref]profileset.ProfileRef{}, Since: &Counted{},
	}
}

func (c *Copier) All() error {
	if c.Counts == Increments {
		return c.runSteps(c.DeclareShapes, c.copyIncrements, c.Tables)
	}
	return c.runSteps(c.Records, c.copyProfiles, c.Tables)
}

func (c *Copier) Records() error {
	return c.runSteps(c.DeclareShapes, c.copyTypes, c.copyMethods, c.copyContexts)
}

// DeclareShapes declares the shapes of the archive in the set. Entries of these shapes need them.
func (c *Copier) DeclareShapes() error {
	return c.b.Declare((*mapped.Mapping)(c.s.Mapping()).Shape().Declared.Shapes()...)
}

func (c *Copier) runSteps(steps ...func() error) error {
	if err := disk.CheckWritable(c.s.Header()); err != nil {
		return disk.WithFileName(err, c.s.Mapping().Name())
	}
	return lists.Run(append(steps, c.b.Err)...)
}

func (c *Copier) copyTypes() error {
	return poll.Each(c.poll, c.s.Types(), func(t reader.Type) (err error) {
		ok := true
		if c.hooks.Kind != nil {
			ok, err = c.hooks.Kind(t)
		}
		if ok && err == nil {
			_, err = c.TypeRef(t)
		}
		return err
	})
}

// TypeRef returns the set's reference for a type of the archive or for a late type. It interns the type if needed.
func (c *Copier) TypeRef(t reader.Type) (profileset.TypeRef, error) {
	for int(t.Ordinal()) >= len(c.types) {
		c.types = append(c.types, 0)
	}
	if ref := c.types[t.Ordinal()]; ref != 0 {
		return ref, nil
	}
	name, err1 := t.Name()
	loader, err2 := t.Loader()
	alias, err3 := t.Alias()
	flags, err4 := t.Flags()
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return 0, err
	}
	n := name.String()
	l := loader.String()
	a := alias.String()
	if c.hooks.Type != nil {
		n, l, a = c.hooks.Type(n, l, a)
	}
	ref := c.b.Type(n, l)
	c.b.DescribeType(ref, a, flags)
	c.types[t.Ordinal()] = ref
	return ref, nil
}

func (c *Copier) copyMethods() error {
	err := poll.Each(c.poll, c.s.Methods(), func(m reader.Method) error {
		if c.hooks.Chosen != nil {
			ok, err := c.hooks.Chosen(m)
			if err != nil || !ok {
				return err
			}
			c.chosen = append(c.chosen, m)
		}
		return c.addMethod(m)
	})
	if err != nil {
		return err
	}
	return c.s.CheckProfilesOf(c.chosen)
}

func (c *Copier) addMethod(m reader.Method) error {
	key, err := m.Key()
	if err == nil && c.hooks.Key != nil {
		key, err = c.hooks.Key(m, key)
	}
	if err == nil {
		c.methods.addRef(m.Ref(), c.b.InternDescribed(key, m.Access(), m.Flags(), m.Unexecuted()))
	}
	return err
}

func (c *Copier) methodsOfCopy() iter.Seq2[reader.Method, error] {
	if c.hooks.Chosen == nil {
		return c.s.Methods()
	}
	return func(yield func(reader.Method, error) bool) {
		for _, m := range c.chosen {
			if !yield(m, nil) {
				return
			}
		}
	}
}

// MethodRef returns the set's reference for the method record at n. A lazy copier interns the method if needed.
func (c *Copier) MethodRef(n layout.Ref) (profileset.MethodRef, error) {
	if ref, ok := c.methods.findRef(n); ok || n == 0 {
		return ref, nil
	}
	m, err := c.s.MethodAt(n)
	if err != nil || !c.hooks.Lazy {
		return 0, err
	}
	if err := c.addMethod(m); err != nil {
		return 0, err
	}
	ref, _ := c.methods.findRef(n)
	return ref, nil
}

func (c *Copier) copyContexts() error {
	if len(c.contexts.refs) == 0 {
		return nil
	}
	return poll.Each(c.poll, c.methodsOfCopy(), c.copyContextsOf)
}

// copyContextsOf interns the contexts of a method in groups. Parents come before their children and in an earlier
// group.
func (c *Copier) copyContextsOf(m reader.Method) error {
	of, err := c.MethodRef(m.Ref())
	if err != nil {
		return err
	}
	var at []layout.Ref
	var group []profileset.OuterFrame
	flush := func() {
		for i, ref := range c.b.OuterContexts(of, group) {
			*c.contexts.slotOf(at[i]) = ref
		}
		at = at[:0]
		group = group[:0]
	}
	for node, err := range m.Contexts() {
		if err = cmp.Or(err, c.poll.Err()); err != nil {
			return err
		}
		inner := c.contexts.refOf(node.Inner())
		if len(group) == profileset.FrameGroup || inner == profileset.NoContext && node.Inner() != 0 {
			flush()
			inner = c.contexts.refOf(node.Inner())
		}
		site := c.contextRecord(node)
		caller, err := c.MethodRef(site.Caller)
		if err != nil {
			return err
		}
		at = append(at, node.Ref())
		group = append(group, profileset.OuterFrame{Inner: inner, Caller: caller, Point: site.Point})
	}
	flush()
	return nil
}

// contextRecord returns the record of a context, which the reader has checked.
func (c *Copier) contextRecord(node reader.Context) disk.ContextRecord {
	return (*mapped.Mapping)(c.s.Mapping()).ContextRecord(node.Ref())
}

// copyContext interns a context of the method whose record is at n, after all of its inner contexts.
func (c *Copier) copyContext(n layout.Ref, node reader.Context) (profileset.ContextRef, error) {
	m, err := c.MethodRef(n)
	if err != nil {
		return 0, err
	}
	path := []reader.Context{node}
	for inner := node.Inner(); inner != 0 && c.contexts.refOf(inner) == profileset.NoContext; inner = node.Inner() {
		node, err = c.s.ContextAt(inner)
		if err != nil {
			return 0, err
		}
		path = append(path, node)
	}
	var ref profileset.ContextRef
	for _, node := range slices.Backward(path) {
		site := c.contextRecord(node)
		caller, err := c.MethodRef(site.Caller)
		if err != nil {
			return 0, err
		}
		ref = c.b.OuterContext(m, c.contexts.refOf(node.Inner()), caller, site.Point)
		*c.contexts.slotOf(node.Ref()) = ref
	}
	return ref, nil
}

func (c *Copier) contextAt(n layout.Ref) (profileset.ContextRef, error) {
	if ref := c.contexts.refOf(n); ref != profileset.NoContext || !c.hooks.Lazy {
		return ref, nil
	}
	node, err := c.s.ContextAt(n)
	if err != nil {
		return 0, err
	}
	m, err := node.Method()
	if err != nil {
		return 0, err
	}
	return c.copyContext(m.Ref(), node)
}

func Dumps(s *reader.Store) ([]profileset.Dump, error) {
	h := s.Header()
	if h.Flags&disk.FlagMerged == 0 {
		return []profileset.Dump{{ID: h.DumpID, Time: h.DumpTime, Weight: layout.WeightOne}}, nil
	}
	t, err := s.TableOrEmpty(disk.TableDumps)
	if err != nil {
		return nil, err
	}
	var dumps []profileset.Dump
	for r := range t.Rows {
		d := profileset.Dump{Time: int64(t.Cell(2, r)), Weight: layout.Weight(t.Cell(3, r))}
		binary.LittleEndian.PutUint64(d.ID[:], t.Cell(0, r))
		binary.LittleEndian.PutUint64(d.ID[8:], t.Cell(1, r))
		dumps = append(dumps, d)
	}
	return dumps, nil
}

// refs maps records of the archive to references of the set. Nearly all records are added and looked up in the order of
// the file, which takes neither hashing nor a search.
type refs[R ~uint32] struct {
	from   []layout.Ref // ascending
	to     []R
	next   int              // index after the last found one
	others map[layout.Ref]R // records that were added out of order
}

func newRefs[R ~uint32](n int) refs[R] {
	return refs[R]{from: make([]layout.Ref, 0, n), to: make([]R, 0, n)}
}

func (r *refs[R]) addRef(n layout.Ref, ref R) {
	if last := len(r.from); last == 0 || r.from[last-1] < n {
		r.from = append(r.from, n)
		r.to = append(r.to, ref)
		return
	}
	if r.others == nil {
		r.others = map[layout.Ref]R{}
	}
	r.others[n] = ref
}

func (r *refs[R]) findRef(n layout.Ref) (ref R, ok bool) {
	if r.next < len(r.from) && r.from[r.next] == n {
		r.next++
		return r.to[r.next-1], true
	}
	if r.next > 0 && r.from[r.next-1] == n {
		return r.to[r.next-1], true
	}
	if at, ok := slices.BinarySearch(r.from, n); ok {
		r.next = at + 1
		return r.to[at], true
	}
	ref, ok = r.others[n]
	return ref, ok
}

type contextRefs struct {
	section layout.Span
	refs    []profileset.ContextRef // NoContext for contexts outside the copy
}

func newContextRefs(h *layout.Header) contextRefs {
	section := h.Parts[disk.PartContexts]
	return contextRefs{section, make([]profileset.ContextRef, section.Size/disk.ContextSize)}
}

func (r *contextRefs) slotOf(n layout.Ref) *profileset.ContextRef {
	offset := n.Offset() - r.section.Offset
	if !r.section.Holds(n.Offset(), disk.ContextSize) || offset%disk.ContextSize != 0 {
		return nil
	}
	return &r.refs[offset/disk.ContextSize]
}

func (r *contextRefs) refOf(n layout.Ref) profileset.ContextRef {
	if ref := r.slotOf(n); ref != nil {
		return *ref
	}
	return profileset.NoContext
}
