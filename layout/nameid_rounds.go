package layout

import "math/bits"

// The 64 steps of MD5 (RFC 1321), of two messages in turns. A step needs the result of the one before, so
// that a processor that works on one message mostly waits; two take hardly longer than one.
//
// The operand that was computed last is used last. The sines are read from
// memory: constants the compiler would add after it.

func md5Round1(m *[2]lane, a, b, c, d, e, f, g, h uint32) (_, _, _, _, _, _, _, _ uint32) {
	a = b + bits.RotateLeft32(a+m[0][0]+sines[0]+((c^d)&b^d), 7)
	e = f + bits.RotateLeft32(e+m[1][0]+sines[0]+((g^h)&f^h), 7)
	d = a + bits.RotateLeft32(d+m[0][1]+sines[1]+((b^c)&a^c), 12)
	h = e + bits.RotateLeft32(h+m[1][1]+sines[1]+((f^g)&e^g), 12)
	c = d + bits.RotateLeft32(c+m[0][2]+sines[2]+((a^b)&d^b), 17)
	g = h + bits.RotateLeft32(g+m[1][2]+sines[2]+((e^f)&h^f), 17)
	b = c + bits.RotateLeft32(b+m[0][3]+sines[3]+((d^a)&c^a), 22)
	f = g + bits.RotateLeft32(f+m[1][3]+sines[3]+((h^e)&g^e), 22)
	a = b + bits.RotateLeft32(a+m[0][4]+sines[4]+((c^d)&b^d), 7)
	e = f + bits.RotateLeft32(e+m[1][4]+sines[4]+((g^h)&f^h), 7)
	d = a + bits.RotateLeft32(d+m[0][5]+sines[5]+((b^c)&a^c), 12)
	h = e + bits.RotateLeft32(h+m[1][5]+sines[5]+((f^g)&e^g), 12)
	c = d + bits.RotateLeft32(c+m[0][6]+sines[6]+((a^b)&d^b), 17)
	g = h + bits.RotateLeft32(g+m[1][6]+sines[6]+((e^f)&h^f), 17)
	b = c + bits.RotateLeft32(b+m[0][7]+sines[7]+((d^a)&c^a), 22)
	f = g + bits.RotateLeft32(f+m[1][7]+sines[7]+((h^e)&g^e), 22)
	a = b + bits.RotateLeft32(a+m[0][8]+sines[8]+((c^d)&b^d), 7)
	e = f + bits.RotateLeft32(e+m[1][8]+sines[8]+((g^h)&f^h), 7)
	d = a + bits.RotateLeft32(d+m[0][9]+sines[9]+((b^c)&a^c), 12)
	h = e + bits.RotateLeft32(h+m[1][9]+sines[9]+((f^g)&e^g), 12)
	c = d + bits.RotateLeft32(c+m[0][10]+sines[10]+((a^b)&d^b), 17)
	g = h + bits.RotateLeft32(g+m[1][10]+sines[10]+((e^f)&h^f), 17)
	b = c + bits.RotateLeft32(b+m[0][11]+sines[11]+((d^a)&c^a), 22)
	f = g + bits.RotateLeft32(f+m[1][11]+sines[11]+((h^e)&g^e), 22)
	a = b + bits.RotateLeft32(a+m[0][12]+sines[12]+((c^d)&b^d), 7)
	e = f + bits.RotateLeft32(e+m[1][12]+sines[12]+((g^h)&f^h), 7)
	d = a + bits.RotateLeft32(d+m[0][13]+sines[13]+((b^c)&a^c), 12)
	h = e + bits.RotateLeft32(h+m[1][13]+sines[13]+((f^g)&e^g), 12)
	c = d + bits.RotateLeft32(c+m[0][14]+sines[14]+((a^b)&d^b), 17)
	g = h + bits.RotateLeft32(g+m[1][14]+sines[14]+((e^f)&h^f), 17)
	b = c + bits.RotateLeft32(b+m[0][15]+sines[15]+((d^a)&c^a), 22)
	f = g + bits.RotateLeft32(f+m[1][15]+sines[15]+((h^e)&g^e), 22)
	return a, b, c, d, e, f, g, h
}

