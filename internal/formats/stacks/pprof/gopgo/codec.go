package gopgo

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	proto "github.com/google/pprof/profile"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/formats/stacks/pprof"
	"github.com/profarc/profarc/reader"
)

// Losses of the export.
const (
	LossCold codec.LossKind = "cold edges, neither among the heaviest nor the best of their call: their weight " +
		"stays in the total"
	LossBreaks  codec.LossKind = "names with a line break, which becomes a space in text"
	LossClamped codec.LossKind = "weights above 2^63-1: Go's compiler reads no higher ones"
)

// An Exporter writes profiles for go build.
type Exporter struct {
	// Hot drops cold edges as described in the package comment.
	Hot bool
	// Preprocessed writes the text format of go tool preprofile, for compile -pgoprofile.
	Preprocessed bool
}

// Format implements [codec.Exporter].
func (e *Exporter) Format() codec.Format {
	return codec.Format{Name: "gopgo", About: "the calls that go build -pgo reads of a CPU profile (domain sampled)",
		Binary: true, Options: []codec.Option{
			codec.NewOption("hot", &e.Hot, "leave out calls that the compiler treats as cold; totals and thresholds stay"),
			codec.NewOption("preprocessed", &e.Preprocessed,
				"write the text of go tool preprofile, which compile -pgoprofile and Bazel read, and go build does not"),
		}, Units: []string{}}
}

// Errors of the export.
var (
	// ErrNoEdges means that the archive has no edges.
	ErrNoEdges = errors.New("no calls that were sampled: import CPU profiles of pprof's (domain sampled)")
	// ErrNoStartLines means that no function has a start line.
	ErrNoStartLines = errors.New("no function has a start line, so that the compiler could not find its calls: take " +
		"the profile of a program that Go 1.20 or later built")
	// ErrNotCPU means that the weights of edges are neither samples nor processor time.
	ErrNotCPU = errors.New("the compiler reads only profiles with values of type samples/count or cpu/nanoseconds")
	// ErrUnits means that some weights count samples and others nanoseconds.
	ErrUnits = errors.New("weights are samples in some of the merged profiles and nanoseconds in others: merge " +
		"profiles of one kind")
)

// Export writes an archive of domain sampled. The error matches ErrNoEdges, ErrNoStartLines, ErrNotCPU or ErrUnits.
func (e *Exporter) Export(w io.Writer, s *reader.Store) (*codec.Report, error) {
	p, err := newProfile(s)
	if err != nil {
		return nil, err
	}
	p.text = e.Preprocessed
	if err := p.readEdges(); err != nil {
		return nil, err
	}
	lost := p.lost
	lost.Add(LossClamped, p.clamped)
	if e.Hot {
		lost.Add(LossCold, p.dropCold())
	}
	report := &codec.Report{Lost: lost, Totals: map[string]uint64{}} // edges repeat the samples of stacks
	if e.Preprocessed {
		return report, p.writeText(w)
	}
	return report, p.assemble().WritePacked(w)
}

const firstLine = 1

// assemble makes a profile with two locations per sample.
func (p *profile) assemble() *pprof.Assembly {
	slices.SortFunc(p.edges, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.caller, b.caller), cmp.Compare(a.point, b.point), cmp.Compare(a.callee, b.callee))
	})
	w := new(pprof.Assembly)
	w.SampleType = []*proto.ValueType{{Type: p.kind, Unit: p.unit}}
	functions := make([]*proto.Function, len(p.names))
	callees := make([]*proto.Location, len(p.names))
	location := func(n, point int32) *proto.Location {
		if name := p.names[n]; functions[n] == nil && (name != "" || point != 0) {
			functions[n] = w.AddFunction(proto.Function{Name: name, StartLine: firstLine})
		}
		return w.AddLocation(proto.Line{Function: functions[n], Line: firstLine + int64(point)})
	}
	var site *proto.Location
	for i, e := range p.edges {
		if i == 0 || e.caller != p.edges[i-1].caller || e.point != p.edges[i-1].point {
			site = location(e.caller, e.point)
		}
		if callees[e.callee] == nil {
			callees[e.callee] = location(e.callee, 0)
		}
		w.AddSample([]*proto.Location{callees[e.callee], site}, e.weight)
	}
	return w
}

// writeText writes the format of go tool preprofile.
func (p *profile) writeText(out io.Writer) error {
	p.sortByWeight(p.edges)
	w := bufio.NewWriter(out)
	fmt.Fprintln(w, textHead)
	for _, e := range p.edges {
		fmt.Fprintf(w, "%s\n%s\n%d %d\n", p.names[e.caller], p.names[e.callee], e.point, e.weight)
	}
	return w.Flush()
}

// ErrSyntax means that a line is not from go tool preprofile.
var ErrSyntax = errors.New("not the text of go tool preprofile: caller, callee, and offset with weight, a line each")

// An Importer reads the text of go tool preprofile. It has no options. Each edge becomes a stack of two frames.
type Importer struct{}

const textHead = "GO PREPROFILE V1"

// Format implements [codec.Importer].
func (*Importer) Format() codec.Format {
	return codec.Format{Name: "preprofile", About: "the text of go tool preprofile, as gopgo with preprocessed writes it"}
}

// Detect implements [codec.Importer].
func (*Importer) Detect(head []byte, _ bool) bool { return bytes.HasPrefix(head, []byte(textHead)) }

// Import reads all edges. The error matches ErrSyntax for a malformed line.
func (*Importer) Import(in *codec.Input) (*codec.Report, error) {
	p, err := readText(in)
	if err != nil {
		return nil, err
	}
	var binary bytes.Buffer
	if err := p.assemble().WriteUncompressed(&binary); err != nil {
		return nil, err
	}
	converted := *in
	converted.Reader = &binary
	converted.Several = false
	report, err := (&pprof.Importer{}).Import(&converted)
	if err != nil {
		return nil, err
	}
	report.Lost = slices.DeleteFunc(report.Lost, func(l codec.Loss) bool { return l.What == pprof.LossAddresses })
	return report, nil
}

func readText(in *codec.Input) (*profile, error) {
	p := &profile{kind: "samples", unit: "count", indexes: map[string]int32{}}
	lines := parse.NewLines(in, in.Name)
	if head, err := lines.Next(); err != nil || string(head) != textHead {
		return nil, errors.Join(err, lines.Fail(ErrSyntax))
	}
	var group []string // lines of an edge
	for line, err := range lines.All() {
		if err != nil {
			return nil, err
		}
		group = append(group, string(line))
		if len(group) < 3 {
			continue
		}
		e := edge{caller: p.indexOf(group[0]), callee: p.indexOf(group[1])}
		if !e.parseNumbers(group[2]) {
			return nil, lines.Fail(ErrSyntax)
		}
		p.edges = append(p.edges, e)
		group = group[:0]
	}
	if len(group) > 0 {
		return nil, lines.Fail(ErrSyntax)
	}
	return p, nil
}

// parseNumbers sets point and weight, and reports whether they are valid.
func (e *edge) parseNumbers(text string) bool {
	offset, weight, _ := strings.Cut(text, " ")
	point, err := strconv.ParseInt(offset, 10, 32)
	if err != nil {
		return false
	}
	e.point = int32(point)
	e.weight, err = strconv.ParseInt(weight, 10, 64)
	return err == nil && e.weight >= 0
}
