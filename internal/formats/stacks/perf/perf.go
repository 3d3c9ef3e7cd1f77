// Package perf reads the samples of Linux's perf: the file of perf record, and the output of perf script.
//
//	perf record -g ./app
//	perf script > app.perf
//
// A sample begins with a line that has the command, the process, the time and the event. A line with address, symbol
// and file follows for each frame, leaf first. With perf script -F +srcline, each frame has another line with source
// file and line. Without -g, the frame is on the first line. Samples of all processes are merged. Those without frames,
// as of tracepoints, are lost.
//
// A sample weighs its period, or 1 if the text has no periods. The periods of different events are not added: the
// samples of the first event are kept, or the samples of [Importer].Event.
//
// With [Importer].Binary the samples are counted at the lines of programs, each as 1. perf record -b records the last
// taken branches with each sample, and perf script -F ip,brstack prints them.
package perf

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/formats/stacks"
	"github.com/profarc/profarc/internal/formats/stacks/perf/perfdata"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/system/lazyregexp"
)

// Losses of the import.
const (
	LossNoStack codec.LossKind = "samples without a stack: record with perf record -g"
	LossEvents  codec.LossKind = "samples of other events " + ledger.ByChoice + ": see the option event"
	LossLines   codec.LossKind = "lines that are neither the head of a sample nor a frame"
	LossCut     codec.LossKind = "frames of the last sample, if the file was cut off: no empty line ends the sample, which is kept"
)

// Errors of the import.
var (
	// ErrSyntax means that the input has no sample.
	ErrSyntax = errors.New("neither the head of a sample nor a frame, as perf script prints them")
	// ErrProgram means that the input has branches and no stacks.
	ErrProgram = errors.New("it has branches, and no call stacks: name the program that ran in the option binary")
	// ErrNoEvent means that no sample has the event of the option.
	ErrNoEvent = errors.New("no samples of event")
)

// An Importer reads the output of perf script.
type Importer struct {
	// Event is the event whose samples are kept, with or without its modifiers. The default is the event of the first
	// sample.
	Event string
	// Binary names programs. The samples become a profile of their lines for compilers.
	Binary []string
	// Symfs is a folder with the files of the machine that recorded a file, for the names of functions.
	Symfs string
}

// Format implements [codec.Importer].
func (i *Importer) Format() codec.Format {
	return codec.Format{Name: "perf", About: "perf.data of Linux's perf record, and the output of perf script", Options: []codec.Option{
		codec.NewOption("event", &i.Event, "event of perf record whose samples are kept (default that of the first sample)"),
		parse.BinaryOption(&i.Binary),
		codec.NewOption("symfs", &i.Symfs, "folder with the programs and libraries of the machine that recorded perf.data")}}
}

var (
	// timedHead matches the head of a sample: command, process, thread, processor, time, period, event, and the rest.
	timedHead = lazyregexp.New(`^\s*\S.*?\s+-?[0-9]+(?:\s*/\s*-?[0-9]+|\s+-?[0-9]+)?\s+(?:\[[0-9]+\]\s+)?` +
		`[0-9]+\.[0-9]+:\s*(?:([0-9]+)\s+)?(?:(\S+?):(?:\s+(.*))?)?$`)
	// plainHead matches a head without a time: command, process, period and event.
	plainHead = lazyregexp.New(`^\s*\S.*?\s+-?[0-9]+(?:/-?[0-9]+)?\s+(?:\[[0-9]+\]\s+)?(?:([0-9]+)\s+)?([^\s()]+):()$`)
	// symbolOffset matches the offset after a symbol.
	symbolOffset = lazyregexp.New(`\+0x[0-9a-f]+$`)
	// sourceLine matches a source file and line.
	sourceLine = lazyregexp.New(`^\s+\S.*:([0-9]+)(?: \(discriminator [0-9]+\))?$`)
)

// A head is the first line of a sample.
type head struct {
	perfdata.Sample
	placed bool   // IP is set
	file   string // file of IP, if the text has it
	frame  string // symbol of the only frame, if it is on this line
	whole  bool   // frame is set

	leafFile string // file of the first address of the call stack, if the text has it
	bare     bool   // the line has only an address: of a sample, or of a call stack whose branches follow
	number   uint64 // decimal number on a line that is not indented
	count    uint64 // number of times that the sample occurs; 0 is 1
}

// maxBare is the maximum number of addresses in a call stack without a head.
const maxBare = 4096

func parseHead(line []byte) (h head, ok bool) {
	if !bytes.Contains(line, []byte(": ")) && !bytes.HasSuffix(line, []byte(":")) {
		return h, false
	}
	m := timedHead().FindSubmatch(line)
	if m == nil {
		m = plainHead().FindSubmatch(line)
	}
	if m == nil {
		return h, false
	}
	h.Event = string(m[2])
	h.Period, _ = strconv.ParseUint(string(m[1]), 10, 64)
	if bytes.HasSuffix(m[3], []byte(")")) {
		h.frame, h.whole = parseFrame(m[3])
	}
	return h, true
}

