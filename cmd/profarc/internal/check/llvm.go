package check

import (
	"strings"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/internal/formats/llvm/inventory"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// openInstrumented opens a program with its libraries, whose functions are instrumented as profiles of a domain of LLVM
// are.
func openInstrumented(names []string, d layout.Domain) (programCode, error) {
	for _, name := range names[1:] {
		kind, err := codeKind(name)
		if err == nil && kind != kindProgram {
			err = cli.Usagef("--against %s: only programs and libraries can be named beside others", name)
		}
		if err != nil {
			return programCode{}, err
		}
	}
	p, err := inventory.Open(names...)
	if err == nil {
		err = p.CheckDomain(d)
	}
	if err != nil {
		return programCode{}, &cli.ExitError{Code: ExitUnchecked, Err: err}
	}
	return programCode{Code: p, name: strings.Join(names, ", "), close: func() {}, stripped: !p.IsDomainKnown()}, nil
}

// hasWholeProgram reports whether a profile has every function of its program, as the raw profiles of LLVM have that
// count before inlining.
func hasWholeProgram(name string, s *reader.Store) bool {
	head, err := readMagic(name)
	kind, ok := llvm.Detect(head)
	after := llvm.Variant(s.Header().Params.LLVMVariant)&llvm.VariantContextSensitive != 0
	return err == nil && ok && kind == llvm.KindRaw && !after
}
