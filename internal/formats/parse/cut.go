package parse

// CutWhile splits list before the first element for which is returns false.
func CutWhile[S ~[]E, E any](list S, is func(e E) bool) (while, rest S) {
	n := 0
	for n < len(list) && is(list[n]) {
		n++
	}
	return list[:n:n], list[n:]
}
