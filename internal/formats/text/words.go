package text

import (
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// The words of the text: each is a number in the archive. A number without a word is written as it is.

// firstLine is the first line of every text of this version; firstWords begin every version's.
const (
	firstWords = "profarc text "
	firstLine  = firstWords + "1"
)

// A wordList has the words for the numbers 0, 1 and so on; an empty word is none.
type wordList []string

// number finds the number of a word.
func (l wordList) number(word []byte) (n int, ok bool) {
	n = slices.Index(l, string(word))
	return max(n, 0), n >= 0 && len(word) > 0
}

// word returns the word of a number, "" if it has none.
func (l wordList) word(n uint64) string {
	if n < uint64(len(l)) {
		return l[n]
	}
	return ""
}

// listWords lists the words.
func (l wordList) listWords() string {
	return strings.Join(slices.DeleteFunc(slices.Clone(l), func(word string) bool { return word == "" }), ", ")
}

var paramWords = wordList{
	disk.SettingTypeProfileWidth: "type-rows", disk.SettingBciProfileWidth: "bci-rows", disk.SettingReceiverGap: "gap",
	disk.SettingTypeProfileLevel: "type-profile-level", disk.SettingVMRelease: "vm-release",
	disk.SettingLLVMVersion: "llvm-version",
	disk.SettingLLVMVariant: "llvm-variant", disk.SettingProfileTraps: "profile-traps",
	disk.SettingLLVMNewest: "llvm-newest-version",
}

// tableWords are the names of the tables.
var tableWords = func() (words wordList) {
	for _, kind := range disk.TableKinds() {
		words = append(words, make(wordList, int(kind)+1-len(words))...)
		words[kind] = kind.String()
	}
	return words
}()

var columnWords = func() (words wordList) {
	words = append(words, "")
	for kind := layout.ColumnWord; kind <= layout.ColumnContext; kind++ {
		words = append(words, kind.String())
	}
	return words
}()

// Bits by their numbers.
var (
	archiveFlags = wordList{0: "delta", 1: "merged"}
	typeFlags    = wordList{0: "hidden", 1: "not-matchable", 2: "loaded", 3: "initialized"}
	accessFlags  = wordList{0: "public", 1: "private", 2: "protected", 3: "static", 4: "final", 5: "synchronized",
		6: "bridge", 7: "varargs", 8: "native", 10: "abstract", 11: "strict", 12: "synthetic"}
)

var sectionWords = wordList{layout.SectionExtra: "extra", layout.SectionParameters: "parameters",
	layout.SectionHandlers: "handlers"}

// hotspotFlags are the flags of all of HotSpot's entries.
var hotspotFlags = wordList{0: "null-seen"}

// flagWords returns the words of the flags of entries.
func flagWords(tag layout.Tag) wordList {
	if !disk.IsWide(tag) {
		return hotspotFlags
	}
	schema, _ := disk.SchemaOf(tag)
	return schema.Flags
}

// subWords returns the words of the subs of entries. Version 1 of the text writes SubUnprofiled as a number.
func subWords(schema *disk.Schema) wordList {
	if subIsUnit(schema) {
		return unitSubs
	}
	return schema.Subs
}

var unitSubs = func() (subs wordList) {
	for tag := range layout.Tag(255) {
		if schema, ok := disk.SchemaOf(tag); ok && subIsUnit(schema) {
			subs = slices.Clone(schema.Subs)
			subs[layout.SubUnprofiled] = ""
		}
	}
	return subs
}()

// subIsUnit reports whether the sub of entries names the unit of their count.
func subIsUnit(schema *disk.Schema) bool { return len(schema.Units) > 0 }

// tagNumbers are the tags by their names, cellKeys the keys of cells and rows by
// theirs: "not-taken=" by "not_taken".
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
			keys[g.Name] = newKey(g.Name)
			for _, c := range g.Cells {
				keys[c.Name] = newKey(c.Name)
			}
		}
	}
	return tags, keys
}()

func newKey(name string) string { return strings.ReplaceAll(name, "_", "-") + "=" }

// keyOf returns the key of a cell or of rows with a name.
func keyOf(name string) string {
	if key, ok := cellKeys[name]; ok {
		return key
	}
	return newKey(name)
}

// tagByName returns the tag with a name, which may have been added to the table
// of schemas since this package began.
func tagByName(name []byte) (tag layout.Tag, ok bool) {
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

// What archives of a domain can hold. A text whose line "domain" was changed by
// hand would else become an archive that no exporter of that domain takes.

type domains []layout.Domain

var (
	ofHotSpot = domains{layout.DomainHotSpot}
	ofLLVM    = domains{layout.DomainLLVMIR, layout.DomainLLVMFrontend}
	ofGraal   = domains{layout.DomainGraal}
	ofJamaica = domains{layout.DomainJamaica}
	ofSampled = domains{layout.DomainSampled}
)

// tableDomains are the domains of tables that not all have.
var tableDomains = map[layout.TableKind]domains{
	disk.TableMonitors: ofGraal, disk.TableSamples: ofGraal, disk.TableOrderRuns: ofGraal,
	disk.TableBinaryIDs: ofLLVM, disk.TableTraces: ofLLVM, disk.TableVTables: ofLLVM,
	disk.TableAllocations: ofLLVM, disk.TableAllocationCalls: ofLLVM,
	disk.TableHeapRefs: ofJamaica, disk.TableHeapUse: ofJamaica, disk.TableInstances: ofJamaica,
	disk.TableThreads: ofJamaica, disk.TableReflected: ofJamaica,
	disk.TableFunctions: ofSampled,
}

func domainsOf(tag layout.Tag) domains { return disk.TagDomains(tag) }

// hold reports whether a domain is one of them, or they are not named. A producer's own
// may have more than a HotSpot archive.
func (l domains) hold(d layout.Domain) bool {
	return l == nil || slices.Contains(l, d) || d == layout.DomainCustom && !slices.Equal(l, ofHotSpot)
}

func (l domains) String() string {
	var names []string
	for _, d := range l {
		names = append(names, d.String())
	}
	return strings.Join(names, " or ")
}

// orderFits reports whether a table of the source order with these columns can
// be of a domain: only an iprof file's lists more than profiles.
func orderFits(d layout.Domain, columns []layout.ColumnKind) bool {
	return d == layout.DomainGraal || len(columns) == 1 && columns[0] == layout.ColumnProfile
}
