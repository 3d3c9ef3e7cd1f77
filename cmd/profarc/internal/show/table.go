package show

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rivo/uniseg"
	"github.com/spf13/pflag"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/cmd/profarc/internal/view/terminal"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/file/mapped"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/internal/names/match"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

type tableOptions struct {
	name, sort, match string
	top               int
}

func (o *tableOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.name, "table", "", "print a table instead of methods: its name or number, as info --tables lists them")
	f.StringVar(&o.sort, "sort", "", "with --table: sort by this column, highest numbers or first names first")
	f.StringVar(&o.match, "match", "",
		"with --table: only rows with a matching cell: "+match.Help)
	f.IntVar(&o.top, "top", 0, "with --table: most rows to print")
}

func (o *tableOptions) checkFlags(args int, filtered bool) error {
	switch {
	case o.name == "" && *o != tableOptions{}:
		return cli.Usagef("--sort, --match and --top are of a table: name it with --table")
	case o.name != "" && (args > 1 || filtered):
		return cli.Usagef("--table %s is of the whole archive: leave the method and its filters out, and choose rows with "+
			"--match", o.name)
	case o.top < 0:
		return cli.Usagef("--top %d: print at least one row", o.top)
	}
	return nil
}

func showTable(ctx context.Context, w io.Writer, screen *terminal.Screen, s *reader.Store, o tableOptions,
	asJSON bool) error {
	t, err := tableNamed(s, o.name)
	if err != nil {
		return err
	}
	if t.Kind == schema.TableShapes && !asJSON && o == (tableOptions{name: o.name}) {
		return printShapes(w, (*mapped.Mapping)(s.Mapping()).Shape().Declared.Shapes())
	}
	v := &tableView{s: s, t: t, columns: listing.TableColumns(s, t), rows: make([]int, t.Rows)}
	for i := range v.rows {
		v.rows[i] = i
	}
	if err := v.keepMatching(ctx, match.New(o.match)); err != nil {
		return err
	}
	if o.sort != "" {
		if err := v.sortRows(o.sort); err != nil {
			return err
		}
	}
	if o.top > 0 {
		v.rows = v.rows[:min(o.top, len(v.rows))]
	}
	if asJSON {
		return v.writeJSON(ctx, w)
	}
	v.leaveOutZeros()
	return v.printRows(ctx, w, screen)
}

func tableNamed(s *reader.Store, name string) (reader.Table, error) {
	var names []string
	for t, err := range s.Tables() {
		if err != nil {
			return t, err
		}
		if strings.EqualFold(name, t.Kind.String()) || strings.EqualFold(name, display.TableTitle(t.Kind)) ||
			name == fmt.Sprint(uint32(t.Kind)) {
			return t, nil
		}
		names = append(names, t.Kind.String())
	}
	if len(names) == 0 {
		return reader.Table{}, fmt.Errorf("%s has no tables", s.Mapping().Name())
	}
	return reader.Table{}, fmt.Errorf("%s has no table %s: name one of %s", s.Mapping().Name(), escape.Printable(name),
		strings.Join(names, ", "))
}

type tableView struct {
	s       *reader.Store
	t       reader.Table
	columns []listing.TableColumn
	rows    []int    // row indices in printing order
	of      int      // number of matching rows
	zero    []string // names of hidden columns
}

const rowsAtOnce = 1024

func (v *tableView) keepMatching(ctx context.Context, p match.Pattern) error {
	var kept []int
	err := v.forEachRow(ctx, func(_, row int) error {
		ok, err := v.rowMatches(row, p)
		if ok {
			kept = append(kept, row)
		}
		return err
	})
	v.rows = kept
	v.of = len(kept)
	return err
}

func (v *tableView) rowMatches(row int, p match.Pattern) (bool, error) {
	if p.IsEmpty() {
		return true, nil
	}
	for i := range v.columns {
		text, err := v.columns[i].Text(row)
		if err != nil || p.Matches(text) {
			return err == nil, err
		}
	}
	return false, nil
}

func (v *tableView) sortRows(name string) error {
	by, err := v.findColumn(name)
	if err != nil {
		return err
	}
	return by.SortRows(v.rows)
}

func (v *tableView) findColumn(name string) (*listing.TableColumn, error) {
	var names []string
	for i := range v.columns {
		c := &v.columns[i]
		if strings.EqualFold(name, c.Form.Name) || name == fmt.Sprint(i+1) {
			return c, nil
		}
		names = append(names, c.Form.Name)
	}
	return nil, cli.Usagef("--sort %s: name a column of the table: %s", name, strings.Join(names, ", "))
}

func (v *tableView) forEachRow(ctx context.Context, yield func(i, row int) error) error {
	for i, row := range v.rows {
		if i%rowsAtOnce == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := yield(i, row); err != nil {
			return err
		}
	}
	return nil
}

// wideTable is the maximum number of columns of a table that shows columns of zeros.
const wideTable = 16

