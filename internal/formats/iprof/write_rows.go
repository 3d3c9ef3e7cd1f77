package iprof

import (
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/system/lazyregexp"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// typeSpelling returns the spelling of a type in signatures. dangling reports whether the name is an id without a row.
func (e *exporter) typeSpelling(t reader.Type) (key string, dangling bool) {
	name := e.Text(t.Name())
	number := e.Text(t.Loader())
	if number != "" && number[0] != numberMark {
		number = ""
	}
	_, dangling = parseIDName(name)
	return signatureName(name, number), dangling && number == ""
}

// danglingMethod returns the id of a method without a row.
func (e *exporter) danglingMethod(m reader.Method) (id int64, dangling bool) {
	name := e.Text(m.Name())
	if name == "" || m.Flags()&disk.MethodDeclared != 0 {
		return 0, false
	}
	return parseIDName(name)
}

// assignTypeIDs assigns the ids of the source order, or free ones. assignMethodIDs does the same.
func (e *exporter) assignTypeIDs() {
	e.typeIDs = make([]int64, len(e.types))
	e.typeByKey = map[string]int64{}
	taken := map[int64]bool{}
	given := map[layout.Ref]int64{}
	e.sourceIDs(types, e.listed[listTypes], given, taken)
	keys := make([]string, len(e.types))
	hasRow := make([]bool, len(e.types))
	for i, t := range e.types {
		key, dangling := e.typeSpelling(t)
		keys[i], hasRow[i] = key, !dangling
		if dangling {
			e.typeIDs[i], _ = parseIDName(key)
			taken[e.typeIDs[i]] = true
		} else if e.source == nil {
			e.listed[listTypes] = append(e.listed[listTypes], e.typeRef(t))
		}
	}
	next := freeIDSource(taken)
	for i, t := range e.types {
		if id, ok := given[e.typeRef(t)]; ok {
			e.typeIDs[i] = id
		} else if hasRow[i] {
			e.typeIDs[i] = next()
		}
		if _, ok := e.typeByKey[keys[i]]; !ok {
			e.typeByKey[keys[i]] = e.typeIDs[i]
		}
	}
	e.signatureTypes(next)
}

// signatureTypes assigns ids to types that only signatures name. It also marks the types in signatures of used methods.
func (e *exporter) signatureTypes(next func() int64) {
	ordinals := make(map[int64]int, len(e.types))
	for i, id := range e.typeIDs {
		ordinals[id] = i
	}
	var names []string
	for _, m := range e.methods {
		var ok bool
		names, ok = e.signatureOf(names[:0], m)
		if !ok {
			e.report.Lost.Add(LossSignature, 1)
		}
		for _, name := range names {
			id, ok := e.typeByKey[name]
			if !ok {
				id = next()
				e.typeByKey[name] = id
				e.extra = append(e.extra, extraType{id, unquoteTypeName(name)})
			}
			if i, ok := ordinals[id]; ok && (!e.options.Prune || e.used.methods[m.Ref()]) {
				e.used.types[i] = true
			}
		}
	}
}

func unquoteTypeName(spelled string) string {
	if strings.HasPrefix(spelled, noName) {
		return ""
	}
	return escapedByte().ReplaceAllString(spelled, "$1")
}

var escapedByte = lazyregexp.New(`(?s)\\(.)`)

// signatureOf appends the types of a method as spelled in its signature: declaring type, return type, parameters. For
// an invalid signature ok is false, and it appends only the declaring type.
func (e *exporter) signatureOf(names []string, m reader.Method) (all []string, ok bool) {
	if m.Flags()&disk.MethodDeclared == 0 {
		return names, true
	}
	signature := e.Text(m.Signature())
	class, declared, err := m.Class()
	e.Fail(err)
	if declared {
		key, _ := e.typeSpelling(class)
		names = append(names, key)
	} else if noNameClass, rest, ok := cutNoName(signature); ok {
		names = append(names, noNameClass)
		signature = rest
	}
	all, ok = splitSignature(names, cutNumber(signature))
	if !ok || len(names) == 0 && len(all) > 0 {
		return names, false
	}
	return all, true
}

func (e *exporter) assignMethodIDs() {
	e.methodIDs = make(map[layout.Ref]int64, len(e.methods))
	taken := map[int64]bool{}
	e.sourceIDs(methods, e.listed[listMethods], e.methodIDs, taken)
	for _, m := range e.methods {
		if id, dangling := e.danglingMethod(m); dangling {
			e.methodIDs[m.Ref()] = id
			taken[id] = true
		} else if e.source == nil {
			e.listed[listMethods] = append(e.listed[listMethods], m.Ref())
		}
	}
	next := freeIDSource(taken)
	for _, m := range e.methods {
		if _, ok := e.methodIDs[m.Ref()]; !ok {
			e.methodIDs[m.Ref()] = next()
		}
	}
}

// sourceIDs adds the ids of the source order to given and taken.
func (e *exporter) sourceIDs(kind sectionKind, listed []layout.Ref, given map[layout.Ref]int64, taken map[int64]bool) {
	if e.source == nil {
		return
	}
	for _, s := range e.source.sections {
		if s.kind != kind {
			continue
		}
		for i, id := range s.ids {
			given[listed[i]] = id
			taken[id] = true
		}
	}
}

// freeIDSource returns a function that returns free ids, starting at 1. The dummy context of monitors uses id 0.
func freeIDSource(taken map[int64]bool) func() int64 {
	last := int64(0)
	return func() int64 {
		for last++; taken[last]; last++ {
		}
		return last
	}
}

func (e *exporter) writeTypes(s *orderedSection) {
	all := make([]reader.Type, len(e.listed[listTypes]))
	for i, n := range e.listed[listTypes] {
		var err error
		all[i], err = e.store.TypeAt(n)
		if e.Fail(err) {
			return
		}
	}
	skip := func(i int) bool { return e.isPruned(!e.used.types[all[i].Ordinal()], PrunedTypes) }
	written := e.writeInOrder(s, len(all), func(i int) {
		e.writeType(e.typeIDs[all[i].Ordinal()], e.Text(all[i].Name()))
	}, skip)
	for i, t := range e.extra {
		e.out.writeComma(written + i)
		e.writeType(t.id, t.name)
	}
}

// isPruned reports whether a row is omitted, and counts it.
func (e *exporter) isPruned(unused bool, what codec.LossKind) bool {
	if !e.options.Prune || !unused {
		return false
	}
	e.report.Lost.Add(what, 1)
	return true
}

func (e *exporter) writeType(id int64, name string) {
	e.out.writeRaw(`{"id":`)
	e.out.writeInteger(id)
	e.out.writeRaw(`,"name":`)
	e.writeName(name)
	e.out.writeRaw("}")
}

func (e *exporter) writeName(spelled string) {
	if len(spelled) > 0 && spelled[0] == quoteMark {
		e.out.writeString(unquoteName(nil, []byte(spelled)))
		return
	}
	e.out.writeString([]byte(spelled))
}

func (e *exporter) writeMethods(s *orderedSection) {
	all := e.listed[listMethods]
	var names []string
	skip := func(i int) bool { return e.isPruned(!e.used.methods[all[i]], PrunedMethods) }
	e.writeInOrder(s, len(all), func(i int) {
		m, err := e.store.MethodAt(all[i])
		if !e.Fail(err) {
			names, _ = e.signatureOf(names[:0], m)
			e.writeMethod(m, names)
		}
	}, skip)
}

func (e *exporter) writeMethod(m reader.Method, names []string) {
	e.out.writeRaw(`{"id":`)
	e.out.writeInteger(e.methodIDs[m.Ref()])
	e.out.writeRaw(`,"name":`)
	e.writeName(e.Text(m.Name()))
	e.out.writeRaw(`,"signature":[`)
	for i, n := range names {
		e.out.writeComma(i)
		e.out.writeInteger(e.typeByKey[n])
	}
	e.out.writeRaw("]}")
	e.report.Methods++
}
