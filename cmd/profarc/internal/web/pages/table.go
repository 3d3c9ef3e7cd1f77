package pages

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/match"
	"github.com/profarc/profarc/internal/system/lists"
)

// rowsOnPage is the number of rows on one page of a table. A server has further pages. In a report the script sorts and
// searches these rows.
const rowsOnPage = 100

// A table has rows that a reader can sort, search, page through and link to. The table reads its state from the keys of
// the query that begin with its ID.
type table struct {
	ID      string // one word, unique on the page
	Caption string
	Columns []column
	Rows    [][]cell // all rows until finishRows, then the page's rows
	Titled  bool     // a heading replaces the caption
	None    string   // text for an empty table

	Of     int // number of all rows
	Found  int // number of rows that match the search
	Search string
	From   int // number of the first row of the page, from 1
	rows   int // rows per page

	request *request
	sorted  *column
	falling bool
	search  search // meaning of Search
}

type column struct {
	Key, Name, Unit string
	Number          bool
}

func textColumn(key, name string) column { return column{Key: key, Name: name} }

// amountColumn returns a column of amountCell. The cells have their own unit if the noun is a time.
func amountColumn(key, name, noun string) column {
	c := numberColumn(key, name)
	if noun != nanosecond {
		c.Unit = noun + "s"
	}
	return c
}

func numberColumn(key, name string) column { return column{Key: key, Name: name, Number: true} }

type cell struct {
	Link   link    // link with the text
	Value  float64 // sort key in columns of numbers
	Number bool
	Bar    *float64
	Stack  []segment // parts of a whole, shown as a bar
	Class  string    // CSS class of an increase or decrease
}

func (c cell) Plain() bool { return c.Link.Text == cli.Grouped(uint64(max(c.Value, 0))) }

func textCell(text string) cell { return cell{Link: link{Text: text}} }

func linkCell(l link) cell { return cell{Link: l} }

func numberCell(text string, value float64) cell {
	return cell{Link: link{Text: text}, Value: value, Number: true}
}

var noNumber = numberCell("-", -1)

func countCell[N int | int8 | int32 | int64 | uint32 | uint64](n N) cell {
	return numberCell(cli.Grouped(uint64(n)), float64(n))
}

// amountCell returns a cell with a count. noun is in the plural.
func amountCell(n uint64, noun string) cell {
	c := countCell(n)
	if noun == nanosecond+"s" {
		c.Link.Text = facts.TimeText(n)
	}
	return c
}

func shareCell(share float64) cell {
	c := numberCell(percentText(share), share)
	c.Bar = &share
	return c
}

// newTable returns an empty table with the state in the query. By default rows are sorted descending by the first
// column of numbers, or keep their order if there is no such column.
func newTable(r *request, id, caption string, columns ...column) *table {
	columns = slices.Clone(columns) // the caller may share it
	for i := range columns {
		columns[i].Name = r.inTerms(columns[i].Name)
	}
	t := &table{ID: id, Caption: r.inTerms(caption), Columns: columns, request: r, rows: rowsOnPage}
	t.Search = r.query.valueOf(keyOfFind)
	t.search = newSearch(r.archive().Header().Domain, t.Search)
	order := r.query.valueOf(id + ".sort")
	key, falling := strings.CutPrefix(order, "-")
	for i := range columns {
		if columns[i].Key == key {
			t.sorted = &columns[i]
			t.falling = falling
		}
	}
	return t
}

func (t *table) addTableRow(cells ...cell) { t.Rows = append(t.Rows, cells) }

func (t *table) sortedKey() string {
	if t.sorted == nil {
		return ""
	}
	return t.sorted.Key
}

func (t *table) finishRows() *table {
	t.Of = len(t.Rows)
	found := slices.DeleteFunc(t.Rows, func(cells []cell) bool { return !t.matchesSearch(cells) })
	t.sortRows(found)
	from, to := t.pageWindow(len(found))
	t.Rows = found[from:to]
	return t
}

func (t *table) finishUnlessEmpty() *table {
	if len(t.Rows) == 0 {
		return nil
	}
	return t.finishRows()
}

