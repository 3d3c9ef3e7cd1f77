package builder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/internal/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Take says which counts of an archive are copied.
type Take int

// The choices.
const (
	Trained Take = iota // as they were dumped
	Live                // as they stand now, where the archive was adopted
	Delta               // what was counted since: live less trained; profiles without any are left out
)

// ErrMismatch: two archives cannot be put together.
var ErrMismatch = errors.New("archives do not fit together")

// ConfigOf is what an archive says of itself, to be said again of a copy.
func ConfigOf(h *layout.Header) Config {
	return Config{Params: h.Params, Producer: h.Producer, Fingerprint: h.Fingerprint, DumpID: h.DumpID, DumpTime: h.Time(), Flags: h.Flags}
}

// Add copies all that an archive holds: for a snapshot of an adopted one, or
// to change something on the way. A builder made with ConfigOf its header and
// given nothing else writes the same bytes again. To put several archives
// together see Merge. The error matches ErrMismatch if domain or shape differ,
// ErrDuplicate if the run has given one of its profiles, ErrCounted if one of
// its dumps was merged, and otherwise is the reader's, or that of ctx.
//
// A snapshot is a dump of its own: Live and Delta make the builder forget an
// identity that it has from the archive, and Delta says that counts are no
// totals.
func (b *Builder) Add(ctx context.Context, s *reader.Store, take Take) error {
	contents, err := ContentsOf(s)
	if err != nil {
		return err
	}
	b.mu.Lock()
	run, shape := b.run, b.shape
	b.shaped = shapeUse{true, true}
	b.mu.Unlock()
	if h := s.Header(); h.Domain != b.domain || disk.ShapeOf(&h.Params) != shape {
		return fmt.Errorf("%s: %w: it is of domain %s and keeps %s, the others of %s keep %s: add archives of one domain and one VM", s.Mapping().Name(), ErrMismatch,
			h.Domain, describeShape(disk.ShapeOf(&h.Params)), b.domain, describeShape(shape))
	}
	if err := b.added(s.Header(), &contents, take); err != nil {
		return err
	}
	return b.copyAll(ctx, s, take, run, false)
}

// added notes what the builder's archive is made of.
func (b *Builder) added(h *layout.Header, contents *Contents, take Take) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id := range contents.ids {
		if _, ok := b.dumps[id]; ok {
			return fmt.Errorf("builder: %w: %x", ErrCounted, id)
		}
	}
	if take != Delta {
		b.note(contents)
	}
	if take != Trained && b.config.DumpID == h.DumpID {
		b.config.DumpID = [16]byte{}
	}
	if take == Delta {
		b.config.Flags |= layout.FlagDelta
	}
	return nil
}

func (b *Builder) copyAll(ctx context.Context, s *reader.Store, take Take, run runData, merging bool) error {
	c := newCopier(ctx, b, s, run)
	c.take, c.merging = take, merging
	return c.run(c.copyTypes, c.copyMethods, c.copyContexts, c.copyProfiles, c.copyTables)
}

// A copier knows what the records of one archive are in a builder.
type copier struct {
	poll     *poll.Poll
	b        *Builder
	s        *reader.Store
	shape    disk.Shape
	take     Take
	of       runData
	merging  bool
	cut      *cut      // nil: everything is copied as it is
	types    []TypeRef // by ordinal
	methods  map[layout.Ref]MethodRef
	contexts map[layout.Ref]ContextRef
	profiles map[layout.Ref]ProfileRef
}

func newCopier(ctx context.Context, b *Builder, s *reader.Store, run runData) *copier {
	return &copier{poll: poll.New(ctx), b: b, s: s, shape: disk.ShapeOf(&s.Header().Params), of: run, methods: map[layout.Ref]MethodRef{}, contexts: map[layout.Ref]ContextRef{}, profiles: map[layout.Ref]ProfileRef{}}
}

func (c *copier) run(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return c.b.Err()
}

func (c *copier) copyTypes() error {
	for t, err := range c.s.Types() {
		if err = cmp.Or(err, c.poll.Err()); err != nil {
			return err
		}
		if _, err := c.typeRef(t); err != nil {
			return err
		}
	}
	return nil
}

// typeRef interns a type of the archive, or a late one.
func (c *copier) typeRef(t reader.Type) (TypeRef, error) {
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
	key, info := TypeKey{name.String(), loader.String()}, TypeInfo{alias.String(), flags}
	if names := c.cut.anonymizer(); names != nil {
		key, info.Alias = names.typeKey(key), ""
	}
	ref := c.b.Type(key)
	c.b.DescribeType(ref, info)
	c.types[t.Ordinal()] = ref
	return ref, nil
}

func (c *copier) copyMethods() error {
	for m, err := range c.s.Methods() {
		if err = cmp.Or(err, c.poll.Err()); err != nil {
			return err
		}
		if _, err := c.copyMethod(m); err != nil {
			return err
		}
	}
	return nil
}

// copyMethod interns a method with what is known of it beside its profiles.
func (c *copier) copyMethod(m reader.Method) (MethodRef, error) {
	key, err := m.Key()
	if err != nil {
		return 0, err
	}
	ref := c.b.Method(c.cut.anonymizer().key(c.b.domain, key))
	c.b.DescribeMethod(ref, MethodInfo{m.Access(), m.Flags()})
	if m.NeverRan() {
		c.b.Seen(ref)
	}
	c.methods[m.Ref()] = ref
	return ref, nil
}

// methodRef is the method whose record lies at n. It is interned already unless
// only what is needed is copied.
func (c *copier) methodRef(n layout.Ref) (MethodRef, error) {
	if ref, ok := c.methods[n]; ok || n == 0 {
		return ref, nil
	}
	m, err := c.s.MethodAt(n)
	if err != nil || !c.cut.selective() {
		return 0, err
	}
	return c.copyMethod(m)
}

func (c *copier) copyContexts() error {
	for m, err := range c.s.Methods() {
		if err = cmp.Or(err, c.poll.Err()); err != nil {
			return err
		}
		for node, err := range m.Contexts() {
			if err = cmp.Or(err, c.poll.Err()); err != nil {
				return err
			}
			if _, err := c.copyContext(m.Ref(), node); err != nil {
				return err
			}
		}
	}
	return nil
}

// copyContext interns a context of the method whose record lies at n, and before
// it those within it that were not: each of them once, however deep it is.
func (c *copier) copyContext(n layout.Ref, node reader.Context) (ContextRef, error) {
	m, err := c.methodRef(n)
	if err != nil {
		return 0, err
	}
	path := []reader.Context{node}
	for inner := node.Inner(); inner != 0 && c.contexts[inner] == NoContext; inner = node.Inner() {
		if node, err = c.s.ContextAt(inner); err != nil {
			return 0, err
		}
		path = append(path, node)
	}
	var ref ContextRef
	for _, node := range slices.Backward(path) {
		f, err := node.Caller()
		if err != nil {
			return 0, err
		}
		caller, err := c.methodRef(f.Caller.Ref())
		if err != nil {
			return 0, err
		}
		ref = c.b.OuterContext(m, c.contexts[node.Inner()], Frame{caller, f.Point})
		c.contexts[node.Ref()] = ref
	}
	return ref, nil
}

// contextRef is a context of the method whose record lies at n.
func (c *copier) contextRef(n layout.Ref, node reader.Context) (ContextRef, error) {
	if ref, ok := c.contexts[node.Ref()]; ok || !c.cut.selective() {
		return ref, nil
	}
	return c.copyContext(n, node)
}
