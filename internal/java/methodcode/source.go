package methodcode

// A Source is the source of a program with profiles of domain sampled. Functions have no code ids, so their calls by
// line determine whether a profile fits.
type Source interface {
	// Bodies returns the functions with a name. There may be several, for other systems or in several programs.
	Bodies(name string) ([]Body, Presence)
	// Beside returns the names of all functions in the package of a function.
	Beside(name string) []string
}

// A Body is a function in a source.
type Body interface {
	// Call returns a line that may call callee, counted from the start of the function. It is the given line if possible,
	// else the nearest one; ok is false if no line calls it. sure is false for calls that the source does not spell, such
	// as calls of function variables and of the runtime.
	Call(line int32, callee string) (at int32, sure, ok bool)
}
