package text

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/system/lists"
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
	return lists.Join(l, " or ", layout.Domain.String)
}

// orderFits reports whether an archive of domain d can have an order table with these columns. Only iprof files and
// sample profiles list more than profiles.
func orderFits(d layout.Domain, columns []disk.ColumnKind) bool {
	return d == layout.DomainGraal || len(columns) == 1 &&
		(columns[0] == disk.ColumnProfile || columns[0] == disk.ColumnMethod && d == layout.DomainSampled)
}

// plain[c] reports whether the ASCII character c can occur anywhere in a bare name.
var isPlainASCII = func() (p [utf8.RuneSelf]bool) {
	for c := '!'; c <= '~'; c++ {
		p[c] = c != '"' && c != '{' && c != '}' && c != '=' && c != '+'
	}
	return p
}()

// isBareName reports whether a name can be written without quotes.
func isBareName(name []byte) bool {
	if len(name) == 0 || name[0] == '#' || name[0] == ':' || name[len(name)-1] == ':' || string(name) == "-" {
		return false
	}
	for i := 0; i < len(name); {
		c := name[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRune(name[i:])
			if r == utf8.RuneError && size == 1 || !unicode.IsPrint(r) {
				return false
			}
			i += size
			continue
		}
		if !isPlainASCII[c] || c == ':' && name[i+1] == ':' {
			return false
		}
		i++
	}
	return true
}

func appendName(b, name []byte) []byte {
	if isBareName(name) {
		return append(b, name...)
	}
	return appendQuoted(b, name)
}

// appendNameQuoting is like appendName, but also quotes a name that contains c.
func appendNameQuoting(b, name []byte, c byte) []byte {
	if bytes.IndexByte(name, c) >= 0 {
		return appendQuoted(b, name)
	}
	return appendName(b, name)
}

func appendQuoted(b, name []byte) []byte {
	b = append(b, '"')
	for len(name) > 0 {
		r, size := utf8.DecodeRune(name)
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', name[0])
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == utf8.RuneError && size == 1 || !unicode.IsPrint(r):
			for _, c := range name[:size] {
				b = fmt.Appendf(b, `\x%02x`, c)
			}
		default:
			b = append(b, name[:size]...)
		}
		name = name[size:]
	}
	return append(b, '"')
}

// quotedEnd returns the offset after the closing quote of the name at the start of token, or -1.
func quotedEnd(token []byte) (end int) {
	for i := 1; i < len(token); i++ {
		switch token[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// unquote decodes a quoted name. Without escapes, the result is a part of token. bad is the offset of an invalid
// escape, or -1.
func unquote(token []byte) (name []byte, bad int) {
	inside := token[1 : len(token)-1]
	if bytes.IndexByte(inside, '\\') < 0 {
		return inside, -1
	}
	name = make([]byte, 0, len(inside))
	for i := 0; i < len(inside); i++ {
		if inside[i] != '\\' {
			name = append(name, inside[i])
			continue
		}
		c, size := unescape(inside[i+1:])
		if size == 0 {
			return nil, i + 1
		}
		name = append(name, c)
		i += size
	}
	return name, -1
}

// unescape decodes the escape after a backslash. size is its length in bytes, or 0 if it is invalid.
func unescape(b []byte) (c byte, size int) {
	text := string(b[:min(len(b), len("xHH"))])
	if text == "" || strings.IndexByte(`"\nx`, text[0]) < 0 {
		return 0, 0
	}
	v, _, rest, err := strconv.UnquoteChar(`\`+text, '"')
	if err != nil {
		return 0, 0
	}
	return byte(v), len(text) - len(rest)
}

// ParseMethod parses METHOD of the grammar. ok is false if spelled is malformed.
func ParseMethod(spelled string) (key layout.Key, ok bool) {
	c := newCursor([]byte(spelled))
	key = c.takeMethodKey()
	return key, c.OK()
}

// The methods below parse the token of a method or type, which is the whole Line of the cursor.

// atEnd reports whether nothing is left or there was a mismatch.
func (c *cursor) atEnd() bool { return !c.OK() || c.At == len(c.Line) }

func (c *cursor) startsWith(text string) bool {
	ahead := c.Cursor
	return ahead.Skip(text)
}

// takeKeyPart consumes a quoted or bare name. A brace ends a bare name, and so does a double colon if colons is set and
// a parenthesis if parenthesis is set.
func (c *cursor) takeKeyPart(colons, parenthesis bool) string {
	if c.startsWith(`"`) {
		return c.takeQuotedPart()
	}
	start := c.At
	for !c.atEnd() && !c.startsWith("{") && !c.startsWith("}") && !c.startsWith(`"`) &&
		!(colons && c.startsWith("::")) && !(parenthesis && c.startsWith("(")) {
		c.At++
	}
	if c.At == start {
		c.Miss(`a name; an empty one is ""`)
	}
	return string(c.Line[start:c.At])
}

func (c *cursor) takeQuotedPart() string {
	end := quotedEnd(c.Rest())
	if end < 0 {
		c.Miss("a closing quote")
		return ""
	}
	name, bad := unquote(c.Rest()[:end])
	if bad >= 0 {
		c.MissAt(c.At+bad, `an escape: \" \\ \n or \xHH`)
		return ""
	}
	c.At += end
	return string(name)
}

// takeLoader consumes an optional loader in braces. The token must end there.
func (c *cursor) takeLoader() (name string) {
	if c.Skip("{") {
		name = c.takeKeyPart(false, false)
		if !c.Skip("}") {
			c.Miss("}")
		}
	}
	if !c.atEnd() {
		c.Miss("the end of the name")
	}
	return name
}

func (c *cursor) takeMethodKey() (key layout.Key) {
	if !c.Skip("::") {
		first := c.takeKeyPart(true, false)
		if c.atEnd() {
			return layout.Key{Name: first}
		}
		key.Class = first
		if !c.Skip("::") {
			c.Miss("the end of the name, or :: and the name of a method: a loader is that of a class")
		}
	}
	key.Name = c.takeKeyPart(true, true)
	if c.startsWith("(") || c.Skip("::") {
		key.Signature = c.takeKeyPart(false, false)
	}
	key.Loader = c.takeLoader()
	if key.Loader != "" && key.Class == "" {
		c.Miss("a class before the method: a loader is that of a class")
	}
	return key
}
