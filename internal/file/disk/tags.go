package disk

import "github.com/profarc/profarc/layout"

// IsWide reports whether entries of a tag have the wide header.
func IsWide(t layout.Tag) bool { return t >= layout.TagCounters }

// TagByProducer reports whether entries of the tag are what a producer defines, as TableByProducer does of tables.
func TagByProducer(t layout.Tag) bool { return t >= layout.TagProducer }

// EntryOneOf is the flag of a TagUndecoded entry of which several were merged: the words come from one.
const EntryOneOf layout.EntryFlags = 1 << 2

// EntryTrapMany is the reason in a traps word once there were several.
const EntryTrapMany = layout.EntryTrapRecompiled - 1

// domainUnits has the units that a domain calls otherwise.
var domainUnits = map[layout.Domain]map[layout.CountUnit]string{
	layout.DomainJamaica: {UnitExecutions: "calls"},
	layout.DomainSampled: {UnitExecutions: "samples of calls", UnitPointSamples: "samples"},
}

// UnitName returns what a unit is called in archives of a domain.
func UnitName(u layout.CountUnit, d layout.Domain) string {
	if name := domainUnits[d][u]; name != "" {
		return name
	}
	return u.String()
}

// IsInclusive reports whether the counts of a method are included in its callers' counts, so that the counts of
// several methods must not be added up.
func IsInclusive(u layout.CountUnit) bool { return u == UnitCycles }
