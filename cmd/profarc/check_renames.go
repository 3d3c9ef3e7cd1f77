package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/profarc/profarc/analyze"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/fit"
	"github.com/profarc/profarc/internal/escape"
	"github.com/profarc/profarc/layout"
)

// A checkRename is a class or method that has another name now.
type checkRename struct {
	From     checkName `json:"from"`
	To       checkName `json:"to"`
	Methods  int       `json:"methods"` // of a class: whose code is known
	Same     int       `json:"same"`    // of these, with the same code now
	Profiles int       `json:"profiles"`
	Weight   float64   `json:"weight"`
}

// A checkName is a class, or a method.
type checkName struct {
	Class     string `json:"class"`
	Name      string `json:"name,omitempty"`
	Signature string `json:"signature,omitempty"`
	Loader    string `json:"loader,omitempty"`
}

func checkNameOf(k layout.Key) checkName { return checkName{k.Class, k.Name, k.Signature, k.Loader} }

// String is the name for people.
func (n checkName) String() string {
	if n.Name == "" {
		return strings.ReplaceAll(n.Class, "/", ".")
	}
	return analyze.MethodText(layout.DomainHotSpot, layout.Key{Class: n.Class, Name: n.Name, Signature: n.Signature})
}

func renamesOf(found *fit.Report) []checkRename {
	all := []checkRename{}
	for i := range found.Renames {
		n := &found.Renames[i]
		all = append(all, checkRename{checkNameOf(n.From), checkNameOf(n.To), n.Methods, n.Same, n.Profiles, n.Weight})
	}
	return all
}

// shownRenames is how many renames are told one by one.
const shownRenames = 20

func (r *checkReport) printRenames(a *app.App) {
	if len(r.Renames) == 0 {
		return
	}
	fmt.Fprintf(a.Out, "\nrenamed\n")
	w := tabwriter.NewWriter(a.Out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "profiles\tcounts\twas\tis now\tsame code")
	for _, n := range r.Renames[:min(len(r.Renames), shownRenames)] {
		same := fmt.Sprintf("%d of %s", n.Same, app.Amount(n.Methods, "method"))
		if n.Methods == 0 {
			same = "named by others"
		}
		fmt.Fprintf(w, "%d\t%.0f\t%s\t%s\t%s\n", n.Profiles, n.Weight, escape.Printable(n.From.String()), escape.Printable(n.To.String()), same)
	}
	w.Flush()
	if n := len(r.Renames) - shownRenames; n > 0 {
		fmt.Fprintf(a.Out, "and %d more\n", n)
	}
}
