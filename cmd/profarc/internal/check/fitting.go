package check

import (
	"context"

	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A CodeVersion is a version of the code of a method.
type CodeVersion struct {
	Key  layout.Key
	Code uint64
}

// FittingVersions returns the versions in an archive that the program has, by their keys in the archive. It returns nil
// with the error of CheckFit if nothing could be compared.
func (p *Program) FittingVersions(ctx context.Context, s *reader.Store) (map[CodeVersion]bool, error) {
	o := checkOptions{confidence: fit.DefaultConfidence, top: 0}
	options := o.fitOptions(s)
	fitting := map[CodeVersion]bool{}
	options.Each = func(v *fit.Verdict) error {
		if v.State != fit.Exact {
			return nil
		}
		k, err := v.Method.Key()
		fitting[CodeVersion{k, v.Profile.Code()}] = true
		return err
	}
	found, err := fit.Check(ctx, s, p.code.Code, options)
	if err == nil {
		err = o.refuseUnrelated(p.code.newReport(s), found, p.code)
	}
	if err != nil {
		return nil, err
	}
	return fitting, nil
}
