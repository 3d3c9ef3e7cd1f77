// Package lists has functions for slices that the package slices lacks.
package lists

import "strings"

// Map returns the results of f for all elements of a list.
func Map[T, R any](list []T, f func(T) R) []R {
	results := make([]R, len(list))
	for i, v := range list {
		results[i] = f(v)
	}
	return results
}

// Join joins the texts that f returns for all elements of a list.
func Join[T any](list []T, separator string, f func(T) string) string {
	return strings.Join(Map(list, f), separator)
}

// Below returns the numbers 0 to n-1, as indexes to sort.
func Below(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
