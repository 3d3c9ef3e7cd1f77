package layout

// md5Block is the number of bytes that MD5 takes at once.
const md5Block = 64

// A lane is the block of a message that is worked on.
type lane [md5Block / 4]uint32

// The state of MD5 before the first block.
const (
	md5A = 0x67452301
	md5B = 0xefcdab89
	md5C = 0x98badcfe
	md5D = 0x10325476
)

// NameIDs returns LLVM's ids of two PGO names: the first 8 bytes of their MD5, little-endian. The rounds of
// the two alternate, so that the processor works on both at once: crypto/md5 takes nearly twice as long for
// two short names. It allocates nothing.
func NameIDs(x, y string) (idX, idY uint64) {
	var m [2]lane
	var a, b, c, d uint32 = md5A, md5B, md5C, md5D
	var e, f, g, h uint32 = md5A, md5B, md5C, md5D
	lastX := md5Last(x)
	lastY := md5Last(y)
	for i := range max(lastX, lastY) + 1 {
		m[0].fill(x, i)
		m[1].fill(y, i)
		a0, b0, c0, d0, e0, f0, g0, h0 := a, b, c, d, e, f, g, h
		a, b, c, d, e, f, g, h = md5Round1(&m, a, b, c, d, e, f, g, h)
		a, b, c, d, e, f, g, h = md5Round2(&m, a, b, c, d, e, f, g, h)
		a, b, c, d, e, f, g, h = md5Round3(&m, a, b, c, d, e, f, g, h)
		a, b, c, d, e, f, g, h = md5Round4(&m, a, b, c, d, e, f, g, h)
		a += a0
		b += b0
		c += c0
		d += d0
		e += e0
		f += f0
		g += g0
		h += h0
		if i == lastX {
			idX = uint64(a) | uint64(b)<<32
		}
		if i == lastY {
			idY = uint64(e) | uint64(f)<<32
		}
	}
	return idX, idY
}

// md5Last returns the number of the last block of a message, after which the mark of
// its end and its length have room.
func md5Last(text string) int { return (len(text) + 8) / md5Block }

// fill puts block i of a message into the lane, zeros if it has none. It writes whole words: the processor
// waits for words that were written in other pieces.
func (l *lane) fill(text string, i int) {
	*l = lane{}
	left := len(text) - i*md5Block
	if left < 0 {
		l.length(text, i)
		return
	}
	b := text[i*md5Block:]
	w := 0
	for ; w < len(l) && len(b) >= 4; w++ {
		l[w] = uint32(word32(b, 0))
		b = b[4:]
	}
	if w < len(l) {
		l[w] = md5Tail(b)
	}
	l.length(text, i)
}

// md5Tail returns the last bytes of a message, fewer than 4, and the mark of its end.
func md5Tail(b string) uint32 {
	word := uint32(0x80)
	for i := len(b) - 1; i >= 0; i-- {
		word = word<<8 | uint32(b[i])
	}
	return word
}

// length puts the number of bits of a message into its last block.
func (l *lane) length(text string, i int) {
	if i == md5Last(text) {
		bits := uint64(len(text)) * 8
		l[14] = uint32(bits)
		l[15] = uint32(bits >> 32)
	}
}
