package pprof

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger"
)

// Errors about value types.
var (
	// ErrNoType means that the profile has no value type, or not the chosen one.
	ErrNoType = errors.New("no such type of values")
	// ErrTypes means that an archive was merged from profiles with other types of values.
	ErrTypes = errors.New("merged from profiles of other types of values, which cannot be added: import them apart")
)

// Units that go together: the number of some events, and the time that they took.
const (
	unitCount = "count"
	unitTime  = "nanoseconds"
)

// maxTypes is the maximum number of value types. Profilers write less than ten.
const maxTypes = 4096

// chooseTypes sets the indexes of the kept values. want is the option sample-type.
func (k *importBuild) chooseTypes(want string) error {
	if len(k.types) > maxTypes {
		return fmt.Errorf("%w: %d types of values, at most %d are read", ErrNoType, len(k.types), maxTypes)
	}
	names := make([]string, len(k.types))
	kinds := make([]string, len(k.types))
	for i := range k.types {
		names[i] = k.typeName(&k.types[i])
		kinds[i] = k.stringAt(k.types[i].kind)
	}
	k.names = names
	chosen := slices.Index(names, want)
	if chosen < 0 {
		chosen = slices.Index(kinds, want)
	}
	if want == "" {
		chosen = len(names) - 1
		def := k.stringAt(k.numbers[profileDefaultType])
		for _, i := range []int{slices.Index(names, disk.TypeCPU), slices.Index(names, disk.TypeSamples),
			slices.Index(kinds, def)} {
			if i >= 0 && kinds[i] != "" {
				chosen = i
			}
		}
	}
	if chosen < 0 {
		return fmt.Errorf("%w: %s in %s", ErrNoType, strings.TrimSpace("the profile has no "+want), strings.Join(names, " "))
	}
	k.choose(chosen)
	return nil
}

// choose selects value type i. For a time it also selects the matching count, and for a count the matching time.
func (k *importBuild) choose(i int) {
	switch unit := k.stringAt(k.types[i].unit); unit {
	case unitTime:
		k.cpu = i
		k.samples = k.neighbor(i, unitCount, disk.TypeSamples)
	case unitCount:
		k.samples = i
		k.cpu = k.neighbor(i, unitTime, disk.TypeCPU)
	default:
		k.samples = i
	}
	k.weight = k.samples
	if k.weight < 0 || k.cpu >= 0 && k.cpu < k.samples {
		k.weight = k.cpu
	}
}

// neighbor returns the index of the type before or after i that has a unit, or -1. CPU profiles have it anywhere.
func (k *importBuild) neighbor(i int, unit, cpu string) int {
	if of := k.names[i]; of == disk.TypeSamples || of == disk.TypeCPU {
		return slices.Index(k.names, cpu)
	}
	for _, at := range []int{i - 1, i + 1} {
		if at >= 0 && at < len(k.types) && k.stringAt(k.types[at].unit) == unit {
			return at
		}
	}
	return -1
}

// typeName formats a type as "type/unit".
func (r *decodedProfile) typeName(t *sampleType) string {
	return r.stringAt(t.kind) + "/" + r.stringAt(t.unit)
}

// unitOf returns the unit of a value in accounts. Values that the archive does not keep have their type as the unit.
func (k *importBuild) unitOf(i int) ledger.Unit {
	switch i {
	case k.samples:
		return ledger.Samples
	case k.cpu:
		return ledger.Nanoseconds
	}
	return k.names[i]
}

// totals returns the totals of all values, and adds the losses of values that the archive does not keep.
func (k *importBuild) totals() map[string]uint64 {
	totals := ledger.Totals{}
	for i, n := range k.sums {
		totals.Add(k.unitOf(i), n)
		if i != k.samples && i != k.cpu {
			k.lost.AddLoss(codec.Loss{What: LossTypes, Count: k.values[i], Unit: k.unitOf(i), Amount: n,
				First: k.names[i : i+1]})
		}
	}
	return totals
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}
