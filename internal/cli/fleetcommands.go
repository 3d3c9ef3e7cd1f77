package cli

// A FleetCommand is a command of profarc-fleet, which profarc lists and runs as its own.
type FleetCommand struct{ Name, Short string }

// FleetCommands are the commands of profarc-fleet. A test there compares them with what it has.
var FleetCommands = []FleetCommand{}
