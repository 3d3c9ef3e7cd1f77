// Archives creates many archives to merge. It generates methods, or changes the counts of a real archive, or trains
// real programs with a JDK that has its sources.
//
//	go run ./bench/archives -n 10000 -methods 1000 -own 100 -o /tmp/runs
//	go run ./bench/archives -n 300 -from javac.parc -o /tmp/runs
//	go run ./bench/archives -jdk /usr/lib/jvm/java-17-openjdk-amd64 -runs 300 -o /tmp/runs
//
// The programs are the JDK tools javac, javap, javadoc, jdeps, jar, jimage, jshell and keytool, and java with Words and
// Numbers. The number of a run selects the program and its package, module or script.
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
	jdk := flag.String("jdk", "", "home of a JDK whose tools are trained")
	runs := flag.Int("runs", 300, "training runs with -jdk")
	jobs := flag.Int("jobs", 2, "training runs at once")
	profarc := flag.String("profarc", "profarc", "the program that trains")
	flag.Parse()
	err := error(nil)
	if *jdk != "" {
		err = recordRuns(*jdk, *profarc, o.Out, *runs, *jobs)
	} else {
		err = manyarchives.Make(o)
	}
	if err != nil {
		log.Fatal(err)
	}
}
