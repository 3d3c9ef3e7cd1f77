package damage

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
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/sync/errgroup"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/jsondump"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
	"github.com/profarc/profarc/verify"
)

// allowed are the answers of commands that cannot do their work with a sound archive. Two are about the type of
// samples. It is a string that a mutant can change. Two are verdicts of check and gate on a changed hash of code.
var allowed = regexp.MustCompile(`no counters above 0|that count different things cannot|of domain|was merged before|` +
	`do not fit together|the compiler reads only profiles with values of type|of --fail-below|does not pass the gate`)

var numbers = regexp.MustCompile(`(0x)?[0-9a-f]+`)

// TestWhatVerifyTakesEverybodyReads changes fields of archives at random, with right sums. What
// verify takes for sound, every command, libprofarc and the readers in C and Python must take, too,
// and the four readers must print the same of it. PROFARC_MUTANTS=50m looks for that long.
func TestWhatVerifyTakesEverybodyReads(t *testing.T) {
	full.Only(t, "takes many inputs")
	t.Parallel()
	const short = 5 // mutants of a specimen
	long, _ := time.ParseDuration(os.Getenv("PROFARC_MUTANTS"))
	var subjects []*mutants
	for _, sp := range specimen.All() {
		subjects = append(subjects, newMutants(t, sp))
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

// Mutants are changed archives of a specimen, with those who read them.
type mutants struct {
	*mutator
	name                 string
	archive              string // where a mutant is written to
	profarc              string // the program
	commands             [][]string
	libprofarc, creader  *readerProcess
	python               pythonReader
	made, sound, refused int
	seen                 map[string]bool
}

func newMutants(t *testing.T, sp specimen.Specimen) *mutants {
	data := bytesOf(t, sp)
	f, err := newMutator(data, uint64(time.Now().UnixNano()))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	m := &mutants{mutator: f, name: sp.Name, archive: filepath.Join(dir, "a.parc"), seen: map[string]bool{}}
	other := filepath.Join(dir, "other.parc")
	b := sp.Build()
	b.Internal().Heading.DumpID = [16]byte{1} // another run
	twin, _, err := b.Bytes()
	if err = errors.Join(err, os.WriteFile(m.archive, data, 0o666), os.WriteFile(other, twin, 0o666)); err != nil {
		t.Fatal(err)
	}
	m.profarc = programOf(t, buildProfarc)
	commands := readingCommands(m.archive, other, dir)
	for i, failure := range m.failures(commands) {
		if failure == "" {
			m.commands = append(m.commands, commands[i])
		}
	}
	m.python.dir = dir
	t.Logf("%s: %d commands", sp.Name, len(m.commands))
	m.libprofarc = startProcess(t, libprofarcDump(t), data)
	m.creader = startProcess(t, creaderForgeries(t), data)
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
	out := func(name string) string { return filepath.Join(dir, name+".parc") }
	return append(all, [][]string{
		{"info", first}, {"info", first, "--tables"}, {"info", first, "--json"}, {"show", first}, {"top", first},
		{"top", first, "--json"},
		{"diff", first, second}, {"diff", second, first}, {"check", first, "--against", second}, {"gate", second, first},
		{"merge", first, "-o", out("same")}, {"merge", first, second, "-o", out("merged")},
		{"merge", first + ":3", second, "-o", out("weighted")}, {"reduce", first, "--drop-cold", "-o", out("reduced")},
		{"reduce", first, "--anonymize", "-o", out("anonymous")},
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
				m.Set(reference{At: flags}, 1<<(31*bit))
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
	readOnly := open(t, m.Bytes()).Header().ReadOnly != 0
	for i, failure := range m.failures(m.commands) {
		refused := readOnly && strings.Contains(failure, "not adopted or copied")
		if failure != "" && !refused && !allowed.MatchString(failure) {
			m.complain(t, changes, fmt.Sprintf("%q", m.commands[i]), failure)
		}
	}
}

// failures runs commands. It returns what each prints if it fails, and otherwise "".
func (m *mutants) failures(commands [][]string) []string {
	all := make([]string, len(commands))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, args := range commands {
		group.Go(func() error {
			if out, err := exec.Command(m.profarc, args...).CombinedOutput(); err != nil {
				all[i] = fmt.Sprintf("%v: %s", err, out)
			}
			return nil
		})
	}
	_ = group.Wait() // no function returns an error
	return all
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
	if err := jsondump.WriteArchive(&dumped, open(t, m.Bytes())); err != nil {
		m.complain(t, changes, "the JSON dump", err.Error())
		return
	}
	fnv1a := fnv.New64a()
	fnv1a.Write(dumped.Bytes())
	want := []uint64{fnv1a.Sum64(), xxhash.Sum64(dumped.Bytes())}
	for i, c := range []*readerProcess{m.libprofarc, m.creader} {
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
