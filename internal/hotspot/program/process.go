package program

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/hotspot/live"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/internal/system/lazyregexp"
	"github.com/profarc/profarc/layout"
)

type Process struct {
	methods map[layout.Key]methodcode.Version
	classes map[[2]string]bool // key: name, loader
	loaders map[string]bool

	declared map[[2]string][]methodcode.Declared // key: class name, loader
}

// ReadProcess reads the code of a JVM without changing it.
func ReadProcess(ctx context.Context, pid int) (*Process, error) {
	vm, err := live.Attach(ctx, pid)
	if err != nil {
		return nil, err
	}
	p := &Process{map[layout.Key]methodcode.Version{}, map[[2]string]bool{}, map[string]bool{},
		map[[2]string][]methodcode.Declared{}}
	err = vm.Methods(ctx, func(m live.MethodCode) error {
		p.classes[[2]string{m.Class, m.Loader}] = true
		p.loaders[m.Loader] = true
		if len(m.Code) > 0 {
			class := [2]string{m.Class, m.Loader}
			p.declared[class] = append(p.declared[class], declaredMethod(m.Name, m.Signature, m.Code))
		}
		v := versionOf(m.Code)
		if m.Instructions != nil {
			addNamesAndSketches(&v, m.Instructions)
		}
		p.methods[layout.Key{Class: m.Class, Name: m.Name, Signature: m.Signature, Loader: m.Loader}] = v
		return nil
	})
	return p, err
}

// Loaders returns the identities of the class loaders with classes, sorted, without the boot loader.
func (p *Process) Loaders() ([]string, error) {
	delete(p.loaders, "")
	return slices.Sorted(maps.Keys(p.loaders)), nil
}

// Method returns the version of a method in the process. It is unknown if the class is not loaded, since it may be
// loaded later. A key without a loader may belong to any loader that every JVM has.
func (p *Process) Method(k layout.Key) (methodcode.Answer, error) {
	none := methodcode.UnknownBecause("its class is not loaded")
	loaders := []string{k.Loader}
	if k.Loader == "" {
		loaders = []string{"", "app", "platform"}
	}
	for _, loader := range loaders {
		k.Loader = loader
		if v, ok := p.methods[k]; ok {
			return methodcode.Answer{Presence: methodcode.Present, Versions: []methodcode.Version{v}}, nil
		}
		if p.classes[[2]string{k.Class, loader}] {
			none = methodcode.Answer{Presence: methodcode.NoMethod}
		}
	}
	return none, nil
}

const reasonGenerated = "its name is made up anew in each run"

// generatedClasses match classes that are generated at run time and have no file. A JDK generates them for method
// handles, and libraries generate subclasses.
var generatedClasses = lazyregexp.New(strings.Join([]string{
	`^java/lang/invoke/(BoundMethodHandle\$Species_|LambdaForm\$|[A-Za-z]+\$Holder$)`,
	`\$\$(EnhancerBy|FastClassBy|KeyFactoryBy)[A-Za-z]*\$\$[0-9a-f]+$`,
	`\$\$(SpringCGLIB|FastClass)\$\$[0-9]+$`,
	`\$(ByteBuddy|MockitoMock|HibernateProxy)\$`,
	`_\$\$_(jvst|javassist_)[0-9a-f_]+$`,
}, "|"))

// isGenerated reports whether a class name looks generated at run time, as some names in the files of a JDK do.
func isGenerated(class string) bool {
	return javanames.IsNumbered(class) || strings.Contains(class, "$") && generatedClasses().MatchString(class)
}
