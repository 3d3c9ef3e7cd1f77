// Package entries names the numbers in entries of a profile, which are reasons of traps, and functions and vtables at
// value sites.
package entries

import (
	"fmt"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// BytecodeTraps are the trap reasons that HotSpot records for a bytecode, with equal numbers in JDK 17 and 25. Most VMs
// are built with JVMCI, which gives three of them a second meaning and a longer name. Plain is the name in other VMs.
var BytecodeTraps = [...]struct{ Name, Plain string }{
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

// Words of a trap state other than reasons.
const (
	ManyTraps        = "many" // traps for several reasons
	RecompiledSuffix = " recompiled"
)

// TrapReasons names the trap reasons as numbered by the VMs of an archive. The numbers differ between releases.
type TrapReasons struct {
	lists [][]string // names by VM and number, "" if a name is unknown
}

// laterReasons lists, by release, the reasons after BytecodeTraps that a VM with JVMCI counts for a method.
var laterReasons = map[uint32]string{
	17: "unloaded uninitialized initialized unreached unhandled constraint div0_check age predicate loop_limit_check " +
		"speculate_class_check speculate_null_check speculate_null_assert rtm_state_change unstable_if unstable_fused_if " +
		"receiver_constraint aliasing transfer_to_interpreter not_compiled_exception_handler unresolved jsr_mismatch",
	25: "auto_vectorization_check unloaded uninitialized initialized unreached unhandled constraint div0_check age " +
		"predicate " +
		"loop_limit_check speculate_class_check speculate_null_check speculate_null_assert unstable_if unstable_fused_if " +
		"receiver_constraint aliasing transfer_to_interpreter not_compiled_exception_handler unresolved jsr_mismatch",
}

func reasonsOfRelease(release uint32) (list []string) {
	later, ok := laterReasons[release]
	if !ok {
		return nil
	}
	for _, r := range BytecodeTraps {
		list = append(list, r.Name)
	}
	return append(list, strings.Fields(later)...)
}

// TrapReasonsOf reads the lists of an archive, or uses the list of its VM's release. If the release is unknown, it has
// the names on which all known releases agree.
func TrapReasonsOf(s *reader.Store) (r TrapReasons, err error) {
	properties, err := Properties(s)
	for _, list := range properties[disk.PropertyTrapReasons] {
		r.lists = append(r.lists, strings.Split(list, ","))
	}
	if err != nil || len(r.lists) > 0 {
		return r, err
	}
	if list := reasonsOfRelease(s.Header().Params.VMRelease); list != nil {
		return TrapReasons{[][]string{list}}, nil
	}
	for release := range laterReasons {
		r.lists = append(r.lists, reasonsOfRelease(release))
	}
	return r, nil
}

func ReasonWithJVMCI(plain string) string {
	for _, r := range BytecodeTraps {
		if r.Plain == plain {
			return r.Name
		}
	}
	return plain
}

// findName returns the name of a number in all lists, the part before "_or_" if only some VMs have JVMCI.
func (r TrapReasons) findName(number int) (name string, ok bool) {
	for i, list := range r.lists {
		if number < 0 || number >= len(list) || list[number] == "" {
			return "", false
		}
		if i == 0 || list[number] == name {
			name = list[number]
			continue
		}
		name = firstReason(name)
		if firstReason(list[number]) != name {
			return "", false
		}
	}
	return name, len(r.lists) > 0
}

func firstReason(name string) string {
	first, _, _ := strings.Cut(name, "_or_")
	return first
}

// Name returns the name of a reason. It returns "#23" for number 23 if the name is unknown or differs between the VMs
// of a merged archive.
func (r TrapReasons) Name(number int) string {
	if name, ok := r.findName(number); ok {
		return name
	}
	return fmt.Sprintf("#%d", number)
}

// atBranches maps reasons at a branch to the reason that the VM means. HotSpot reuses numbers that cannot occur at
// branches, because the trap state of a bytecode has only nine reasons.
var atBranches = map[string]string{"intrinsic": "unstable_if", "range_check": "unstable_fused_if"}

// Text describes the trap state of an entry, such as "class_check recompiled"; "" without traps. HotSpot gives a
// division by zero the number of "null_check", and reasons of speculation the numbers of checks, so they look the same
// here.
func (r TrapReasons) Text(traps layout.EntryTraps, atBranch bool) string {
	if traps == 0 {
		return ""
	}
	name := ManyTraps
	recompiled := traps&layout.EntryTrapRecompiled != 0
	if reason := traps &^ layout.EntryTrapRecompiled; reason != disk.EntryTrapMany {
		name = r.Name(int(reason))
	}
	if other := atBranches[firstReason(name)]; other != "" && atBranch {
		name = other
	}
	if recompiled {
		name += RecompiledSuffix
	}
	return name
}

// cures explains the failed assumption behind a trap reason, followed by the remedy. In most cases the remedy is a
// training run that does what production does.
var cures = map[string]string{
	"null_check":                     "null came where none was seen: train with it",
	"null_assert":                    "an object came where only null was seen: train with it",
	"range_check":                    "an index was outside of its array: avoid exceptions as control flow",
	"class_check":                    "another class came than was seen: train with all classes",
	"array_check":                    "an array of another type was stored to than was seen: train with all types",
	"intrinsic":                      "an intrinsic met arguments that it leaves to the method: nothing to do",
	"bimorphic":                      "a third class came where two were seen: train with all classes",
	"profile_predicate":              "a loop ran otherwise than was seen: train with such loops",
	"unloaded":                       "a class was not loaded when the code was compiled: harmless at the start",
	"uninitialized":                  "a class was not initialised when the code was compiled: harmless at the start",
	"initialized":                    "a class was initialised meanwhile: harmless at the start",
	"unreached":                      "code ran that had not run before: train with it",
	"constraint":                     "something came that the runtime has to handle: nothing to do",
	"div0_check":                     "a division by 0: avoid exceptions as control flow",
	"predicate":                      "a check before a loop failed that stands for all rounds: train with such loops",
	"loop_limit_check":               "a loop ended near the limits of int: nothing to do",
	"speculate_class_check":          "another class came than was seen: train with all classes",
	"speculate_null_check":           "null came where none was seen: train with it",
	"unstable_if":                    "a branch went a way that it had not gone before: train with both ways",
	"unstable_fused_if":              "a branch went a way that it had not gone before: train with both ways",
	"not_compiled_exception_handler": "an exception was caught that had not come before: train with it",
	"age":                            "the code was compiled again after many calls: nothing to do",
	ManyTraps:                        "several reasons at one point: train with what production does",
}

func TrapCure(reason string) string {
	if cure, ok := cures[reason]; ok {
		return cure
	}
	return cures[firstReason(reason)]
}
