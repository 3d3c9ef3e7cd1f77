package perf

import (
	"errors"
	"fmt"
	"io"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/formats/stacks/perf/perfdata"
)

// LossNames counts frames in unknown functions.
const LossNames codec.LossKind = "frames without a name: the file is missing, is another build, or has no symbols: " +
	"see the option symfs"

// readData reads a file of perf record.
func (r *sampleReader) readData(in io.Reader) error {
	content, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	lost, err := perfdata.Read(content, perfdata.Handler{Map: r.addMap, Fork: r.processes.fork, Exec: r.processes.exec,
		Sample: func(s perfdata.Sample) {
			if err == nil {
				err = r.addSample(s)
			}
		}})
	if errors.Is(err, perfdata.ErrFormat) {
		err = fmt.Errorf("%s: %w", r.Name, err)
	}
	for _, loss := range lost {
		r.Report.Lost.AddLoss(loss)
	}
	return err
}

// addSample adds a sample of a file. The stack is the address of the instruction if no call stack was recorded.
func (r *sampleReader) addSample(s perfdata.Sample) error {
	r.open = true
	r.of = head{Sample: s, placed: true}
	r.stack = r.stack[:0]
	if len(s.Chain) == 0 {
		s.Chain = []uint64{s.IP}
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
