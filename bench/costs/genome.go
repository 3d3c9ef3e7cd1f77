package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// A genome has the parameters of an input. The same genome and size always make the same bytes.
type genome struct {
	format int // index in formats
	genes  [geneCount]int
}

// A gene is a parameter of an input. Most are the binary logarithm of a number.
type gene int

const (
	geneFunctions gene = iota // distinct functions
	geneDepth                 // frames of a stack or context
	geneName                  // bytes of a name
	geneRows                  // rows of an entry, values of a site
	geneEntries               // entries of a profile
	geneVersions              // versions of the code of a function
	geneContexts              // contexts of a function
	geneOverloads             // functions with one name
	geneLoaders               // loaders of one class
	geneTables                // rows of tables
	geneTypes                 // distinct types
	geneNames                 // one of the name kinds
	geneOrder                 // one of the orders of frames
	geneCounts                // one of the sizes of counts
	genePoints                // one of the ways in which profile points differ
	geneCount
)

// Values of geneNames.
const (
	namesPlain     = iota
	namesEqualID   // all names have one id
	namesOnePrefix // names differ in their last bytes
	namesMangled
	nameKinds
)

// Values of geneOrder.
const (
	orderCyclic    = iota
	orderOneLeaf   // all stacks end in one function
	orderOneRoot   // all stacks begin with one function
	orderGrowing   // each stack is the one before and a frame
	orderRecursive // one function over and over
	orderRandom
	orders
)

// Values of geneCounts.
const (
	countOne = iota
	countZero
	countHighest
	countDistinct
	counts
)

// Values of genePoints.
const (
	pointsDistinct = iota
	pointsEqual
	pointsDescending
	pointWays
)

// limitOf returns the number of values of a gene.
func limitOf(g gene) int {
	switch g {
	case geneNames:
		return nameKinds
	case geneOrder:
		return orders
	case geneCounts:
		return counts
	case genePoints:
		return pointWays
	}
	return 18
}

func randomGenome(r *rand.Rand) (g genome) {
	g.format = r.IntN(len(formats))
	for i := range g.genes {
		if limit := limitOf(gene(i)); limit < 18 {
			g.genes[i] = r.IntN(limit)
		} else {
			g.genes[i] = r.IntN(5) * r.IntN(4) // mostly small
		}
	}
	return g
}

// mutate returns a genome that differs in one to three genes.
func (g genome) mutate(r *rand.Rand) genome {
	for range 1 + r.IntN(3) {
		i := gene(r.IntN(int(geneCount)))
		limit := limitOf(i)
		if limit < 18 || r.IntN(3) == 0 {
			g.genes[i] = r.IntN(limit)
			continue
		}
		g.genes[i] = min(max(g.genes[i]+r.IntN(5)-2, 0), limit-1)
	}
	return g
}

// powerOf returns 2 to the power of a gene.
func (g *genome) powerOf(i gene) int { return 1 << g.genes[i] }

func (g genome) String() string {
	parts := []string{formats[g.format].name}
	for _, v := range g.genes {
		parts = append(parts, strconv.Itoa(v))
	}
	return strings.Join(parts, ",")
}

func parseGenome(text string) (g genome, err error) {
	parts := strings.Split(text, ",")
	if len(parts) != 1+int(geneCount) {
		return g, fmt.Errorf("%q has %d parts, not %d", text, len(parts), 1+int(geneCount))
	}
	g.format = -1
	for i := range formats {
		if formats[i].name == parts[0] {
			g.format = i
		}
	}
	if g.format < 0 {
		return g, fmt.Errorf("%q is no format", parts[0])
	}
	for i := range g.genes {
		g.genes[i], err = strconv.Atoi(parts[1+i])
		if err != nil || g.genes[i] < 0 || g.genes[i] >= limitOf(gene(i)) {
			return g, fmt.Errorf("%q is no value from 0 to %d", parts[1+i], limitOf(gene(i))-1)
		}
	}
	return g, nil
}
