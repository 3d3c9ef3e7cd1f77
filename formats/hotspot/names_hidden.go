package hotspot

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The VM makes names of hidden classes up: Foo$$Lambda$14+0x00007f12a8001228 in
// JDK 17, Foo$$Lambda+0x00007f12a8001228 in 25, where the tail is an address.
// An archive calls such a class Foo$$Lambda@Foo#0 instead: by what it is hosted
// in, and its rank among those of the same dump.

const (
	addressPrefix = "0x"
	lambdaMark    = "$$Lambda$" // a number follows
)

// hiddenAddress is the place of the separator before the address in the name
// of a hidden class, -1 if it is not hidden.
func hiddenAddress(name string, separator byte) int {
	at := strings.LastIndexByte(name, separator)
	if at <= 0 || !strings.HasPrefix(name[at+1:], addressPrefix) {
		return -1
	}
	digits := name[at+1+len(addressPrefix):]
	if digits == "" || strings.Trim(digits, "0123456789abcdef") != "" {
		return -1
	}
	return at
}

// A hiddenClass is the name of a hidden class taken apart.
type hiddenClass struct {
	name    string // as the VM has it
	stem    string // without number and address
	number  uint64 // the VM's own, 0 if it gives none
	address string
}

// parseHidden takes the internal name of a hidden class apart.
func parseHidden(name string) (h hiddenClass, ok bool) {
	at := hiddenAddress(name, '+')
	if at < 0 {
		return h, false
	}
	h = hiddenClass{name: name, stem: name[:at], address: strings.TrimLeft(name[at+1+len(addressPrefix):], "0")}
	if mark := strings.LastIndex(h.stem, lambdaMark); mark >= 0 {
		n, err := strconv.ParseUint(h.stem[mark+len(lambdaMark):], 10, 32)
		if err == nil {
			h.number, h.stem = n, h.stem[:mark+len(lambdaMark)-1]
		}
	}
	return h, true
}

// host is the class that a hidden class of that stem belongs to.
func host(stem string) string {
	simple := strings.LastIndexByte(stem, '/') + 1
	if at := strings.LastIndex(stem[simple:], "$$"); at > 0 {
		return stem[:simple+at]
	}
	if at := strings.LastIndexByte(stem[simple:], '$'); at > 0 {
		return stem[:simple+at]
	}
	return stem
}

// compare orders hidden classes of one stem as the VM made them, as well as can
// be told: by its number, else by address.
func (h hiddenClass) compare(other hiddenClass) int {
	return cmp.Or(cmp.Compare(h.stem, other.stem), cmp.Compare(h.number, other.number),
		cmp.Compare(len(h.address), len(other.address)), cmp.Compare(h.address, other.address),
		cmp.Compare(h.name, other.name))
}

// hiddenNames gives the hidden classes among the names of one dump the names
// that archives call them.
func hiddenNames(names map[string]bool) map[string]string {
	var all []hiddenClass
	for name := range names {
		if h, ok := parseHidden(name); ok {
			all = append(all, h)
		}
	}
	slices.SortFunc(all, hiddenClass.compare)
	canonical := make(map[string]string, len(all))
	rank := 0
	for i, h := range all {
		if rank++; i == 0 || h.stem != all[i-1].stem {
			rank = 0
		}
		canonical[h.name] = fmt.Sprintf("%s@%s#%d", h.stem, host(h.stem), rank)
	}
	return canonical
}

// elementClass is the class that a type name is made of: itself, or of an array
// the class of its elements.
func elementClass(name string) string {
	element := strings.TrimLeft(name, "[")
	if element == name {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(element, "L"), ";")
}
