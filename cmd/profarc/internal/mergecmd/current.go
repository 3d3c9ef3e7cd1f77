package mergecmd

import (
	"context"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/check"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/layout"
)

// currentVersions is the value of --versions that keeps what fits a program.
const currentVersions = "current"

// keepCurrent drops the versions that do not fit the program, and returns the number of dropped profiles.
func (r *mergeReport) keepCurrent(ctx context.Context, a *cli.App, b *builder.Builder, against []string) (dropped int,
	err error) {
	s, err := b.Open("what was merged")
	if err != nil {
		return 0, err
	}
	defer s.Close()
	program, err := check.OpenProgram(ctx, a, against, s)
	if err != nil {
		return 0, err
	}
	defer program.Close()
	fitting, err := program.FittingVersions(ctx, s)
	if err != nil {
		return 0, err
	}
	fits := func(k layout.Key, code uint64) bool { return fitting[check.CodeVersion{Key: k, Code: code}] }
	r.Versions, r.Unfit, dropped, err = merging.KeepFitting(b.Internal(), fits)
	return dropped, err
}
