// Archives makes many archives to merge: of methods that are made up, or by changing the
// counts of a real archive.
//
//	go run ./bench/archives -n 10000 -methods 1000 -own 100 -o /tmp/runs
//	go run ./bench/archives -n 300 -from javac.parc -o /tmp/runs
package main

import (
	"flag"
	"log"

	"github.com/profarc/profarc/fleet/internal/manyarchives"
)

func main() {
	var o manyarchives.Options
	flag.IntVar(&o.N, "n", 100, "archives")
	flag.IntVar(&o.Methods, "methods", 1000, "methods of an archive that is made up")
	flag.IntVar(&o.Own, "own", 100, "how many of them no other archive has")
	flag.IntVar(&o.Shared, "shared", 20_000, "methods that the others are taken from")
	flag.StringVar(&o.From, "from", "", "archive to change the counts of")
	flag.StringVar(&o.Out, "o", "", "directory to write to")
	flag.Parse()
	if err := manyarchives.Make(o); err != nil {
		log.Fatal(err)
	}
}
