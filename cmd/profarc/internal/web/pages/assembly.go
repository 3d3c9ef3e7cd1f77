package pages

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/system/disassembly"
)

// An assemblyPart lists the instructions of a compiled function, with the counts of their source lines.
type assemblyPart struct {
	Rows     []assemblyRow
	WithLine bool // the rows have lines
	Callees  bool // counts include callees
	More     bool // further instructions are hidden
	Problem  string
}

type assemblyRow struct {
	Address, Text string
	Line          link
	Count, Heat   string // heat of the line, and its count at its first instruction
}

type machineCode struct {
	program *disassembly.Program
	err     error
}

func (c *machineCode) Close() {
	if c.program != nil {
		c.program.Close()
	}
}

func machineCodeOf(r *request) (*machineCode, error) {
	return resultOf(r, "the functions of the program",
		func(_ context.Context, s *Site, _ *Progress) (*machineCode, error) {
			p, err := disassembly.Open(s.Binary)
			return &machineCode{p, err}, nil
		})
}

// addAssembly lists the instructions of the method if the site has a program. Reports have none.
func (p *methodPage) addAssembly(source *sourceTable) error {
	r := p.request
	if r.site.Binary == "" || r.inReport {
		return nil
	}
	code, err := machineCodeOf(r)
	if err != nil {
		return err
	}
	part := &assemblyPart{}
	p.Assembly = part
	var list []disassembly.Instruction
	if err = code.err; err == nil {
		symbol := p.Name.Name[strings.LastIndex(p.Name.Name, ";")+1:] // LLVM puts the file before a static function
		list, part.More, err = code.program.Function(symbol, instructionsOnPage)
	}
	if err != nil {
		part.Problem = fmt.Sprintf("No assembly is shown: %v.", err)
		return nil
	}
	part.addRows(r, list, source)
	properties, err := entries.Properties(r.archive())
	ids := properties[entries.PropertyBuildID]
	if own := code.program.BuildID(); own != "" && len(ids) > 0 && !slices.Contains(ids, own) {
		part.Problem = "The program has another build id than the profiled one, so counts may be beside other code."
	}
	return err
}

func (a *assemblyPart) addRows(r *request, list []disassembly.Instruction, source *sourceTable) {
	counted := map[string]*sourceLine{}
	if source != nil {
		a.Callees = source.WithSelf
		for i, l := range source.Lines {
			counted[fmt.Sprintf("%s:%d", path.Base(source.File), l.number)] = &source.Lines[i]
		}
	}
	counts := map[string]bool{} // lines whose counts are shown
	for _, i := range list {
		row := assemblyRow{Address: fmt.Sprintf("%x", i.Address), Text: i.Text}
		if i.Line > 0 {
			a.WithLine = true
			at := fmt.Sprintf("%s:%d", path.Base(i.File), i.Line)
			row.Line = link{Text: at}
			if l := counted[at]; l != nil {
				row.Line = r.linkToElement(at, lineElement(i.Line))
				row.Heat = l.Heat
				if !counts[at] {
					row.Count = l.Count
				}
				counts[at] = true
			}
		}
		a.Rows = append(a.Rows, row)
	}
}
