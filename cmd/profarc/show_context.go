package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/methods"
	"github.com/profarc/profarc/internal/dump"
	"github.com/profarc/profarc/reader"
)

// showInContext prints the profile that a method has in a calling context. How
// much of the context was found is no part of a method's JSON: it is noted.
func (o *showOptions) showInContext(w, notes io.Writer, s *reader.Store, key string, sites []methods.CallSite) error {
	m, err := o.only(s, key)
	if err != nil {
		return err
	}
	c, err := methods.NewCallContext(s, sites)
	if err != nil {
		return err
	}
	match, err := c.Lookup(m, reader.AnyCode)
	switch {
	case errors.Is(err, reader.ErrNotFound):
		return noProfile(s, key)
	case errors.Is(err, reader.ErrAmbiguous):
		return fmt.Errorf("%s: %s has profiles of several versions of its code there: see them all with profarc show %s, without callers", s.Mapping().Name(), key, s.Mapping().Name())
	case err != nil:
		return err
	case o.json:
		lines, err := match.Lines(s)
		for _, line := range lines {
			fmt.Fprintln(notes, line)
		}
		return errors.Join(err, dump.Profile(w, s, m, match.Profile))
	}
	labels, err := openLabels(o.classPath, s)
	if err != nil {
		return err
	}
	defer labels.close()
	return printInContext(w, s, m, match, labels)
}

// only is the method that a key means, or any part of the name of a single one.
func (o *showOptions) only(s *reader.Store, key string) (found reader.Method, err error) {
	found, err = methods.Find(s, methods.KeysOf(s.Header().Domain, key, o.loader))
	if !errors.Is(err, reader.ErrNotFound) {
		return found, err
	}
	sel := selection{whole: methods.NewPattern(methods.PlainSpelling.Replace(key))}
	for m, err := range s.Methods() {
		if err != nil {
			return m, err
		}
		named, err := sel.nameMatches(s, m)
		if err != nil {
			return m, err
		}
		if named && found.Valid() {
			return m, app.Usagef("%s: several methods are named like that: callers belong to one, name it with its whole key", key)
		}
		if named {
			found = m
		}
	}
	if !found.Valid() {
		return found, methods.Missing(s, key, o.loader)
	}
	return found, nil
}

// noProfile is the error of a method that has no profile in a context, nor one
// for all.
func noProfile(s *reader.Store, key string) error {
	return fmt.Errorf("%s: %s has no profile in that context, nor one for every caller: see its contexts with profarc show %s", s.Mapping().Name(), key, s.Mapping().Name())
}

// printInContext prints a method with one profile.
func printInContext(w io.Writer, s *reader.Store, m reader.Method, match *methods.ContextMatch, labels *switchLabels) error {
	lines, err := match.Lines(s)
	if err != nil {
		return err
	}
	p := &profilePrinter{w: bufio.NewWriter(w), s: s, indent: pointWidth + kindWidth, labels: labels}
	fmt.Fprintf(p.w, "%s%s\n  id %s%s\n", methods.AccessText(m.Access()), p.methodName(m), app.FormatID(m.ID()), methodNotes(m))
	for _, line := range lines {
		fmt.Fprintf(p.w, "  %s\n", line)
	}
	if s.Header().Domain.LLVM() {
		p.indent = llvmIndent
		p.llvmProfile(match.Profile)
	} else {
		p.profile(match.Profile)
	}
	if p.err != nil {
		return p.err
	}
	return p.w.Flush()
}
