package warmup

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/profarc/profarc/internal/system/lists"
)

type Watch struct {
	Ready  *regexp.Regexp // program is ready; nil for its first byte
	Unit   *regexp.Regexp // end of a unit of work; group 1, if any, is its time
	Ignore *regexp.Regexp // lines that differ from run to run

	timed bool // whether Unit has a group
}

type Unit struct {
	EndNS  int64 `json:"end_ns"`  // end, from the start of the program
	TimeNS int64 `json:"time_ns"` // duration
}

// Limits on the kept part of an output.
const (
	mostLine   = 1 << 16 // a longer line is read in pieces
	mostText   = 1 << 18
	mostErrors = 1 << 12
	mostUnits  = 1 << 20
)

type output struct {
	watch *Watch
	begun time.Time

	mu      sync.Mutex
	firstNS int64
	lastNS  int64 // end of the last unit
	line    []byte
	units   []Unit
	text    []byte
	last    []byte // last lines, with all that are left out of text
	hash    *xxhash.Digest
}

func (o *output) Write(b []byte) (int, error) {
	at := time.Since(o.begun).Nanoseconds()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.watch.Ready == nil && o.firstNS == 0 {
		o.firstNS = at
	}
	for rest := b; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n') + 1
		if end == 0 {
			end = len(rest)
		}
		end = min(end, mostLine-len(o.line))
		o.line = append(o.line, rest[:end]...)
		rest = rest[end:]
		if o.line[len(o.line)-1] == '\n' || len(o.line) == mostLine {
			o.takeLine(at)
		}
	}
	return len(b), nil
}

func (o *output) takeLine(at int64) {
	line := bytes.TrimRight(o.line, "\r\n")
	o.last = append(o.last, o.line...)
	o.last = o.last[max(0, len(o.last)-mostErrors):]
	if o.watch.Ready != nil && o.firstNS == 0 && o.watch.Ready.Match(line) {
		o.firstNS = at
	}
	isUnit := o.takeUnit(line, at)
	if !(isUnit && o.watch.timed) && (o.watch.Ignore == nil || !o.watch.Ignore.Match(line)) {
		_, _ = o.hash.Write(o.line)
		o.text = append(o.text, o.line[:min(len(o.line), mostText-len(o.text))]...)
	}
	o.line = o.line[:0]
}

func (o *output) takeUnit(line []byte, at int64) bool {
	if o.watch.Unit == nil || len(o.units) == mostUnits {
		return false
	}
	groups := o.watch.Unit.FindSubmatch(line)
	if groups == nil {
		return false
	}
	u := Unit{EndNS: at, TimeNS: at - o.lastNS}
	if o.watch.timed {
		took, err := ParseTime(string(groups[1]))
		if err != nil {
			return false
		}
		u.TimeNS = took.Nanoseconds()
	}
	o.units = append(o.units, u)
	o.lastNS = at
	return true
}

func (o *output) results() (firstNS int64, units []Unit, text, last []byte, checksum string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.line) > 0 { // last line without a line end
		o.takeLine(time.Since(o.begun).Nanoseconds())
	}
	return o.firstNS, o.units, o.text, o.last, fmt.Sprintf("%016x", o.hash.Sum64())
}

var timeUnits = map[string]time.Duration{
	"": time.Millisecond, "ns": 1, "us": time.Microsecond, "µs": time.Microsecond, "μs": time.Microsecond,
	"ms": time.Millisecond, "msec": time.Millisecond, "s": time.Second, "sec": time.Second, "min": time.Minute,
}

// ParseTime parses a printed time: "12.5 ms", "1.2s", or "12" for milliseconds.
func ParseTime(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	end := strings.LastIndexAny(text, "0123456789.") + 1
	number, err := strconv.ParseFloat(text[:end], 64)
	unit, known := timeUnits[strings.TrimSpace(text[end:])]
	if err != nil || !known || !(number >= 0 && number < 1e9) {
		return 0, fmt.Errorf("%q is no time: a number, and ns, us, ms, s or min", text)
	}
	return time.Duration(number * float64(unit)), nil
}

// inertPrefix begins the line of an agent that adopts nothing.
var inertPrefix = []byte("profarc: no profiles adopted")

type errorOutput struct {
	mu    sync.Mutex
	tail  []byte
	inert []string
}

func (e *errorOutput) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for rest := b; len(rest) > 0; {
		n := min(len(rest), mostErrors)
		e.tail = append(e.tail, rest[:n]...)
		rest = rest[n:]
		e.noteInert()
		e.tail = e.tail[max(0, len(e.tail)-mostErrors):]
	}
	return len(b), nil
}

func (e *errorOutput) noteInert() {
	const enough = 4
	for line := range bytes.Lines(e.tail) {
		text := string(bytes.TrimSpace(line))
		if bytes.HasPrefix(line, inertPrefix) && bytes.HasSuffix(line, []byte("\n")) && len(e.inert) < enough &&
			!slices.Contains(e.inert, text) {
			e.inert = append(e.inert, text)
		}
	}
}

func (e *errorOutput) results() (tail []byte, inert []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.tail, e.inert
}

// A Curve has the units of one run in order.
type Curve []Unit

// Percentile returns the least time that a share of the units do not exceed, or 0 without units.
func (c Curve) Percentile(share float64) (ns int64) {
	if len(c) == 0 {
		return 0
	}
	times := lists.Map(c, func(u Unit) int64 { return u.TimeNS })
	slices.Sort(times)
	return times[max(0, int(math.Ceil(share*float64(len(times))))-1)]
}

// windowAverages returns the mean time of each window, by first unit. A window is a tenth of the run, so that one lucky
// unit is no peak.
func (c Curve) windowAverages() []float64 {
	w := max(1, len(c)/10)
	var all []float64
	sum := int64(0)
	for i := range c {
		if sum += c[i].TimeNS; i >= w {
			sum -= c[i-w].TimeNS
		}
		if i >= w-1 {
			all = append(all, float64(sum)/float64(w))
		}
	}
	return all
}

// PeakNS returns the time of a unit at the peak, which is the least average of a window. It returns 0 without units.
func (c Curve) PeakNS() float64 {
	if len(c) == 0 {
		return 0
	}
	return slices.Min(c.windowAverages())
}

// LastNS returns the time of a unit at the end, which is the average of the last window. It returns 0 without units.
func (c Curve) LastNS() float64 {
	if len(c) == 0 {
		return 0
	}
	all := c.windowAverages()
	return all[len(all)-1]
}

// ReachedNS returns the end of the first unit of the first window whose mean time is at most unitNS. It returns
// infinity if there is no such window, and 0 without units.
func (c Curve) ReachedNS(unitNS float64) float64 {
	for i, average := range c.windowAverages() {
		if average <= unitNS {
			return float64(c[i].EndNS)
		}
	}
	if len(c) == 0 {
		return 0
	}
	return math.Inf(1)
}

// NearPeak is the share of the peak's rate at which a program counts as warm.
const NearPeak = 0.9
