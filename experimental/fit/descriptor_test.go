package fit

import (
	"slices"
	"strings"
	"testing"
)

func TestDescriptors(t *testing.T) {
	t.Parallel()
	renamed := func(class string) string { return strings.ReplaceAll(class, "Old", "New") }
	for descriptor, want := range map[string]string{
		"":                            "",
		"()V":                         "()V",
		"(IJ[Z)D":                     "(IJ[Z)D",
		"(LOld;[[La/Old;ILx/B;)LOld;": "(LNew;[[La/New;ILx/B;)LNew;",
		"[LOld;":                      "[LNew;",
		"(LOld":                       "(LOld", // none
		"()L;":                        "()L;",
	} {
		t.Run(descriptor, func(t *testing.T) {
			if got := mapClasses(descriptor, renamed); got != want {
				t.Errorf("%s becomes %s, want %s", descriptor, got, want)
			}
		})
	}
	for _, c := range []struct {
		a, b string
		same bool
		pair []string
	}{
		{"(LA;I)LB;", "(LA;I)LB;", true, nil},
		{"(LA;I)LB;", "(LX;I)LB;", true, []string{"A X"}},
		{"(LA;I)LB;", "(LX;J)LB;", false, nil},
		{"(LA;)V", "(LA;LA;)V", false, nil},
		{"([LA;)V", "(LA;)V", false, nil},
		{"(LA;)LA;", "(LX;)LY;", true, []string{"A X", "A Y"}},
	} {
		t.Run(c.b, func(t *testing.T) {
			var pair []string
			pairs, same := differingClasses(c.a, c.b)
			for _, p := range pairs {
				pair = append(pair, p[0]+" "+p[1])
			}
			if same != c.same || !slices.Equal(pair, c.pair) {
				t.Errorf("%s and %s: %t, %v", c.a, c.b, same, pair)
			}
		})
	}
}
