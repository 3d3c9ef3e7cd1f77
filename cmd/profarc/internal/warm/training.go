package warm

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/agentcmd"
	"github.com/profarc/profarc/cmd/profarc/internal/warm/warmup"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/hotspot/agentlib"
	"github.com/profarc/profarc/internal/names/escape"
)

// A cache is a file that the VM writes at the end of a training run, and maps in later runs.
type cache struct {
	word, name, file string
	train, use       string // flags without the appended file
	since            int    // first JDK with the cache
}

var caches = []cache{
	{wordAppCDS, "AppCDS archive", "app.jsa", "-XX:ArchiveClassesAtExit=", "-XX:SharedArchiveFile=", 13},
	{wordAOT, "AOT cache", "app.aot", "-XX:AOTCacheOutput=", "-XX:AOTCache=", 25},
}

type trained struct {
	Name   string `json:"name"`
	WallNS int64  `json:"wall_ns"` // wall time of the run
	Bytes  int64  `json:"bytes"`
	// Classes counts the classes that a run with it loads, Shared how many come from it or from the
	// JDK's own archive; 0: not known.
	Classes int `json:"classes"`
	Shared  int `json:"classes_shared"`
}

const killSwitch = "PROFARC_AGENT"

func (s *session) findAgent(ctx context.Context) (err error) {
	s.known = map[string]string{}
	s.missing = map[string]string{}
	for _, word := range []string{wordAgent, wordAgentKeep} {
		s.missing[word] = "it needs an archive: name one with --archive"
	}
	if s.o.archive == "" {
		return nil
	}
	if os.Getenv(killSwitch) == "off" {
		return cli.Usagef("%s=off switches the agent off: unset it to measure --archive", killSwitch)
	}
	store, err := s.a.OpenArchive(s.o.archive)
	if err != nil {
		return err
	}
	s.profiles = store.Header().Counts.Profiles
	if err := store.Close(); err != nil {
		return err
	}
	s.library, err = agentcmd.LibraryBuilder(s.a, s.o.quiet).Find(ctx, s.o.agent)
	if err != nil {
		return err
	}
	if s.program.JavaPath() == "" {
		return nil
	}
	return agentlib.CheckLoads(ctx, s.library, s.program.JavaPath())
}

// prepareContenders runs the command without flags, and then the necessary training runs.
func (s *session) prepareContenders(ctx context.Context) (err error) {
	s.folder, err = os.MkdirTemp("", "profarc-warm-")
	if err != nil {
		return err
	}
	if err := s.setAgentFlags(); err != nil {
		return err
	}
	needed, err := s.neededWords()
	if err != nil {
		return err
	}
	s.printProgress("running it once as it is")
	s.trial, err = s.runOnce(ctx, nil)
	if err != nil {
		return err
	}
	if f := s.trial.Failure; f != "" {
		return fmt.Errorf("the command fails before anything is measured: %s%s", f, lastWords(&s.trial, &warmup.Run{}))
	}
	for _, c := range caches {
		if needed[c.word] {
			if err := s.makeCache(ctx, c); err != nil {
				return err
			}
		}
	}
	return s.completeFlags()
}

func (s *session) setAgentFlags() (err error) {
	if s.o.archive == "" {
		return nil
	}
	archive, err := filepath.Abs(s.o.archive)
	if err != nil {
		return err
	}
	for word, old := range map[string]string{wordAgent: "", wordAgentKeep: "keep"} {
		o := agentlib.Options{Archive: archive, Flags: old, Report: s.agentReport()}
		s.known[word], err = o.AgentPathFlag(s.library)
		if err != nil {
			return err
		}
		delete(s.missing, word)
	}
	return nil
}

func (s *session) agentReport() string { return filepath.Join(s.folder, "agent.json") }

func (s *session) neededWords() (map[string]bool, error) {
	needed := map[string]bool{}
	for _, c := range s.chosen {
		words, err := s.expandFlags(c)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(words, func(w string) bool { return s.missing[w] != "" }) {
			for _, w := range words {
				needed[w] = true
			}
		}
	}
	return needed, nil
}

