package live

import (
	"fmt"
	"strconv"
)

// A flag is a setting of the VM (-XX:...).
type flag struct {
	typ  int32
	addr uint64
}

// JVMFlag::_type: how wide a flag is, and whether it has a sign. Strings and
// fractions are of no use here.
var flagTypes = [...]struct {
	size   int
	signed bool
}{0: {1, false}, 1: {4, true}, 2: {4, false}, 3: {8, true}, 4: {8, false}, 5: {8, false}, 6: {8, false}}

const maxFlags = 1 << 13

// readFlags reads the VM's table of flags.
func readFlags(mem source, t *tables) (map[string]flag, error) {
	table, count, size := t.static("JVMFlag::flags"), t.static("JVMFlag::numFlags"), t.size("JVMFlag")
	name, addr, typ := t.offset("JVMFlag::_name", pointerWidth), t.offset("JVMFlag::_addr", pointerWidth), t.offset("JVMFlag::_type", intWidth)
	if err := t.check(); err != nil {
		return nil, err
	}
	at, err := word(mem, table)
	if err != nil {
		return nil, err
	}
	n, err := word(mem, count)
	if err != nil || n > maxFlags {
		return nil, fmt.Errorf("%w: %d flags", ErrStructure, n)
	}
	flags := make(map[string]flag, n)
	for range n {
		r := &row{mem: mem, at: at, columns: []uint64{name, addr, typ}}
		if r.word(0) != 0 { // the last row is empty
			flags[r.text(0)] = flag{r.int32(2), r.word(1)}
		}
		if r.err != nil {
			return nil, r.err
		}
		at += uint64(size)
	}
	return flags, nil
}

// value reads a flag; ok is false if the VM has no such flag or it is not a
// number.
func (f flag) value(mem source) (v int64, ok bool) {
	if f.addr == 0 || f.typ < 0 || int(f.typ) >= len(flagTypes) {
		return 0, false
	}
	b, err := mem.bytes(f.addr, flagTypes[f.typ].size)
	if err != nil {
		return 0, false
	}
	switch {
	case len(b) == 1:
		return int64(b[0]), true
	case len(b) == 4 && flagTypes[f.typ].signed:
		return int64(int32(le.Uint32(b))), true
	case len(b) == 4:
		return int64(le.Uint32(b)), true
	}
	return int64(le.Uint64(b)), true
}

// text is the value as it stands on a command line.
func (f flag) text(mem source) (string, bool) {
	v, ok := f.value(mem)
	switch {
	case !ok:
		return "", false
	case flagTypes[f.typ].size == 1:
		return strconv.FormatBool(v != 0), true
	case !flagTypes[f.typ].signed:
		return strconv.FormatUint(uint64(v), 10), true
	}
	return strconv.FormatInt(v, 10), true
}

// shapingFlags are the flags that decide what a MethodData holds and how it is
// laid out. A VM has some of them only.
var shapingFlags = []string{
	"TypeProfileWidth", "BciProfileWidth", "TypeProfileLevel", "TypeProfileArgsLimit", "TypeProfileParmsLimit",
	"TypeProfileCasts", "TypeProfileSubTypes", "TypeProfileMajorReceiverPercent", "UseTypeProfile", "UseTypeSpeculation",
	"SpecTrapLimitExtraEntries", "ProfileTraps", "PerMethodTrapLimit", "PerBytecodeTrapLimit", "PerMethodSpecTrapLimit",
	"ProfileInterpreter", "ProfileExceptionHandlers", "ProfileMaturityPercentage",
	"C1ProfileBranches", "C1ProfileCalls", "C1ProfileVirtualCalls", "C1ProfileInlinedCalls", "C1ProfileCheckcasts", "C1UpdateMethodData",
	"OmitStackTraceInFastThrow", "TieredCompilation", "TieredStopAtLevel", "UseJVMCICompiler", "EnableJVMCI", "UseBiasedLocking",
	"UseCompressedOops", "UseCompressedClassPointers", "UseCompactObjectHeaders", "ObjectAlignmentInBytes",
	"UseSerialGC", "UseParallelGC", "UseG1GC", "UseZGC", "ZGenerational", "UseShenandoahGC", "UseEpsilonGC",
}
