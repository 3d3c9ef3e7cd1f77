package live

import (
	"context"
	"slices"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/compartment"
	"github.com/profarc/profarc/internal/secrets"
	"github.com/profarc/profarc/layout"
)

// Provenance says which run the process is: what the system and the VM say of its
// start, without secrets. The content of the class path is not read: see
// Report.Describe. What is not known is empty, and is no error.
func (vm *VM) Provenance(ctx context.Context) layout.Provenance {
	if vm.run != nil {
		return vm.run.Provenance
	}
	ctx, cancel := timed(ctx, vm.p.held())
	defer cancel()
	doing := func() string { return "read how a JVM was started" }
	known, err := compartment.RunUntil(ctx, doing, func() (k knownRun, err error) {
		k.origin = &origin{}
		if p, ok := vm.p.(interface{ origin() *origin }); ok {
			k.origin = p.origin()
		}
		k.Provenance = vm.provenance(newPageCache(vm.p, newMeter(ctx, vm.p.held())), k.origin)
		return k, nil
	})
	if err != nil {
		known = knownRun{layout.Provenance{VM: vm.info}, &origin{}}
	}
	vm.run = &known
	return known.Provenance
}

// A knownRun is a run with what its files are read by.
type knownRun struct {
	layout.Provenance
	origin *origin
}

func (vm *VM) provenance(mem source, o *origin) layout.Provenance {
	a, texts := vm.arguments(mem), vm.perfTexts(mem)
	return layout.Provenance{
		Process: o.process, Begun: o.begun,
		VM: vm.info, Vendor: texts["java.property.java.vm.vendor"],
		Main:      mainOf(a.command, o.argv),
		Command:   commandLine(o.argv),
		Options:   commandLine(optionsBeside(a.options, o.argv)),
		ClassPath: vm.entries(mem, texts, &o.launch, a.options),
	}
}

// optionsBeside are options of the VM that are not on the command line of its
// process: from variables and files.
func optionsBeside(options, argv []string) (beside []string) {
	on := map[string]bool{}
	for i, arg := range argv {
		on[arg] = true
		if i > 0 { // the launcher hands "--name value" on as "--name=value"
			on[argv[i-1]+"="+arg] = true
		}
	}
	for _, o := range options {
		if !on[o] && !slices.Contains(beside, o) {
			beside = append(beside, o)
		}
	}
	return beside
}

// maxCommandLine bounds the command line that an archive keeps.
const maxCommandLine = 1 << 16

// commandLine is a command line without secrets. Words with blanks are in quotes.
func commandLine(args []string) string {
	words := secrets.Mask(args)
	for i, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n'\"") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	line := strings.Join(words, " ")
	if len(line) > maxCommandLine {
		line = line[:maxCommandLine] + "..."
	}
	return line
}

// Describe says in the builder of a dump which run it is of, with the content of
// the class path; once, however often it is called. The process need not run any
// more, unless it has files of its own. contents spares reading again what is on
// several class paths.
func (r *Report) Describe(ctx context.Context, b *builder.Builder, contents *Contents) {
	if r.described {
		return
	}
	r.described = true
	r.Run.ClassPath = contents.read(ctx, r.origin, r.Run.ClassPath)
	b.DescribeRun(r.Run)
}

// OwnFiles reports whether the process has files of its own, as in a container:
// they can be read only as long as it lives.
func (r *Report) OwnFiles() bool { return r.origin.root != "" }
