package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/testkit/forgery"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/verify"
)

// allowed are the answers of commands that cannot do their work with a sound archive. One is about the unit of samples,
// which is a string that a mutant can change, and two are verdicts of check and gate on a changed hash of code.
var allowed = regexp.MustCompile(`no counters above 0|of different profilers cannot|of domain|was merged before|` +
	`do not fit together|the compiler reads only profiles with values of type|fits [0-9.]+%, |does not pass the gate`)

var numbers = regexp.MustCompile(`(0x)?[0-9a-f]+`)

// TestWhatVerifyTakesEverybodyReads changes fields of archives at random, with right sums. What
// verify takes for sound, every command, libprofarc and the readers in C and Python must take, too,
// and the four readers must print the same of it. PROFARC_MUTANTS=50m looks for that long.
func TestWhatVerifyTakesEverybodyReads(t *testing.T) {
	full.Only(t, "takes many inputs")
	const short = 5 // mutants of a specimen
	long, _ := time.ParseDuration(os.Getenv("PROFARC_MUTANTS"))
	if long > mutantsOfAProcess {
		mutateInTurns(t, long)
		return
	}
	libprofarc, creader := sanitizedReaders(t)
	var subjects []*mutants
	for _, sp := range specimen.All() {
		subjects = append(subjects, newMutants(t, sp, libprofarc, creader))
	}
	for _, m := range subjects {
		m.without(t)
	}
	for end, n := time.Now().Add(long), 0; n < short || time.Now().Before(end); n++ {
		for _, m := range subjects {
			m.next(t)
		}
	}
	for _, m := range subjects {
		m.python.ask(t, m.complain)
		t.Logf("%s: %d mutants, %d of them sound, %d refused by somebody", m.name, m.made, m.sound, m.refused)
	}
}

// mutantsOfAProcess is how long a process looks for mutants: the library of the command line
// keeps the flags of every command that was ever made, some 20 MB a second.
const mutantsOfAProcess = 2 * time.Minute

// mutateInTurns runs the test in one process after the other.
func mutateInTurns(t *testing.T, long time.Duration) {
	for end := time.Now().Add(long); time.Now().Before(end) && !t.Failed(); {
		c := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
		c.Env = append(os.Environ(), "PROFARC_MUTANTS="+mutantsOfAProcess.String())
		out, err := c.CombinedOutput()
		t.Logf("%s", out)
		if err != nil {
			t.Error(err)
		}
	}
}

// Mutants are changed archives of a specimen, with those who read them.
type mutants struct {
	*forgery.Mutator
	name                 string
	archive              string // where a mutant is written to
	commands             [][]string
	libprofarc, creader  *forgery.Process
	python               pythonReader
	made, sound, refused int
	seen                 map[string]bool
}

func newMutants(t *testing.T, sp specimen.Specimen, libprofarc, creader string) *mutants {
	data, err := sp.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	f, err := forgery.NewMutator(data, uint64(time.Now().UnixNano()))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	m := &mutants{Mutator: f, name: sp.Name, archive: filepath.Join(dir, "a.parc"), seen: map[string]bool{}}
	other := filepath.Join(dir, "other.parc")
	b := sp.Build()
	b.Internal().Heading.DumpID = [16]byte{1} // another run
	twin, _, err := b.Bytes()
	if err = errors.Join(err, os.WriteFile(m.archive, data, 0o666), os.WriteFile(other, twin, 0o666)); err != nil {
		t.Fatal(err)
	}
	for _, args := range readingCommands(m.archive, other, dir) {
		if p := execute(t, false, args...); p.code == cli.ExitOK {
			m.commands = append(m.commands, args)
		}
	}
	m.python.dir = dir
	t.Logf("%s: %d commands", sp.Name, len(m.commands))
	m.libprofarc, m.creader = forgery.StartProcess(t, libprofarc, data), forgery.StartProcess(t, creader, data)
	return m
}

// readingCommands returns the commands that read an archive.
func readingCommands(first, second, dir string) (all [][]string) {
	for _, kind := range disk.TableKinds() {
		all = append(all, []string{"show", first, "--table", kind.String()})
	}
	for _, e := range formats.Exporters() {
		format := e.Format().Name
		all = append(all, []string{"export", "-t", format, first, "-o", filepath.Join(dir, "x."+format)})
	}
	out := filepath.Join(dir, "out.parc")
	return append(all, [][]string{
		{"info", first}, {"info", first, "--tables"}, {"info", first, "--json"}, {"show", first}, {"top", first},
		{"top", first, "--json"},
		{"diff", first, second}, {"diff", second, first}, {"check", first, "--against", second}, {"gate", second, first},
		{"merge", first, "-o", out}, {"merge", first, second, "-o", out}, {"merge", first + ":3", second, "-o", out},
		{"reduce", first, "--drop-cold", "-o", out}, {"reduce", first, "--anonymize", "-o", out},
		{"show", "--lookup", first, "main"},
	}...)
}

