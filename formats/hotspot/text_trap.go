package hotspot

import (
	"strconv"
	"strings"

	"github.com/profarc/profarc/layout"
)

// The reasons of traps that HotSpot records for a bytecode: their numbers are
// the same in JDK 17 and 25. A VM that is built with JVMCI, as most are, gives
// three of them a second purpose and a longer name.
var trapReasons = [...]struct{ name, plain string }{
	0: {"none", "none"},
	1: {"null_check", "null_check"},
	2: {"null_assert_or_unreached0", "null_assert"},
	3: {"range_check", "range_check"},
	4: {"class_check", "class_check"},
	5: {"array_check", "array_check"},
	6: {"intrinsic_or_type_checked_inlining", "intrinsic"},
	7: {"bimorphic_or_optimized_type_check", "bimorphic"},
	8: {"profile_predicate", "profile_predicate"},
}

// trapMany is what the reason bits are when several reasons were seen.
const trapMany = layout.EntryTrapMany

const (
	manyName         = "many"
	recompiledSuffix = " recompiled"
)

// TrapText is a traps word as HotSpot prints it: "class_check recompiled".
func TrapText(traps uint32) string { return string(appendTrap(nil, traps, false)) }

// parseTrap reads what stands in "trap(...)". known is false if the reason is
// not one of a bytecode; ok is false if this is no trap state at all.
func parseTrap(text string) (traps uint32, known, plain, ok bool) {
	if raw, is := strings.CutPrefix(text, "#"); is { // a state that HotSpot itself cannot name
		n, err := strconv.ParseInt(raw, 10, 32)
		return uint32(int32(n)), true, false, err == nil
	}
	name, recompiled := strings.CutSuffix(text, recompiledSuffix)
	if recompiled {
		traps = layout.EntryTrapRecompiled
	}
	if name == manyName {
		return traps | trapMany, true, false, true
	}
	for n, r := range trapReasons {
		if name == r.name || name == r.plain {
			return traps | uint32(n), true, r.name != r.plain && name == r.plain, true
		}
	}
	return traps, false, false, reasonName(name)
}

// reasonName reports whether s is spelled as HotSpot spells reasons.
func reasonName(s string) bool {
	for _, c := range []byte(s) {
		if c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// appendTrap appends what stands in "trap(...)" for a trap state.
func appendTrap(b []byte, traps uint32, plain bool) []byte {
	reason := traps &^ layout.EntryTrapRecompiled
	switch {
	case reason == trapMany:
		b = append(b, manyName...)
	case reason >= uint32(len(trapReasons)): // HotSpot cannot name it either
		return strconv.AppendInt(append(b, '#'), int64(int32(traps)), 10)
	case plain:
		b = append(b, trapReasons[reason].plain...)
	default:
		b = append(b, trapReasons[reason].name...)
	}
	if traps&layout.EntryTrapRecompiled != 0 {
		b = append(b, recompiledSuffix...)
	}
	return b
}
