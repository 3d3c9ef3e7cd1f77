package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/profarc/profarc/reader"
)

// A callSite is a frame of a calling context as a user names it: KEY@POINT.
type callSite struct {
	caller string // key of the calling method
	point  int32
}

func parseCallSite(text string) (c callSite, ok bool) {
	at := strings.LastIndexByte(text, '@')
	if at <= 0 {
		return c, false
	}
	point, err := strconv.ParseInt(text[at+1:], 10, 32)
	c = callSite{strings.TrimSpace(text[:at]), int32(point)}
	return c, err == nil && c.caller != ""
}

// callerUsage says what --caller is.
const callerUsage = "caller of the method, as KEY@POINT; may be given several times, the direct caller first"

func parseCallSites(texts []string) (sites []callSite, err error) {
	for _, text := range texts {
		c, ok := parseCallSite(text)
		if !ok {
			return nil, usagef("--caller %s: write it as KEY@POINT, as 'A::main()V@5'", text)
		}
		sites = append(sites, c)
	}
	return sites, nil
}

// callerMark stands between a method and its callers where export -t text
// writes them: KEY <- CALLER @POINT <- CALLER @POINT.
const callerMark = " <- "

// cutCallSites cuts the callers off that stand behind a key.
func cutCallSites(spelled string) (key string, sites []callSite) {
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

// A question about a method may be about one calling context: methodAndCallers
// are the key and the callers that were given, behind it or with --caller.
func methodAndCallers(spelled string, flags []string) (key string, sites []callSite, err error) {
	key, sites = cutCallSites(spelled)
	if strings.Contains(key, strings.TrimSpace(callerMark)) {
		return "", nil, usagef("%s: write callers as KEY <- CALLER @POINT <- CALLER @POINT", spelled)
	}
	if len(flags) == 0 {
		return key, sites, nil
	}
	if len(sites) > 0 {
		return "", nil, usagef("%s: callers stand behind the key, and in --caller: name them once", spelled)
	}
	sites, err = parseCallSites(flags)
	return key, sites, err
}

// A callContext is a calling context that is looked for in an archive.
type callContext struct {
	frames  []reader.Frame // of an unknown caller the method is none
	unknown []string       // callers that the archive lacks
}

func newCallContext(s *reader.Store, sites []callSite) (c callContext, err error) {
	for _, site := range sites {
		m, err := find(s, keysOf(s.Header().Domain, site.caller, ""))
		if errors.Is(err, reader.ErrNotFound) {
			c.unknown = append(c.unknown, site.caller)
		} else if err != nil {
			return c, err
		}
		c.frames = append(c.frames, reader.Frame{Caller: m, Point: site.point})
	}
	return c, nil
}

// A contextMatch is a profile that was found in a calling context, and how much
// of the context it is of.
type contextMatch struct {
	Callers int      `json:"callers"` // that were asked for
	Matched int      `json:"matched"` // of them, the direct caller first
	Unknown []string `json:"unknown,omitempty"`

	profile reader.Profile
}

// of looks the profile of a method up, for a version of its code.
func (c *callContext) of(m reader.Method, code uint64) (*contextMatch, error) {
	p, depth, err := m.Profile(code, c.frames...)
	return &contextMatch{len(c.frames), depth, c.unknown, p}, err
}

// lines say how much of the context was found.
func (c *contextMatch) lines(s *reader.Store) ([]string, error) {
	lines := []string{"context " + strconv.Itoa(c.Matched) + " of " + amount(c.Callers, "caller")}
	for _, caller := range c.Unknown {
		hint, err := nearText(s, caller, "")
		if err != nil {
			return nil, err
		}
		lines = append(lines, "caller "+printable(caller)+": not in the archive"+hint)
	}
	return lines, nil
}
