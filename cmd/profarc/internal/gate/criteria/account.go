package criteria

import (
	"fmt"
	"slices"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/internal/ledger"
)

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
