package cli

// A FleetCommand is a command of profarc-fleet, which profarc lists and runs as its own.
type FleetCommand struct{ Name, Short string }

// FleetCommands are the commands of profarc-fleet. A test there compares them with what it has.
var FleetCommands = []FleetCommand{
	{"push", "Put an archive into a registry, or attach it to an image there"},
	{"pull", "Fetch the newest archive that fits from a registry"},
	{"promote", "Make an archive the current one of a tag"},
	{"rollback", "Make the archive before it the current one of a tag again"},
	{"history", "Print what was promoted to a tag and rolled back"},
}
