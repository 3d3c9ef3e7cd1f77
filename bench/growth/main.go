package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"time"
)

func main() {
	n := flag.Int("n", 4000, "the smallest size")
	shapeName := flag.String("shape", "", "shapes whose names begin so")
	operationName := flag.String("operation", "", "operations whose names begin so")
	flag.Parse()
	if err := measureAll(*n, *shapeName, *operationName); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

func measureAll(n int, shapeName, operationName string) error {
	fmt.Printf("%-22s%-16s%12s%38s%34s%12s\n", "shape", "operation", "archive", "time at n, 2n, 4n, 8n, exponent", "allocated, exponent", "printed")
	for _, sh := range shapes {
		if !strings.HasPrefix(sh.name, shapeName) {
			continue
		}
		var pairs []pair
		for i := range doublings + 1 {
			p, err := makePair(sh, n<<i)
			if err != nil {
				return fmt.Errorf("%s: %w", sh.name, err)
			}
			pairs = append(pairs, p)
		}
		for _, op := range operations {
			if strings.HasPrefix(op.name, operationName) && op.applies(pairs[0].domain) {
				if err := printGrowth(sh, op, pairs); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func printGrowth(sh shape, op operation, pairs []pair) error {
	var costs []cost
	for _, p := range pairs {
		c, err := p.run(op)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", sh.name, op.name, err)
		}
		costs = append(costs, c)
	}
	last := costs[len(costs)-1]
	fmt.Printf("%-22s%-16s%9.2f MB", sh.name, op.name, float64(last.bytes)/1e6)
	for _, c := range costs {
		fmt.Printf("%8.1f", float64(c.time)/float64(time.Millisecond))
	}
	fmt.Printf(" ms%7.2f", exponent(costs, func(c cost) float64 { return float64(c.time) }))
	for _, c := range costs {
		fmt.Printf("%7.1f", float64(c.allocated)/1e6)
	}
	fmt.Printf(" MB%6.2f%9.1f MB\n", exponent(costs, func(c cost) float64 { return float64(c.allocated) }), float64(last.printed)/1e6)
	return nil
}
