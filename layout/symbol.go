package layout

// A symbol is u32 length, the bytes, zeros up to a multiple of 8. Its bytes
// are UTF-8 text where it is a name, and arbitrary where a table says so.

// MaxName is the most bytes a part of a key or the name of a type may have.
const MaxName = 1 << 20

// MaxBlob is the most bytes any symbol may have.
const MaxBlob = 1 << 31

// SymbolSize is the size of a symbol of n bytes in the file.
func SymbolSize(n int) int64 { return AlignUp(4+int64(n), Unit) }

// AppendSymbol appends an encoded symbol.
func AppendSymbol(b []byte, s string) []byte {
	b = le.AppendUint32(b, uint32(len(s)))
	b = append(b, s...)
	return append(b, make([]byte, SymbolSize(len(s))-4-int64(len(s)))...)
}

// SymbolLength is the number of bytes of the symbol at the front of b, which
// must have 4 bytes at least.
func SymbolLength(b []byte) int64 { return int64(le.Uint32(b)) }
