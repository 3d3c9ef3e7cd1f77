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

// A Program is the code that --against names, for use by other commands.
type Program struct{ code programCode }

// OpenProgram opens the code that --against names. Several names form one class path. Without names it opens the class
// path that the archive records; if there is no such path, the error matches ErrNotRecorded.
func OpenProgram(ctx context.Context, a *cli.App, names []string, s *reader.Store) (*Program, error) {
	c, err := openCode(ctx, a, names, s)
	return &Program{c}, err
}

// Name returns the program's name for people.
func (p *Program) Name() string { return p.code.name }

func (p *Program) Close() { p.code.close() }

// CheckFit checks all profiles of an archive, and lists at most misfits misfits. It fails if nothing could be checked,
// or if the code belongs to another program.
func (p *Program) CheckFit(ctx context.Context, s *reader.Store, misfits int) (*report.Check, error) {
	o := checkOptions{confidence: fit.DefaultConfidence, renames: true, top: misfits}
	r := p.code.newReport(s)
	found, err := fit.Check(ctx, s, p.code.Code, o.fitOptions(s))
	if err == nil {
		err = o.refuseUnchecked(r, found, p.code)
	}
	if err != nil {
		return nil, err
	}
	return r, r.SetResult(s, found)
}

// LacksMethod reports whether the program certainly has no such method.
func (p *Program) LacksMethod(k layout.Key) bool {
	a, err := p.code.Method(k)
	return err == nil && (a.Presence == methodcode.NoMethod || a.Presence == methodcode.NoClass)
}
