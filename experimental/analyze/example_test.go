package analyze_test

import (
	"context"
	"fmt"
	"log"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// The two hottest methods of an archive, by invocations.
func ExampleHottest() {
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	for name, calls := range map[string]uint64{"main": 1, "next": 60, "hash": 39} {
		p := b.Profile(layout.Key{Class: "app/Main", Name: name, Signature: "()V"}, 0)
		p.Invocations(calls)
		if err := p.Done(); err != nil {
			log.Fatal(err)
		}
	}
	data, _, err := b.Bytes()
	if err != nil {
		log.Fatal(err)
	}
	m, err := archive.FromBytes("app.parc", data, archive.Options{})
	if err != nil {
		log.Fatal(err)
	}
	s := reader.New(m)
	defer s.Close()

	top, err := analyze.Hottest(context.Background(), s, nil, analyze.RankOptions{Limit: 2})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range top.Methods {
		fmt.Printf("%3d %.0f%% %s\n", m.Value, 100*m.Share, m.Method)
	}
	// Output:
	//  60 60% app.Main::next()V
	//  39 39% app.Main::hash()V
}
