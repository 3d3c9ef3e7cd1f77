package disk

import "github.com/profarc/profarc/layout"

// IsWide reports whether entries of the tag have the wide header.
func IsWide(t layout.Tag) bool { return t >= layout.TagCounters }

// TagByProducer reports whether a producer defines entries of the tag.
func TagByProducer(t layout.Tag) bool { return t >= layout.TagProducer }

// EntryOneOf is the flag of a merged TagUndecoded entry. Its words come from one of the entries.
const EntryOneOf layout.EntryFlags = 1 << 2

// EntryTrapMany is the reason in a traps word after several different reasons.
const EntryTrapMany = layout.EntryTrapRecompiled - 1

// domainUnits has the units with other names in a domain.
var domainUnits = map[layout.Domain]map[layout.CountUnit]string{
	layout.DomainJamaica: {UnitExecutions: "calls"},
	layout.DomainSampled: {UnitExecutions: "samples of calls", UnitPointSamples: "samples"},
}

// UnitName returns the name of a unit in archives of a domain.
func UnitName(u layout.CountUnit, d layout.Domain) string {
	if name := domainUnits[d][u]; name != "" {
		return name
	}
	return u.String()
}

// IsInclusive reports whether callers' counts include a method's counts, so that counts of different methods must not
// be added.
func IsInclusive(u layout.CountUnit) bool { return u == UnitCycles }
