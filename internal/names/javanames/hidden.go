package javanames

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/internal/system/lazyregexp"
)

// Names of hidden classes come from the VM. JDK 17 has Foo$$Lambda$14+0x00007f12a8001228, JDK 25 has
// Foo$$Lambda+0x00007f12a8001228, where the tail is an address. Archives use Foo$$Lambda@Foo#0 instead, with the host
// and the rank among the hidden classes of the same dump.

const (
	addressPrefix = "0x"
	lambdaMark    = "$$Lambda$" // prefix of a number
)

func IsHidden(name string) bool { return hiddenAddress(name, '+') >= 0 }

// hiddenAddress returns the index of the separator before the address in a hidden class's name, -1 for other classes.
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

type hiddenClass struct {
	name    string // name in the VM
	stem    string // name without number and address
	number  uint64 // number from the VM, 0 if the name has none
	address string
}

func parseHidden(name string) (h hiddenClass, ok bool) {
	at := hiddenAddress(name, '+')
	if at < 0 {
		return h, false
	}
	h = hiddenClass{name: name, stem: name[:at], address: strings.TrimLeft(name[at+1+len(addressPrefix):], "0")}
	if mark := strings.LastIndex(h.stem, lambdaMark); mark >= 0 {
		n, err := strconv.ParseUint(h.stem[mark+len(lambdaMark):], 10, 32)
		if err == nil {
			h.number = n
			h.stem = h.stem[:mark+len(lambdaMark)-1]
		}
	}
	return h, true
}

func hiddenHost(stem string) string {
	simple := strings.LastIndexByte(stem, '/') + 1
	if at := strings.LastIndex(stem[simple:], "$$"); at > 0 {
		return stem[:simple+at]
	}
	if at := strings.LastIndexByte(stem[simple:], '$'); at > 0 {
		return stem[:simple+at]
	}
	return stem
}

// compareOrder orders hidden classes with equal stems by number and address, which mostly is the order of creation.
func (h hiddenClass) compareOrder(other hiddenClass) int {
	return cmp.Or(cmp.Compare(h.stem, other.stem), cmp.Compare(h.number, other.number),
		cmp.Compare(len(h.address), len(other.address)), cmp.Compare(h.address, other.address),
		cmp.Compare(h.name, other.name))
}

func CanonicalHidden(names map[string]bool) map[string]string {
	var all []hiddenClass
	for name := range names {
		if h, ok := parseHidden(name); ok {
			all = append(all, h)
		}
	}
	slices.SortFunc(all, hiddenClass.compareOrder)
	canonical := make(map[string]string, len(all))
	rank := 0
	for i, h := range all {
		if rank++; i == 0 || h.stem != all[i-1].stem {
			rank = 0
		}
		canonical[h.name] = fmt.Sprintf("%s@%s#%d", h.stem, hiddenHost(h.stem), rank)
	}
	return canonical
}

// numbered matches classes that a JDK generates and numbers at run time. They are accessors for reflection, up to JDK
// 17, and proxies, which also implement annotations.
var numbered = lazyregexp.New(`^(jdk/internal|sun)/reflect/Generated(Serialization)?(Method|Constructor)Accessor[0-9]+$|(^|/)\$Proxy[0-9]+$`)

// IsNumbered reports whether a JDK generated and numbered a class at run time, maybe another one in another run.
func IsNumbered(class string) bool {
	last := len(class) - 1
	return last > 0 && class[last] >= '0' && class[last] <= '9' && numbered().MatchString(class)
}