func (s *session) makeCache(ctx context.Context, c cache) error {
	if v := s.jvm.feature; v != 0 && v < c.since {
		s.missing[c.word] = fmt.Sprintf("the %s needs JDK %d, and this is %s", c.name, c.since, s.jvm.text)
		return nil
	}
	s.printProgress("training run for the %s", c.name)
	file := filepath.Join(s.folder, c.file)
	r, err := s.runOnce(ctx, []string{c.train + file})
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	switch {
	case r.Failure != "":
		s.missing[c.word] = fmt.Sprintf("the training run for the %s failed: %s%s", c.name, r.Failure,
			lastWords(&r, &s.trial))
	case err != nil:
		s.missing[c.word] = fmt.Sprintf("the training run made no %s%s", c.name, lastWords(&r, &s.trial))
	default:
		s.known[c.word] = c.use + file
		t := trained{Name: c.name, WallNS: r.WallNS, Bytes: info.Size()}
		err := s.countClasses(ctx, c, &t)
		s.trained = append(s.trained, t)
		return err
	}
	return nil
}

// countClasses runs the command with a cache, and counts the classes that the VM loads from it. The VM does not report
// an unused cache otherwise.
func (s *session) countClasses(ctx context.Context, c cache, t *trained) error {
	log := filepath.Join(s.folder, "classes.txt")
	if _, err := s.runOnce(ctx, []string{s.known[c.word], "-Xlog:class+load:file=" + log}); err != nil {
		return err
	}
	text, err := os.ReadFile(log)
	if err != nil {
		return nil // unknown
	}
	own := 0
	for line := range bytes.Lines(text) {
		_, source, loaded := bytes.Cut(line, []byte(" source: "))
		if loaded {
			t.Classes++
		}
		if bytes.HasPrefix(source, []byte("shared objects file")) {
			t.Shared++
		}
		if bytes.HasPrefix(source, []byte("shared objects file (top)")) { // loaded from the cache, not from the JDK's archive
			own++
		}
	}
	if c.word == wordAppCDS && t.Classes > 0 && own == 0 {
		s.addNote("the VM takes no class from the AppCDS archive: it has those of jars, and none of folders")
	}
	return nil
}

func (s *session) completeFlags() error {
	for _, c := range s.chosen {
		words, err := s.expandFlags(c)
		if err != nil {
			return err
		}
		for _, word := range words {
			why, lacks := s.missing[word]
			flag, known := s.known[word]
			switch {
			case lacks && word == wordAppCDS && len(words) > 1:
				s.addNote("without an AppCDS archive: " + why)
			case lacks:
				c.leftOut = why
			case known:
				c.flags = append(c.flags, flag)
			default:
				c.flags = append(c.flags, word)
			}
		}
	}
	return s.chooseBaseline()
}

// chooseBaseline chooses the requested base line, or the strongest of the usual ones.
func (s *session) chooseBaseline() error {
	for _, name := range []string{s.o.baseline, "appcds", "plain", "aot", "flag"} {
		if i := slices.IndexFunc(s.chosen, func(c *contender) bool { return c.name == name && c.leftOut == "" }); i >= 0 {
			s.baseline = s.chosen[i]
			return nil
		}
	}
	for _, c := range s.chosen {
		if c.leftOut == "" {
			s.baseline = c
			return nil
		}
	}
	return fmt.Errorf("no contender can be measured: %s: %s", s.chosen[0].name, s.chosen[0].leftOut)
}

func (s *session) runOnce(ctx context.Context, flags []string) (warmup.Run, error) {
	start, err := s.program.WithFlags(flags...)
	if err != nil {
		return warmup.Run{}, err
	}
	p := s.measured
	p.Path, p.Args, p.Env = start.Path, start.Args, start.Environment()
	r, err := warmup.Measure(ctx, p)
	if err != nil && ctx.Err() == nil {
		err = cli.NotStarted(s.program.Args[0], err)
	}
	return r, err
}

// lastWords returns the last lines that a run printed and another one did not, for a message. A JVM prints its own
// errors on stdout or on stderr.
func lastWords(run, other *warmup.Run) string {
	known := map[string]bool{"": true}
	for _, text := range [][]byte{other.Text, other.Last, other.Errors} {
		for line := range strings.Lines(string(text)) {
			known[strings.TrimSpace(line)] = true
		}
	}
	var said []string
	for line := range strings.Lines(string(slices.Concat(run.Last, []byte("\n"), run.Errors))) {
		if line = strings.TrimSpace(line); !known[line] && !strings.HasPrefix(line, "Hint: ") {
			said = append(said, escape.Printable(line))
		}
	}
	said = said[max(0, len(said)-mostWords):]
	text := cli.Shorten(strings.Join(said, "; "), 300)
	switch {
	case text == "":
		return ""
	case strings.Contains(text, "non-empty directory"):
		text += ": put the classes into a jar"
	}
	return ": " + text
}

// mostWords limits the lines of a message.
const mostWords = 3
