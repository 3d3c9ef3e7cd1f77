package main

import (
	"fmt"
	"strings"

	"github.com/profarc/profarc/fit"
)

// refuse gives an error where a check says nothing of how profiles fit: a score
// or an adapted archive would only look like an answer.
func (o *checkOptions) refuse(r *checkReport, found *fit.Report, against code) error {
	switch {
	case found.Methods == 0:
		return fmt.Errorf("nothing of %s can be checked: %s", r.Archive, o.nothingSelected())
	case against.related != nil:
		err := against.related()
		if flags := o.filters(); err != nil && flags != "" {
			return fmt.Errorf("%s has not one class of the profiles of %s that %s choose: check without", r.Against, r.Archive, flags)
		}
		if err != nil {
			return fmt.Errorf("%s is not the code of %s: %w", r.Against, r.Archive, err)
		}
	}
	if found.Checked() > 0 {
		return nil
	}
	reasons := uncheckedOf(found)
	if len(reasons) == 0 {
		return fmt.Errorf("nothing of %s can be checked: no method that was selected has a profile", r.Archive)
	}
	return fmt.Errorf("nothing of %s can be checked against %s: %s: name the code that its methods are of", r.Archive, r.Against, uncheckedText(reasons))
}

// refuseOld gives an error where the code that the profiles are said to be of
// has not one of their classes: nothing was matched by it.
func (r *checkReport) refuseOld(old code) error {
	if old.related == nil {
		return nil
	}
	if err := old.related(); err != nil {
		return fmt.Errorf("--old %s is not the code of %s: %w", old.what, r.Archive, err)
	}
	return nil
}

// nothingSelected says why no method was selected.
func (o *checkOptions) nothingSelected() string {
	if flags := o.filters(); flags != "" {
		return "no method matches " + flags
	}
	return "it has no methods"
}

// filters are the flags that select methods, as they were given.
func (o *checkOptions) filters() string {
	var flags []string
	if o.class != "" {
		flags = append(flags, "--class "+o.class)
	}
	if o.method != "" {
		flags = append(flags, "--method "+o.method)
	}
	return strings.Join(flags, " ")
}
