package jamaica

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/layout"
)

// readRuns reads all runs of a profile. The error is a [*SyntaxError] if a line is malformed.
func (i *Importer) readRuns(in *codec.Input) (*Report, error) {
	report := &Report{Report: codec.Report{Totals: ledger.Totals{}}}
	t, err := i.parseText(in, report)
	if err != nil {
		return nil, err
	}
	all := t.splitRuns()
	together := len(all)
	if i.Runs {
		together = 1
	}
	for runs := range slices.Chunk(all, together) {
		b := builder.New(layout.DomainJamaica, in.Config)
		if err := t.addRunProfiles(b, runs, report); err != nil {
			return nil, parse.WithName(in.Name, err)
		}
		t.foreign = nil
		report.Dumps = append(report.Dumps, b)
		if i.Runs {
			report.RunTotals = append(report.RunTotals, totalsOf(runs[0]))
		}
	}
	return report, nil
}

// A nameID identifies an interned name. The zero value is no name.
type nameID uint32

type nameTable struct {
	ids   map[string]nameID
	names []string // indexed by nameID-1
}

func (n *nameTable) internName(text string) nameID {
	if id, ok := n.ids[text]; ok {
		return id
	}
	n.names = append(n.names, text)
	id := nameID(len(n.names))
	n.ids[text] = id
	return id
}

func (n *nameTable) nameOf(id nameID) string {
	if id == 0 {
		return ""
	}
	return n.names[id-1]
}

type foreignLine struct{ key, values string }

// A text is a parsed file.
type profileText struct {
	names   nameTable
	records []record
	foreign []foreignLine
	columns int // column at which the VM truncated lines, 0 if unknown
}

// parseText reads all lines. The error is a [*SyntaxError] or the error of r.
func (i *Importer) parseText(in *codec.Input, report *Report) (*profileText, error) {
	t := &profileText{names: nameTable{ids: map[string]nameID{}}}
	lines := parse.NewLinesLimited(in, in.Name, parse.MaxJamaicaLine, parse.OverlongKeepStart)
	for line, err := range lines.All() {
		if err == nil {
			err = t.parseLine(lines, bytes.TrimRight(line, "\r"), report)
		} else if errors.Is(err, io.ErrUnexpectedEOF) {
			err = lines.Fail(ErrCut)
		}
		if err != nil && !(i.Salvage && report.leaveOut(err)) {
			return nil, err
		}
	}
	if i.Salvage {
		t.dropCutRecord(lines, report)
	}
	if len(t.records) == 0 {
		return nil, parse.Place{Name: in.Name}.Fail(ErrNoProfile)
	}
	for i := range t.records {
		t.records[i].addTo(report.Totals)
	}
	t.findColumns(report)
	return t, nil
}

// leaveOut adds the line of a syntax error to the losses. It returns false for other errors.
func (report *Report) leaveOut(err error) bool {
	var e *SyntaxError
	if !errors.As(err, &e) {
		return false
	}
	reason := *e
	reason.Place = parse.Place{}
	reason.Column = 0
	report.Lost.AddLoss(codec.Loss{What: LossDamaged, Count: 1, Line: e.Line,
		First: []string{fmt.Sprintf("%s:%d: %v", filepath.Base(e.Name), e.Line, &reason)}})
	if report.Salvaged == "" {
		report.Salvaged = fmt.Sprintf("line %d: %v", e.Line, &reason)
	}
	return true
}

// dropCutRecord drops the last record if its line has no end and can lack a part of its last value.
func (t *profileText) dropCutRecord(lines *parse.Lines, report *Report) {
	last := len(t.records) - 1
	if lines.Whole || last < 0 || t.records[last].line != lines.Line {
		return
	}
	r := &t.records[last]
	form := &lineForms[r.key]
	if form.methods && isCompleteSignature(t.names.nameOf(r.names[len(form.names)-1])) {
		return
	}
	report.leaveOut(lines.Fail(ErrCut))
	t.records = t.records[:last]
}

// addTo adds the counts of a line to totals.
func (r *record) addTo(totals ledger.Totals) {
	if sub, counted := countSubs[r.key]; counted {
		totals.Add(ledger.UnitOf(layout.DomainJamaica, layout.TagCount, sub), r.numbers[0])
	} else if r.key == keyInvoke {
		totals.Add(ledger.CallCounts, r.numbers[0])
	}
}

func totalsOf(run []record) ledger.Totals {
	totals := ledger.Totals{}
	for i := range run {
		run[i].addTo(totals)
	}
	return totals
}

// findColumns sets t.columns if all lines with a truncated mark have the same length, no marked line is longer, and
// [Write] would space these lines in the same way. Otherwise it reports the truncated marks, which [Write] completes.
func (t *profileText) findColumns(report *Report) {
	var cut []*record
	longest := 0
	for i := range t.records {
		if r := &t.records[i]; r.mark > 0 {
			longest = max(longest, r.length)
			if r.mark < len(interpretedMark) {
				cut = append(cut, r)
			}
		}
	}
	if !slices.ContainsFunc(cut, func(r *record) bool { return r.length != longest || !r.standardSpacing }) {
		if len(cut) > 0 {
			t.columns = longest
		}
		return
	}
	for _, r := range cut {
		report.Lost.AddLoss(codec.Loss{What: LossMarkCut, Count: 1, Line: r.line})
	}
}

