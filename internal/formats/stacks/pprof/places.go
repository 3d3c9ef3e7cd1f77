package pprof

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/layout"
)

// A place is code without a symbol: a mapping and an address.
type place struct {
	mapping uint32 // index of the mapping + 1, or 0
	address uint64
}

// placeMethod returns the method of a location without a symbol. It is named by [stacks.AddressName].
func (k *importBuild) placeMethod(l *location) builder.MethodRef {
	at := place{l.mapping, l.address}
	if at == (place{}) {
		return k.b.Method(layout.Key{})
	}
	if m, ok := k.places[at]; ok {
		return m
	}
	offset := l.address
	file := ""
	if l.mapping > 0 {
		m := k.mappings[l.mapping-1]
		offset += m.offset - m.start
		file = k.mappingName(m)
	}
	name := stacks.AddressName(file, offset)
	m := k.b.Method(layout.Key{Name: name})
	k.places[at] = m
	k.methodNames[m] = name
	return m
}

// mappingName returns the base name of a mapping's file, or the whole name if another mapping has the same.
func (k *importBuild) mappingName(m mapping) string {
	file := k.stringAt(m.file)
	base := path.Base(file)
	for _, other := range k.mappings {
		if name := k.stringAt(other.file); name != file && path.Base(name) == base {
			return file
		}
	}
	if file == "" {
		return ""
	}
	return base
}

// describeMapping returns the value of the property of mapping i.
func (k *importBuild) describeMapping(i int) string {
	m := k.mappings[i]
	return fmt.Sprintf("%d %#x %#x %#x %d %s %s %s", i+1, m.start, m.limit, m.offset, m.flags,
		strconv.Quote(k.mappingName(m)), strconv.Quote(k.stringAt(m.buildID)), strconv.Quote(k.stringAt(m.file)))
}

type writtenMapping struct {
	number               int
	start, limit, offset uint64
	flags                uint8
	name, buildID, file  string
}

// parseMappings parses the values of the property, in the order of their numbers.
func parseMappings(values []string) (list []writtenMapping) {
	for _, value := range values {
		var m writtenMapping
		n, err := fmt.Sscanf(value, "%d %v %v %v %d %q %q %q", &m.number, &m.start, &m.limit, &m.offset, &m.flags, &m.name,
			&m.buildID, &m.file)
		if err == nil && n == 8 {
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(a, b writtenMapping) int {
		return cmp.Or(cmp.Compare(a.number, b.number), strings.Compare(a.file, b.file), cmp.Compare(a.start, b.start))
	})
	return list
}

// mappingsOf returns the mappings of the archive. Older archives have only the mapping of the program.
func mappingsOf(facts map[string][]string) []writtenMapping {
	list := parseMappings(facts[propertyMapping])
	if file := first(facts, propertyBinary); len(list) == 0 && file != "" {
		list = append(list, writtenMapping{flags: 1, buildID: first(facts, propertyBuildID), file: file})
	}
	return list
}

func first(facts map[string][]string, key string) string {
	if values := facts[key]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// writeMappings writes the mappings. If there are functions without one, has_functions prevents readers from looking
// for symbols.
func (w *sampledWriter) writeMappings() {
	for i, m := range w.mappings {
		flag := func(bit int) uint64 { return uint64(m.flags >> bit & 1) }
		w.writeBytesField(profileMapping, appendNumbers(nil, uint64(i+1), m.start, m.limit, m.offset,
			w.stringIndex(m.file), w.stringIndex(m.buildID), flag(0), flag(1), flag(2), flag(3)))
	}
}

// addressOf returns the mapping, from 1, and the address of code without a symbol, given its name. The address of a
// function is 0.
func (w *sampledWriter) addressOf(name string) (mapping, address uint64) {
	file, offset, ok := stacks.ParseAddressName(name)
	if !ok {
		return 0, 0
	}
	for i, m := range w.mappings {
		at := offset - m.offset + m.start
		if strings.Trim(m.name, "[]") == file && (m.limit == 0 || at >= m.start && at < m.limit) {
			return uint64(i + 1), at
		}
	}
	if name == stacks.AddressName("", offset) {
		return 0, offset
	}
	return 0, 0
}
