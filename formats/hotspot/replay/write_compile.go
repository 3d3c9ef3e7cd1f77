package replay

import (
	"math"

	"github.com/profarc/profarc/internal/jvm/bytecode"
	"github.com/profarc/profarc/internal/jvm/classfile"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A replaying VM inlines only the methods that the compile line lists, at the listed
// depth and bci, if the profile has the receivers and branches that lead there. So all
// methods that a profile can lead to are listed.

// Bounds of the list.
const (
	maxDepth   = 9 // -XX:MaxInlineLevel was 9 up to JDK 13, is 15 now
	maxInlines = 1000
)

// compileMethod fills the compile line, and adds the records of all methods in it.
func (w *writer) compileMethod(root methodKey) error {
	if err := w.takenOver(); err != nil {
		return err
	}
	c, err := w.path.Class(root.class)
	if err != nil {
		return err
	}
	if w.compile.methodKey != root || w.compile.level != 4 && c != nil {
		w.compile = compilation{methodKey: root, bci: -1, level: 4, inlined: true}
		w.inlineSet = map[inlining]bool{}
		w.inline(inlining{depth: 0, bci: -1, methodKey: root})
	}
	if c == nil {
		if !w.recorded[root.class] || !w.methodSet[root] {
			return noClass(root.class)
		}
		return nil
	}
	if ok, err := w.needInitialized(c.Name); err != nil || !ok {
		return w.missing(c, err)
	}
	m, ok := c.Method(root.name, root.signature)
	if !ok {
		return noClass(root.class + "." + root.name + root.signature)
	}
	return w.visit(c, m, root, 0, map[methodKey]bool{})
}

// missing returns the error of a class whose superclass or interface is missing.
func (w *writer) missing(c *classfile.File, err error) error {
	if err != nil {
		return err
	}
	for _, parent := range parents(c) {
		if !w.available(parent) {
			return noClass(parent)
		}
	}
	return noClass(c.Name)
}

// takenOver queues the method data of the methods of an environment.
func (w *writer) takenOver() error {
	keys, err := w.sourceOrder()
	if err != nil {
		return err
	}
	for _, m := range w.methods {
		keys = append(keys, m.methodKey)
	}
	for _, k := range keys {
		if err := w.queue(k); err != nil {
			return err
		}
	}
	return nil
}

// inline lists a method, once.
func (w *writer) inline(i inlining) {
	if !w.inlineSet[i] {
		w.inlineSet[i] = true
		w.compile.inlines = append(w.compile.inlines, i)
	}
}

// visit lists the methods that a method calls, and those that they call.
func (w *writer) visit(c *classfile.File, m classfile.Method, k methodKey, depth int64, within map[methodKey]bool) error {
	if err := w.method(k, m); err != nil {
		return err
	}
	if err := w.needMentioned(c, m); err != nil {
		return err
	}
	p, ok, err := w.profileOf(k)
	if err != nil || !ok || within[k] {
		return err
	}
	within[k] = true
	defer delete(within, k)
	for e := range p.Entries() {
		called, opcode, ok := c.CallAt(m.Code, int(e.Point()))
		if !ok {
			continue
		}
		if err := w.call(call{e, keyOf(called), opcode, depth + 1}, within); err != nil {
			return err
		}
	}
	return nil
}

// A call is a bytecode that calls a method, with its profile.
type call struct {
	reader.Entry
	called methodKey
	opcode byte
	depth  int64
}

// call lists the methods that a call may execute: the named one, and that of every
// receiver.
func (w *writer) call(at call, within map[methodKey]bool) error {
	classes := []string{at.called.class}
	if receivers, ok := at.Receivers(); ok && at.opcode != bytecode.InvokeStatic && at.opcode != bytecode.InvokeSpecial {
		for row := range receivers.All() {
			name, err := row.Type.Name()
			if err != nil {
				return err
			}
			classes = append(classes, w.names.file(name.String()))
		}
	}
	for i, class := range classes {
		if err := w.target(at, class, i > 0 || at.executed(), within); err != nil {
			return err
		}
	}
	return nil
}

// executed reports whether the call was executed.
func (at call) executed() bool {
	c, ok := at.Counter()
	return ok && c.Load() > 0
}

// target lists the method that a call executes in a class.
func (w *writer) target(at call, class string, executed bool, within map[methodKey]bool) error {
	if class[0] == '[' {
		return nil // arrays have the methods of Object
	}
	c, m, ok, err := w.resolve(class, at.called)
	if err != nil {
		return err
	}
	need := w.needClass
	if executed {
		need = w.needInitialized
	}
	for _, name := range []string{class, at.called.class} {
		if there, err := need(name); err != nil || !there {
			ok = false
			if err != nil {
				return err
			}
		}
	}
	if !ok {
		w.report.Lost.Add(LossCallee, 1)
		return nil
	}
	if there, err := need(c.Name); err != nil || !there {
		return err
	}
	k := methodKey{c.Name, m.Name, m.Signature}
	if at.depth > maxDepth || len(w.compile.inlines) >= maxInlines {
		w.report.Lost.Add(LossDepth, 1)
		return w.method(k, m)
	}
	if m.Code != nil {
		w.inline(inlining{depth: at.depth, bci: int64(at.Point()), methodKey: k})
	}
	return w.visit(c, m, k, at.depth, within)
}

// method adds the ciMethod line of a method, and queues its method data.
func (w *writer) method(k methodKey, m classfile.Method) error {
	if w.methodSet[k] {
		return w.queue(k)
	}
	w.methodSet[k] = true
	record := method{methodKey: k, interpreted: 1, instructions: -1}
	p, ok, err := w.profileOf(k)
	if ok {
		record.counters(p)
	}
	w.methods = append(w.methods, record)
	if err != nil {
		return err
	}
	return w.queue(k)
}

// counters sets the counters of a method from its profile.
func (m *method) counters(p reader.Profile) {
	invocations, _ := p.Invocations()
	backedges, _ := p.Backedges()
	interpreted, _ := p.Interpreted()
	m.invocations, m.backedges = raw(invocations), raw(backedges)
	m.interpreted = int64(min(interpreted.Load(), math.MaxInt32))
}

// raw returns a counter of the VM: twice the count, limited to 31 bits.
func raw(c reader.Counter) int64 { return int64(min(c.Load(), math.MaxInt32/2)) << 1 }

// queue queues the method data of a method, if it has any, once.
func (w *writer) queue(k methodKey) error {
	p, ok, err := w.profileOf(k)
	if err != nil || !ok || w.profiled[k] {
		return err
	}
	w.profiled[k] = true
	w.profiles = append(w.profiles, pending{k, p})
	return nil
}

// sourceOrder returns the methods of an environment in the order of their method data in
// the file, if the archive has it.
func (w *writer) sourceOrder() (keys []methodKey, err error) {
	t, err := w.store.TableOrEmpty(layout.TableOrder)
	if err != nil || len(w.methods) == 0 || t.Rows == 0 || t.Columns() != 1 || t.Column(0) != layout.ColumnProfile {
		return nil, err
	}
	for i := range t.Rows {
		p, err := w.store.ProfileAt(layout.Ref(t.Cell(0, i)))
		if err != nil {
			return nil, err
		}
		m, err := p.Method()
		if err != nil {
			return nil, err
		}
		k, err := m.Key()
		if err != nil {
			return nil, err
		}
		if key := (methodKey{w.names.file(k.Class), k.Name, k.Signature}); w.methodSet[key] {
			keys = append(keys, key)
		}
	}
	return keys, nil
}
