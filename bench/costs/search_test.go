package main

import (
	"context"
	"testing"
	"time"
)

// A plantedJudge has one operation that is quadratic in the depth of recursive stacks.
type plantedJudge struct{ quadratic bool }

func (plantedJudge) operations(genome) []string { return []string{"import"} }

func (j plantedJudge) prepare(g genome, size int) subject { return plantedSubject{j, g, size} }

type plantedSubject struct {
	plantedJudge
	genome genome
	size   int
}

func (plantedSubject) remove() {}

func (j plantedSubject) measure(string) (cost, bool) {
	c := cost{input: j.size, cpu: time.Duration(20 * j.size)}
	depth := j.genome.powerOf(geneDepth)
	if j.quadratic && j.genome.genes[geneOrder] == orderRecursive && depth > 1<<10 {
		n := time.Duration(min(depth, j.size/8))
		c.cpu += n * n
	}
	return c, true
}

// TestTheSearchFindsWhatIsPlanted searches a judge with a quadratic operation, and one without.
func TestTheSearchFindsWhatIsPlanted(t *testing.T) {
	for _, quadratic := range []bool{true, false} {
		s := newSearch(plantedJudge{quadratic}, 1, 96<<10)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		go func() {
			for ctx.Err() == nil {
				s.mu.Lock()
				if len(s.findings) > 0 || s.tried > 20_000 {
					cancel()
				}
				s.mu.Unlock()
				time.Sleep(time.Millisecond)
			}
		}()
		s.searchUntil(ctx, 2)
		cancel()
		if found := len(s.findings) > 0; found != quadratic {
			t.Errorf("quadratic %v: %d findings of %d", quadratic, len(s.findings), s.tried)
		}
	}
}
