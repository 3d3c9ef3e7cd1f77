package compare

import (
	"strings"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// renumbering pairs methods of hidden classes that only one archive has by name. The VM numbers these classes
// as it makes them, so that the same code may have other names in another run.
type renumbering struct {
	gone   []method // that only a has, in its order
	taken  []bool   // of these, which are paired
	byCode map[hiddenKey][]int
}

// A hiddenKey is what the names of a hidden class in two runs have in common, with a method
// of it and the code of that.
type hiddenKey struct {
	of   layout.Key // the class without its number
	code uint64
}

// hiddenKeyOf returns the key of a method; hidden is false if its class is not a hidden one.
// The code is layout.CodeUnknown if no profile says it.
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

// leave notes a method of a hidden class that only a has.
func (r *renumbering) leave(m *method, k hiddenKey) {
	if r.byCode == nil {
		r.byCode = map[hiddenKey][]int{}
	}
	if k.code != layout.CodeUnknown {
		r.byCode[k] = append(r.byCode[k], len(r.gone))
	}
	r.gone, r.taken = append(r.gone, *m), append(r.taken, false)
}

// pair returns the first method of a with a key that is left; ok is false if there is none.
func (r *renumbering) pair(k hiddenKey) (m method, ok bool) {
	left := r.byCode[k]
	if len(left) == 0 {
		return m, false
	}
	r.byCode[k] = left[1:]
	r.taken[left[0]] = true
	return r.gone[left[0]], true
}

// cameHidden adds a method of a hidden class that only b has by name.
func (c *comparison) cameHidden(m *method, k hiddenKey) {
	if a, ok := c.hidden.pair(k); ok {
		m.a, m.shareA, m.difference = a.a, a.shareA, m.difference+a.difference
		c.renumbered.add(m, m.difference)
		return
	}
	c.report.HiddenCame++
	c.came.add(m, m.shareB)
}

// hiddenGone adds the methods of hidden classes that have no counterpart in b.
func (c *comparison) hiddenGone() error {
	for i := range c.hidden.gone {
		if m := &c.hidden.gone[i]; !c.hidden.taken[i] {
			c.report.HiddenWent++
			c.went.add(m, m.shareA)
		}
	}
	return nil
}
