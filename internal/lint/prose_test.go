package lint

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A construction is a phrase that readers have to read twice, with the maximum number per 1,000 words. The budgets are
// near the rates of bbolt, pebble, esbuild and wazero.
type construction struct {
	name            string
	pattern         *regexp.Regexp
	comments, pages float64
}

var constructions = []construction{
	{"a free relative clause, as in \"is what\"",
		regexp.MustCompile(`(?i)\b(?:is|are|of|in|returns|says?|has|to|with|on|from|than|as|for|by) what\b`), 0.3, 0.4},
	{"a comment that begins with a preposition",
		regexp.MustCompile(`^(?:of|in|to|with|on|from|by|behind|at|for|among) `), 0.3, 99},
	{"\"of its own\"", regexp.MustCompile(`(?i)\bof (?:its|their|your) own\b`), 0.1, 0.15},
	{"\"says\"", regexp.MustCompile(`(?i)\bsays?\b`), 0.4, 0.4},
	{"\"place\"", regexp.MustCompile(`(?i)\bplaces?\b`), 0.5, 0.5},
	{"\"sum of\"", regexp.MustCompile(`(?i)\bsums? of\b|\bsums\b`), 0.3, 0.4},
	{
		"\"if there is none\"",
		regexp.MustCompile(`(?i)\bif there (?:is|are) none\b|\bif (?:it|they) ha(?:s|ve) none\b`),
		0.1,
		0.1,
	},
	{"\"that was ...ed\"", regexp.MustCompile(`(?i)\bthat (?:was|were|is|are) \w+ed\b`), 0.6, 0.5},
	{
		"a size without a unit, as in \"of that size\"",
		regexp.MustCompile(`(?i)\bof that (?:size|name|kind|length)\b|\bas long:|` +
			`\bso (?:many|much|long|far)\b(?: \w+)?`),
		0.1,
		0.1,
	},
	{"a colon before a clause", regexp.MustCompile(`(?i)[a-z]: [a-z]`), 6, 3.5},
	{"dialect, as in \"those of\"", regexp.MustCompile(`(?i)\b(?:those of|that of|of which|lies|is of|are of|to which|` +
		`for want of|all the same|beside)\b`), 0.3, 0.3},
}

// isResult matches "so many that" and "so long as", which are clear.
var isResult = regexp.MustCompile(`(?i)^so \w+ (?:that|as)$`)

func TestConstructionsAreFound(t *testing.T) {
	startInRoot(t)
	for _, text := range []string{"it is what it returns", "of the last unit", "a map of its own", "the name says it",
		"in its place", "a sum of counts", "empty if there is none", "a row that was added", "so many rows are read",
		"the rest: it goes", "those of the base"} {
		if found := findConstructions(text); len(found) == 0 {
			t.Errorf("nothing is found in %q", text)
		}
	}
	if found := findConstructions("It runs so long that the counter wraps around."); len(found) > 0 {
		t.Errorf("found %v", found)
	}
}

// findConstructions returns the names of the constructions in a comment or paragraph, once for each occurrence.
func findConstructions(text string) (found []string) {
	for _, c := range constructions {
		for _, match := range c.pattern.FindAllString(text, -1) {
			if !isResult.MatchString(match) {
				found = append(found, c.name)
			}
		}
	}
	return found
}

// TestCommentsArePlain compares the comments of Go and C files outside tests with the budgets.
func TestCommentsArePlain(t *testing.T) {
	startInRoot(t)
	var p prose
	eachTextFile(t, func(name string) {
		switch filepath.Ext(name) {
		case ".go", ".c", ".h":
			if !strings.HasSuffix(name, "_test.go") {
				p.addTexts(commentsOf(readText(t, name)))
			}
		}
	})
	p.check(t, "comments", func(c construction) float64 { return c.comments })
}

