package show

import (
	"fmt"

	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/escape"
	"github.com/profarc/profarc/internal/jvm/bytecode"
	"github.com/profarc/profarc/internal/jvm/classfile"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// switchLabels finds the labels of switches in class files. A nil switchLabels
// finds none.
type switchLabels struct{ path *classfile.Path }

// openLabels opens a class path. For an empty name it returns nil.
func openLabels(name string, s *reader.Store) (*switchLabels, error) {
	if name == "" {
		return nil, nil
	}
	if d := s.Header().Domain; d != layout.DomainHotSpot {
		return nil, fmt.Errorf("--class-path %s: profiles of domain %s do not say which bytecodes they are of", escape.Printable(name), d)
	}
	path, err := classfile.Open(app.SplitClassPath(name), int(s.Header().Params.VMRelease))
	if err != nil {
		return nil, err
	}
	return &switchLabels{path}, nil
}

func (l *switchLabels) close() {
	if l != nil {
		l.path.Close()
	}
}

// of returns a function from the bci of a switch to its labels, nil if the class
// path lacks the code of the profile.
func (l *switchLabels) of(p reader.Profile) func(bci int) []int32 {
	if l == nil || p.Code() == 0 {
		return nil
	}
	code := l.code(p)
	if code == nil {
		return nil
	}
	return func(bci int) []int32 { return bytecode.Labels(code, bci) }
}

// code returns the code of a profile, nil if no file of its class has it. It
// ignores damaged class files, since labels only add to the output.
func (l *switchLabels) code(p reader.Profile) []byte {
	m, err := p.Method()
	if err != nil {
		return nil
	}
	k, err := m.Key()
	if err != nil {
		return nil
	}
	files, _ := l.path.All(k.Class)
	for _, class := range files {
		if found, ok := class.Method(k.Name, k.Signature); ok && bytecode.CodeID(found.Code) == p.Code() {
			return found.Code
		}
	}
	return nil
}
