package text

import (
	"strings"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// The words of the text: each stands for a number of the archive. What has no
// word is written as the number.

// firstLine is the first line of every text of this version; firstWords begin
// that of every version.
const (
	firstWords = "profarc text "
	firstLine  = firstWords + "1"
)

// A wordList gives the words of the numbers 0, 1 and so on; an empty word is
// none.
type wordList []string

// number finds the number of a word.
func (l wordList) number(word []byte) (n int, ok bool) {
	for i, w := range l {
		if w != "" && string(word) == w {
			return i, true
		}
	}
	return 0, false
}

// word is the word of a number, "" if it has none.
func (l wordList) word(n uint64) string {
	if n < uint64(len(l)) {
		return l[n]
	}
	return ""
}

// all lists the words.
func (l wordList) all() string {
	var words []string
	for _, w := range l {
		if w != "" {
			words = append(words, w)
		}
	}
	return strings.Join(words, ", ")
}

var paramWords = wordList{
	layout.ParamTypeProfileWidth: "type-rows", layout.ParamBciProfileWidth: "bci-rows", layout.ParamReceiverGap: "gap",
	layout.ParamTypeProfileLevel: "type-profile-level", layout.ParamVMRelease: "vm-release", layout.ParamLLVMVersion: "llvm-version",
	layout.ParamLLVMVariant: "llvm-variant", layout.ParamProfileTraps: "profile-traps", layout.ParamLLVMNewest: "llvm-newest-version",
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

// Subs of the wide entries that have them.
var (
	valueSubs     = wordList{layout.SubIndirectCall: "indirect-call", layout.SubMemOpSize: "mem-op-size", layout.SubVTable: "vtable"}
	successorSubs = wordList{layout.SubConditional: "conditional", layout.SubReturn: "return"}
	receiverSubs  = wordList{layout.SubVirtualCall: "virtual-call", layout.SubTypeCheck: "type-check"}
	countSubs     = wordList{layout.SubCalls: "calls", layout.SubBytecodes: "bytecodes", layout.SubCycles: "cycles",
		layout.SubNativeCalls: "native-calls", layout.SubNewArrays: "new-arrays", layout.SubSamples: "samples"}
)

// Bits by their numbers.
var (
	archiveFlags = wordList{0: "delta", 1: "merged"}
	typeFlags    = wordList{0: "hidden", 1: "not-matchable"}
	accessFlags  = wordList{0: "public", 1: "private", 2: "protected", 3: "static", 4: "final", 5: "synchronized",
		6: "bridge", 7: "varargs", 8: "native", 10: "abstract", 11: "strict", 12: "synthetic"}
	nullFlags  = wordList{0: "null-seen"}
	countFlags = wordList{1: "interpreted"}
)

// entryFlags are the flags of entries of a tag.
func entryFlags(tag layout.Tag) wordList {
	if tag == layout.TagCount {
		return countFlags
	}
	return nullFlags
}

// traps of an entry: the reason that stands for several, and the bit beside the
// reason.
const (
	trapMany       = layout.EntryTrapMany
	trapRecompiled = layout.EntryTrapRecompiled
)

var tagWords, sectionWords = tagList(), wordList{layout.SectionExtra: "extra", layout.SectionParameters: "parameters", layout.SectionHandlers: "handlers"}

// tagList gives the names of the tags.
func tagList() wordList {
	l := make(wordList, len(forms))
	for tag := range l {
		if forms[tag].write != nil {
			l[tag] = layout.Tag(tag).String()
		}
	}
	return l
}
