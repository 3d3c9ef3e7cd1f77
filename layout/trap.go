package layout

// A traps word is HotSpot's trap state (DataLayout::_traps). Its highest bit,
// EntryTrapRecompiled, says that the method was compiled again; the rest is the
// one reason that was seen, or, once there were several, all ones.

// EntryTrapMany is the reason of a traps word once several were seen.
const EntryTrapMany = EntryTrapRecompiled - 1

// UniteTraps is the traps word for what two of them say. The rule is that of
// Deoptimization::trap_state_add_reason in OpenJDK's
// src/hotspot/share/runtime/deoptimization.cpp.
func UniteTraps(x, y uint32) uint32 {
	recompiled := (x | y) & EntryTrapRecompiled
	switch x, y = x&EntryTrapMany, y&EntryTrapMany; {
	case x == y, y == 0:
		return recompiled | x
	case x == 0:
		return recompiled | y
	}
	return recompiled | EntryTrapMany
}
