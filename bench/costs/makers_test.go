package main

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestInputsAreReproducible makes inputs twice from their printed genomes.
func TestInputsAreReproducible(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		g := randomGenome(r).mutate(r)
		again, err := parseGenome(g.String())
		if err != nil || again != g {
			t.Fatalf("%v becomes %v: %v", g, again, err)
		}
		a := g.encode(1 << 12)
		b := again.encode(1 << 12)
		if !bytes.Equal(a, b) || len(a) < 1<<12 {
			t.Fatalf("%v makes %d and %d bytes", g, len(a), len(b))
		}
		if most := 1 << 20; len(a) > most {
			t.Errorf("%v makes %d bytes instead of %d", g, len(a), 1<<12)
		}
	}
}
