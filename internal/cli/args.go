package cli

import (
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
