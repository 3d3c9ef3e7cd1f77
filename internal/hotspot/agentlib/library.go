// Package agentlib finds the agent for HotSpot, or builds it from its sources, and writes the flag that loads it.
//
// The library is built once for each content of the sources, compiler and platform, and kept in the user's cache:
//
//	profarc/agent/SOURCES-COMPILER/libprofarc-agent.so
//
// Both parts of the name are hashes. Concurrent builds do not interfere, since each works in its own folder and
// renames the finished library.
package agentlib

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/profarc/profarc/internal/file/publish"
)

const Name = "libprofarc-agent.so"

// Variable is the environment variable with the path of a library to use instead of building one.
const Variable = "PROFARC_AGENT_LIBRARY"

// The sentinels that errors of this package match.
var (
	ErrPlatform = fmt.Errorf("the agent runs on linux/amd64 and linux/arm64, and this is %s/%s", runtime.GOOS,
		runtime.GOARCH)
	ErrNoCompiler = errors.New("there is no C compiler to build the agent with: install one (gcc or clang, with the " +
		"headers of the C library), " +
		"or name the released " + Name + " with " + Variable + " or --agent")
)

type adviceError struct{ error }

// HasAdvice returns true; see layout.Error.
func (adviceError) HasAdvice() bool { return true }

func (e adviceError) Unwrap() error { return e.error }

// Supported returns an error that matches ErrPlatform on systems that the agent does not support.
func Supported() error {
	if runtime.GOOS == "linux" && (runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64") {
		return nil
	}
	return ErrPlatform
}

// Find returns the absolute path of the library: the named one, else the one in the environment variable, else one
// from the cache, which is built if it is missing.
func (b *Build) Find(ctx context.Context, named string) (string, error) {
	if err := Supported(); err != nil {
		return "", err
	}
	if named == "" {
		named = os.Getenv(Variable)
	}
	if named == "" {
		return b.findOrBuild(ctx)
	}
	if err := checkObject(named); err != nil {
		return "", err
	}
	return filepath.Abs(named)
}

// Install copies the library that Find returns into a folder, created if necessary, and returns its absolute path.
func (b *Build) Install(ctx context.Context, named, folder string) (string, error) {
	from, err := b.Find(ctx, named)
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return "", err
	}
	path, err := filepath.Abs(filepath.Join(folder, Name))
	if err == nil {
		err = os.MkdirAll(folder, 0o755)
	}
	if err != nil {
		return "", err
	}
	return path, publish.At(ctx, path, func(f *publish.File) error {
		_, err := f.WriteAt(data, 0)
		return err
	})
}

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
	Warn    string        // percentage of the methods that must adopt, so that no line is written, 0 to 100
	Warmup  time.Duration // maximum time until the flag is restored
	Serve   string        // socket to serve memory to at the exit; without an archive nothing is adopted
	Report  string        // file for the report at exit; "-" is stderr
	Drift   bool          // report compares the run with the archive
	Dry     bool          // look everything up but write nothing
	Record  bool          // compile adopting methods, so that the VM records them for an AOT cache
	Untried bool          // adopt in a JDK release that the agent was not tested with
	Quiet   bool          // no message on stderr if the agent switches itself off
}

func (o Options) Validate() error {
	switch {
	case o.Archive == "" && o.Serve == "":
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
	case !isPercent(o.Warn):
		return fmt.Errorf("warn-below %q: give a percentage from 0 to 100", o.Warn)
	case o.Warmup < 0 || o.Warmup > 0 && o.Warmup < time.Millisecond || o.Warmup > maxWarmup:
		return fmt.Errorf("warmup %v: give 1ms to %v", o.Warmup, maxWarmup)
	case strings.ContainsAny(o.Archive+o.Base+o.Serve+o.Report, "\n\x00"):
		return fmt.Errorf("%q: a file of the agent has no line break in its name", o.Archive+o.Base+o.Serve+o.Report)
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
	var parts []string
	if o.Archive != "" {
		parts = append(parts, "archive="+doubleCommas(o.Archive))
	}
	if o.Base != "" || o.Alone {
		parts = append(parts, "base="+doubleCommas(o.Base))
	}
	for _, p := range []struct{ name, value string }{
		{"weight", o.Weight}, {"weights", o.Weights}, {"flags", o.Flags}, {"policy", o.Policy}, {"budget", o.Budget},
		{"warn", o.Warn}, {"cached", o.Cached}, {"report", doubleCommas(o.Report)},
		{"serve", doubleCommas(o.Serve)},
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
