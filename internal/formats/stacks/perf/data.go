package perf

import (
	"io"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/formats/stacks/perf/perfdata"
)

// Losses of perf.data.
const (
	LossNames codec.LossKind = "frames without a name: the file is missing, is another build, or has no symbols: " +
		"see the option symfs"
	LossCopied codec.LossKind = "copies of stack memory, which perf records for call graphs by dwarf: for call stacks, " +
		"import what perf script prints"
)

// readData reads a file of perf record.
func (r *sampleReader) readData(in io.Reader) error {
	content, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	var failed error
	lost, err := perfdata.Read(content, perfdata.Handler{Map: r.addMap, Fork: r.processes.fork, Exec: r.processes.exec,
		Sample: func(s perfdata.Sample) {
			if failed == nil {
				failed = r.addSample(s)
			}
		}})
	if err != nil {
		return parse.WithName(r.Name, err)
	}
	for _, loss := range lost {
		r.Report.Lost.AddLoss(loss)
	}
	return failed
}

// addSample adds a sample of a file. The stack is the address of the instruction if no call stack was recorded.
func (r *sampleReader) addSample(s perfdata.Sample) error {
	r.open = true
	r.of = head{Sample: s, placed: true}
	r.stack = r.stack[:0]
	if len(s.Chain) == 0 {
		s.Chain = []uint64{s.IP}
	}
	if s.HasMemory && r.programs == nil {
		r.Report.Lost.Add(LossCopied, 1)
	}
	for _, address := range s.Chain {
		if address >= perfdata.MinContext || r.programs != nil {
			continue
		}
		name := r.processes.nameOf(s.Process, address)
		if name == "" {
			r.Report.Lost.Add(LossNames, 1)
		}
		r.stack = append(r.stack, stacks.NamedFrame{Name: name})
	}
	return r.endSample()
}

func (r *sampleReader) addMap(m perfdata.Map) {
	r.processes.add(m)
	if r.programs != nil {
		r.programs.addMap(m)
	}
}
