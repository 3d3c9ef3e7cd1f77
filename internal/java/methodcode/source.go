package methodcode

// A Source is the source of a program whose profiles are of domain sampled. Functions have no
// code ids: what was called from which line says whether a profile fits.
type Source interface {
	// Bodies returns the functions of a name; there may be several: for other
	// systems, or in several programs.
	Bodies(name string) ([]Body, Presence)
	// Beside returns the names of the functions declared in the package of a function.
	Beside(name string) []string
}

// A Body is a function in a source.
type Body interface {
	// Call returns the line, counted from the start of the function, at which it calls what may be the
	// callee: the given line if it does, or else the nearest other one. ok is false if there is none. sure is
	// false for calls that the source does not spell, as of functions in variables and of the runtime.
	Call(line int32, callee string) (at int32, sure, ok bool)
}