// parseFrame returns the symbol in a line with an address, a symbol and a file in parentheses. The symbol is "" if
// unknown.
func parseFrame(line []byte) (symbol string, ok bool) {
	address, rest, _ := bytes.Cut(bytes.TrimLeft(line, " \t"), []byte(" "))
	if len(address) == 0 || len(bytes.Trim(address, "0123456789abcdef")) > 0 {
		return "", false
	}
	name := symbolOffset().ReplaceAll(bytes.TrimSpace(rest[:startOfFile(rest)]), nil)
	if string(name) == "[unknown]" {
		name = nil
	}
	return string(name), true
}

// startOfFile returns the index of the file name in parentheses at the end of a frame. It can have parentheses, as in
// (/lib/x.so (deleted)). Without one, it is the length of the frame.
func startOfFile(frame []byte) int {
	if !bytes.HasSuffix(frame, []byte(")")) {
		return len(frame)
	}
	depth := 0
	for i, c := range slices.Backward(frame) {
		switch {
		case c == ')':
			depth++
		case c == '(':
			depth--
			if depth == 0 && (i == 0 || frame[i-1] == ' ') {
				return i
			}
		}
	}
	return max(0, bytes.LastIndex(frame, []byte(" (")))
}

// Detect implements [codec.Importer]. The first lines must be the head of a sample, and a frame or another head.
func (i *Importer) Detect(start []byte, _ bool) bool {
	if bytes.HasPrefix(start, []byte(perfdata.Magic)) {
		return true
	}
	seen := false
	for n, line := 0, []byte(nil); n < 64 && len(start) > 0; n++ {
		line, start, _ = bytes.Cut(start, []byte("\n"))
		line = bytes.TrimRight(line, "\r \t")
		if len(line) == 0 || line[0] == '#' || mapping().Match(line) {
			continue
		}
		line, branches := cutBranches(line)
		_, frame := parseFrame(line)
		_, ok := parseAddressHead(line)
		if len(branches) > 0 || len(i.Binary) > 0 && (ok || frame && line[0] == '\t') {
			return true
		}
		h, ok := parseHead(line)
		if !ok && len(i.Binary) > 0 {
			continue
		}
		if !ok {
			return seen && frame
		}
		if h.whole || seen && timedHead().Match(line) {
			return true
		}
		seen = true
	}
	return false
}

// shownEvents is the maximum number of events in the facts of an import.
const shownEvents = 16

type sampleReader struct {
	*parse.Lines
	*stacks.Recorder
	event     string   // event of the option, then the whole name
	events    []string // the first shownEvents
	open      bool     // the head was read
	of        head
	stack     []stacks.NamedFrame
	processes *processes
	programs  *programs // nil without --binary
	branches  bool      // the text has branches
	read      int       // samples
	kept      int       // samples of the event
}

// Import reads all samples. Other lines are lost. The error matches ErrNoEvent, or ErrSyntax if there are no samples.
func (i *Importer) Import(in *codec.Input) (report *codec.Report, err error) {
	start := bufio.NewReader(in.Reader)
	r := sampleReader{Lines: parse.NewLines(start, in.Name), Recorder: stacks.NewRecorder(in.Config), event: i.Event,
		processes: newProcesses(i.Symfs)}
	if len(i.Binary) > 0 {
		r.programs, err = openPrograms(i.Binary)
		if err != nil {
			return nil, err
		}
		defer r.programs.close()
	}
	if magic, _ := start.Peek(len(perfdata.Magic)); string(magic) == perfdata.Magic {
		err = r.readData(start)
	} else {
		err = r.readText()
	}
	if err != nil {
		return nil, err
	}
	switch {
	case r.read == 0 && r.branches:
		return nil, r.Fail(ErrProgram)
	case r.read == 0:
		return nil, r.Fail(ErrSyntax)
	case r.kept == 0:
		return nil, fmt.Errorf("%s: %w %s: it has %s", in.Name, ErrNoEvent, r.event, strings.Join(r.events, ", "))
	case r.programs != nil:
		return r.programs.record(in, r.Report.Lost)
	}
	return r.Record(map[string]any{"samples": r.read, "events": r.events})
}

func (r *sampleReader) readText() error {
	for line, err := range r.All() {
		if err == nil {
			err = r.addLine(bytes.TrimRight(line, " \t"))
		}
		if err != nil {
			return err
		}
	}
	if r.open && !r.of.whole && r.programs == nil {
		r.lose(LossCut, []byte(r.of.Event))
	}
	return r.endSample()
}

func (r *sampleReader) addLine(line []byte) error {
	switch {
	case len(line) == 0:
		return r.endSample()
	case line[0] == '#':
		return nil
	case bytes.Contains(line, []byte("PERF_RECORD_")):
		r.addMapping(line)
		return r.endSample()
	}
	line, branches := cutBranches(line)
	r.branches = r.branches || len(branches) > 0
	ok, err := r.addStart(line, len(branches) > 0)
	if ok && r.programs != nil {
		r.addBranches(branches)
	}
	return err
}

