package convert

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/formats/llvm"
	"github.com/profarc/profarc/layout"
)

func recogniseLLVM(head []byte, _ bool) bool {
	_, ok := llvm.Detect(head)
	return ok
}

// llvmImportOptions are what a user says of profiles of LLVM.
type llvmImportOptions struct {
	compat  bool
	release int
}

func (o *llvmImportOptions) addTo(f *pflag.FlagSet) {
	f.BoolVar(&o.compat, "llvm-compat", false, "llvm, text: merge as llvm-profdata merge --num-threads=1 does, of the release of the files or of --llvm-release: of what does not go together the first stays, values new to a site have no weight, those without a name are paired by their places")
	f.IntVar(&o.release, "llvm-release", 0, "llvm: release of the LLVM that compiled the program, as 22; raw files of 14 to 17 and of 19 to 22 do not tell it")
}

// check refuses releases that are not known.
func (o *llvmImportOptions) check() error {
	if o.release != 0 && llvm.VersionOfRelease(o.release) == 0 {
		return app.Usagef("--llvm-release %d: it is 12 or higher, as 22", o.release)
	}
	return nil
}

func (c *ImportConfig) llvm(name string) llvm.ReadOptions {
	o := llvm.ReadOptions{Name: name, Config: c.Config, Run: c.run}
	if v := llvm.VersionOfRelease(c.llvmRelease); v != 0 {
		o.Config.Params[layout.ParamLLVMVersion] = uint32(v)
	}
	if c.into != nil {
		o.Into = c.into.Builder
	}
	return o
}

// checkLLVM reads a file and keeps nothing.
func checkLLVM(r io.Reader, name string, c ImportConfig) error {
	_, err := llvm.Check(r, c.llvm(name))
	return err
}

func readLLVM(r io.Reader, name string, c ImportConfig) (*imported, error) {
	b, report, err := llvm.Read(r, c.llvm(name))
	if err != nil {
		return nil, err
	}
	p := &imported{Builder: b, methods: report.Functions, entries: report.Entries, lost: app.LossesOf(report.Lost)}
	p.facts = map[string]any{
		"kind": report.Kind.String(), "version": report.Version, "modules": report.Modules, "traces": report.Traces,
		"llvm_version": report.Params[layout.ParamLLVMVersion], "variant": report.Params[layout.ParamLLVMVariant],
	}
	return p, nil
}

// droppedText says how many functions were dropped, and why.
func droppedText(lost []app.Loss) string {
	n, why := 0, []string{}
	for _, l := range lost {
		if reason, ok := strings.CutPrefix(l.What, llvm.Dropped); ok {
			n += l.Count
			why = append(why, reason)
		}
	}
	if n == 0 {
		return "0 dropped"
	}
	return fmt.Sprintf("%d dropped because %s", n, strings.Join(why, ", and because "))
}
