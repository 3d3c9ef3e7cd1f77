package main

import (
	"github.com/spf13/cobra"
)

// archiveExtension ends the names of archives.
const archiveExtension = ".parc"

// argsBetween accepts low to high arguments; high is unlimited if negative.
// want says what is expected.
func argsBetween(low, high int, want string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < low || high >= 0 && len(args) > high {
			return usagef("%s: %d arguments, want %s", cmd.Name(), len(args), want)
		}
		return nil
	}
}

// completeArchives lets a shell offer archives where an argument names one.
func completeArchives(arguments int) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if arguments >= 0 && len(args) >= arguments {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return []string{archiveExtension[1:]}, cobra.ShellCompDirectiveFilterFileExt
	}
}