func (t *profileText) parseLine(lines *parse.Lines, content []byte, report *Report) error {
	word, key, rest, known := cutKeyword(content)
	switch {
	case lines.Cut && word != nil:
		return &SyntaxError{Place: lines.Place, Column: parse.MaxJamaicaLine,
			Kind: parse.Exceeded("a line of more than %d bytes", parse.MaxJamaicaLine)}
	case word == nil:
		if len(bytes.TrimSpace(content)) > 0 {
			report.Lost.AddLoss(codec.Loss{What: LossLine, Count: 1, Line: lines.Line})
		}
		return nil
	}
	report.Lines++
	if !known {
		t.foreign = append(t.foreign, foreignLine{string(word), string(bytes.Trim(content[rest:], " \t\r"))})
		return nil
	}
	r := record{key: key, line: lines.Line, length: len(content)}
	l := lineParser{text: content, offset: rest, form: &lineForms[key]}
	if expected, column := l.parseValues(&r, t.names.internName); expected != "" {
		kind := ErrSyntax
		if !lines.Whole {
			kind = ErrCut
		}
		return &SyntaxError{Place: lines.Place, Column: column + 1, Kind: kind, Expected: expected,
			Found: parse.Shorten(content[column:])}
	}
	r.standardSpacing = r.mark > 0 && string(content[:len(content)-r.mark]) == t.formatBeforeMark(&r)
	t.countLosses(&r, report)
	t.records = append(t.records, r)
	return nil
}

// formatBeforeMark formats a marked line as [Write] does, up to the mark.
func (t *profileText) formatBeforeMark(r *record) string {
	name := t.names.nameOf(r.names[0])
	if r.key == keyNewArray {
		name = newArrayText(r.numbers[1], name)
	}
	return formatLine(r.key, outLine{n: r.numbers[0], afterShare: name}, r.numbers[1])
}

// countLosses reports the parts of a line that the archive cannot store.
func (t *profileText) countLosses(r *record, report *Report) {
	if r.fraction {
		report.Lost.AddLoss(codec.Loss{What: LossFraction, Count: 1, Line: r.line})
	}
	if r.ignoredWords {
		report.Lost.AddLoss(codec.Loss{What: LossWords, Count: 1, Line: r.line})
	}
	if r.unknownMark || r.interpreted && r.key == keyInvoke {
		report.Lost.AddLoss(codec.Loss{What: LossMark, Count: 1, Line: r.line})
	}
}

// A statement identifies a fact that a run states at most once.
type statement struct {
	key         keyword
	interpreted bool
	point       uint64
	names       [2]nameID
}

// statementOf returns the fact that a record states. ok is false if a run can repeat it, as with a truncated
// signature, which several methods can share.
func (t *profileText) statementOf(r *record) (s statement, ok bool) {
	s = statement{key: r.key, interpreted: r.interpreted, names: r.names}
	f := &lineForms[r.key]
	if r.key == keyThread {
		return s, false
	}
	for i, n := range f.numbers {
		if n.kind == kindPoint {
			s.point = r.numbers[i]
		}
	}
	for i := range f.names {
		if f.methods && !isCompleteSignature(t.names.nameOf(r.names[i])) {
			return s, false
		}
	}
	return s, true
}

// A block is a sequence of consecutive records of one part.
type block struct {
	part  part
	start int // index of the first record
	prev  int // index of the previous block of the same part, -1 if this is the first
}

func (t *profileText) splitBlocks() []block {
	list := []block{{part: partAny, prev: -1}}
	last := [partAny]int{-1, -1, -1}
	for i := range t.records {
		p := lineForms[t.records[i].key].part
		if p == partAny || p == list[len(list)-1].part {
			continue
		}
		list = append(list, block{p, i, last[p]})
		last[p] = len(list) - 1
	}
	return list
}

// splitRuns splits the records into runs. The package comment has the rules.
func (t *profileText) splitRuns() (runs [][]record) {
	type occurrence struct{ record, block int }
	said := map[statement]occurrence{}
	blocks := t.splitBlocks()
	start, at := 0, 0
	for i := range t.records {
		if at+1 < len(blocks) && blocks[at+1].start == i {
			at++
		}
		s, ok := t.statementOf(&t.records[i])
		if !ok {
			continue
		}
		if before, ok := said[s]; ok && before.record >= start {
			next := i
			if again := nextRunStart(blocks, before.block, start); again <= i {
				next = again
			}
			runs = append(runs, t.records[start:next])
			start = next
		}
		said[s] = occurrence{i, at}
	}
	return append(runs, t.records[start:])
}

// nextRunStart returns the first record of the first block after block number after whose part already occurred in the
// run that begins at record start. It returns math.MaxInt if there is no such block. Since there are three parts,
// the loop ends after a few blocks.
func nextRunStart(blocks []block, after, start int) int {
	for _, b := range blocks[after+1:] {
		if b.prev >= 0 && blocks[b.prev+1].start > start {
			return b.start
		}
	}
	return math.MaxInt
}
