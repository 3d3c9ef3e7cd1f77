package disk

import (
	"strings"

	"github.com/profarc/profarc/layout"
)

// A symbol is u32 length, the bytes, zeros up to a multiple of 8. Its bytes
// are UTF-8 text where it is a name, and arbitrary where a table says so.
//
// The symbol of a signature may be a list of other symbols instead: u32 number of parts with the highest bit
// set, then u32 for each part, zeros up to a multiple of 8. Its text is the first part, "(", the others with
// "," between, ")": signatures as GraalVM spells them are made of the names of types, and take an eighth of
// their text so.

// MaxName is the most bytes a part of a key or the name of a type may have.
const MaxName = 1 << 20

// A name can be shared by any number of records, so that the keys of a small file can have any amount of
// text, which everything that hashes, compares or prints them would have to go through. MaxKeyText bounds it.
const (
	keyTextShare = 32       // bytes of text for each byte of the file
	minKeyText   = 64 << 20 // what any file may have
	listPartText = 16       // what a part of a list counts beside its text
)

// MaxKeyText returns the most text that the keys of all methods of a file of that size may have together, and
// the names, loaders and aliases of all types: each text counts wherever it is referred to.
func MaxKeyText(fileSize int64) int64 { return max(minKeyText, keyTextShare*fileSize) }

// ListText returns what a list of so many parts counts beside the text of these.
func ListText(parts int64) int64 { return listPartText * parts }

// MaxBlob is the most bytes any symbol may have.
const MaxBlob = listMark - 1

// listMark marks a list of symbols in the word that is the length of others.
const listMark = 1 << 31

// SymbolSize returns the size of a symbol of n bytes in the file.
func SymbolSize[N int | int64](n N) int64 { return AlignUp(4+int64(n), Unit) }

// AppendSymbol appends an encoded symbol.
func AppendSymbol(b []byte, s string) []byte {
	b = le.AppendUint32(b, uint32(len(s)))
	b = append(b, s...)
	return append(b, make([]byte, SymbolSize(len(s))-4-int64(len(s)))...)
}

// SymbolLength returns the number of bytes of the symbol at the front of b, which
// must have 4 bytes at least. It is beyond [MaxBlob] for a list.
func SymbolLength(b []byte) int64 { return int64(le.Uint32(b)) }

// SymbolParts returns the number of parts of the list at the front of b, which must
// have 4 bytes at least. ok is false for a symbol that is text.
func SymbolParts(b []byte) (parts int64, ok bool) {
	n := le.Uint32(b)
	return int64(n &^ listMark), n&listMark != 0
}

// SymbolPart returns a part of the list at the front of b, which must have it.
func SymbolPart(b []byte, i int64) layout.Ref { return layout.Ref(le.Uint32(b[4+4*i:])) }

// ListSize returns the size of a list of n symbols in the file.
func ListSize[N int | int64](n N) int64 { return AlignUp(4+4*int64(n), Unit) }

// AppendList appends a list of symbols.
func AppendList(b []byte, parts []layout.Ref) []byte {
	b = le.AppendUint32(b, listMark|uint32(len(parts)))
	for _, n := range parts {
		b = le.AppendUint32(b, uint32(n))
	}
	return append(b, make([]byte, ListSize(len(parts))-4-4*int64(len(parts)))...)
}

// SplitSignature cuts a signature into the parts of a list, appended to parts.
// ok is false if it is not spelled like one.
func SplitSignature(parts []string, signature string) (all []string, ok bool) {
	first, rest, ok := strings.Cut(signature, "(")
	rest, ended := strings.CutSuffix(rest, ")")
	if !ok || !ended {
		return parts, false
	}
	parts = append(parts, first)
	if rest == "" {
		return parts, true
	}
	for more := true; more; {
		first, rest, more = strings.Cut(rest, ",")
		parts = append(parts, first)
	}
	return parts, true
}

// The identity of a class loader is a name, and, of HotSpot's archives, after it what tells the loader from
// others of that name: an anchor, @ and 16 hexadecimal digits, or a number, # and decimal digits.

const anchorDigits = 16

// NumberedLoader reports whether a class loader's identity ends in a number: in
// another run the number may be of another loader.
func NumberedLoader(identity string) bool {
	at := strings.LastIndexByte(identity, '#')
	return at > 0 && at+1 < len(identity) && strings.Trim(identity[at+1:], "0123456789") == ""
}

// LoaderName returns the identity of a class loader without what tells it from others of one name.
func LoaderName(identity string) string {
	if NumberedLoader(identity) {
		return identity[:strings.LastIndexByte(identity, '#')]
	}
	at := strings.LastIndexByte(identity, '@')
	if at > 0 && len(identity)-at-1 == anchorDigits && strings.Trim(identity[at+1:], "0123456789abcdef") == "" {
		return identity[:at]
	}
	return identity
}

// TwinLoader begins the name of a class loader that an importer made up, to tell
// methods apart that its format prints alike. It says nothing of the loader.
const TwinLoader = "text#"
