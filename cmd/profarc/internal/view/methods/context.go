package methods

import (
	"errors"
	"strconv"
	"strings"

	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A CallSite is a frame of a calling context as users write it: KEY@POINT.
type CallSite struct {
	caller string // key of the calling method
	point  int32
}

func parseCallSite(text string) (c CallSite, ok bool) {
	at := strings.LastIndexByte(text, '@')
	if at <= 0 {
		return c, false
	}
	point, err := strconv.ParseInt(text[at+1:], 10, 32)
	c = CallSite{strings.TrimSpace(text[:at]), int32(point)}
	return c, err == nil && c.caller != ""
}

const CallerUsage = "caller of the method, as KEY@POINT; may be given several times, the direct caller first"

// callerMark separates a method from its callers, as in export -t text: KEY <- CALLER @POINT <- CALLER @POINT.
const callerMark = " <- "

func cutCallSites(spelled string) (key string, sites []CallSite) {
	parts := strings.Split(spelled, callerMark)
	first := len(parts)
	for first > 1 {
		if _, ok := parseCallSite(parts[first-1]); !ok {
			break
		}
		first--
	}
	for _, part := range parts[first:] {
		c, _ := parseCallSite(part)
		sites = append(sites, c)
	}
	return strings.Join(parts[:first], callerMark), sites
}

// isMisspelledContext reports whether a key seems to have callers without a point or without blanks around the mark. A
// name in quotes can have any text in it.
func isMisspelledContext(key string) bool {
	at := strings.LastIndex(key, strings.TrimSpace(callerMark))
	if at < 0 || strings.HasPrefix(key, `"`) {
		return false
	}
	_, isCaller := parseCallSite(key[at+len("<-"):])
	return isCaller || strings.Contains(key, callerMark)
}

// MethodAndCallers returns the key and the callers of a calling context. The callers follow the key, or are the values
// of --caller.
func MethodAndCallers(spelled string, flags []string) (key string, sites []CallSite, err error) {
	key, sites = cutCallSites(spelled)
	if isMisspelledContext(key) {
		return "", nil, cli.Usagef("%s: write callers as KEY <- CALLER @POINT <- CALLER @POINT", spelled)
	}
	if len(flags) == 0 {
		return key, sites, nil
	}
	if len(sites) > 0 {
		return "", nil, cli.Usagef("%s: callers follow the key and are given with --caller: name them once", spelled)
	}
	for _, text := range flags {
		c, ok := parseCallSite(text)
		if !ok {
			return "", nil, cli.Usagef("--caller %s: write it as KEY@POINT, as 'A::main()V@5'", text)
		}
		sites = append(sites, c)
	}
	return key, sites, nil
}

// A CallContext is a calling context to look up in an archive.
type CallContext struct {
	Frames  []reader.Frame // frames; an unknown caller has the zero Method
	unknown []string       // keys of callers that the archive lacks
}

// NewCallContext looks up the callers in an archive.
func NewCallContext(s *reader.Store, sites []CallSite) (*CallContext, error) {
	c := &CallContext{}
	for _, site := range sites {
		m, err := FindDisplayed(s, site.caller, "")
		if errors.Is(err, reader.ErrNotFound) {
			c.unknown = append(c.unknown, site.caller)
		} else if err != nil {
			return c, err
		}
		c.Frames = append(c.Frames, reader.Frame{Caller: m, Point: site.point})
	}
	return c, nil
}

// A ContextMatch is the profile found for a calling context.
type ContextMatch struct {
	Callers int      `json:"callers"` // number of requested callers
	Matched int      `json:"matched"` // number of matched callers, from the direct caller on
	Unknown []string `json:"unknown,omitempty"`

	Profile reader.Profile `json:"-"`
}

// FindProfile finds the profile of a method in the context.
func (c *CallContext) FindProfile(m reader.Method) (*ContextMatch, error) {
	p, depth, err := m.Profile(layout.CodeAny, c.Frames...)
	return &ContextMatch{len(c.Frames), depth, c.unknown, p}, err
}

// Describe returns lines that describe how much of the context was found.
func (c *ContextMatch) Describe(s *reader.Store) ([]string, error) {
	lines := []string{"context " + strconv.Itoa(c.Matched) + " of " + cli.Amount(c.Callers, "caller")}
	for _, caller := range c.Unknown {
		hint, err := nearText(s, caller, "")
		if err != nil {
			return nil, err
		}
		lines = append(lines, "caller "+escape.Printable(caller)+": not in the archive"+hint)
	}
	return lines, nil
}
