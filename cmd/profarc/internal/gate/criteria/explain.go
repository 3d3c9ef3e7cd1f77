package criteria

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/view/report"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/layout"
)

// An explanation says what a criterion measures, and what to do if it does not pass. ARCHIVE, CODE and BASELINE stand
// for the names that were given.
type explanation struct {
	name, about, advice string
}

// criteriaText has a paragraph for each criterion, in the order of a report: its name, what it measures, and after an
// arrow the advice, if there is any.
//
//go:embed criteria.txt
var criteriaText string

var explanations = sync.OnceValue(func() (list []explanation) {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(criteriaText), "\n\n") {
		name, rest, _ := strings.Cut(paragraph, "\n")
		about, advice, _ := strings.Cut(strings.ReplaceAll(rest, "\n", " "), " → ")
		list = append(list, explanation{name, about, advice})
	}
	return list
})

// About returns lines with the name and meaning of each criterion, for the help.
func About(wrap func(name, about string) string) string {
	var b strings.Builder
	for _, e := range explanations() {
		b.WriteString(wrap(e.name, e.about))
	}
	return b.String()
}

// AboutOf returns the meaning of a criterion.
func AboutOf(name string) string { return explanationOf(name).about }

func explanationOf(name string) explanation {
	all := explanations()
	return all[slices.IndexFunc(all, func(e explanation) bool { return e.name == name })]
}

// names puts names into advice. RESULT becomes a name that none of the given files has.
func (j *judge) names() *strings.Replacer {
	e, archive := &j.evidence, j.s.Mapping().Name()
	result := archive
	for result == archive || result == e.BaselineName || strings.Contains(e.CodeName, result) {
		result = strings.TrimSuffix(result, cli.ArchiveExtension) + "-next" + cli.ArchiveExtension
	}
	return strings.NewReplacer("ARCHIVE", cli.ShellWord(archive), "BASELINE", cli.ShellWord(e.BaselineName), "CODE",
		e.CodeName, "RESULT", cli.ShellWord(result))
}

// adviseAll sets what to do about each criterion that does not pass.
func (j *judge) adviseAll(all []Criterion) {
	names := j.names()
	for i := range all {
		c := &all[i]
		if !c.BlocksPass() || c.Advice != "" {
			continue
		}
		c.Advice = names.Replace(explanationOf(c.Name).advice)
		if c.Value != nil {
			c.Advice = strings.ReplaceAll(c.Advice, "COUNT", strconv.FormatFloat(max(1, *c.Value), 'g', -1, 64))
		}
		switch {
		case c.Name == NameOfChecked, c.Name == "fit" && j.evidence.MissesProgram:
			c.Advice = report.AdviceToNameCode(j.s.Header().Domain)
		case c.Name == "fit" && j.s.Header().Domain == layout.DomainSampled:
			c.Advice, _, _ = strings.Cut(c.Advice, ", or keep") // samples are not adapted
		}
	}
}

// judgeAccount judges how many inputs the archive has, how many are bad, and what was lost of their counts.
func (j *judge) judgeAccount() []Criterion {
	inputs := Criterion{Name: "inputs", Bound: Least, Threshold: float64(j.limits.Inputs), Unit: UnitInputs}
	damaged := j.limits.Damaged.criterion("damaged", UnitInputs)
	lost := j.limits.Lost.criterion("lost", UnitShare)
	account, err := facts.DescribeAccount(j.s)
	if err != nil {
		return []Criterion{inputs.unchecked("%v", err), damaged.unchecked("%v", err), lost.unchecked("%v", err)}
	}
	if account == nil {
		const reason = "not known: the archive has no account of its inputs"
		return []Criterion{inputs.unchecked(reason), damaged.switchedOff(reason), lost.switchedOff(reason)}
	}
	inputs = inputs.judgedBy(float64(account.Read+account.Salvaged), "%s", account.InputsText())
	bad := float64(account.Expected - account.Read)
	if j.limits.Damaged.IsShare {
		bad /= float64(account.Expected)
	}
	damaged = damaged.judgedBy(bad, "%s", badInputsText(account))
	share, text := mostLost(account)
	return []Criterion{inputs, j.limits.Damaged.apply(damaged), j.limits.Lost.apply(lost.judgedBy(share, "%s", text))}
}

func (a Allowance) criterion(name, unit string) Criterion {
	if a.IsShare {
		unit = UnitShare
	}
	return Criterion{Name: name, Bound: Most, Threshold: a.Most, Unit: unit, allowsNone: !a.IsOff}
}

// apply disables a criterion without a limit.
func (a Allowance) apply(c Criterion) Criterion {
	if a.IsOff {
		c.State = Off
	}
	return c
}

// badInputsText names the first inputs that were not read as a whole, with the reason.
func badInputsText(account *facts.AccountFact) string {
	text := account.InputsText()
	named := 0
	for i := range account.Inputs {
		in := &account.Inputs[i]
		if in.State == ledger.Read || in.Name == "" || named == 3 {
			continue
		}
		named++
		text += fmt.Sprintf("; %s %s", in.State, in.Name)
		if in.Reason != "" {
			text += ": " + strings.TrimPrefix(in.Reason, in.Name+": ")
		}
	}
	return text
}

// chosenOperations leave counts out on request.
var chosenOperations = []string{ledger.OperationReduce, ledger.OperationRewrite, ledger.OperationFlatten}

// mostLost returns the lost share in the unit that lost the largest one. It ignores weights, and operations that leave
// counts out on request.
func mostLost(account *facts.AccountFact) (most float64, text string) {
	lossy := account.Account
	lossy.Losses = slices.DeleteFunc(slices.Clone(lossy.Losses), func(l ledger.Loss) bool {
		return slices.Contains(chosenOperations, l.Operation)
	})
	lost := lossy.Lost()
	text = "nothing"
	for _, u := range ledger.SortedUnits(lost) {
		if share := facts.ShareOfTotal(lost[u], account.Totals[u], u); share > most {
			most = share
			text = facts.AmountOfTotal(lost[u], account.Totals[u], u)
		}
	}
	return most, text
}
