package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/profarc/profarc/fit"
	"github.com/profarc/profarc/internal/escape"
)

// A checkReason is why profiles could not be checked.
type checkReason struct {
	Reason   string `json:"reason"`
	Profiles int    `json:"profiles"`
}

// uncheckedOf are the reasons of a check, those of most profiles first.
func uncheckedOf(found *fit.Report) []checkReason {
	all := []checkReason{}
	for reason, n := range found.Reasons {
		all = append(all, checkReason{reason, n})
	}
	slices.SortFunc(all, func(a, b checkReason) int {
		return cmp.Or(cmp.Compare(b.Profiles, a.Profiles), cmp.Compare(a.Reason, b.Reason))
	})
	return all
}

// shownReasons is how many reasons are told one by one.
const shownReasons = 5

// uncheckedText says why profiles are unchecked, in one line.
func uncheckedText(reasons []checkReason) string {
	var parts []string
	for _, r := range reasons[:min(shownReasons, len(reasons))] {
		parts = append(parts, fmt.Sprintf("%s (%d)", escape.Printable(r.Reason), r.Profiles))
	}
	if n := len(reasons) - shownReasons; n > 0 {
		parts = append(parts, fmt.Sprintf("%d more reasons", n))
	}
	return strings.Join(parts, "; ")
}
