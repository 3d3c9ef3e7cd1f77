package cli

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
	{"plan", "Plan a merge of many archives in a store, for many workers"},
	{"merge-shard", "Merge the parts of one task of a planned merge"},
	{"commit", "Join the parts of a planned merge and publish the result"},
	{"template", "Print the jobs that run a planned merge on Slurm or Kubernetes"},
}
