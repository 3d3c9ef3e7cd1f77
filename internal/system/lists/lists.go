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

// Each calls f with the elements of a list, up to the first for which it fails. It returns that error.
func Each[T any](list []T, f func(T) error) error {
	for _, v := range list {
		if err := f(v); err != nil {
			return err
		}
	}
	return nil
}

// Run calls steps up to the first that fails, and returns its error.
func Run(steps ...func() error) error {
	return Each(steps, func(step func() error) error { return step() })
}

// Below returns the numbers 0 to n-1, as indexes to sort.
func Below(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