func (v *tableView) leaveOutZeros() {
	if len(v.columns) <= wideTable || len(v.rows) == 0 {
		return
	}
	kept := v.columns[:0:0]
	for _, c := range v.columns {
		if slices.ContainsFunc(v.rows, func(row int) bool { return c.RawCell(row) != 0 }) {
			kept = append(kept, c)
		} else {
			v.zero = append(v.zero, c.Form.Name)
		}
	}
	v.columns = kept
}

func (v *tableView) printEnd(out io.Writer) error {
	text := fmt.Sprintf("\n%d of %s\n", len(v.rows), cli.Amount(v.of, "row"))
	if len(v.zero) > 0 {
		text += "0 in all of them: " + strings.Join(v.zero, ", ") + "\n"
	}
	_, err := io.WriteString(out, text)
	return err
}

func (v *tableView) printRows(ctx context.Context, out io.Writer, screen *terminal.Screen) error {
	widths := make([]int, len(v.columns))
	lines := make([][]string, 1, 1+len(v.rows))
	add := func(column int, text string) {
		widths[column] = max(widths[column], uniseg.StringWidth(text))
		lines[len(lines)-1] = append(lines[len(lines)-1], text)
	}
	for i := range v.columns {
		add(i, v.columns[i].Form.Name)
	}
	err := v.forEachRow(ctx, func(_, row int) error {
		lines = append(lines, nil)
		for i := range v.columns {
			text, err := v.columns[i].Text(row)
			if err != nil {
				return err
			}
			add(i, escape.Printable(text))
		}
		return nil
	})
	if err != nil {
		return err
	}
	screen.ShrinkColumns(widths)
	for _, line := range lines {
		for i := range line {
			line[i] = screen.PadCell(line[i], widths[i])
		}
		if _, err := fmt.Fprintln(out, strings.TrimRight(strings.Join(line, "  "), " ")); err != nil {
			return err
		}
	}
	return v.printEnd(out)
}

func (v *tableView) writeJSON(ctx context.Context, out io.Writer) error {
	w := bufio.NewWriter(out)
	head, err := json.Marshal(struct {
		Archive string             `json:"archive"`
		Table   string             `json:"table"`
		Kind    uint32             `json:"kind"`
		Columns []facts.ColumnFact `json:"columns"`
		Of      int                `json:"of"` // number of matching rows
	}{v.s.Mapping().Name(), v.t.Kind.String(), uint32(v.t.Kind), columnFacts(v.columns), v.of})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s,\"rows\":[", head[:len(head)-1])
	err = v.forEachRow(ctx, func(i, row int) error {
		var cells []json.RawMessage
		for c := range v.columns {
			cell, err := cellJSON(&v.columns[c], row)
			if err != nil {
				return err
			}
			cells = append(cells, cell)
		}
		line, err := json.Marshal(cells)
		if i > 0 {
			fmt.Fprint(w, ",")
		}
		fmt.Fprintf(w, "\n%s", line)
		return err
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "\n]}")
	return w.Flush()
}

func columnFacts(columns []listing.TableColumn) []facts.ColumnFact {
	return lists.Map(columns, func(c listing.TableColumn) facts.ColumnFact {
		return facts.ColumnFact{Name: c.Form.Name, Kind: c.Form.Kind.String()}
	})
}

// cellJSON returns a cell as a number, a string, or null for a null reference. Ids and addresses are hexadecimal
// strings, since not every JSON parser has 64-bit integers.
func cellJSON(c *listing.TableColumn, row int) (json.RawMessage, error) {
	text, err := c.Text(row)
	if err != nil {
		return nil, err
	}
	if text == "-" && (c.Form.Kind != schema.ColumnWord || c.Form.Form == schema.FormTime) && c.RawCell(row) == 0 {
		return json.RawMessage("null"), nil
	}
	if c.Form.Kind == schema.ColumnWord {
		switch c.Form.Form {
		case schema.FormPlain, schema.FormSigned, schema.FormWeight:
			return json.RawMessage(text), nil
		}
	}
	return json.Marshal(text)
}

func printShapes(w io.Writer, shapes []layout.EntryShape) error {
	var b strings.Builder
	for _, s := range shapes {
		fmt.Fprintf(&b, "tag %d  %s, counts of %s\n", s.Tag, s.Name, s.Unit)
		printCells(&b, "once", s.Cells)
		printCells(&b, "row", s.Rows)
	}
	fmt.Fprintf(&b, "\n%s\n", cli.Amount(len(shapes), "shape"))
	_, err := io.WriteString(w, b.String())
	return err
}

func printCells(b *strings.Builder, where string, cells []layout.CellShape) {
	for _, c := range cells {
		fmt.Fprintf(b, "  %-4s  %s: %s", where, c.Name, c.Kind)
		separator := " "
		for i, name := range c.Bits {
			if name != "" {
				fmt.Fprintf(b, "%s%d=%s", separator, i, name)
				separator = ", "
			}
		}
		b.WriteByte('\n')
	}
}
