package pprof

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/names/entries"
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
	profile.Mapping
	name string
}

// parseMappings parses the values of the property, in the order of their numbers.
func parseMappings(values []string) (list []writtenMapping) {
	for _, value := range values {
		var m writtenMapping
		var flags uint8
		n, err := fmt.Sscanf(value, "%d %v %v %v %d %q %q %q", &m.ID, &m.Start, &m.Limit, &m.Offset, &flags, &m.name,
			&m.BuildID, &m.File)
		m.HasFunctions, m.HasFilenames = flags&1 != 0, flags&2 != 0
		m.HasLineNumbers, m.HasInlineFrames = flags&4 != 0, flags&8 != 0
		if err == nil && n == 8 {
			list = append(list, m)
		}
	}
	slices.SortFunc(list, func(a, b writtenMapping) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), strings.Compare(a.File, b.File), cmp.Compare(a.Start, b.Start))
	})
	return list
}

// mappingsOf returns the mappings of the archive. Older archives have only the mapping of the program.
func mappingsOf(facts map[string][]string) []writtenMapping {
	list := parseMappings(facts[propertyMapping])
	if file := first(facts, propertyBinary); len(list) == 0 && file != "" {
		list = append(list, writtenMapping{Mapping: profile.Mapping{HasFunctions: true, File: file,
			BuildID: first(facts, entries.PropertyBuildID)}})
	}
	return list
}

func first(facts map[string][]string, key string) string {
	if values := facts[key]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// addMappings adds the mappings. If there are functions without one, HasFunctions prevents readers from looking for
// symbols.
func (w *sampledWriter) addMappings() {
	for i := range w.mappings {
		m := &w.mappings[i].Mapping
		m.ID = uint64(i + 1)
		w.Mapping = append(w.Mapping, m)
	}
}

// addressOf returns the mapping and the address of code without a symbol, given its name. The address of a function is
// 0.
func (w *sampledWriter) addressOf(name string) (mapping *profile.Mapping, address uint64) {
	file, offset, ok := stacks.ParseAddressName(name)
	if !ok {
		return nil, 0
	}
	for i := range w.mappings {
		m := &w.mappings[i]
		at := offset - m.Offset + m.Start
		if strings.Trim(m.name, "[]") == file && (m.Limit == 0 || at >= m.Start && at < m.Limit) {
			return &m.Mapping, at
		}
	}
	if name == stacks.AddressName("", offset) {
		return nil, offset
	}
	return nil, 0
}
