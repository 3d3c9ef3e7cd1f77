package pages

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func (p *profilePair) addBytecodes(r *request) error {
	one := cmp.Or(p.a, p.b)
	if p.Other || !listing.SupportsDomain(one.Store().Header().Domain) {
		return nil
	}
	side := r.requestFor(one.Store())
	code, err := programOf(side)
	r.patience = side.patience
	if err != nil || code == nil || code.err != nil {
		return err // the page of the method explains why there is no code
	}
	m, err := one.Method()
	if err != nil {
		return err
	}
	l, err := code.classes.ListMethod(m, one)
	if err != nil || !l.HasCounts() {
		return err
	}
	for i := range p.Points {
		p.Points[i].addBytecode(m.Store().Header().Domain, l)
	}
	return nil
}

func (p *pointPair) addBytecode(d layout.Domain, l *listing.Listing) {
	i, ok := l.At(int(p.Number))
	if !ok {
		return
	}
	p.Bytecode = strings.TrimSpace(i.Mnemonic + " " + i.Operands)
	if i.Ref != nil {
		p.Bytecode += " " + bytecodeRefText(i.Ref, d)
	}
	if strings.HasPrefix(i.Mnemonic, "if") && len(i.Targets) == 1 {
		for _, side := range []*point{p.A, p.B} {
			side.explainTaken(fmt.Sprintf("(%s jumps to %d)", i.Mnemonic, i.Targets[0]))
		}
	}
	if l.Source != nil && i.Line > 0 && i.Line <= len(l.Source.Lines) {
		p.Line = i.Line
		p.Source = strings.TrimSpace(shortenLine(l.Source.Lines[i.Line-1].Text))
	}
}

// explainTaken adds the meaning of a taken branch. p may be nil.
func (p *point) explainTaken(text string) {
	if p == nil {
		return
	}
	for i := range p.Outcomes {
		if o := &p.Outcomes[i]; o.What.Text == string(analyze.Taken) {
			o.Note, o.Then = text, nil
		}
	}
}

func (r *request) requestFor(s *reader.Store) *request {
	of := *r
	if s != r.site.Archive {
		of.site = r.site.twin
	}
	return &of
}

func (l link) toArchiveOf(s *Site) link {
	if l.view == "" {
		return l
	}
	l.query = l.query.withValues(keyOfSide, s.sideLetter())
	return l
}

func listedByCount(k analyze.Kind) bool {
	return k == analyze.OfType || k == analyze.Call || k == analyze.Value
}

func inOneOrder(a, b *point) {
	if a.Left > 0 || b.Left > 0 {
		return
	}
	sums := map[string]uint64{}
	var names []string
	for _, o := range slices.Concat(a.Outcomes, b.Outcomes) {
		if _, known := sums[o.What.Text]; !known && o.ranked {
			names = append(names, o.What.Text)
		}
		sums[o.What.Text] += o.Count
	}
	slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(sums[y], sums[x]) })
	several := len(names) > 1
	a.Outcomes, b.Outcomes = a.orderedOutcomes(names, several), b.orderedOutcomes(names, several)
}

// orderedOutcomes returns the outcomes with these names in their order, and then the others.
func (p *point) orderedOutcomes(names []string, several bool) (list []outcome) {
	if len(names) == 0 {
		return p.Outcomes
	}
	for _, name := range names {
		at := slices.IndexFunc(p.Outcomes, func(o outcome) bool { return o.ranked && o.What.Text == name })
		o := outcome{What: link{Text: name}, ranked: true}
		if at >= 0 {
			o = p.Outcomes[at]
		}
		o.Shared = o.Shared || several && p.Count > 0
		list = append(list, o)
	}
	for _, o := range p.Outcomes {
		if !o.ranked {
			list = append(list, o)
		}
	}
	return list
}
