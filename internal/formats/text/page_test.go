package text

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// pageExample returns the archive whose text README.md shows.
func pageExample() *builder.Builder {
	b := builder.New(layout.DomainHotSpot, builder.Config{Producer: "OpenJDK 21.0.7",
		Params: layout.Params{TypeProfileWidth: 2, BciProfileWidth: 2, ReceiverGap: 0}})
	key := layout.Key{Class: "shapes/Area", Name: "total", Signature: "(Ljava/util/List;)D", Loader: "app"}
	total := b.Method(key)
	main := b.Method(layout.Key{Class: "shapes/Main", Name: "main", Signature: "([Ljava/lang/String;)V", Loader: "app"})
	b.Internal().DescribeMethod(main, 1|disk.AccStatic, 0)
	b.Seen(b.Method(layout.Key{Class: "shapes/Main", Name: "usage", Signature: "()V", Loader: "app"}))
	circle := b.Type(builder.TypeKey{Name: "shapes/Circle", Loader: "app"})
	square := b.Type(builder.TypeKey{Name: "shapes/Square", Loader: "app"})
	all := b.ProfileIn(total, 0, profileset.NoContext)
	all.Invocations(2400)
	all.Backedges(60000)
	all.VirtualCall(builder.At{Bci: 9}, builder.Others{Count: 40},
		builder.Row{Type: circle, Count: 51000}, builder.Row{Type: square, Count: 8960})
	all.Branch(builder.At{Bci: 14}, builder.Branch{Taken: 59998, Displacement: 56, NotTaken: 2})
	all.ReceiverType(builder.At{Bci: 21, Flags: layout.EntryNullSeen, Traps: 3}, builder.Others{},
		builder.Row{Type: circle, Count: 51000})
	inMain := b.ProfileIn(total, 0, b.Context(total, builder.Frame{Caller: main, Point: 37}))
	inMain.Branch(builder.At{Bci: 14}, builder.Branch{Taken: 100, Displacement: 56, NotTaken: 2})
	_, _ = all.Done(), inMain.Done()
	run := b.Internal().Table(disk.TableProperties, 0, disk.ColumnSymbol, disk.ColumnSymbol)
	run.Row(uint64(b.Internal().Symbol("java.vm.name")), uint64(b.Internal().Symbol("OpenJDK 64-Bit Server VM")))
	return b
}

func TestPageShowsTheExample(t *testing.T) {
	data := bytesOf(t, pageExample())
	checkExact(t, data)
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "context of its caller.\n\n", "\n## Editing"
	head, rest, ok1 := strings.Cut(string(page), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatal("README.md has no place for the example")
	}
	var example strings.Builder
	for line := range strings.Lines(write(t, data)) {
		if line != "\n" {
			line = "    " + line
		}
		example.WriteString(line)
	}
	golden(t, "README.md", head+begin+example.String()+end+tail)
}

// Every word of the text stands in the grammar.
func TestWordsAreDescribed(t *testing.T) {
	var words []string
	for _, f := range fieldForms {
		words = append(words, f.name)
	}
	for word := range headerReaders {
		words = append(words, word)
	}
	words = append(append(words, slices.Collect(maps.Keys(tagNumbers))...), sectionWords...)
	for _, tag := range []layout.Tag{layout.TagValueSite, layout.TagSuccessors, layout.TagReceivers, layout.TagCount} {
		schema, _ := disk.SchemaOf(tag)
		words = append(words, subWords(schema)...)
	}
	described(t, "README.md", `"`, words)
}

// described checks that each word stands in a file, in quotes.
func described(t *testing.T, file, quote string, words []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range words {
		if word != "" && !strings.Contains(string(text), quote+word+quote) {
			t.Errorf("%s is not described in %s", word, file)
		}
	}
}
