package warm

import (
	"slices"
	"strings"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/system/lazyregexp"
	"github.com/profarc/profarc/internal/system/lists"
)

type contender struct {
	name  string
	words []string // flags; @NAME refers to another contender
	own   bool     // defined by the user

	flags   []string // flags of the VM, set after the training runs
	leftOut string   // reason for not being measured
	failed  int      // number of failed runs in a row
}

// bestFlag makes the VM hand a method to C2 as soon as its profile is complete, without waiting for it to be old.
var bestFlag = []string{"-XX:+UnlockDiagnosticVMOptions", "-XX:TieredOldPercentage=1000000"}

// Placeholders for flags that are unknown before the training runs.
const (
	wordAppCDS    = "{appcds}"
	wordAOT       = "{aot}"
	wordAgent     = "{agent}"
	wordAgentKeep = "{agent-keep}" // agent that keeps the VM's flags
)

func standardContenders() []*contender {
	return []*contender{
		{name: "plain"},
		{name: "appcds", words: []string{wordAppCDS}},
		{name: "flag", words: append([]string{"@appcds"}, bestFlag...)},
		{name: "archive", words: []string{"@appcds", wordAgent}},
		{name: "archive+flag", words: append([]string{"@appcds", wordAgentKeep}, bestFlag...)},
		{name: "aot", words: []string{wordAOT}},
		{name: "aot+archive", words: []string{"@aot", wordAgent}},
		{name: "c1", words: []string{"@appcds", "-XX:TieredStopAtLevel=1"}},
	}
}

var contenderName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,23}$`)

func (s *session) chooseContenders() error {
	s.all = standardContenders()
	for _, text := range s.o.own {
		c, err := parseContender(text)
		if err != nil {
			return err
		}
		if s.contenderNamed(c.name) != nil {
			return cli.Usagef("--contender %s: there is one of that name: take another", c.name)
		}
		s.all = append(s.all, c)
	}
	for _, name := range slices.Concat(s.o.only, s.o.skip) {
		if s.contenderNamed(name) == nil {
			return cli.Usagef("there is no contender %q: use %s", name, strings.Join(namesOf(s.all), ", "))
		}
	}
	for _, c := range s.all {
		if (c.own || len(s.o.only) == 0 || slices.Contains(s.o.only, c.name)) && !slices.Contains(s.o.skip, c.name) {
			s.chosen = append(s.chosen, c)
		}
	}
	if b := s.o.baseline; b != "" && !slices.ContainsFunc(s.chosen, func(c *contender) bool { return c.name == b }) {
		return cli.Usagef("--baseline %s: it is none of the contenders that are measured", b)
	}
	if len(s.chosen) == 0 {
		return cli.Usagef("no contender is left: see --only and --skip")
	}
	return nil
}

func parseContender(text string) (*contender, error) {
	name, flags, found := strings.Cut(text, "=")
	if !found || !contenderName().MatchString(name) {
		return nil, cli.Usagef("--contender %s: write it as NAME=FLAGS, with a name of letters, digits, and . _ + -", text)
	}
	return &contender{name: name, words: strings.Fields(flags), own: true}, nil
}

func (s *session) contenderNamed(name string) *contender {
	for _, c := range s.all {
		if c.name == name {
			return c
		}
	}
	return nil
}

func namesOf(contenders []*contender) []string {
	return lists.Map(contenders, func(c *contender) string { return c.name })
}

// expandFlags returns the flags of a contender, with those it refers to. It keeps placeholders. A word with @ that
// names no contender is an argument file of java.
func (s *session) expandFlags(c *contender, inside ...string) (flags []string, err error) {
	if slices.Contains(inside, c.name) {
		return nil, cli.Usagef("--contender %s refers to itself", c.name)
	}
	for _, word := range c.words {
		name, refers := strings.CutPrefix(word, "@")
		other := s.contenderNamed(name)
		if !refers || other == nil {
			flags = append(flags, word)
			continue
		}
		more, err := s.expandFlags(other, append(inside, c.name)...)
		if err != nil {
			return nil, err
		}
		flags = append(flags, more...)
	}
	return flags, nil
}
