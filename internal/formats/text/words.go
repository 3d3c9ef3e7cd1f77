package text

import (
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// firstLine is the first line of version 1. All versions begin with firstWords.
const (
	firstWords = "profarc text "
	firstLine  = firstWords + "1"
)

// A wordList has the word for each number at its index, or "" for a number that is written in digits.
type wordList []string

// numberOf returns the number of a word. ok is false if the list lacks the word.
func (l wordList) numberOf(word []byte) (n int, ok bool) {
	n = slices.Index(l, string(word))
	return max(n, 0), n >= 0 && len(word) > 0
}

// wordFor returns the word for n, or "".
func (l wordList) wordFor(n uint64) string {
	if n < uint64(len(l)) {
		return l[n]
	}
	return ""
}

func (l wordList) joinWords() string {
	return strings.Join(slices.DeleteFunc(slices.Clone(l), func(word string) bool { return word == "" }), ", ")
}

var paramWords = wordList{
	disk.SettingTypeProfileWidth: "type-rows", disk.SettingBciProfileWidth: "bci-rows", disk.SettingReceiverGap: "gap",
	disk.SettingTypeProfileLevel: "type-profile-level", disk.SettingVMRelease: "vm-release",
	disk.SettingLLVMVersion: "llvm-version",
	disk.SettingLLVMVariant: "llvm-variant", disk.SettingProfileTraps: "profile-traps",
	disk.SettingLLVMNewest: "llvm-newest-version",
}

var tableWords = func() (words wordList) {
	for _, kind := range disk.TableKinds() {
		words = append(words, make(wordList, int(kind)+1-len(words))...)
		words[kind] = kind.String()
	}
	return words
}()

var (
	columnWords   = consecutiveWords(disk.ColumnWord, disk.ColumnContext)
	cellKindWords = consecutiveWords(layout.CellCount, layout.CellLast)
)

// consecutiveWords returns the words for the kinds from first, which is 1, to last.
func consecutiveWords[K interface {
	~uint8 | ~uint16 | ~uint32
	String() string
}](first, last K) wordList {
	words := wordList{""}
	for kind := first; kind <= last; kind++ {
		words = append(words, kind.String())
	}
	return words
}

// Words for bits.
var (
	archiveFlags = wordList{0: "delta", 1: "merged"}
	typeFlags    = wordList{0: "hidden", 1: "not-matchable", 2: "loaded", 3: "initialized"}
	accessFlags  = wordList{0: "public", 1: "private", 2: "protected", 3: "static", 4: "final", 5: "synchronized",
		6: "bridge", 7: "varargs", 8: "native", 10: "abstract", 11: "strict", 12: "synthetic"}
)

var sectionWords = wordList{disk.SectionExtra: "extra", disk.SectionParameters: "parameters",
	disk.SectionHandlers: "handlers"}

// hotspotFlags has the flags of all HotSpot entries.
var hotspotFlags = wordList{0: "null-seen"}

func flagWords(tag layout.Tag) wordList {
	if !disk.IsWide(tag) {
		return hotspotFlags
	}
	schema, _ := disk.SchemaOf(tag)
	return schema.Flags
}

// subWords returns the words for subs. Version 1 of the text writes SubUnprofiled and the subs after SubNanoseconds as
// numbers.
func subWords(schema *disk.Schema) wordList {
	if subIsUnit(schema) {
		return unitSubs
	}
	return schema.Subs
}

var unitSubs = func() (subs wordList) {
	for tag := range layout.Tag(255) {
		if schema, ok := disk.SchemaOf(tag); ok && subIsUnit(schema) {
			subs = slices.Clone(schema.Subs[:layout.SubNanoseconds+1])
			subs[disk.SubUnprofiled] = ""
		}
	}
	return subs
}()

// subIsUnit reports whether the sub of an entry is the unit of its count.
func subIsUnit(schema *disk.Schema) bool { return len(schema.Units) > 0 }

// tagNumbers maps names to tags. cellKeys maps names of cells and rows to keys, such as "not_taken" to "not-taken=".
var tagNumbers, cellKeys = func() (tags map[string]layout.Tag, keys map[string]string) {
	tags = map[string]layout.Tag{}
	keys = map[string]string{}
	for tag := layout.Tag(1); tag != 0; tag++ {
		schema, ok := disk.SchemaOf(tag)
		if !ok {
			continue
		}
		tags[tag.String()] = tag
		for _, g := range schema.Groups {
			keys[g.Name] = keyForName(g.Name)
			for _, c := range g.Cells {
				keys[c.Name] = keyForName(c.Name)
			}
		}
	}
	return tags, keys
}()

func keyForName(name string) string { return strings.ReplaceAll(name, "_", "-") + "=" }

// cachedKey returns the key for the name of a cell or group.
func cachedKey(name string) string {
	if key, ok := cellKeys[name]; ok {
		return key
	}
	return keyForName(name)
}

// standardTagByName returns the tag with a name. Tests add schemas after this package was initialized, so it also
// searches the table of schemas.
func standardTagByName(name []byte) (tag layout.Tag, ok bool) {
	tag, ok = tagNumbers[string(name)]
	if ok {
		return tag, true
	}
	for tag = 255; tag > 0; tag-- {
		if _, ok := disk.SchemaOf(tag); ok && tag.String() == string(name) {
			return tag, true
		}
	}
	return 0, false
}

// domainList lists the domains that can have an entry or table, nil for all. The importer checks it because a user can
// edit the line "domain", and the exporters of a domain reject archives with entries of another.
type domainList []layout.Domain

var (
	ofHotSpot = domainList{layout.DomainHotSpot}
	ofLLVM    = domainList{layout.DomainLLVMIR, layout.DomainLLVMFrontend}
	ofGraal   = domainList{layout.DomainGraal}
	ofJamaica = domainList{layout.DomainJamaica}
	ofSampled = domainList{layout.DomainSampled}
)

// tableDomains has the tables that only some domains have.
var tableDomains = map[disk.TableKind]domainList{
	disk.TableMonitors: ofGraal, disk.TableSamples: ofGraal, disk.TableOrderRuns: ofGraal,
	disk.TableBinaryIDs: ofLLVM, disk.TableTraces: ofLLVM, disk.TableVTables: ofLLVM,
	disk.TableAllocations: ofLLVM, disk.TableAllocationCalls: ofLLVM,
	disk.TableHeapRefs: ofJamaica, disk.TableHeapUse: ofJamaica, disk.TableInstances: ofJamaica,
	disk.TableThreads: ofJamaica, disk.TableReflected: ofJamaica,
	disk.TableFunctions: ofSampled,
}

func domainsOfTag(tag layout.Tag) domainList { return disk.TagDomains(tag) }

// contains reports whether d is in the list. An archive of domain custom can have everything that is not only
// HotSpot's.
func (l domainList) contains(d layout.Domain) bool {
	return l == nil || slices.Contains(l, d) || d == layout.DomainCustom && !slices.Equal(l, ofHotSpot)
}

func (l domainList) String() string {
	var names []string
	for _, d := range l {
		names = append(names, d.String())
	}
	return strings.Join(names, " or ")
}

// orderFits reports whether an archive of domain d can have an order table with these columns. Only iprof files list
// more than profiles.
func orderFits(d layout.Domain, columns []disk.ColumnKind) bool {
	return d == layout.DomainGraal || len(columns) == 1 && columns[0] == disk.ColumnProfile
}