// fillPage sets the rows of a table that is too long for finishRows. order has the matching rows, and cells makes those
// of the page.
func fillPage[I any](t *table, of int, order []I, cells func(I) ([]cell, error)) {
	t.Of = of
	from, to := t.pageWindow(len(order))
	for _, i := range order[from:to] {
		shown, err := cells(i)
		t.request.noteError(err)
		t.addTableRow(shown...)
	}
}

func (t *table) pageWindow(found int) (from, to int) {
	t.Found = found
	last := max(found-1, 0) / t.rows
	from = min(max(t.request.query.numberOf(t.ID+".page", 1)-1, 0), last) * t.rows
	t.From = from + 1
	return from, min(from+t.rows, found)
}

func (t *table) matchesSearch(cells []cell) bool {
	if t.Search == "" {
		return true
	}
	return t.search.selects(lists.Join(cells, betweenNames, func(c cell) string { return match.Fold(c.Link.Text) }))
}

func (t *table) sortRows(rows [][]cell) {
	if t.sorted == nil {
		return
	}
	at := slices.IndexFunc(t.Columns, func(c column) bool { return c.Key == t.sorted.Key })
	sortStable(rows, t.falling, func(a, b []cell) int { return compareCells(a[at], b[at]) })
}

func sortStable[T any](list []T, falling bool, compare func(a, b T) int) {
	slices.SortStableFunc(list, func(a, b T) int {
		if falling {
			a, b = b, a
		}
		return compare(a, b)
	})
}

func compareCells(a, b cell) int {
	if a.Number && b.Number {
		return cmp.Compare(a.Value, b.Value)
	}
	return cmp.Compare(a.Link.Text, b.Link.Text)
}

type Heading struct {
	column
	Sort link
	// Order is the sort order of the column, as a value of aria-sort. It is empty for other columns.
	Order string
}

// Headings returns the headings of all columns. Numbers sort descending first.
func (t *table) Headings() (list []Heading) {
	for _, c := range t.Columns {
		h := Heading{column: c}
		order := c.Key
		h.Name = capitalized(c.Name)
		if t.sorted != nil && t.sorted.Key == c.Key {
			h.Order = map[bool]string{false: "ascending", true: "descending"}[t.falling]
		}
		if h.Order == "ascending" || h.Order == "" && c.Number {
			order = "-" + order
		}
		h.Sort = t.linkWithValue(h.Name, ".sort", order)
		list = append(list, h)
	}
	return list
}

// linkWithValue returns a link to the same page with another value of one of the table's keys. It goes to the first
// rows, unless the key is the page.
func (t *table) linkWithValue(text, key, value string) link {
	q := t.request.query
	if key != ".page" {
		q = q.withValues(t.ID+".page", "")
	}
	return linkToPage(text, t.request.view.name, q.withValues(t.ID+key, value))
}

func (t *table) Complete() bool {
	return t.Search == "" && t.Found == len(t.Rows) && t.Found == t.Of && (!t.InReport() || t.Of <= rowsWithoutSearch)
}

const rowsWithoutSearch = 10

// HasLevels reports whether the table has HotSpot's compilation levels of methods.
func (t *table) HasLevels() bool {
	return slices.ContainsFunc(t.Columns, func(c column) bool { return c.Key == levelColumn.Key })
}

func (t *table) Element() string { return t.request.elementID(t.ID) }
func (t *table) To() int         { return t.From - 1 + len(t.Rows) }
func (t *table) Before() *link   { return t.linkToRows("Previous rows", -1, t.From > 1) }
func (t *table) After() *link    { return t.linkToRows("Next rows", 1, t.To() < t.Found) }

func (t *table) linkToRows(text string, by int, possible bool) *link {
	if !possible || t.request.inReport {
		return nil
	}
	return t.linkWithValue(text, ".page", strconv.Itoa((t.From-1)/t.rows+1+by)).optional()
}

// Problem describes a search that is no expression, and is "" for others.
func (t *table) Problem() string { return t.search.problem() }

// WithoutSearch links to all rows.
func (t *table) WithoutSearch() link {
	return linkToPage("Show all "+pluralText(uint64(t.Of), "row"), t.request.view.name,
		t.request.query.withValues(keyOfFind, ""))
}

func (t *table) InReport() bool { return t.request.inReport }
func (t *table) Left() uint64   { return uint64(t.Found - len(t.Rows)) }
