package lint

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The limits of README.md: a page that is read in three minutes.
const (
	readmeLines = 120
	readmeWords = 900
)

func TestReadmeIsShort(t *testing.T) {
	startInRoot(t)
	text := readText(t, "README.md")
	if n := strings.Count(text, "\n"); n > readmeLines {
		t.Errorf("README.md has %d lines, more than %d", n, readmeLines)
	}
	if n := len(strings.Fields(text)); n > readmeWords {
		t.Errorf("README.md has %d words, more than %d", n, readmeWords)
	}
}

// TestPackagesWithJSON compares the list of packages with JSON tags in CONTRIBUTING.md with the tags of the library.
func TestPackagesWithJSON(t *testing.T) {
	startInRoot(t)
	_, list, found := strings.Cut(readText(t, "CONTRIBUTING.md"), "packages with JSON tags: ")
	list, _, closed := strings.Cut(list, ")")
	if !found || !closed {
		t.Fatal("CONTRIBUTING.md has no list of packages with JSON tags")
	}
	var listed, tagged []string
	for _, name := range regexp.MustCompile("`([a-z/]+)`").FindAllStringSubmatch(list, -1) {
		listed = append(listed, name[1])
	}
	stable, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	experimental, err := filepath.Glob("experimental/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range slices.Concat(stable, experimental) {
		if !strings.HasSuffix(file, "_test.go") && strings.Contains(readText(t, file), "json:\"") {
			tagged = append(tagged, filepath.Dir(file))
		}
	}
	slices.Sort(tagged)
	if tagged = slices.Compact(tagged); !slices.Equal(listed, tagged) {
		t.Errorf("CONTRIBUTING.md lists %v, and JSON tags are in %v", listed, tagged)
	}
}

// falseClaims matches wrong statements of earlier pages and help texts. JDKs were tested only up to 25, and opening a
// larger archive takes longer.
var falseClaims = regexp.MustCompile(`\b17 (?:or|and) later, (?:from|without)|JDK 17 (?:or|and) later|\(17 (?:or|and) later\)|` +
	`(?i:open(?:s|ing)?[^.]{0,40} costs? (?:about )?the same)|wc -l internal/testkit/creader`)

func TestNoFalseClaims(t *testing.T) {
	startInRoot(t)
	for _, claim := range []string{"JDK 17 or later", "Opening an archive and the first answer cost the same",
		"(`wc -l internal/testkit/creader/creader.c`: 599)"} {
		if !falseClaims.MatchString(claim) {
			t.Errorf("%s is not found", claim)
		}
	}
	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	help, err := filepath.Glob("cmd/profarc/internal/*/*.go")
	if err != nil || len(help) == 0 {
		t.Fatalf("no commands: %v", err)
	}
	for _, file := range slices.Concat([]string{"README.md", "CONTRIBUTING.md"}, pages, help) {
		if claim := falseClaims.FindString(readText(t, file)); claim != "" {
			t.Errorf("%s says %q", file, claim)
		}
	}
}

// Words of the pages of the format, and of all others, at most.
const (
	formatWords = 17_600
	pageWords   = 22_000
)

func TestPagesAreShort(t *testing.T) {
	startInRoot(t)
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	format, others := 0, 0
	for _, file := range pages {
		words := len(strings.Fields(readText(t, file)))
		if strings.HasPrefix(filepath.Base(file), "format") {
			format += words
		} else {
			others += words
		}
	}
	if format > formatWords || others > pageWords {
		t.Errorf("the pages of the format have %d words, at most %d; the others %d, at most %d", format, formatWords, others,
			pageWords)
	}
}