func md5Round2(m *[2]lane, a, b, c, d, e, f, g, h uint32) (_, _, _, _, _, _, _, _ uint32) {
	a = b + bits.RotateLeft32(a+m[0][1]+sines[16]+c&^d+b&d, 5)
	e = f + bits.RotateLeft32(e+m[1][1]+sines[16]+g&^h+f&h, 5)
	d = a + bits.RotateLeft32(d+m[0][6]+sines[17]+b&^c+a&c, 9)
	h = e + bits.RotateLeft32(h+m[1][6]+sines[17]+f&^g+e&g, 9)
	c = d + bits.RotateLeft32(c+m[0][11]+sines[18]+a&^b+d&b, 14)
	g = h + bits.RotateLeft32(g+m[1][11]+sines[18]+e&^f+h&f, 14)
	b = c + bits.RotateLeft32(b+m[0][0]+sines[19]+d&^a+c&a, 20)
	f = g + bits.RotateLeft32(f+m[1][0]+sines[19]+h&^e+g&e, 20)
	a = b + bits.RotateLeft32(a+m[0][5]+sines[20]+c&^d+b&d, 5)
	e = f + bits.RotateLeft32(e+m[1][5]+sines[20]+g&^h+f&h, 5)
	d = a + bits.RotateLeft32(d+m[0][10]+sines[21]+b&^c+a&c, 9)
	h = e + bits.RotateLeft32(h+m[1][10]+sines[21]+f&^g+e&g, 9)
	c = d + bits.RotateLeft32(c+m[0][15]+sines[22]+a&^b+d&b, 14)
	g = h + bits.RotateLeft32(g+m[1][15]+sines[22]+e&^f+h&f, 14)
	b = c + bits.RotateLeft32(b+m[0][4]+sines[23]+d&^a+c&a, 20)
	f = g + bits.RotateLeft32(f+m[1][4]+sines[23]+h&^e+g&e, 20)
	a = b + bits.RotateLeft32(a+m[0][9]+sines[24]+c&^d+b&d, 5)
	e = f + bits.RotateLeft32(e+m[1][9]+sines[24]+g&^h+f&h, 5)
	d = a + bits.RotateLeft32(d+m[0][14]+sines[25]+b&^c+a&c, 9)
	h = e + bits.RotateLeft32(h+m[1][14]+sines[25]+f&^g+e&g, 9)
	c = d + bits.RotateLeft32(c+m[0][3]+sines[26]+a&^b+d&b, 14)
	g = h + bits.RotateLeft32(g+m[1][3]+sines[26]+e&^f+h&f, 14)
	b = c + bits.RotateLeft32(b+m[0][8]+sines[27]+d&^a+c&a, 20)
	f = g + bits.RotateLeft32(f+m[1][8]+sines[27]+h&^e+g&e, 20)
	a = b + bits.RotateLeft32(a+m[0][13]+sines[28]+c&^d+b&d, 5)
	e = f + bits.RotateLeft32(e+m[1][13]+sines[28]+g&^h+f&h, 5)
	d = a + bits.RotateLeft32(d+m[0][2]+sines[29]+b&^c+a&c, 9)
	h = e + bits.RotateLeft32(h+m[1][2]+sines[29]+f&^g+e&g, 9)
	c = d + bits.RotateLeft32(c+m[0][7]+sines[30]+a&^b+d&b, 14)
	g = h + bits.RotateLeft32(g+m[1][7]+sines[30]+e&^f+h&f, 14)
	b = c + bits.RotateLeft32(b+m[0][12]+sines[31]+d&^a+c&a, 20)
	f = g + bits.RotateLeft32(f+m[1][12]+sines[31]+h&^e+g&e, 20)
	return a, b, c, d, e, f, g, h
}