func (m *mutants) next(t *testing.T) { m.judge(t, m.Next()) }

// without makes every reference lead to nothing, and sets flags of tables.
func (m *mutants) without(t *testing.T) {
	for _, r := range m.References() {
		m.Set(r, 0)
		m.judge(t, r.What+" 0")
		if m.Undo(); r.What == "table" {
			flags := int64(binary.LittleEndian.Uint64(m.Bytes()[r.At:])) + 4
			for bit := range 2 {
				m.Set(forgery.Reference{At: flags}, 1<<(31*bit))
				m.judge(t, fmt.Sprint("flags of a table, bit ", bit))
			}
		}
	}
}

// judge asks everybody about what was changed, if verify takes it.
func (m *mutants) judge(t *testing.T, changes any) {
	m.made++
	if !m.isSound(t) {
		return
	}
	m.sound++
	m.askReaders(t, changes)
	if err := os.WriteFile(m.archive, m.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	readOnly := m.open(t).Header().ReadOnly != 0
	for _, args := range m.commands {
		p := execute(t, false, args...)
		out := p.plain.String()
		refused := readOnly && strings.Contains(out, "not adopted or copied")
		if p.code != cli.ExitOK && !refused && !allowed.MatchString(out) {
			m.complain(t, changes, fmt.Sprintf("%q", args), out)
		}
	}
}

// complain reports what somebody says of an archive that verify takes, once for each kind of answer.
func (m *mutants) complain(t *testing.T, changes any, who, what string) {
	m.refused++
	if key := who + numbers.ReplaceAllString(what, "#"); !m.seen[key] && len(m.seen) < 50 {
		m.seen[key] = true
		t.Errorf("%s: verify takes %q, %s: %s", m.name, changes, who, what)
	}
}

// askReaders compares what the other readers print with the JSON dump.
func (m *mutants) askReaders(t *testing.T, changes any) {
	var dumped bytes.Buffer
	if err := jsondump.WriteArchive(&dumped, m.open(t)); err != nil {
		m.complain(t, changes, "the JSON dump", err.Error())
		return
	}
	fnv1a := fnv.New64a()
	fnv1a.Write(dumped.Bytes())
	want := []uint64{fnv1a.Sum64(), xxhash.Sum64(dumped.Bytes())}
	for i, c := range []*forgery.Process{m.libprofarc, m.creader} {
		status, printed := c.Verdict(t, m.Edits()...)
		if refuses := status != uint64(1-i); refuses || printed != want[i] {
			m.complain(t, changes, []string{"libprofarc", "the reader in C"}[i],
				fmt.Sprintf("refuses: %t; else prints something else", refuses))
		}
	}
	if m.python.add(t, changes, m.Bytes(), dumped.Bytes()) {
		m.python.ask(t, m.complain)
	}
}

func (m *mutants) open(t *testing.T) *reader.Store {
	a, err := archive.FromBytes("a.parc", m.Bytes(), archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return reader.New(a)
}

// isSound asks verify, after the counts of the header were set to what verify counts.
func (m *mutants) isSound(t *testing.T) bool {
	for range 2 {
		a, err := archive.FromBytes("a.parc", m.Bytes(), archive.Options{})
		if err != nil {
			return false
		}
		report, err := verify.Store(t.Context(), reader.New(a), nil)
		if err != nil {
			t.Fatal(err)
		}
		if report.Sound() {
			return true
		}
		if slices.ContainsFunc(report.Problems, func(err error) bool {
			var e *layout.Error
			return !errors.As(err, &e) || e.Region != disk.RegionHeader || e.Offset != 0
		}) {
			return false
		}
		m.Recount(report.Counts, report.Summary)
	}
	return false
}

// sanitizedReaders builds the readers in C with sanitizers.
func sanitizedReaders(t *testing.T) (libprofarc, creader string) {
	sources, err := filepath.Glob("../../c/src/*.c")
	if err != nil {
		t.Fatal(err)
	}
	optimized := "-O0" // compiles in half the time, which is most of the short form
	if os.Getenv("PROFARC_MUTANTS") != "" {
		optimized = "-O1"
	}
	libprofarc, creader = filepath.Join(t.TempDir(), "libprofarc"), filepath.Join(t.TempDir(), "creader")
	for _, args := range [][]string{
		append([]string{"-pthread", "-I../../c/include", "-o", libprofarc, "../../c/tests/dump.c"}, sources...),
		{"-D_GNU_SOURCE", "-o", creader, "../../internal/testkit/creader/forgeries.c", "-lm"},
	} {
		args = append([]string{"-std=c11", optimized, "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"},
			args...)
		if out, err := exec.Command("cc", args...).CombinedOutput(); err != nil {
			t.Skipf("no C compiler with sanitizers: %v\n%s", err, out)
		}
	}
	return libprofarc, creader
}
