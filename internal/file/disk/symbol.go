package disk

import (
	"strings"

	"github.com/profarc/profarc/layout"
)

// A symbol is u32 length and the bytes, zero-padded to a multiple of 8. Names are UTF-8 text. Symbols of tables may
// have arbitrary bytes.
//
// The symbol of a signature may be a list of other symbols instead: u32 number of parts with the highest bit set,
// then a u32 per part, zero-padded to a multiple of 8. Its text is the first part, "(", the other parts separated by
// ",", and ")". GraalVM's signatures consist of type names and take an eighth of the space as lists.

// MaxName is the maximum length in bytes of a key part or type name.
const MaxName = 1 << 20

// Any number of records can share a name. A small file could therefore have keys with unlimited text in total, which
// hashing, comparing and printing would have to process. MaxKeyText limits it.
const (
	keyTextShare = 32       // text bytes per byte of the file
	minKeyText   = 64 << 20 // limit for small files
	listPartText = 16       // cost of a list part in addition to its text
)

// MaxKeyText returns the limit, for a file of fileSize bytes, on the total text of all method keys and of all type
// names, loaders and aliases. A shared text counts at each use.
func MaxKeyText(fileSize int64) int64 { return max(minKeyText, keyTextShare*fileSize) }

func ListText(parts int64) int64 { return listPartText * parts }

// MaxBlob is the maximum length of any symbol in bytes.
const MaxBlob = listMark - 1

// listMark marks a list in the length word.
const listMark = 1 << 31

// SymbolSize returns the encoded size of a symbol of n bytes.
func SymbolSize[N int | int64](n N) int64 { return AlignUp(4+int64(n), Unit) }

func AppendSymbol(b []byte, s string) []byte {
	b = le.AppendUint32(b, uint32(len(s)))
	b = append(b, s...)
	return append(b, make([]byte, SymbolSize(len(s))-4-int64(len(s)))...)
}

// SymbolLength returns the length of the symbol at the front of b, at least 4 bytes. For a list it exceeds [MaxBlob].
func SymbolLength(b []byte) int64 { return int64(le.Uint32(b)) }

// SymbolParts returns the number of parts of the list at the front of b, of at least 4 bytes; ok is false for text.
func SymbolParts(b []byte) (parts int64, ok bool) {
	n := le.Uint32(b)
	return int64(n &^ listMark), n&listMark != 0
}

// SymbolPart returns part i of the list at the front of b, which must have it.
func SymbolPart(b []byte, i int64) layout.Ref { return layout.Ref(le.Uint32(b[4+4*i:])) }

func ListSize[N int | int64](n N) int64 { return AlignUp(4+4*int64(n), Unit) }

func AppendList(b []byte, parts []layout.Ref) []byte {
	b = le.AppendUint32(b, listMark|uint32(len(parts)))
	for _, n := range parts {
		b = le.AppendUint32(b, uint32(n))
	}
	return append(b, make([]byte, ListSize(len(parts))-4-4*int64(len(parts)))...)
}

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

// A class loader's identity is a name. In HotSpot archives a suffix distinguishes loaders of equal names, either an
// anchor (@ and 16 hexadecimal digits) or a number (# and decimal digits).

const anchorDigits = 16

// NumberedLoader reports whether a loader identity ends in a number. Another run may give that number to another
// loader.
func NumberedLoader(identity string) bool {
	at := strings.LastIndexByte(identity, '#')
	return at > 0 && at+1 < len(identity) && strings.Trim(identity[at+1:], "0123456789") == ""
}

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

// TwinLoader is the prefix of loader names that an importer makes up to distinguish methods that are printed alike.
const TwinLoader = "text#"
