package main

import (
	"fmt"

	"github.com/profarc/profarc/layout"
)

// trapReasons are the reasons of traps that HotSpot notes for a bytecode, by
// number, under the names of a VM with JVMCI.
var trapReasons = [...]string{
	"none", "null_check", "null_assert_or_unreached0", "range_check", "class_check", "array_check",
	"intrinsic_or_type_checked_inlining", "bimorphic_or_optimized_type_check", "profile_predicate",
}

// trapMany stands for several reasons.
const trapMany = layout.EntryTrapRecompiled - 1

func trapReason(reason uint32) string {
	switch {
	case reason < uint32(len(trapReasons)):
		return trapReasons[reason]
	case reason == trapMany:
		return "many"
	}
	return fmt.Sprintf("#%d", reason)
}

// trapText is a traps word as PrintMethodData prints it.
func trapText(traps uint32) string {
	text := trapReason(traps &^ layout.EntryTrapRecompiled)
	if traps&layout.EntryTrapRecompiled != 0 {
		text += " recompiled"
	}
	return text
}
