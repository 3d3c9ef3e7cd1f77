package disk_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// The tests of this file hold entries against the tables of docs/format.md.

func TestEntryHeadersAreAsDocumented(t *testing.T) {
	_, e := disk.NewEntry(nil, layout.TagBit, 1, 0x203, 0x80000004, 0)
	holdRecord(t, "An entry of tags 1 to 63", e, map[string][]byte{"tag": {1}, "flags": {1}, "bci": u(uint16(0x203)),
		"traps": u(uint32(0x80000004))})
	_, e = disk.NewWide(nil, layout.TagCounters, 2, 0x304, -5, 6, 6)
	holdRecord(t, "A wide entry, of tags from 64", e[:disk.WideHeaderSize],
		map[string][]byte{"tag": {64}, "flags": {2}, "sub": u(uint16(0x304)),
			"point": u(int32(-5)), "cells": u(uint32(6)), "rows": u(uint32(6))})
}

// cellNames expands "count, T x (type, count), n" to the names of the cells of
// an entry with these rows, n being 3 or 4 cells long.
func cellNames(text string, rows map[string]int) (names []string) {
	var list []string
	depth, start := 0, 0
	for i, c := range text + "," {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			list, start = append(list, strings.TrimSpace((text + ",")[start:i])), i+1
		}
	}
	for _, item := range list {
		count, group, repeated := strings.Cut(item, " x ")
		switch n, known := rows[count]; {
		case item == "none":
		case item == "G more":
			names = append(names, make([]string, rows["G"])...)
		case strings.HasSuffix(item, "if n is odd"):
			if rows["n"]%2 == 1 {
				names = append(names, "type word")
			}
		case repeated && known:
			for range n {
				names = append(names, strings.Split(strings.Trim(group, "()"), ", ")...)
			}
		default:
			names = append(names, item)
		}
	}
	return names
}

// pointerCells returns the places of names that are pointers.
func pointerCells(names []string) (cells []int) {
	for i, name := range names {
		if name == "type" || name == "type word" || name == "method" {
			cells = append(cells, i)
		}
	}
	return cells
}

func pointersOf(s disk.Shape, e disk.Entry) (cells []int) {
	for cell := range s.Pointers(e) {
		cells = append(cells, cell)
	}
	return cells
}

func TestHotSpotEntriesAreAsDocumented(t *testing.T) {
	shape := disk.Shape{TypeRows: 3, BciRows: 2, Gap: 1}
	for _, row := range tableBehind(t, "### HotSpot's entries") {
		tag := layout.Tag(number(t, row[0]))
		if tag.String() != row[1] {
			t.Errorf("tag %d is %s, the page says %s", uint8(tag), tag, row[1])
		}
		n := 5
		if tag == layout.TagMultiBranch || tag == layout.TagParametersType {
			n = 4
		}
		names := cellNames(row[2], map[string]int{"T": 3, "B": 2, "G": 1, "n": n, "n/2": n / 2, "(n-2)/2": (n - 2) / 2})
		b := make([]byte, disk.EntryHeaderSize+8*len(names)+64)
		b[0] = byte(tag)
		for i, name := range names {
			if name == "n" {
				le.PutUint64(b[disk.EntryHeaderSize+8*i:], uint64(n))
			}
		}
		e, _, err := shape.NextEntry(b)
		if err != nil {
			t.Errorf("%s: %v", tag, err)
			continue
		}
		if e.Cells() != len(names) {
			t.Errorf("%s has %d cells, the page says %d: %v", tag, e.Cells(), len(names), names)
		}
		if got, want := fmt.Sprint(pointersOf(shape, e)), fmt.Sprint(pointerCells(names)); got != want {
			t.Errorf("%s: pointers in cells %s, the page says %s", tag, got, want)
		}
	}
}

func TestWideEntriesAreAsDocumented(t *testing.T) {
	const rows = 3
	for _, row := range tableBehind(t, "### Wide entries") {
		tag := layout.Tag(number(t, row[0]))
		if tag.String() != row[1] {
			t.Errorf("tag %d is %s, the page says %s", uint8(tag), tag, row[1])
		}
		var names []string
		add := func(list string) {
			if list != "" {
				names = append(names, strings.Split(list, ", ")...)
			}
		}
		add(row[2])
		for range rows {
			add(row[3])
		}
		if tag == layout.TagBitmap {
			names = []string{"bits"}
		}
		if got := (disk.Shape{}).Cells(tag, rows); got != len(names) {
			t.Errorf("%s with %d rows has %d cells, the page says %d", tag, rows, got, len(names))
		}
		_, e := disk.NewWide(nil, tag, 0, 0, 0, len(names), rows)
		if got, want := fmt.Sprint(pointersOf(disk.Shape{}, e)), fmt.Sprint(pointerCells(names)); got != want {
			t.Errorf("%s: pointers in cells %s, the page says %s", tag, got, want)
		}
	}
}

// TestEveryTagIsDocumented checks that docs/format.md has every tag of the schema,
// in the tables of cells and of the JSON dump.
func TestEveryTagIsDocumented(t *testing.T) {
	t.Parallel()
	_, jsonKeys, _ := strings.Cut(page(t), "| tag | keys |")
	for tag := range layout.Tag(255) {
		if _, ok := disk.SchemaOf(tag); !ok {
			continue
		}
		if row := fmt.Sprintf("\n| %d | %s |", tag, tag); !strings.Contains(page(t), row) {
			t.Errorf("docs/format.md has no row %q", row)
		}
		if !strings.Contains(jsonKeys, "| "+tag.String()+" |") && !strings.Contains(jsonKeys, "| "+tag.String()+",") &&
			!strings.Contains(jsonKeys, ", "+tag.String()+" |") {
			t.Errorf("docs/format.md does not say the keys of %s in the JSON dump", tag)
		}
	}
}
