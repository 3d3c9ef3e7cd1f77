package agentlib

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Options are the options of the agent. A zero field selects the agent's default.
type Options struct {
	Archive string        // archive to adopt from; required
	Base    string        // base archive of a layer
	Alone   bool          // no warning on stderr about a layer without a named base
	Weight  string        // number of counts, or "presence"
	Weights string        // "flat" or "bounded" weights of methods relative to each other
	Cached  string        // "keep", "replace", or a weight to replace with, for profiles of an AOT cache
	Flags   string        // "raise" or "keep" a VM flag during warm-up
	Policy  string        // "none", "order" or "hottest" methods to be compiled on request
	Budget  string        // percentage of the processors for these compilations, 0 to 100
	Warmup  time.Duration // maximum time until the flag is restored
	Report  string        // file for the report at exit; "-" is stderr
	Drift   bool          // report compares the run with the archive
	Dry     bool          // look everything up but write nothing
	Record  bool          // compile adopting methods, so that the VM records them for an AOT cache
	Untried bool          // adopt in a JDK release that the agent was not tested with
	Quiet   bool          // no message on stderr if the agent switches itself off
}

// Validate returns an error for an invalid value.
func (o Options) Validate() error {
	switch {
	case o.Archive == "":
		return fmt.Errorf("the agent needs an archive")
	case !isWeight(o.Weight):
		return fmt.Errorf("weight %q: give a number from 1 to %d, or presence", o.Weight, maxWeight)
	case o.Weights != "" && o.Weights != "flat" && o.Weights != "bounded":
		return fmt.Errorf("weights %q: give flat or bounded", o.Weights)
	case !isCachedOption(o.Cached):
		return fmt.Errorf("cached %q: give keep, replace, or a number from 1 to %d", o.Cached, maxWeight)
	case o.Flags != "" && o.Flags != "raise" && o.Flags != "keep":
		return fmt.Errorf("vm-flags %q: give raise or keep", o.Flags)
	case o.Policy != "" && o.Policy != "none" && o.Policy != "order" && o.Policy != "hottest":
		return fmt.Errorf("policy %q: give none, order or hottest", o.Policy)
	case !isPercent(o.Budget):
		return fmt.Errorf("budget %q: give a percentage from 0 to 100", o.Budget)
	case o.Warmup < 0 || o.Warmup > 0 && o.Warmup < time.Millisecond || o.Warmup > maxWarmup:
		return fmt.Errorf("warmup %v: give 1ms to %v", o.Warmup, maxWarmup)
	case strings.ContainsAny(o.Archive+o.Base+o.Report, "\n\x00"):
		return fmt.Errorf("%q: a file of the agent has no line break in its name", o.Archive+o.Base+o.Report)
	}
	return nil
}

// Limits of the agent.
const (
	maxWeight = 1 << 20 // maximum counts to scale a profile to
	maxWarmup = 24 * time.Hour
)

func isWeight(text string) bool {
	n, err := strconv.Atoi(text)
	return text == "" || text == "presence" || err == nil && n > 0 && n <= maxWeight
}

func isCachedOption(text string) bool {
	return text == "keep" || text == "replace" || text != "presence" && isWeight(text)
}

func isPercent(text string) bool {
	n, err := strconv.ParseUint(text, 10, 8)
	return text == "" || err == nil && n <= 100
}

// AgentPathFlag returns the java flag that loads the agent from a library. The VM ends the path at the first =, so a
// path with = is an error.
func (o Options) AgentPathFlag(library string) (string, error) {
	if strings.ContainsAny(library, "=\n\x00") {
		return "", fmt.Errorf("%q: the VM takes no agent from a path with = in it: install the agent in another folder",
			library)
	}
	return "-agentpath:" + library + "=" + o.optionText(), o.Validate()
}

// optionText formats the options for the agent, separated by commas. A comma in a name is doubled.
func (o Options) optionText() string {
	parts := []string{"archive=" + doubleCommas(o.Archive)}
	if o.Base != "" || o.Alone {
		parts = append(parts, "base="+doubleCommas(o.Base))
	}
	for _, p := range []struct{ name, value string }{
		{"weight", o.Weight}, {"weights", o.Weights}, {"flags", o.Flags}, {"policy", o.Policy}, {"budget", o.Budget},
		{"cached", o.Cached}, {"report", doubleCommas(o.Report)},
	} {
		if p.value != "" {
			parts = append(parts, p.name+"="+p.value)
		}
	}
	if o.Warmup > 0 {
		parts = append(parts, fmt.Sprintf("warmup=%d", o.Warmup.Milliseconds()))
	}
	for _, p := range []struct {
		name string
		set  bool
	}{{"drift", o.Drift}, {"dry", o.Dry}, {"record", o.Record}, {"untried", o.Untried}, {"quiet", o.Quiet}} {
		if p.set {
			parts = append(parts, p.name)
		}
	}
	return strings.Join(parts, ",")
}

func doubleCommas(name string) string { return strings.ReplaceAll(name, ",", ",,") }
