package ledger

import (
	"cmp"
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/file/disk"
)

// A State says what became of an input. The values are stored in archives.
type State uint64

// The states.
const (
	Expected State = 1 // announced; its row counts the inputs that were to come
	Read     State = 2 // read as a whole
	Salvaged State = 3 // read up to a defect
	Damaged  State = 4 // left out because it is damaged
	Skipped  State = 5 // left out because it is empty, or repeats another input
	Missing  State = 6 // expected by its name, and not given
)

var stateNames = [...]string{Expected: "expected", Read: "read", Salvaged: "salvaged", Damaged: "damaged",
	Skipped: "skipped", Missing: "missing"}

// String returns the name of the state, or "unknown".
func (s State) String() string {
	if s < State(len(stateNames)) && stateNames[s] != "" {
		return stateNames[s]
	}
	return "unknown"
}

// MarshalText returns the name.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// An Input is one input of an archive.
type Input struct {
	Name   string `json:"name"`             // base name of the file; "" for inputs that are only expected
	Format string `json:"format,omitempty"` // name of the format; "" if it was not recognized
	State  State  `json:"state"`
	Reason string `json:"reason,omitempty"` // why it was salvaged or left out
	Hash   uint64 `json:"hash,omitempty"`   // XXH64 of its decompressed bytes; 0 if it was not read
	Times  uint64 `json:"times"`            // number of such inputs
	Totals Totals `json:"totals,omitempty"` // counts in it; nil unless it was read or salvaged
}

// A Loss is what an operation lost or gained in one unit, for one reason. The zero Reason marks the operation itself.
type Loss struct {
	Operation string `json:"operation"`
	Reason    string `json:"reason,omitempty"`
	Unit      Unit   `json:"unit,omitempty"`   // "" if nothing was counted
	Gained    bool   `json:"gained,omitempty"` // Amount was added
	Things    uint64 `json:"things,omitempty"` // number of lost functions, entries or rows
	Amount    uint64 `json:"amount,omitempty"` // lost counts, in Unit
	First     string `json:"first,omitempty"`  // the first few lost things, one a line
}

// The operations, which are commands or parts of commands.
const (
	OperationImport  = "import"
	OperationMerge   = "merge"
	OperationDump    = "dump"
	OperationReduce  = "reduce"
	OperationRewrite = "rewrite"
	OperationFlatten = "flatten"
)

// Reasons that this package itself finds.
const (
	// ReasonMerged has the counts that a merge lost. It is one reason for both, since the order of merges decides which of
	// them applies.
	ReasonMerged = "counts above the highest value, or of entries that do not go together"
	// ReasonUnaccounted is a difference that nothing explains: a defect of the program that wrote the archive.
	ReasonUnaccounted = "unaccounted"
	// ReasonWeights is the difference that weights of inputs make.
	ReasonWeights = "weights of inputs"
	// ByChoice is part of the reasons for counts that an option left out, so that nothing is missing.
	ByChoice = "than the chosen one"
)

// An Account lists the inputs of an archive, the operations on it, and their losses. The zero value is the account of
// an archive that has none.
type Account struct {
	Inputs []Input `json:"inputs"`
	Losses []Loss  `json:"losses"`
}

// Count returns the number of inputs with a state.
func (a *Account) Count(s State) (n uint64) {
	for i := range a.Inputs {
		if a.Inputs[i].State == s {
			n += a.Inputs[i].Times
		}
	}
	return n
}

// Named returns the number of inputs that were named: those expected, or those that were read or left out if they are
// more.
func (a *Account) Named() uint64 {
	return max(a.Count(Expected), a.Count(Read)+a.Count(Salvaged)+a.Count(Damaged)+a.Count(Skipped)+a.Count(Missing))
}

// Totals returns the totals of all inputs.
func (a *Account) Totals() Totals {
	sum := Totals{}
	for _, in := range a.Inputs {
		sum.AddAll(in.Totals)
	}
	return sum
}

// Operations returns the names of the operations on the archive, sorted.
func (a *Account) Operations() []string {
	var names []string
	for _, l := range a.Losses {
		names = append(names, l.Operation)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })
}

// Lost returns the lost counts by unit. It does not include the effect of weights, and what an option left out.
func (a *Account) Lost() Totals {
	lost := Totals{}
	for _, l := range a.Losses {
		if !l.Gained && l.Reason != ReasonWeights && !strings.Contains(l.Reason, ByChoice) {
			lost.Add(l.Unit, l.Amount)
		}
	}
	return lost
}

// A Difference is the amount by which the sides of an account differ in one unit.
type Difference struct {
	Unit   Unit
	Gained bool // the archive has more than its inputs
	Amount uint64
}

// Residual returns the differences that no loss or gain explains, given the counts in the archive. An account without
// inputs balances.
func (a *Account) Residual(out Totals) []Difference {
	if len(a.Inputs) == 0 {
		return nil
	}
	in := a.Totals()
	lost := Totals{}
	lost.AddAll(out)
	for _, l := range a.Losses {
		if l.Gained {
			in.Add(l.Unit, l.Amount)
		} else {
			lost.Add(l.Unit, l.Amount)
		}
	}
	units := Totals{}
	units.AddAll(in)
	units.AddAll(lost)
	var all []Difference
	for _, u := range SortedUnits(units) {
		switch x, y := in[u], lost[u]; {
		case x == y:
		case x > y:
			all = append(all, Difference{Unit: u, Amount: x - y})
		default:
			all = append(all, Difference{Unit: u, Gained: true, Amount: y - x})
		}
	}
	return all
}

// Sort brings the account into the order in which it is printed.
func (a *Account) Sort() {
	slices.SortFunc(a.Inputs, func(x, y Input) int {
		return cmp.Or(cmp.Compare(x.State, y.State), strings.Compare(x.Name, y.Name), cmp.Compare(x.Hash, y.Hash))
	})
	slices.SortFunc(a.Losses, func(x, y Loss) int {
		return cmp.Or(strings.Compare(x.Operation, y.Operation), strings.Compare(x.Reason, y.Reason),
			compareUnits(x.Unit, y.Unit))
	})
}

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
