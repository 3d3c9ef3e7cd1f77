package iprof

import (
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// typeRows writes the types.
func (e *exporter) typeRows(s *orderedSection) error {
	all := make([]reader.Type, 0, len(e.types))
	if e.source != nil {
		for _, n := range e.listed[listTypes] {
			t, err := e.s.TypeAt(n)
			if err != nil {
				return err
			}
			all = append(all, t)
		}
	} else {
		for _, t := range e.types {
			if _, dangling, err := e.typeKey(t); err != nil {
				return err
			} else if !dangling {
				all = append(all, t)
			}
		}
		s.items = len(all)
	}
	skip := func(i int) bool { return e.pruned(!e.used.types[all[i].Ordinal()], PrunedTypes) }
	written, err := e.inOrder(s, func(i int) error {
		name, err := all[i].Name()
		if err != nil {
			return err
		}
		e.typeRow(e.typeIDs[all[i].Ordinal()], name.String())
		return nil
	}, skip)
	for i, t := range e.extra {
		e.out.comma(written + i)
		e.typeRow(t.id, t.name)
	}
	return err
}

// pruned reports whether a row is left out.
func (e *exporter) pruned(unused bool, what codec.LossKind) bool {
	if !e.o.Prune || !unused {
		return false
	}
	e.report.Lost.Add(what, 1)
	return true
}

func (e *exporter) typeRow(id int64, name string) {
	e.out.raw(`{"id":`)
	e.out.integer(id)
	e.out.raw(`,"name":`)
	e.name(name)
	e.out.raw("}")
	e.report.Types++
}

// name writes a name as the file has it.
func (e *exporter) name(spelled string) {
	if len(spelled) > 0 && spelled[0] == quoteMark {
		e.out.text(unquoteName(nil, []byte(spelled)))
		return
	}
	e.out.text([]byte(spelled))
}

// methodRows writes the methods.
func (e *exporter) methodRows(s *orderedSection) error {
	all := e.listed[listMethods]
	if e.source == nil {
		all = make([]layout.Ref, 0, len(e.methods))
		for _, m := range e.methods {
			if _, dangling, err := e.danglingMethod(m); err != nil {
				return err
			} else if !dangling {
				all = append(all, m.Ref())
			}
		}
		s.items = len(all)
	}
	var names []string
	skip := func(i int) bool { return e.pruned(!e.used.methods[all[i]], PrunedMethods) }
	_, err := e.inOrder(s, func(i int) error {
		m, err := e.s.MethodAt(all[i])
		if err != nil {
			return err
		}
		names, err = e.methodRow(names[:0], m)
		return err
	}, skip)
	return err
}

// methodRow writes a method; names is scratch.
func (e *exporter) methodRow(names []string, m reader.Method) ([]string, error) {
	name, err := m.Name()
	if err != nil {
		return names, err
	}
	if names, _, err = e.signatureOf(names, m); err != nil {
		return names, err
	}
	e.out.raw(`{"id":`)
	e.out.integer(e.methodIDs[m.Ref()])
	e.out.raw(`,"name":`)
	e.name(name.String())
	e.out.raw(`,"signature":[`)
	for i, n := range names {
		e.out.comma(i)
		e.out.integer(e.typeByKey[n])
	}
	e.out.raw("]}")
	e.report.Methods++
	return names, nil
}