// TestPagesArePlain compares the Markdown pages with the budgets.
func TestPagesArePlain(t *testing.T) {
	startInRoot(t)
	var p prose
	eachTextFile(t, func(name string) {
		if filepath.Ext(name) == ".md" && filepath.Base(name) != "CHANGELOG.md" {
			p.addTexts(paragraphsOf(readText(t, name)))
		}
	})
	p.check(t, "pages", func(c construction) float64 { return c.pages })
}

type prose struct {
	words int
	found map[string]int
}

func (p *prose) addTexts(texts []string) {
	if p.found == nil {
		p.found = map[string]int{}
	}
	for _, text := range texts {
		p.words += len(strings.Fields(text))
		for _, name := range findConstructions(text) {
			p.found[name]++
		}
	}
}

func (p *prose) check(t *testing.T, what string, budget func(construction) float64) {
	t.Helper()
	if p.words < 10_000 {
		t.Fatalf("%s: %d words", what, p.words)
	}
	for _, c := range constructions {
		if rate := 1000 * float64(p.found[c.name]) / float64(p.words); rate > budget(c) {
			t.Errorf("%s have %s %d times, %.2f in 1,000 words, more than %.2f", what, c.name, p.found[c.name], rate, budget(c))
		}
	}
}

var (
	lineComment     = regexp.MustCompile(`^\s*// ?(.*)`)
	directive       = regexp.MustCompile(`^\s*//(?:go:|line|export)`)
	blockComment    = regexp.MustCompile(`^\s*/\*+ ?(.*)`)
	insideBlock     = regexp.MustCompile(`^\s*\*? ?(.*)`)
	trailingComment = regexp.MustCompile(`\S\s+// (.*)$`)
)

// commentsOf returns the comments of a Go or C file, each joined to one line.
func commentsOf(source string) (texts []string) {
	var block []string
	inside := false
	end := func() {
		if block != nil {
			texts = append(texts, strings.Join(block, " "))
			block = nil
		}
	}
	for _, line := range strings.Split(source, "\n") {
		text, ok := commentLine(line, &inside)
		if ok {
			block = append(block, text)
			continue
		}
		end()
		if m := trailingComment.FindStringSubmatch(line); m != nil && !strings.Contains(m[1], `"`) {
			texts = append(texts, m[1])
		}
	}
	end()
	return texts
}

// commentLine returns the text of a line that is entirely a comment. *inside is true within a block comment.
func commentLine(line string, inside *bool) (text string, ok bool) {
	m := lineComment.FindStringSubmatch(line)
	if m != nil && directive.MatchString(line) {
		m = nil
	}
	if m == nil && *inside {
		m = insideBlock.FindStringSubmatch(line)
	} else if m == nil {
		m = blockComment.FindStringSubmatch(line)
		*inside = m != nil
	}
	if strings.Contains(line, "*/") {
		*inside = false
	}
	if m == nil {
		return "", false
	}
	return strings.ReplaceAll(m[1], "*/", ""), true
}

// inlineCode matches code and link addresses, which are not prose.
var inlineCode = regexp.MustCompile("`[^`]*`|\\]\\([^)]*\\)")

// paragraphsOf returns the paragraphs of a page without code, each joined to one line.
func paragraphsOf(page string) (texts []string) {
	var paragraph []string
	code := false
	for _, line := range strings.Split(page+"\n", "\n") {
		if strings.HasPrefix(line, "```") {
			code = !code
		}
		if code || strings.HasPrefix(line, "    ") || strings.TrimSpace(line) == "" {
			if paragraph != nil {
				texts = append(texts, strings.Join(paragraph, " "))
			}
			paragraph = nil
			continue
		}
		paragraph = append(paragraph, inlineCode.ReplaceAllString(strings.TrimSpace(line), ""))
	}
	return texts
}

// eachTextFile calls yield for every file outside testdata and hidden folders.
func eachTextFile(t *testing.T, yield func(name string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() == ".git"):
			return filepath.SkipDir
		case !d.IsDir():
			yield(name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