// addStart adds a line without the branches at its end. It returns false if the line is no part of a sample.
func (r *sampleReader) addStart(line []byte, branches bool) (ok bool, err error) {
	parse := parseHead
	if r.programs != nil {
		parse = parseAddressHead
	}
	h, ok := parse(line)
	if r.continueBare(line, &h, branches) {
		return true, nil
	}
	_, frame := parseFrame(line)
	isStart := r.programs != nil && (frame || branches && len(line) == 0)
	if ok || isStart && (!r.open || branches && len(r.of.Branches) > 0) {
		err = r.endSample()
		r.open = true
		r.of = h
		r.stack = r.stack[:0]
		if h.whole {
			r.stack = append(r.stack, stacks.NamedFrame{Name: h.frame})
		}
		if ok || err != nil {
			return true, err
		}
	}
	if len(line) > 0 && (!r.open || !r.addFrame(line)) {
		what := LossLines
		if namedBranch().Match(line) {
			what = LossNamed
		}
		r.lose(what, line)
		return false, nil
	}
	return true, nil
}

// continueBare handles a line after one with only a number. It returns true for the next address of a call stack.
func (r *sampleReader) continueBare(line []byte, h *head, branches bool) bool {
	indented := len(line) == 0 || line[0] == ' ' || line[0] == '\t'
	isNext := r.open && r.of.bare && len(r.of.Branches) == 0 && indented
	switch {
	case isNext && r.of.number > 0: // the number of times that the next sample occurs
		r.open = false
		h.count = r.of.number
	case isNext && h.bare && !branches && len(r.of.Chain) < maxBare:
		r.of.Chain = append(r.of.Chain, h.IP)
		return true
	}
	if h.bare && !branches {
		h.Chain = []uint64{h.IP}
		h.number, _ = strconv.ParseUint(string(line), 10, 32) // 0 if it is indented
	}
	return false
}

// lose counts a loss in the line.
func (r *sampleReader) lose(what codec.LossKind, text []byte) {
	r.Report.Lost.AddLoss(codec.Loss{What: what, Count: 1, Line: r.Line, First: []string{stacks.LostLine(r.Place, text)}})
}

// addFrame adds a frame, or the source line of the last one. It reports whether the line is valid.
func (r *sampleReader) addFrame(line []byte) bool {
	if name, ok := parseFrame(line); ok {
		address, _, _ := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
		file := strings.TrimSuffix(strings.TrimPrefix(string(line[startOfFile(line):]), "("), ")")
		if !r.of.placed && file != "inlined" { // the file of an inlined call follows with its caller
			r.of.setAddress(address)
			r.of.file = file
		}
		r.stack = append(r.stack, stacks.NamedFrame{Name: name})
		if n, err := strconv.ParseUint(string(address), 16, 64); err == nil && r.programs != nil && file != "inlined" {
			if len(r.of.Chain) == 0 {
				r.of.leafFile = file
			}
			r.of.Chain = append(r.of.Chain, n)
		}
		return true
	}
	m := sourceLine().FindSubmatch(line)
	if m == nil || len(r.stack) == 0 {
		return false
	}
	if n, err := strconv.ParseInt(string(m[1]), 10, 32); err == nil {
		r.stack[len(r.stack)-1].Line = int32(n)
	}
	return true
}

func (r *sampleReader) endSample() (err error) {
	if !r.open {
		return nil
	}
	r.open = false
	if !r.of.bare || len(r.of.Branches) > 0 || len(r.of.Chain) == 0 {
		return r.keepSample()
	}
	for _, r.of.IP = range r.of.Chain { // samples without branches, a line each
		err = cmp.Or(err, r.keepSample())
	}
	return err
}

// keepSample adds the sample if its event is wanted.
func (r *sampleReader) keepSample() error {
	weight := max(r.of.Period, 1)
	r.Report.Totals[ledger.Samples] += weight
	if len(r.events) < shownEvents && !slices.Contains(r.events, r.of.Event) {
		r.events = append(r.events, r.of.Event)
	}
	if r.read == 0 && r.event == "" {
		r.event = r.of.Event
	}
	r.read++
	loss := codec.Loss{Count: 1, Unit: ledger.Samples, Amount: weight,
		First: []string{stacks.LostLine(r.Place, []byte(r.of.Event))}}
	if r.of.Event != r.event && (r.kept > 0 || !strings.HasPrefix(r.of.Event, r.event+":")) {
		loss.What = LossEvents
		r.Report.Lost.AddLoss(loss)
		return nil
	}
	r.kept++
	r.event = r.of.Event
	if r.programs != nil && (r.of.placed || len(r.of.Branches) > 0) {
		r.programs.addSample(r.processes, &r.of)
		return nil
	}
	if r.of.Period > 0 {
		r.Type = r.event + "/count"
	}
	if len(r.stack) == 0 {
		loss.What = LossNoStack
		r.Report.Lost.AddLoss(loss)
		return nil
	}
	return r.Add(r.stack, weight)
}
