package app

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/ledger"
)

// An unaccountedError is a difference between an archive and its inputs that has no reason.
type unaccountedError []ledger.Difference

// RefuseUnaccounted returns an error if an archive differs from its inputs without a reason. The archive is written by
// then.
func RefuseUnaccounted(all []ledger.Difference) error {
	if len(all) == 0 {
		return nil
	}
	return unaccountedError(all)
}

// Error returns, for example, "unaccounted: 12 samples lost".
func (e unaccountedError) Error() string {
	var parts []string
	for _, d := range e {
		what := "lost"
		if d.Gained {
			what = "added"
		}
		parts = append(parts, fmt.Sprintf("%s %s %s", cli.Grouped(d.Amount), d.Unit, what))
	}
	return "unaccounted: " + strings.Join(parts, ", ") + ": this is a defect of profarc; report it with the input"
}

// HasAdvice reports true; see layout.Error.
func (unaccountedError) HasAdvice() bool { return true }

// ReadNames reads the names in a file, a line each, for a flag. "" returns nil, and "-" reads the standard input.
func ReadNames(a *cli.App, flag, path string) (names []string, err error) {
	if path == "" {
		return nil, nil
	}
	in := a.In
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if name := strings.TrimSpace(lines.Text()); name != "" {
			names = append(names, name)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, cli.Usagef("--%s %s: there are no names in it", flag, path)
	}
	return names, nil
}
