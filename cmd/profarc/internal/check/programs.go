package check

import (
	"context"
	"strings"

	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/formats/llvm/inventory"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// openInstrumented opens a program and its libraries. It returns an error if they are instrumented for another
// domain.
func openInstrumented(names []string, d layout.Domain) (Program, error) {
	for _, name := range names[1:] {
		kind, err := codeKind(name)
		if err == nil && kind != kindProgram {
			err = cli.Usagef("--against %s: only programs and libraries can be named beside others", name)
		}
		if err != nil {
			return Program{}, err
		}
	}
	p, err := inventory.Open(names...)
	if err == nil {
		err = p.CheckDomain(d)
	}
	if err != nil {
		return Program{}, &cli.ExitError{Code: ExitUnchecked, Err: err}
	}
	return Program{Code: p, Name: strings.Join(names, ", "), Close: func() {}, stripped: !p.IsDomainKnown()}, nil
}

// hasWholeProgram reports whether a profile has every function of its program. A raw profile of LLVM has if it counted
// before inlining.
func hasWholeProgram(name string, s *reader.Store) bool {
	head, err := readMagic(name)
	kind, ok := llvm.Detect(head)
	after := llvm.Variant(s.Header().Params.LLVMVariant)&llvm.VariantContextSensitive != 0
	return err == nil && ok && kind == llvm.KindRaw && !after
}

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
	found, err := fit.Check(ctx, s, p.Code, options)
	if err == nil {
		err = o.refuseUnrelated(p.newReport(s), found, *p)
	}
	if err != nil {
		return nil, err
	}
	return fitting, nil
}
