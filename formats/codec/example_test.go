package codec_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/layout"
)

// LossNegative: an archive has no counts below zero.
const LossNegative codec.LossKind = "negative counts"

// A CallsImporter reads a format that is made up: after a first line "calls",
// each line has a count and the name of a function.
type CallsImporter struct {
	Scale int // what counts are multiplied by, 0 for 1
}

// Format names the format, and declares the field Scale.
func (i *CallsImporter) Format() codec.Format {
	return codec.Format{Name: "calls",
		Options: []codec.Option{codec.NewOption("scale", &i.Scale, "what counts are multiplied by")}}
}

// Detect looks for the first line.
func (*CallsImporter) Detect(head []byte, _ bool) bool {
	return bytes.HasPrefix(head, []byte("calls\n"))
}

// Import fills a builder.
func (i *CallsImporter) Import(in *codec.Input) (*codec.Report, error) {
	b := builder.New(layout.DomainGraal, in.Config)
	report := codec.Report{Dumps: []*builder.Builder{b}, Totals: map[string]uint64{}}
	lines := bufio.NewScanner(in)
	lines.Scan()
	for number := 2; lines.Scan(); number++ {
		var count int64
		var name string
		if _, err := fmt.Sscan(lines.Text(), &count, &name); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", in.Name, number, err)
		}
		if count >= 0 {
			report.Totals["calls"] += uint64(count) * uint64(max(i.Scale, 1))
		} else {
			report.Lost.AddLoss(codec.Loss{What: LossNegative, Count: 1, Line: number})
			continue
		}
		p := b.Profile(layout.Key{Name: name}, 0)
		p.Count(builder.Count{Sub: layout.SubCalls, N: uint64(count) * uint64(max(i.Scale, 1))})
		if err := p.Done(); err != nil {
			return nil, err
		}
		report.Methods++
		report.Entries++
	}
	return &report, lines.Err()
}

// A program brings an importer of its own.
func Example() {
	ctx := context.Background()
	in, err := formats.Import(ctx,
		[]formats.Input{{Name: "app.calls", Reader: strings.NewReader("calls\n7 main\n-1 odd\n21 print\n")}},
		formats.ImportOptions{Importers: []codec.Importer{&CallsImporter{Scale: 2}}})
	if err != nil {
		log.Fatal(err)
	}
	store, err := in.Builder.Open("app.parc")
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	for m, err := range store.Methods() {
		if err != nil {
			log.Fatal(err)
		}
		name, err := m.Name()
		if err != nil {
			log.Fatal(err)
		}
		for p := range m.Profiles() {
			for e := range p.Entries() {
				count, _ := e.Counter()
				fmt.Println(name, count.Trained())
			}
		}
	}
	fmt.Println(in.Lost)
	// Output:
	// main 14
	// print 42
	// [{negative counts 1 3  0 []}]
}
