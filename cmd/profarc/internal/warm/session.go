package warm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/profarc/profarc/cmd/profarc/internal/javacommand"
	"github.com/profarc/profarc/cmd/profarc/internal/warm/warmup"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/system/cputime"
	"github.com/profarc/profarc/internal/system/lazyregexp"
	"github.com/profarc/profarc/internal/system/procfs"
)

type session struct {
	a        *cli.App
	o        *options
	begun    time.Time      // start of the rounds
	measured warmup.Program // command without flags
	program  *javacommand.Program
	jvm      jvm
	library  string // library of the agent
	profiles uint64 // number of profiles in the archive
	folder   string // folder for results of training runs

	all, chosen    []*contender
	baseline       *contender
	known, missing map[string]string // flags of placeholders, or reasons for missing ones
	trained        []trained
	trial          warmup.Run

	head    heading
	records []record
	rounds  int // number of complete rounds
	notes   []string

	wallNS, busyNS int64 // time of the rounds; busyNS covers all processors and programs, and is 0 if unknown
	ownNS          int64 // processor time of this process during the rounds
}

type record struct {
	Round     int    `json:"round"` // number of the round from 1
	Contender string `json:"contender"`
	warmup.Run
	Differs string `json:"differs,omitempty"`         // difference of the output to the first run's
	Adopted *int   `json:"methods_adopted,omitempty"` // number of methods that the agent adopted
}

func (s *session) removeFolder() {
	if s.folder != "" {
		_ = os.RemoveAll(s.folder)
	}
}

func (s *session) addNote(text string) {
	if !slices.Contains(s.notes, text) {
		s.notes = append(s.notes, text)
	}
}

// runRounds runs the rounds. If ctx ends or the system fails, it returns early with the error.
func (s *session) runRounds(ctx context.Context) error {
	defer s.clearStatus()
	defer s.watchMachine()()
	for round := 1; round <= s.o.rounds; round++ {
		order := slices.Clone(s.chosen)
		if round%2 == 0 {
			slices.Reverse(order)
		}
		for _, c := range order {
			if c.leftOut != "" {
				continue
			}
			s.showStatus(round, c.name)
			if err := s.measureOne(ctx, round, c); err != nil {
				return err
			}
		}
		s.rounds = round
		s.printTimeLeft(round)
	}
	return nil
}

func (s *session) watchMachine() (stop func()) {
	s.begun = time.Now()
	own := cputime.ProcessTime()
	before := procfs.BusyTime()
	return func() {
		s.wallNS, s.ownNS = time.Since(s.begun).Nanoseconds(), cputime.ProcessTime()-own
		if now := procfs.BusyTime(); before > 0 && now > before {
			s.busyNS = (now - before).Nanoseconds()
		}
	}
}

// failuresInARow is the number of consecutive failures after which a contender is not run again.
const failuresInARow = 3

func (s *session) measureOne(ctx context.Context, round int, c *contender) error {
	_ = os.Remove(s.agentReport())
	run, err := s.runOnce(ctx, c.flags)
	if err != nil {
		return err
	}
	r := record{Round: round, Contender: c.name, Run: run, Adopted: s.readAgentReport()}
	if run.Failure == "" {
		r.Differs = outputDifference(&s.trial, &run)
	}
	r.Text = nil // not kept for all runs
	s.records = append(s.records, r)
	s.checkAgent(&r)
	if run.Failure == "" {
		c.failed = 0
		return nil
	}
	s.addNote(fmt.Sprintf("%s failed in round %d: %s%s", c.name, round, run.Failure, lastWords(&run, &s.trial)))
	if c.failed++; c.failed == failuresInARow {
		c.leftOut = fmt.Sprintf("it failed %d times in a row", c.failed)
	}
	return nil
}

func (s *session) readAgentReport() *int {
	text, err := os.ReadFile(s.agentReport())
	var r struct {
		Adopted *int `json:"methods_adopted"`
	}
	if err != nil || json.Unmarshal(text, &r) != nil {
		return nil
	}
	return r.Adopted
}

func (s *session) checkAgent(r *record) {
	for _, line := range r.Inert {
		s.addNote(r.Contender + ": " + strings.TrimPrefix(line, "profarc: "))
	}
	if r.Adopted != nil && *r.Adopted == 0 && len(r.Inert) == 0 {
		s.addNote(r.Contender + ": the agent adopted none of the archive's methods")
	}
}

func outputDifference(first, run *warmup.Run) string {
	if run.Output == first.Output {
		return ""
	}
	a := bytes.Split(first.Text, []byte("\n"))
	b := bytes.Split(run.Text, []byte("\n"))
	for i := range min(len(a), len(b)) {
		if !bytes.Equal(a[i], b[i]) {
			return fmt.Sprintf("line %d is %q, and was %q", i+1, cli.Shorten(string(b[i]), 60), cli.Shorten(string(a[i]), 60))
		}
	}
	if len(a) != len(b) {
		return fmt.Sprintf("it has %d lines, and had %d", len(b)-1, len(a)-1)
	}
	return "behind its beginning"
}

func (s *session) printProgress(format string, args ...any) {
	if !s.o.quiet {
		s.clearStatus()
		fmt.Fprintf(s.a.ErrOut, "profarc: "+format+"\n", args...)
	}
}

func (s *session) showStatus(round int, name string) {
	if !s.o.quiet && s.a.Streams.ErrTerminal {
		s.clearStatus()
		fmt.Fprintf(s.a.ErrOut, "profarc: round %d of %d: %s", round, s.o.rounds, name)
	}
}

func (s *session) clearStatus() {
	if !s.o.quiet && s.a.Streams.ErrTerminal {
		fmt.Fprint(s.a.Streams.RawErr, "\r\x1b[K")
	}
}

func (s *session) printTimeLeft(round int) {
	if !s.a.Streams.ErrTerminal && round < s.o.rounds {
		left := time.Since(s.begun) / time.Duration(round) * time.Duration(s.o.rounds-round)
		s.printProgress("round %d of %d is done, about %v left", round, s.o.rounds, left.Round(time.Second))
	}
}

type jvm struct {
	feature int // 17, 21, 25; 0 if unknown
	text    string
}

var (
	versionLine = lazyregexp.New(`version "(?:1\.)?(\d+)[^"]*"`)
	buildText   = lazyregexp.New(`\(build ([0-9][^),]*)`)
)

func findJVM(ctx context.Context, java string) (jvm, error) {
	if java == "" {
		return jvm{text: "not known"}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	asked := exec.CommandContext(ctx, java, "-version")
	asked.WaitDelay = time.Second
	out, err := asked.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return jvm{}, cli.NotStarted(java, err)
	}
	v := jvm{text: "not known"}
	if m := versionLine().FindSubmatch(out); m != nil {
		v.feature, _ = strconv.Atoi(string(m[1])) // digits
		v.text = "JDK " + string(m[1])
	}
	if m := buildText().FindSubmatch(out); m != nil {
		v.text = "JDK " + string(m[1])
	}
	return v, nil
}
