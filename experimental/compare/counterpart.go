package compare

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/names/loaders"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// onlyInA is set in the keys of methods and types that b lacks.
const onlyInA = 1 << 63

type counterparts struct {
	a, b    *reader.Store
	byName  *loaders.Pairing
	methods []methodPair    // sorted by inA
	taken   *roaring.Bitmap // references of the methods of b that a has, too
	types   []uint32        // ordinal in b + 2, 1 if b lacks the type, 0 if not yet looked up; indexed by ordinal in a
}

type methodPair struct{ inA, inB layout.Ref }

func newCounterparts(ctx context.Context, a, b *reader.Store) (*counterparts, error) {
	// the count in the header may be wrong
	n := min(a.Header().Counts.Methods, uint64(disk.MethodPlaces(a.Header()).Size/disk.UnexecutedRowSize))
	c := &counterparts{a: a, b: b, methods: make([]methodPair, 0, n), taken: roaring.New()}
	var err error
	c.byName, err = loaders.PairClasses(a, b)
	if err != nil {
		return nil, err
	}
	err = poll.Each(poll.New(ctx), a.Methods(), func(m reader.Method) error {
		partner, err := c.lookUpMethod(m)
		if partner != 0 {
			c.taken.Add(uint32(partner))
		}
		c.methods = append(c.methods, methodPair{m.Ref(), partner})
		return err
	})
	slices.SortFunc(c.methods, func(x, y methodPair) int { return cmp.Compare(x.inA, y.inA) })
	return c, err
}

func (c *counterparts) lookUpMethod(m reader.Method) (layout.Ref, error) {
	k, err := m.Key()
	if err != nil {
		return 0, err
	}
	found, err := c.b.Find(k)
	if other, ok := c.byName.Loader(k.Class, k.Loader); ok && errors.Is(err, reader.ErrNotFound) {
		k.Loader = other
		found, err = c.b.Find(k)
	}
	if errors.Is(err, reader.ErrNotFound) {
		return 0, nil
	}
	return found.Ref(), err
}

// methodInB returns the counterpart of a method of a, 0 if b lacks it.
func (c *counterparts) methodInB(m reader.Method) layout.Ref {
	i, ok := slices.BinarySearchFunc(c.methods, m.Ref(),
		func(p methodPair, n layout.Ref) int { return cmp.Compare(p.inA, n) })
	if !ok {
		return 0
	}
	return c.methods[i].inB
}

func (c *counterparts) methodKeyInB(m reader.Method) (uint64, error) {
	if partner := c.methodInB(m); partner != 0 {
		return uint64(partner), nil
	}
	return onlyInA | uint64(m.Ref()), nil
}

func (c *counterparts) typeKeyInB(ordinal uint32) (uint64, error) {
	if c.types == nil {
		c.types = make([]uint32, c.a.Header().Counts.Types)
	}
	known := &c.types[ordinal]
	if *known == 0 {
		inB, err := c.lookUpType(ordinal)
		if err != nil {
			return 0, err
		}
		*known = inB
	}
	if *known == 1 {
		return onlyInA | uint64(ordinal), nil
	}
	return uint64(*known - 2), nil
}

func (c *counterparts) lookUpType(ordinal uint32) (uint32, error) {
	t, err := c.a.Type(ordinal)
	if err != nil {
		return 0, err
	}
	name, nameErr := t.Name()
	loader, loaderErr := t.Loader()
	if err := cmp.Or(nameErr, loaderErr); err != nil {
		return 0, err
	}
	found, err := c.b.FindType(name.String(), loader.String())
	if other, ok := c.byName.Loader(name.String(), loader.String()); ok && errors.Is(err, reader.ErrNotFound) {
		found, err = c.b.FindType(name.String(), other)
	}
	if errors.Is(err, reader.ErrNotFound) {
		return 1, nil
	}
	return found.Ordinal() + 2, err
}

// renumbering pairs methods of hidden classes that only one archive has by name. The VM numbers these classes in order
// of creation, so the same code can have another name in another run.
type renumbering struct {
	gone   []Method // methods that only a has, in its order
	taken  []bool   // whether gone[i] is paired
	byCode map[hiddenKey][]int
}

// A hiddenKey identifies a method of a hidden class in all runs, by code and key without the number in the class name.
type hiddenKey struct {
	of   layout.Key // key of the method, without the number in its class
	code uint64
}

// hiddenKeyOf returns the key of a method; hidden is whether its class is. An unknown code is layout.CodeUnknown.
func hiddenKeyOf(m reader.Method, p *profiles) (k hiddenKey, hidden bool, err error) {
	class, ok, err := m.Class()
	if err != nil || !ok {
		return k, false, err
	}
	flags, err := class.Flags()
	if err != nil || flags&layout.TypeHidden == 0 {
		return k, false, err
	}
	k.of, err = m.Key()
	if err != nil {
		return k, true, err
	}
	if at := strings.LastIndexByte(k.of.Class, '#'); at > 0 {
		k.of.Class = k.of.Class[:at]
	}
	if len(p.list) > 0 {
		k.code = p.list[0].Code()
	}
	return k, true, nil
}

func (r *renumbering) addGone(m *Method, k hiddenKey) {
	if r.byCode == nil {
		r.byCode = map[hiddenKey][]int{}
	}
	if k.code != layout.CodeUnknown {
		r.byCode[k] = append(r.byCode[k], len(r.gone))
	}
	r.gone, r.taken = append(r.gone, *m), append(r.taken, false)
}

// takePartner returns the first unpaired method of a with a key; ok is false if all are paired.
func (r *renumbering) takePartner(k hiddenKey) (m Method, ok bool) {
	left := r.byCode[k]
	if len(left) == 0 {
		return m, false
	}
	r.byCode[k] = left[1:]
	r.taken[left[0]] = true
	return r.gone[left[0]], true
}

func (c *comparison) addHiddenFromB(m *Method, k hiddenKey) {
	if a, ok := c.hidden.takePartner(k); ok {
		m.A, m.ShareA, m.Difference = a.A, a.ShareA, m.Difference+a.Difference
		c.renumbered.addItem(m, m.Difference)
		return
	}
	c.report.HiddenCame++
	c.came.addItem(m, m.ShareB)
}

func (c *comparison) addHiddenFromA() error {
	for i := range c.hidden.gone {
		if m := &c.hidden.gone[i]; !c.hidden.taken[i] {
			c.report.HiddenWent++
			c.went.addItem(m, m.ShareA)
		}
	}
	return nil
}
