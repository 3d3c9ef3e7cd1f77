package main

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A cost is the cost of one operation on one input.
type cost struct {
	input, output int
	cpu           time.Duration // processor time without a start of the command
	memory        int64         // bytes of the resident set without a start
}

// bytes returns the bytes that an operation must at least touch.
func (c *cost) bytes() float64 { return float64(max(c.input+c.output, 1)) }

// perByte returns the processor time for each byte of input and output, in nanoseconds.
func (c *cost) perByte() float64 { return float64(c.cpu) / c.bytes() }

// memoryPerByte returns the memory for each byte of input.
func (c *cost) memoryPerByte() float64 { return float64(c.memory) / float64(max(c.input, 1)) }

// A judge measures operations on inputs.
type judge interface {
	operations(g genome) []string
	// prepare makes the input of a size.
	prepare(g genome, size int) subject
}

// A subject is an input that operations are tried on.
type subject interface {
	// measure returns the cost of an operation. It is not ok if the input does not allow the operation.
	measure(operation string) (c cost, ok bool)
	remove()
}

// A commandJudge runs the command profarc.
type commandJudge struct {
	program string
	dir     string // directory for all files
	start   cost   // cost of a start of the command
}

var _ judge = (*commandJudge)(nil)

// patience is the time that no operation may take.
const patience = time.Minute

// exportTypes are the formats that archives are exported to, and imported from again.
var exportTypes = []string{"text", "json", "folded", "pprof", "gopgo", "lcov", "profdata", "proftext", "iprof",
	"jamaica", "methoddata"}

// commands have the arguments of the commands that an archive a, another one b and an output o are tried with.
var commands = map[string][]string{
	"show":      {"show", "a"},
	"show-part": {"show", "a", "f1"},
	"lookup":    {"show", "--lookup", "a", "f1"},
	"top":       {"top", "a"},
	"info":      {"info", "a"},
	"verify":    {"verify", "a"},
	"gate":      {"gate", "a"},
	"diff":      {"diff", "a", "b"},
	"check":     {"check", "a", "--against", "b"},
	"merge":     {"merge", "a", "b", "-o", "o"},
	"reduce":    {"reduce", "--hot", "50%", "a", "-o", "o"},
	"web":       {"web", "a", "-o", "o"},
}

func (j *commandJudge) operations(genome) (all []string) {
	all = append(all, "import")
	all = slices.AppendSeq(all, maps.Keys(commands))
	for _, to := range exportTypes {
		all = append(all, "export-"+to, "reimport-"+to)
	}
	slices.Sort(all) // a seed chooses the same operations again
	return all
}

// measureStart measures a command that does nothing.
func (j *commandJudge) measureStart() error {
	best := cost{cpu: time.Hour}
	for range 10 {
		c, err := j.runCommand("--version")
		if err != nil {
			return err
		}
		if c.cpu < best.cpu {
			best = c
		}
	}
	j.start = best
	return nil
}

// A fileSubject is an input with its archives, in its own directory.
type fileSubject struct {
	*commandJudge
	genome   genome
	size     int
	dir      string
	imported cost
	err      error // error of the import
}

func (j *commandJudge) prepare(g genome, size int) subject {
	f := &fileSubject{commandJudge: j, genome: g, size: size}
	f.dir, f.err = os.MkdirTemp(j.dir, "input-")
	if f.err == nil {
		f.imported, f.err = f.importInput(size, f.path("a.parc"))
	}
	return f
}

func (f *fileSubject) path(name string) string { return filepath.Join(f.dir, name) }

func (f *fileSubject) remove() { _ = os.RemoveAll(f.dir) }

// importInput makes an archive of the input of a size.
func (f *fileSubject) importInput(size int, archive string) (c cost, err error) {
	in := archive + ".in"
	err = os.WriteFile(in, f.genome.encode(size), 0o600)
	if err != nil {
		return c, err
	}
	c, err = f.runCommand("import", in, "-o", archive)
	c.input = sizeOf(in)
	return c, err
}

func (f *fileSubject) measure(operation string) (c cost, ok bool) {
	if operation == "import" {
		return f.imported, true // an input that is refused late is expensive, too
	}
	if f.err != nil {
		return c, false
	}
	if to, is := strings.CutPrefix(operation, "export-"); is {
		return f.measureExport(f.path("a.parc"), to, false)
	}
	if to, is := strings.CutPrefix(operation, "reimport-"); is {
		return f.measureExport(f.path("a.parc"), to, true)
	}
	return f.measureCommand(operation)
}

func (f *fileSubject) measureExport(archive, to string, again bool) (c cost, ok bool) {
	out := archive + "." + to
	args := []string{"export", "-t", to, archive, "-o", out}
	if to == "lcov" {
		args = append(args, "--function-lines")
	}
	c, err := f.runCommand(args...)
	c.input = sizeOf(archive)
	c.output += sizeOf(out)
	if err != nil || !again {
		return c, err == nil
	}
	c, err = f.runCommand("import", out, "-o", archive+".again")
	c.input = sizeOf(out)
	return c, err == nil
}

// measureCommand runs a command on the archive a.parc, and on another one where it takes two.
func (f *fileSubject) measureCommand(operation string) (c cost, ok bool) {
	names := map[string]string{"a": f.path("a.parc"), "b": f.path("b.parc"), "o": f.path("o")}
	args := []string{}
	for _, arg := range commands[operation] {
		if name, is := names[arg]; is {
			if arg == "b" && !f.makeOther(name) {
				return c, false
			}
			arg = name
		}
		args = append(args, arg)
	}
	c, err := f.runCommand(args...)
	c.input = sizeOf(names["a"]) + sizeOf(names["b"])
	c.output += sizeOf(names["o"])
	_ = os.RemoveAll(names["o"])
	return c, !isTimeout(err) || c.cpu > leastTime
}

// makeOther makes an archive of an input that is a little shorter, once.
func (f *fileSubject) makeOther(archive string) bool {
	if _, err := os.Stat(archive); err == nil {
		return true
	}
	_, err := f.importInput(f.size-f.size/16, archive)
	return err == nil
}

func sizeOf(path string) int {
	total := 0
	_ = filepath.Walk(path, func(_ string, info os.FileInfo, err error) error { // nothing is there: 0
		if err == nil && !info.IsDir() {
			total += int(info.Size())
		}
		return nil
	})
	return total
}

// errTooLong is the error of an operation that was ended.
var errTooLong = errors.New("takes too long")

func isTimeout(err error) bool { return errors.Is(err, errTooLong) }

// runCommand runs profarc and returns its cost without a start.
func (j *commandJudge) runCommand(args ...string) (c cost, err error) {
	c, err = runMeasured(j.program, args)
	c.cpu = max(c.cpu-j.start.cpu, 0)
	c.memory = max(c.memory-j.start.memory, 0)
	return c, err
}
