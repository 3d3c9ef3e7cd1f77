package layout

import "math/bits"

// SaturatingAdd is a + b, the highest number if that does not fit.
func SaturatingAdd(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	return sum | -carry
}
