package compare

import (
	"strings"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

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