func md5Round3(m *[2]lane, a, b, c, d, e, f, g, h uint32) (_, _, _, _, _, _, _, _ uint32) {
	a = b + bits.RotateLeft32(a+m[0][5]+sines[32]+((c^d)^b), 4)
	e = f + bits.RotateLeft32(e+m[1][5]+sines[32]+((g^h)^f), 4)
	d = a + bits.RotateLeft32(d+m[0][8]+sines[33]+((b^c)^a), 11)
	h = e + bits.RotateLeft32(h+m[1][8]+sines[33]+((f^g)^e), 11)
	c = d + bits.RotateLeft32(c+m[0][11]+sines[34]+((a^b)^d), 16)
	g = h + bits.RotateLeft32(g+m[1][11]+sines[34]+((e^f)^h), 16)
	b = c + bits.RotateLeft32(b+m[0][14]+sines[35]+((d^a)^c), 23)
	f = g + bits.RotateLeft32(f+m[1][14]+sines[35]+((h^e)^g), 23)
	a = b + bits.RotateLeft32(a+m[0][1]+sines[36]+((c^d)^b), 4)
	e = f + bits.RotateLeft32(e+m[1][1]+sines[36]+((g^h)^f), 4)
	d = a + bits.RotateLeft32(d+m[0][4]+sines[37]+((b^c)^a), 11)
	h = e + bits.RotateLeft32(h+m[1][4]+sines[37]+((f^g)^e), 11)
	c = d + bits.RotateLeft32(c+m[0][7]+sines[38]+((a^b)^d), 16)
	g = h + bits.RotateLeft32(g+m[1][7]+sines[38]+((e^f)^h), 16)
	b = c + bits.RotateLeft32(b+m[0][10]+sines[39]+((d^a)^c), 23)
	f = g + bits.RotateLeft32(f+m[1][10]+sines[39]+((h^e)^g), 23)
	a = b + bits.RotateLeft32(a+m[0][13]+sines[40]+((c^d)^b), 4)
	e = f + bits.RotateLeft32(e+m[1][13]+sines[40]+((g^h)^f), 4)
	d = a + bits.RotateLeft32(d+m[0][0]+sines[41]+((b^c)^a), 11)
	h = e + bits.RotateLeft32(h+m[1][0]+sines[41]+((f^g)^e), 11)
	c = d + bits.RotateLeft32(c+m[0][3]+sines[42]+((a^b)^d), 16)
	g = h + bits.RotateLeft32(g+m[1][3]+sines[42]+((e^f)^h), 16)
	b = c + bits.RotateLeft32(b+m[0][6]+sines[43]+((d^a)^c), 23)
	f = g + bits.RotateLeft32(f+m[1][6]+sines[43]+((h^e)^g), 23)
	a = b + bits.RotateLeft32(a+m[0][9]+sines[44]+((c^d)^b), 4)
	e = f + bits.RotateLeft32(e+m[1][9]+sines[44]+((g^h)^f), 4)
	d = a + bits.RotateLeft32(d+m[0][12]+sines[45]+((b^c)^a), 11)
	h = e + bits.RotateLeft32(h+m[1][12]+sines[45]+((f^g)^e), 11)
	c = d + bits.RotateLeft32(c+m[0][15]+sines[46]+((a^b)^d), 16)
	g = h + bits.RotateLeft32(g+m[1][15]+sines[46]+((e^f)^h), 16)
	b = c + bits.RotateLeft32(b+m[0][2]+sines[47]+((d^a)^c), 23)
	f = g + bits.RotateLeft32(f+m[1][2]+sines[47]+((h^e)^g), 23)
	return a, b, c, d, e, f, g, h
}

