package intern

// What is looked up in another order than that in which it was put lies anywhere
// in memory: of millions, hardly any is in a cache. So a group of it is touched
// before any of it is used, in loops so short that the processor waits for many
// at once. The sum of what was touched keeps the compiler from leaving it out.
const GroupSize = 128

func firstByte(text []byte) byte {
	if len(text) == 0 {
		return 0
	}
	return text[0]
}
