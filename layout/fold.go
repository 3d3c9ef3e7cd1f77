package layout

import "math/bits"

// The ids of methods and types are a hash over the strings of their keys. Each step multiplies 16 bytes of the string
// with the hash and XORs the halves of the product. The hash does not copy the key, and takes a quarter of the
// time of XXH64 for strings of this length. docs/format.md has the definition and test vectors.
const (
	fold0 = 0xa0761d6478bd642f
	fold1 = 0xe7037ed1a0b428db
	fold2 = 0x8ebc6af09c88c6e3
)

func foldText(h uint64, s string) uint64 {
	h ^= uint64(len(s)) * fold2
	for len(s) > 16 {
		h = foldProduct(loadUint64(s, 0)^fold0, loadUint64(s, 8)^h)
		s = s[16:]
	}
	var a, b uint64
	switch n := len(s); {
	case n >= 8:
		a = loadUint64(s, 0)
		b = loadUint64(s, n-8)
	case n >= 4:
		a = loadUint32(s, 0)
		b = loadUint32(s, n-4)
	case n > 0:
		a = uint64(s[0])<<16 | uint64(s[n/2])<<8 | uint64(s[n-1])
	}
	return foldProduct(a^fold1, b^h)
}

func foldProduct(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

func loadUint64(s string, i int) uint64 {
	s = s[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func loadUint32(s string, i int) uint64 {
	s = s[i : i+4]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}
