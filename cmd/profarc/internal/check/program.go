package check

import (
	"context"

	"github.com/profarc/profarc/cmd/profarc/internal/view/report"
	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Program is the code that --against names, for other commands.
type Program struct{ code programCode }

// OpenProgram opens the code that --against names, for the profiles of an archive. As in the
// command, several names are a class path, and none is the one that the archive records; the
// error matches ErrNotRecorded if that cannot be had.
func OpenProgram(ctx context.Context, a *cli.App, names []string, s *reader.Store) (*Program, error) {
	c, err := openCode(ctx, a, names, s)
	return &Program{c}, err
}

// Name returns the name of the program for people.
func (p *Program) Name() string { return p.code.name }

// Close releases the files of the program.
func (p *Program) Close() { p.code.close() }

// Fit checks all profiles of an archive, with at most so many misfits in the report. As in the command, it is
// an error if nothing could be checked, or if the code is of another program.
func (p *Program) Fit(ctx context.Context, s *reader.Store, misfits int) (*report.Check, error) {
	o := checkOptions{confidence: fit.DefaultConfidence, renames: true, top: misfits}
	r := p.code.newReport(s)
	found, err := fit.Check(ctx, s, p.code.Code, o.fitOptions(s))
	if err == nil {
		err = o.refuseUnchecked(r, found, p.code)
	}
	if err != nil {
		return nil, err
	}
	return r, r.Fill(s, found)
}

// Lacks reports whether the program is known not to have a method.
func (p *Program) Lacks(k layout.Key) bool {
	a, err := p.code.Method(k)
	return err == nil && (a.Presence == methodcode.NoMethod || a.Presence == methodcode.NoClass)
}
