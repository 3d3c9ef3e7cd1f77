package ledger

import "github.com/profarc/profarc/internal/file/disk"

// Columns of the tables inputs and losses.
var (
	inputColumns = len(disk.TableColumns(disk.TableInputs))
	lossColumns  = len(disk.TableColumns(disk.TableLosses))
)

// Decode returns the account in the cells of the tables inputs and losses, row by row. text returns the text of a
// symbol, "" for 0.
func Decode(inputs, losses []uint64, text func(cell uint64) (string, error)) (a Account, err error) {
	d := decoder{text: text}
	at := map[inputKey]int{}
	for ; len(inputs) >= inputColumns; inputs = inputs[inputColumns:] {
		key := inputKey{inputs[0], inputs[1], inputs[2], inputs[3], inputs[4]}
		i, ok := at[key]
		if !ok {
			i = len(a.Inputs)
			at[key] = i
			a.Inputs = append(a.Inputs, Input{Name: d.textOf(key.name), Format: d.textOf(key.format),
				State: State(key.state), Reason: d.textOf(key.reason), Hash: key.hash})
		}
		in := &a.Inputs[i]
		in.Times = disk.SaturatingAdd(in.Times, inputs[5])
		if in.Totals == nil && (in.State == Read || in.State == Salvaged) {
			in.Totals = Totals{}
		}
		if inputs[6] != 0 && in.Totals != nil {
			in.Totals.Add(d.textOf(inputs[6]), inputs[7])
		}
	}
	for ; len(losses) >= lossColumns; losses = losses[lossColumns:] {
		a.Losses = append(a.Losses, Loss{Operation: d.textOf(losses[0]), Reason: d.textOf(losses[1]),
			Unit: d.textOf(losses[2]), Gained: losses[3] == 1, Things: losses[4], Amount: losses[5],
			First: d.textOf(losses[6])})
	}
	return a, d.err
}

// An inputKey has the cells that rows of one input have in common.
type inputKey struct{ name, format, state, reason, hash uint64 }

// A decoder keeps the first error.
type decoder struct {
	text func(cell uint64) (string, error)
	err  error
}

func (d *decoder) textOf(cell uint64) string {
	text, err := d.text(cell)
	if d.err == nil {
		d.err = err
	}
	return text
}
