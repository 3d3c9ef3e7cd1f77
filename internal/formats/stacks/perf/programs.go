package perf

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/llvm/autofdo"
	"github.com/profarc/profarc/internal/formats/llvm/sample"
	"github.com/profarc/profarc/internal/formats/stacks/perf/perfdata"
	"github.com/profarc/profarc/internal/names/entries"
)

// Losses of samples that are counted at the lines of programs.
const (
	LossOutside codec.LossKind = "samples outside of the programs of the option binary"
	LossStacks  codec.LossKind = "call stacks of samples with branches, of which no calling contexts are made"
)

// ErrNoCounts means that the programs have no lines or probes for the samples.
var ErrNoCounts = errors.New("no sample is at code with debug information, or its program has pseudo probes, which " +
	"need branches: record them with perf record -b")

// ErrProbes means that a profile would have lines and probes.
var ErrProbes = errors.New("of the programs of the option binary, some have pseudo probes: import the others alone")

// ErrOutside means that no sample is in the programs.
var ErrOutside = errors.New("no sample is in the program of the option binary: name the build that ran, and let perf " +
	"script show mmap events")

// programs counts samples at the lines of the programs of --binary.
type programs struct {
	all     []*program
	samples int
	outside int // samples
	stacks  int // samples with branches and a call stack
}

type program struct {
	*autofdo.Program
	isMapped bool // a process mapped it; otherwise addresses of samples are addresses in the program
}

func openPrograms(paths []string) (*programs, error) {
	p := &programs{}
	for _, path := range paths {
		one, err := autofdo.Open(path)
		if err != nil {
			p.close()
			return nil, err
		}
		p.all = append(p.all, &program{Program: one})
	}
	return p, nil
}

func (p *programs) close() {
	for _, one := range p.all {
		_ = one.Close() // it was only read
	}
}

func (p *programs) addMap(m perfdata.Map) {
	for _, one := range p.all {
		_, ok := one.Place(m.File, m.BuildID, m.Offset)
		one.isMapped = one.isMapped || ok
	}
}

// place returns the address in the program, or 0. Since version 5.16, perf script prints an address of a call stack as
// an offset in the file.
func (p *program) place(in *processes, process int, address uint64, file string) uint64 {
	if p.isMapped {
		if m, ok := in.find(process, address); ok {
			address, _ = p.Place(m.File, m.BuildID, address-m.Start+m.Offset)
			return address
		}
	}
	at, is := p.Place(file, nil, address)
	if at != 0 || !is && (p.isMapped || file != "") {
		return at
	}
	return address
}

// addSample counts a sample: its branches, or its address if it has none.
func (p *programs) addSample(in *processes, s *head) {
	n := max(s.count, 1)
	p.samples += int(n)
	inside := false
	for _, one := range p.all {
		inside = one.addSample(in, s, n) || inside
	}
	if !inside {
		p.outside += int(n)
	}
	if len(s.Chain) > 0 && len(s.Branches) > 0 {
		p.stacks += int(n)
	}
}

func (p *program) addSample(in *processes, s *head, n uint64) (inside bool) {
	if len(s.Branches) == 0 {
		return p.AddSample(p.place(in, s.Process, s.IP, s.file), n)
	}
	branches := slices.Clone(s.Branches)
	for i, b := range branches {
		branches[i] = [2]uint64{p.place(in, s.Process, b[0], ""), p.place(in, s.Process, b[1], "")}
	}
	leaf := slices.IndexFunc(s.Chain, func(address uint64) bool { return address < perfdata.MinContext })
	if leaf >= 0 {
		return p.AddBranchesAt(p.place(in, s.Process, s.Chain[leaf], s.leafFile), branches, n)
	}
	return p.AddBranches(branches, n)
}

// record adds the profile of all programs to an archive. lost has the losses before.
func (p *programs) record(in *codec.Input, lost codec.Losses) (*codec.Report, error) {
	if p.samples == p.outside {
		return nil, fmt.Errorf("%s: %w", in.Name, ErrOutside)
	}
	whole := &sample.Profile{}
	for i, one := range p.all {
		profile := one.Profile()
		if i > 0 && whole.Probes != profile.Probes {
			return nil, fmt.Errorf("%s: %w", in.Name, ErrProbes)
		}
		whole.Probes = profile.Probes
		whole.FlowStages = whole.FlowStages || profile.FlowStages
		whole.Functions = append(whole.Functions, profile.Functions...)
		lost = append(lost, one.Lost...)
	}
	if len(whole.Functions) == 0 {
		return nil, fmt.Errorf("%s: %w", in.Name, ErrNoCounts)
	}
	report, err := whole.Archive(in)
	if err != nil {
		return nil, err
	}
	for _, one := range p.all {
		if id := one.BuildID(); len(id) > 0 {
			report.Dumps[0].Internal().AddProperty(entries.PropertyBuildID, hex.EncodeToString(id))
		}
	}
	for _, loss := range lost {
		loss.Unit, loss.Amount = "", 0 // the account has the counts at lines
		report.Lost.AddLoss(loss)
	}
	report.Lost.Add(LossOutside, p.outside)
	report.Lost.Add(LossStacks, p.stacks)
	report.Facts["samples"] = p.samples
	return report, nil
}
