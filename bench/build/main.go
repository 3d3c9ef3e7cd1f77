// Command build measures how long it takes to build a large archive, and how much
// memory, against writing as many bytes with write(2).
//
//	go run ./bench/build
//	go run ./bench/build -size 1GB,4GB -shape javac -builds OLD,NEW -dir /var/tmp/profarc
//
// Each turn is a process of its own. Processor time and memory are those of recording
// the profiles and of committing the archive, without what it costs to invent them,
// which a turn of its own measures. OLD and NEW are builds of this command, which take
// turns: go build -o NEW ./bench/build.
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/profarc/profarc/bench"
)

func main() {
	if len(os.Args) == 4 && os.Args[1] == childFlag {
		exit(child(os.Args[2], os.Args[3]))
		return
	}
	sizes := flag.String("size", "1GB", "about how large the archives are")
	shape := flag.String("shape", "even,javac", "even: keys and profiles of one length; javac: as in a run of javac; shuffled: as javac, in no order")
	builds := flag.String("builds", "", "builds of this command that take turns; this one if empty")
	rounds := flag.Int("rounds", 3, "rounds of turns")
	dir := flag.String("dir", os.TempDir(), "where the files are written")
	flag.Parse()
	m := measurement{dir: *dir, rounds: *rounds, builds: strings.Split(*builds, ",")}
	if *builds == "" {
		self, err := os.Executable()
		exit(err)
		m.builds = []string{self}
	}
	fmt.Println("| shape | archive | write(2), time | processor | build, time | of write | processor | of write | peak memory | of the archive |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	for _, size := range strings.Split(*sizes, ",") {
		bytes, err := parseSize(size)
		exit(err)
		for _, name := range strings.Split(*shape, ",") {
			exit(m.print(name, bytes))
		}
	}
}

// scale returns the scale of a shape whose archive has about so many bytes.
func scale(shape string, bytes int64) (s bench.Scale, err error) {
	const even, javac = 1270, 700 // bytes a method
	switch shape {
	case "even":
		s = bench.Scale{Methods: int(bytes / even), Block: 900}
	case "javac", "shuffled":
		s = bench.Scale{Methods: int(bytes / javac), Javac: true, Shuffled: shape == "shuffled"}
	default:
		return s, fmt.Errorf("shape %q: it is even, javac or shuffled", shape)
	}
	return s, nil
}

// parseSize reads 10MB or 1GB.
func parseSize(text string) (int64, error) {
	unit := int64(1e9)
	number, ok := strings.CutSuffix(text, "GB")
	if !ok {
		unit = 1e6
		if number, ok = strings.CutSuffix(text, "MB"); !ok {
			return 0, fmt.Errorf("size %q: name it in MB or GB", text)
		}
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, fmt.Errorf("size %q: %w", text, err)
	}
	return int64(n * float64(unit)), nil
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}