func md5Round4(m *[2]lane, a, b, c, d, e, f, g, h uint32) (_, _, _, _, _, _, _, _ uint32) {
	a = b + bits.RotateLeft32(a+m[0][0]+sines[48]+(c^(b|^d)), 6)
	e = f + bits.RotateLeft32(e+m[1][0]+sines[48]+(g^(f|^h)), 6)
	d = a + bits.RotateLeft32(d+m[0][7]+sines[49]+(b^(a|^c)), 10)
	h = e + bits.RotateLeft32(h+m[1][7]+sines[49]+(f^(e|^g)), 10)
	c = d + bits.RotateLeft32(c+m[0][14]+sines[50]+(a^(d|^b)), 15)
	g = h + bits.RotateLeft32(g+m[1][14]+sines[50]+(e^(h|^f)), 15)
	b = c + bits.RotateLeft32(b+m[0][5]+sines[51]+(d^(c|^a)), 21)
	f = g + bits.RotateLeft32(f+m[1][5]+sines[51]+(h^(g|^e)), 21)
	a = b + bits.RotateLeft32(a+m[0][12]+sines[52]+(c^(b|^d)), 6)
	e = f + bits.RotateLeft32(e+m[1][12]+sines[52]+(g^(f|^h)), 6)
	d = a + bits.RotateLeft32(d+m[0][3]+sines[53]+(b^(a|^c)), 10)
	h = e + bits.RotateLeft32(h+m[1][3]+sines[53]+(f^(e|^g)), 10)
	c = d + bits.RotateLeft32(c+m[0][10]+sines[54]+(a^(d|^b)), 15)
	g = h + bits.RotateLeft32(g+m[1][10]+sines[54]+(e^(h|^f)), 15)
	b = c + bits.RotateLeft32(b+m[0][1]+sines[55]+(d^(c|^a)), 21)
	f = g + bits.RotateLeft32(f+m[1][1]+sines[55]+(h^(g|^e)), 21)
	a = b + bits.RotateLeft32(a+m[0][8]+sines[56]+(c^(b|^d)), 6)
	e = f + bits.RotateLeft32(e+m[1][8]+sines[56]+(g^(f|^h)), 6)
	d = a + bits.RotateLeft32(d+m[0][15]+sines[57]+(b^(a|^c)), 10)
	h = e + bits.RotateLeft32(h+m[1][15]+sines[57]+(f^(e|^g)), 10)
	c = d + bits.RotateLeft32(c+m[0][6]+sines[58]+(a^(d|^b)), 15)
	g = h + bits.RotateLeft32(g+m[1][6]+sines[58]+(e^(h|^f)), 15)
	b = c + bits.RotateLeft32(b+m[0][13]+sines[59]+(d^(c|^a)), 21)
	f = g + bits.RotateLeft32(f+m[1][13]+sines[59]+(h^(g|^e)), 21)
	a = b + bits.RotateLeft32(a+m[0][4]+sines[60]+(c^(b|^d)), 6)
	e = f + bits.RotateLeft32(e+m[1][4]+sines[60]+(g^(f|^h)), 6)
	d = a + bits.RotateLeft32(d+m[0][11]+sines[61]+(b^(a|^c)), 10)
	h = e + bits.RotateLeft32(h+m[1][11]+sines[61]+(f^(e|^g)), 10)
	c = d + bits.RotateLeft32(c+m[0][2]+sines[62]+(a^(d|^b)), 15)
	g = h + bits.RotateLeft32(g+m[1][2]+sines[62]+(e^(h|^f)), 15)
	b = c + bits.RotateLeft32(b+m[0][9]+sines[63]+(d^(c|^a)), 21)
	f = g + bits.RotateLeft32(f+m[1][9]+sines[63]+(h^(g|^e)), 21)
	return a, b, c, d, e, f, g, h
}

// sines are the whole parts of 2^32 * |sin(i+1)|.
var sines = [64]uint32{
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
	0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
	0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
	0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
	0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
	0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
	0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
	0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
}
