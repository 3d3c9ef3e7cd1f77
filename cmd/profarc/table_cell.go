package main

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/profarc/profarc/analyze"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A cellReader reads the cells of one column of a table.
type cellReader struct {
	s      *reader.Store
	t      disk.Table
	column int
	form   disk.Column
}

// cellReaders are the readers of all columns of a table.
func cellReaders(s *reader.Store, t disk.Table) []cellReader {
	columns := make([]cellReader, t.Columns())
	for i := range columns {
		columns[i] = cellReader{s, t, i, disk.TableColumn(t.Kind, i, t.Column(i))}
	}
	return columns
}

// numeric reports whether the cells of the column have the order of numbers.
func (c *cellReader) numeric() bool {
	return c.form.Kind == layout.ColumnWord && c.form.Form != disk.FormFunction
}

// signed reports whether the numbers of the column are two's complement.
func (c *cellReader) signed() bool {
	return c.form.Form == disk.FormSigned || c.form.Form == disk.FormTime
}

func (c *cellReader) raw(row int) uint64 { return c.t.Cell(c.column, row) }

// text is a cell as it is printed, before control characters are quoted. A
// reference to nothing is a dash.
func (c *cellReader) text(row int) (string, error) {
	v := c.raw(row)
	switch {
	case c.form.Kind == layout.ColumnWord:
		return c.word(v), nil
	case v == 0:
		return "-", nil
	}
	return c.reference(layout.Ref(v))
}

func (c *cellReader) word(v uint64) string {
	switch c.form.Form {
	case disk.FormSigned:
		return fmt.Sprint(int64(v))
	case disk.FormHex:
		return app.FormatID(v)
	case disk.FormTime:
		if v == 0 {
			return "-"
		}
		return time.Unix(0, int64(v)).UTC().Format(time.RFC3339Nano)
	case disk.FormWeight:
		return builder.Weight(v).String()
	case disk.FormFunction:
		return c.function(v)
	case disk.FormExit:
		return layout.Exit(v).String()
	}
	return fmt.Sprint(v)
}

// function is the function with an id, or the id.
func (c *cellReader) function(id uint64) string {
	if m, err := c.s.Lookup(id); err == nil {
		if name, err := m.Name(); err == nil {
			return name.String()
		}
	}
	return app.FormatID(id)
}

func (c *cellReader) reference(n layout.Ref) (string, error) {
	switch c.form.Kind {
	case layout.ColumnSymbol:
		name, err := c.s.SymbolAt(n)
		if c.form.Form == disk.FormBytes {
			return hex.EncodeToString([]byte(name.String())), err
		}
		return name.String(), err
	case layout.ColumnType:
		return typeText(c.s, n)
	case layout.ColumnMethod:
		m, err := c.s.MethodAt(n)
		if err != nil {
			return "", err
		}
		name, err := analyze.NameOf(c.s, m)
		return name.String(), err
	case layout.ColumnProfile:
		return profileText(c.s, n)
	}
	return contextText(c.s, n)
}

func typeText(s *reader.Store, n layout.Ref) (string, error) {
	t, err := s.TypeAt(n)
	if err != nil {
		return "", err
	}
	name, nameErr := t.Name()
	loader, loaderErr := t.Loader()
	text := name.String()
	if loader.Len() > 0 {
		text += " (loader " + loader.String() + ")"
	}
	return text, errors.Join(nameErr, loaderErr)
}

// profileText is a profile's method, with its code and its callers if it has
// them.
func profileText(s *reader.Store, n layout.Ref) (string, error) {
	p, err := s.ProfileAt(n)
	if err != nil {
		return "", err
	}
	m, err := p.Method()
	if err != nil {
		return "", err
	}
	name, err := analyze.NameOf(s, m)
	if err != nil {
		return "", err
	}
	text := name.String()
	if p.Code() != 0 {
		text += " code " + app.FormatID(p.Code())
	}
	c, ok, err := p.Context()
	if err != nil || !ok {
		return text, err
	}
	callers, err := callersText(s, c)
	return text + callers, err
}

func contextText(s *reader.Store, n layout.Ref) (string, error) {
	c, err := s.ContextAt(n)
	if err != nil {
		return "", err
	}
	m, err := c.Method()
	if err != nil {
		return "", err
	}
	name, err := analyze.NameOf(s, m)
	if err != nil {
		return "", err
	}
	callers, err := callersText(s, c)
	return name.String() + callers, err
}

// callersText are the frames of a context, the direct caller first.
func callersText(s *reader.Store, c reader.Context) (text string, err error) {
	frames, err := c.Frames()
	for _, f := range frames {
		caller, nameErr := analyze.NameOf(s, f.Caller)
		err = errors.Join(err, nameErr)
		text += fmt.Sprintf(" < %s:%d", caller, f.Point)
	}
	return text, err
}

// json is a cell in JSON: a number, a string, or null for a reference to
// nothing. Ids and addresses are strings of hexadecimal digits, since not every
// reader of JSON holds 64 bits.
func (c *cellReader) json(row int) (json.RawMessage, error) {
	text, err := c.text(row)
	if err != nil {
		return nil, err
	}
	if text == "-" && (c.form.Kind != layout.ColumnWord || c.form.Form == disk.FormTime) && c.raw(row) == 0 {
		return json.RawMessage("null"), nil
	}
	if c.form.Kind == layout.ColumnWord {
		switch c.form.Form {
		case disk.FormPlain, disk.FormSigned, disk.FormWeight:
			return json.RawMessage(text), nil
		}
	}
	return json.Marshal(text)
}
