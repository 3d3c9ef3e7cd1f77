package sample

import (
	"debug/elf"
	"errors"
	"fmt"

	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/layout"
)

// ErrNoProbes means that a program does not describe its pseudo probes.
var ErrNoProbes = errors.New("it has no checksums of functions (section .pseudo_probe_desc): build it with " +
	"clang -fpseudo-probe-for-profiling and without strip")

// A Program has the functions of a program with pseudo probes, and the checksums of their control flow. It implements
// fit.Code and [methodcode.FunctionList].
type Program struct {
	order     []string
	checksums map[uint64][]methodcode.Version // by GUID
}

// OpenProgram reads the descriptions of pseudo probes in a program. The error matches ErrNoProbes without a section of
// them.
func OpenProgram(name string) (*Program, error) {
	f, err := elf.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer f.Close()
	p := &Program{checksums: map[uint64][]methodcode.Version{}}
	for _, s := range f.Sections {
		if s.Name != ".pseudo_probe_desc" || s.Type == elf.SHT_NOBITS {
			continue
		}
		data, err := s.Data()
		if err == nil {
			err = ReadProbeDescriptions(data, int(s.Offset), p.addFunction)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: section %s: %w", name, s.Name, err)
		}
	}
	if len(p.order) == 0 {
		return nil, fmt.Errorf("%s: %w", name, ErrNoProbes)
	}
	return p, nil
}

// ReadProbeDescriptions calls add with the GUID, the checksum and the name of each function in the section
// .pseudo_probe_desc of a program, which begins at an offset.
func ReadProbeDescriptions(data []byte, offset int, add func(guid, checksum uint64, name string)) error {
	c := newCursor(data, offset)
	for len(c.rest) > 0 {
		guid := c.uint64()
		checksum := c.uint64()
		name := string(c.bytes(c.uleb()))
		if c.err == nil {
			add(guid, checksum, name)
		}
	}
	return c.err
}

func (p *Program) addFunction(guid, checksum uint64, name string) {
	p.order = append(p.order, name)
	p.checksums[guid] = append(p.checksums[guid], methodcode.Version{ID: checksum})
}

// Method implements fit.Code.
func (p *Program) Method(k layout.Key) (methodcode.Answer, error) {
	found := p.checksums[GUID(k.Name)]
	if len(found) == 0 {
		return methodcode.Answer{Presence: methodcode.NoMethod}, nil
	}
	return methodcode.Answer{Presence: methodcode.Present, Versions: found}, nil
}

// Functions implements [methodcode.FunctionList].
func (p *Program) Functions(yield func(name string, versions []methodcode.Version) bool) {
	for _, name := range p.order {
		if !yield(name, p.checksums[GUID(name)]) {
			return
		}
	}
}
