package bench

import "github.com/profarc/profarc/layout"

// 32 quantiles from a run of javac with 6,205 methods in 1,142 classes. They are the sizes in bytes of profiles and of
// the parts of keys, and the number of methods per class, without the largest 1%.
var (
	javacBlocks = [32]int{88, 96, 104, 104, 104, 104, 120, 144, 144, 144, 144, 160, 160, 176, 200, 200,
		216, 232, 256, 280, 312, 336, 376, 424, 464, 536, 640, 808, 1056, 1408, 1984, 3656}
	javacClasses = [32]int{16, 19, 22, 25, 27, 29, 31, 32, 33, 34, 35, 36, 38, 39, 40, 40,
		42, 43, 44, 45, 47, 49, 51, 53, 55, 58, 61, 69, 75, 85, 93, 109}
	javacNames = [32]int{3, 4, 4, 5, 6, 6, 6, 6, 6, 6, 7, 7, 8, 8, 9, 9,
		10, 10, 11, 11, 12, 12, 13, 14, 14, 15, 16, 18, 19, 21, 24, 29}
	javacSignatures = [32]int{3, 3, 3, 4, 4, 8, 20, 21, 24, 30, 34, 35, 37, 39, 42, 44,
		47, 48, 51, 56, 64, 66, 71, 78, 81, 90, 96, 105, 120, 132, 156, 214}
	javacMembers = [32]int{1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2,
		2, 3, 3, 3, 3, 3, 4, 4, 5, 5, 6, 8, 10, 13, 20, 44}
)

// JavacBlock returns the approximate size in bytes of the MethodData of method i, with the distribution of javac. The
// mean is 480 bytes, the median much less.
func JavacBlock(i int) int { return pickQuantile(&javacBlocks, i, 1) }

// JavacKey returns the key of method i with about 100 bytes. As in javac, half of the names and short signatures belong
// to many methods, and long signatures to two on average.
func JavacKey(i int) layout.Key {
	class, member := javacClass(i)
	return layout.Key{
		Class:     numberedText("org/synthetic/compiler/", "/", class, pickQuantile(&javacClasses, class, 2)),
		Name:      javacName(i, member),
		Signature: javacSignature(i / 2),
	}
}

// javacClass returns the class of method i, and its index in the class.
func javacClass(i int) (class, member int) {
	cycle := 0
	for _, n := range javacMembers {
		cycle += n
	}
	class = i / cycle * len(javacMembers)
	member = i % cycle
	for _, n := range javacMembers {
		if member < n {
			break
		}
		class++
		member -= n
	}
	return class, member
}

func javacName(i, member int) string {
	size := pickQuantile(&javacNames, i, 3)
	if size > numberSize+2 {
		return numberedText("attributeOf", "", i, size)
	}
	return "visit"[:size-2] + string([]byte{digits[member/len(digits)], digits[member%len(digits)]})
}

func javacSignature(i int) string {
	switch size := pickQuantile(&javacSignatures, i, 4); {
	case size < 4:
		return "()V"
	case size < 20:
		return "(I)V"
	default:
		return numberedText("(Lorg/synthetic/compiler/", "/", i, size-3) + ";)V"
	}
}

const (
	digits     = "0123456789abcdefghijklmnopqrstuvwxyz"
	numberSize = 5 // number of digits, for 60 million numbers
)

// numberedText returns a text of size bytes with repeated words, a separator and a number.
func numberedText(words, separator string, i, size int) string {
	text := make([]byte, size)
	fill := text[:size-numberSize-len(separator)]
	for n := 0; n < len(fill); {
		n += copy(fill[n:], words)
	}
	copy(text[len(fill):], separator)
	for at := size - 1; at >= size-numberSize; at-- {
		text[at] = digits[i%len(digits)]
		i /= len(digits)
	}
	return string(text)
}

// pickQuantile pseudorandomly selects a quantile for i. Selections with different salts are independent.
func pickQuantile(quantiles *[32]int, i int, salt uint64) int {
	h := (uint64(i) + salt<<40) * 0x9e3779b97f4a7c15
	h = (h ^ h>>32) * 0xd6e8feb86659fd93
	return quantiles[h>>59]
}
