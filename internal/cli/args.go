package cli

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// Defaults of the verdict on profiles and code.
const (
	DefaultChecked = 0.95 // least share of the hot part that must be compared, see fit.Report.HotCheckedShare
	DefaultKept    = 0.9  // least share of all events that must neither have changed nor be gone
)

const ArchiveExtension = ".parc"

// Args accepts low to high arguments, or at least low if high is negative. want describes them in errors.
func Args(low, high int, want string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < low || high >= 0 && len(args) > high {
			return Usagef("%s: %d arguments, want %s", cmd.Name(), len(args), want)
		}
		return nil
	}
}

var ProfileExtensions = []string{"profraw", "profdata", "proftext", "iprof", "pprof", "pb", "gz", "zst", "folded"}

// CompleteArchives completes at most arguments files with the extension of archives or one of others.
func CompleteArchives(arguments int, others ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if arguments >= 0 && len(args) >= arguments {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return append([]string{ArchiveExtension[1:]}, others...), cobra.ShellCompDirectiveFilterFileExt
	}
}

func CheckShare(flag string, v float64) error {
	if !(v >= 0 && v <= 1) {
		return Usagef("%s %v: give a share from 0 to 1", flag, v)
	}
	return nil
}

// A FleetCommand is a command of profarc-fleet that profarc lists in its help and delegates to.
type FleetCommand struct{ Name, Short string }

// FleetCommands are the commands of profarc-fleet. A test in fleet checks that they are complete.
var FleetCommands = []FleetCommand{
	{"push", "Put an archive into a registry, or attach it to an image there"},
	{"pull", "Fetch the newest archive that fits from a registry"},
	{"promote", "Make an archive the current one of a tag"},
	{"rollback", "Make the archive before it the current one of a tag again"},
	{"history", "Print what was promoted to a tag and rolled back"},
	{"list", "List the archives of a repository, their tags, platforms and signatures"},
	{"prune", "Remove old archives from a repository"},
	{"watch", "Merge the profiles that appear in a folder or a store, each once"},
	{"plan", "Plan a merge of many archives in a store, for many workers"},
	{"merge-shard", "Merge the parts of one task of a planned merge"},
	{"commit", "Join the parts of a planned merge and publish the result"},
	{"template", "Print the jobs that run a planned merge on Slurm or Kubernetes"},
}

var sizeUnits = []struct {
	name  string
	bytes int64
}{{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"", 1}}

var errSize = errors.New("give a size, as 500MB or 4GiB")

// ParseSize parses a number of bytes, kB, MB, GB, KiB, MiB or GiB, at least 1 byte.
func ParseSize(text string) (int64, error) {
	for _, unit := range sizeUnits {
		number, ok := strings.CutSuffix(text, unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n < 1 || n > (1<<62)/unit.bytes {
			return 0, errSize
		}
		return n * unit.bytes, nil
	}
	return 0, errSize
}

// ParseSizeFlag is ParseSize for the value of a flag, which the error names.
func ParseSizeFlag(flag, text string) (int64, error) {
	n, err := ParseSize(text)
	if err != nil {
		err = Usagef("%s %s: %w", flag, text, err)
	}
	return n, err
}

// ParseAge parses a duration, the value of a flag. It accepts d for days.
func ParseAge(flag, text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseFloat(days, 64); err == nil && n > 0 && n < 1e5 {
			return time.Duration(n * 24 * float64(time.Hour)), nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, Usagef("%s %s: write it as 30d, 12h or 90m", flag, text)
	}
	return d, nil
}
