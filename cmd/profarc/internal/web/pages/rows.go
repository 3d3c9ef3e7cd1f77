package pages

import (
	"cmp"
	"strconv"

	"github.com/profarc/profarc/cmd/profarc/internal/view/listing"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
)

const nameOfRows = "rows"

var rowsView = &view{
	name:   nameOfRows,
	title:  "Table",
	about:  "A table of what belongs to no profile, as show --table prints it.",
	build:  buildRows,
	pages:  tablesInReport,
	linked: true,
}

type rowsPage struct {
	Name string
	Rows *table
}

func (p *rowsPage) title() string { return p.Name }

func rowsLink(kind schema.TableKind) link {
	return linkToPage(display.TableTitle(kind), nameOfRows, newQuery("table", strconv.FormatUint(uint64(kind), 10)))
}

func tablesInReport(r *request) (list []query, err error) {
	for found, err := range r.archive().Tables() {
		if err != nil {
			return nil, err
		}
		list = append(list, rowsLink(found.Kind).query)
	}
	return list, nil
}

func buildRows(r *request) (any, error) {
	kind, err := strconv.ParseUint(r.query.valueOf("table"), 10, 32)
	if err != nil {
		return nil, errNoPage
	}
	found, err := r.archive().Table(schema.TableKind(kind))
	if isNotFound(err) {
		return nil, errNoPage
	}
	if err != nil {
		return nil, err
	}
	v := &tableRows{request: r, columns: listing.TableColumns(r.archive(), found), n: found.Rows}
	p := &rowsPage{Name: capitalized(display.TableTitle(found.Kind))}
	var columns []column
	for i := range v.columns {
		c := &v.columns[i]
		columns = append(columns, column{Key: strconv.Itoa(i), Name: capitalized(c.Form.Name), Number: c.IsNumeric()})
	}
	p.Rows = newTable(r, "rows", p.Name, columns...)
	p.Rows.Titled = true
	order, err := v.matchingRows(p.Rows)
	if err != nil {
		return nil, err
	}
	return p, fillPage(p.Rows, v.n, order, v.rowCells)
}

type tableRows struct {
	request *request
	columns []listing.TableColumn
	n       int
}

func (v *tableRows) matchingRows(t *table) (order []int, err error) {
	steps := poll.New(v.request.ctx)
	for i := range v.n {
		if t.Search != "" {
			shown, err := v.rowCells(i)
			if err = cmp.Or(err, steps.Err()); err != nil {
				return nil, err
			}
			if !t.matchesSearch(shown) {
				continue
			}
		}
		order = append(order, i)
	}
	if t.sorted == nil {
		return order, nil
	}
	at, err := strconv.Atoi(t.sorted.Key)
	if err != nil {
		return nil, err
	}
	c := &v.columns[at]
	return order, c.SortRows(order, t.falling, func(row int) (string, error) {
		shown, err := v.columnCell(c, row)
		return shown.Link.Text, err
	})
}

func (v *tableRows) rowCells(i int) (shown []cell, err error) {
	for k := range v.columns {
		c, wrong := v.columnCell(&v.columns[k], i)
		err = cmp.Or(err, wrong)
		shown = append(shown, c)
	}
	return shown, err
}

func (v *tableRows) columnCell(c *listing.TableColumn, i int) (cell, error) {
	raw := c.RawCell(i)
	switch kind := c.Form.Kind; {
	case kind == schema.ColumnMethod && raw != 0:
		l, err := v.linkToMethod(layout.Ref(raw))
		return linkCell(l), err
	case kind == schema.ColumnProfile && raw != 0:
		l, err := v.linkToProfile(layout.Ref(raw))
		return linkCell(l), err
	case kind == schema.ColumnWord && c.Form.Form == schema.FormPlain:
		return countCell(raw), nil
	}
	text, err := c.Text(i)
	value := float64(raw)
	if c.IsSigned() {
		value = float64(int64(raw))
	}
	shown := numberCell(text, value)
	shown.Number = c.IsNumeric()
	return shown, err
}

func (v *tableRows) linkToMethod(n layout.Ref) (link, error) {
	m, err := v.request.archive().MethodAt(n)
	if err != nil {
		return link{}, err
	}
	return methodLink(v.request.archive(), m)
}

func (v *tableRows) linkToProfile(n layout.Ref) (link, error) {
	p, err := v.request.archive().ProfileAt(n)
	if err != nil {
		return link{}, err
	}
	m, err := p.Method()
	if err != nil {
		return link{}, err
	}
	l, err := methodLink(v.request.archive(), m)
	l.query = l.query.withValues("profile", recordRefText(n))
	return l, err
}
