package methods

import (
	"fmt"
	"strings"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/cli"
)

func MeasureNames() []string {
	var names []string
	for _, m := range analyze.Measures {
		names = append(names, m.Name)
	}
	return names
}

// ChosenMeasure returns the measure with a name, or nil for "". more lists further names for the error.
func ChosenMeasure(name string, more ...string) (*analyze.Measure, error) {
	m, ok := analyze.MeasureNamed(name)
	if !ok && name != "" {
		return nil, cli.Usagef("--by %s: use one of %s", name, strings.Join(append(MeasureNames(), more...), ", "))
	}
	return m, nil
}

func MeasuresText() string {
	var lines []string
	for _, m := range analyze.Measures {
		lines = append(lines, MeasureLine(m.Name, m.About))
	}
	return strings.Join(lines, "\n")
}

func MeasureLine(name, about string) string { return fmt.Sprintf("  %-16s%s", name, about) }
