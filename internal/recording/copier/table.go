package copier

import (
	"fmt"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/ledger/archived"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/internal/system/secrets"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

func (c *Copier) Tables() error {
	for t, err := range c.s.Tables() {
		if err != nil {
			return err
		}
		if disk.IsStructure(t.Kind) || t.Kind == disk.TableVersions || t.Kind == disk.TableHot {
			continue // see DeclareShapes and lastRun; others are computed anew
		}
		if c.Counts == Increments && t.Kind != disk.TableProperties && t.Kind != disk.TableBase && !DescribesCode(t.Kind) {
			continue // the other tables cover the whole run
		}
		if c.hooks.Skip != nil && c.hooks.Skip(&t) || c.partial && disk.IsSourceOrder(t.Kind) {
			continue
		}
		if err := c.copyTable(&t); err != nil {
			return err
		}
	}
	return nil
}

// DescribesCode reports whether each row of a table belongs to the profile of a method.
func DescribesCode(kind disk.TableKind) bool {
	return kind == disk.TableCode || kind == disk.TableMoved
}

func (c *Copier) copyTable(t *reader.Table) error {
	kinds := lists.Map(lists.Below(t.Columns()), t.Column)
	ofProfiles := c.partial || t.Kind == disk.TableCertain || t.Kind == disk.TableObjects || t.Kind == disk.TableAdvice
	var cells []uint64
	var stays func(row int) (bool, error)
	if c.hooks.Rows != nil {
		stays = c.hooks.Rows(t)
	}
rows:
	for r := range t.Rows {
		if err := c.poll.Err(); err != nil {
			return err
		}
		if c.Counts == Increments && DescribesCode(t.Kind) {
			if _, copied := c.methods.findRef(layout.Ref(t.Cell(0, r))); !copied {
				continue
			}
		}
		if stays != nil {
			if ok, err := stays(r); err != nil {
				return err
			} else if !ok {
				continue
			}
		}
		for i, kind := range kinds {
			cell, err := c.tableCell(t.Kind, i, kind, t.Cell(i, r))
			if err != nil {
				return err
			}
			if cell == 0 && kind == disk.ColumnProfile && ofProfiles && t.Cell(i, r) != 0 {
				cells = cells[:len(cells)-i] // the copy lacks the profile of this row
				continue rows
			}
			cells = append(cells, cell)
		}
		row := cells[len(cells)-len(kinds):]
		unit, column := archived.CountedCell(t, r)
		if c.Read != nil {
			c.Read.Add(unit, t.Cell(column, r))
		}
		if c.hooks.Row != nil {
			before := row[column]
			c.hooks.Row(t, row)
			if unit != "" && row[column] != before {
				c.b.NoteWeight(unit, before, row[column])
			}
		}
	}
	if len(cells) == 0 && t.Rows > 0 {
		return nil
	}
	to := c.b.Table(t.Kind, t.Flags, kinds...)
	to.AppendRows(cells)
	return nil
}

// withoutSecrets masks secrets in the command line and the options of a run, since other tools can have written them
// unmasked.
func withoutSecrets(of disk.TableKind, column int, text string) string {
	switch {
	case of != disk.TableRuns:
	case column == disk.RunCommand:
		return secrets.MaskLine(text)
	case column == disk.RunOptions:
		return secrets.MaskOptionsLine(text)
	}
	return text
}

func (c *Copier) tableCell(of disk.TableKind, column int, kind disk.ColumnKind, v uint64) (uint64, error) {
	n := layout.Ref(v)
	if v == 0 {
		return v, nil
	}
	switch kind {
	case disk.ColumnWord:
		if c.hooks.Word != nil {
			v = c.hooks.Word(of, column, v)
		}
		return v, nil
	case disk.ColumnSymbol:
		name, err := c.s.SymbolAt(n)
		text := name.String()
		if c.hooks.Symbol != nil {
			text = c.hooks.Symbol(of, text)
		}
		return uint64(c.b.Symbol(withoutSecrets(of, column, text))), err
	case disk.ColumnType:
		t, err := c.s.TypeAt(n)
		if err != nil {
			return 0, err
		}
		ref, err := c.TypeRef(t)
		return uint64(ref), err
	case disk.ColumnMethod:
		ref, err := c.MethodRef(n)
		return uint64(ref), err
	case disk.ColumnContext:
		ref, err := c.contextAt(n)
		return uint64(ref), err
	case disk.ColumnProfile:
		ref, err := c.profileRef(n)
		return uint64(ref), err
	}
	return 0, fmt.Errorf("builder: unknown column kind %d", kind)
}
