package c_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// The forms of creader.c stand for the cells that the schema says an entry has.
func TestFormsAreTheSchemas(t *testing.T) {
	t.Parallel()
	forms := cForms(t)
	for tag := range layout.Tag(255) {
		schema, ok := disk.SchemaOf(tag)
		form, has := forms[tag]
		if ok != has {
			t.Errorf("%s: the schema has it: %t, creader.c has it: %t", tag, ok, has)
			continue
		}
		if !ok {
			continue
		}
		if form.name != tag.String() {
			t.Errorf("creader.c names tag %d %s, the schema %s", tag, form.name, tag)
		}
		if want := formOf(schema); verbsOf(form.cells) != want {
			t.Errorf("%s: creader.c has the cells %s, the schema %s", tag, verbsOf(form.cells), want)
		}
	}
}

// A cForm is what creader.c knows of a tag.
type cForm struct{ name, cells string }

// cForms reads the table of creader.c.
func cForms(t *testing.T) map[layout.Tag]cForm {
	t.Helper()
	source, err := os.ReadFile("../internal/testkit/creader/creader.c")
	if err != nil {
		t.Fatal(err)
	}
	text := string(source)
	for _, name := range []string{"ROWS", "ARGS"} {
		m := regexp.MustCompile(`#define ` + name + ` (".*")`).FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("creader.c does not define %s", name)
		}
		text = regexp.MustCompile(`\b`+name+`\b`).ReplaceAllLiteralString(text, m[1])
	}
	_, table, _ := strings.Cut(text, "tags[256] = {")
	table, _, _ = strings.Cut(table, "};")
	forms, next := map[layout.Tag]cForm{}, 0
	row := regexp.MustCompile(`(?:\[(\d+)\] = )?\{"(\w+)", ((?:"[^"]*" ?)+)\}`)
	for _, m := range row.FindAllStringSubmatch(table, -1) {
		if m[1] != "" {
			next, _ = strconv.Atoi(m[1])
		}
		forms[layout.Tag(next)] = cForm{m[2], strings.NewReplacer(`" "`, "", `"`, "").Replace(strings.TrimSpace(m[3]))}
		next++
	}
	return forms
}

// verbsOf returns the verbs and repetitions of a form, without the text around them.
func verbsOf(form string) string {
	return strings.Join(regexp.MustCompile(`%[a-zA-Z]|<.|>`).FindAllString(form, -1), "")
}

// formOf returns the verbs that print the cells of a schema.
func formOf(schema *disk.Schema) string {
	var form strings.Builder
	for i := range schema.Groups {
		g := &schema.Groups[i]
		verbs := ""
		for _, c := range g.Cells {
			verbs += verbOf(c.Kind, schema, i)
		}
		switch g.Repeat {
		case disk.Once:
			form.WriteString(verbs)
		case disk.IfOdd:
			form.WriteString("%r")
		case disk.PerEight:
			form.WriteString("%h")
		default:
			fmt.Fprintf(&form, "<%s%s>", repeatOf(g), verbs)
		}
	}
	return form.String()
}

// repeatOf returns how creader.c spells what decides on the rows of a group.
func repeatOf(g *disk.CellGroup) string {
	switch g.Repeat {
	case disk.PerGap:
		return "G"
	case disk.PerType:
		return "T"
	case disk.PerBci:
		return "B"
	case disk.PerRow:
		return "R"
	}
	return fmt.Sprint(len(g.Cells))
}

// verbOf returns the verb for a cell of group i.
func verbOf(kind disk.CellKind, schema *disk.Schema, i int) string {
	switch kind {
	case disk.CellDisplacement, disk.CellFlags:
		return "%d"
	case disk.CellType:
		return "%T"
	case disk.CellTypeWord:
		return "%W"
	case disk.CellMethod:
		return "%M"
	case disk.CellLength:
		return "%n"
	case disk.CellSuccessor:
		return "%p"
	case disk.CellCount:
		if i == 0 && len(schema.SignedSubs) > 0 && schema.Subs == nil { // of an entry that is always signed
			return "%d"
		}
	}
	return "%u"
}
