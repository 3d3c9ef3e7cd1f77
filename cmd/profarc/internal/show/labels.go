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

// switchLabels find the labels of switches in class files. A nil one knows none.
type switchLabels struct{ path *classfile.Path }

// openLabels opens a class path; of none it gives nil.
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

// of gives the labels of the switches of the code that a profile is of, by their
// bcis; nil if the class path does not have that code.
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

// code is the code that a profile is of, nil if no file of its class has it. Files
// that are not sound are passed over: labels are no more than names.
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
