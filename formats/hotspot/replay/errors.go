package replay

import "errors"

// The sentinels of this package. What is wrong with a file comes as a
// [*hotspot.TextError] that matches one of the first four.
var (
	// ErrNoReplay: the text is no replay file at all.
	ErrNoReplay = errors.New("no replay file: write one with java -XX:+UnlockDiagnosticVMOptions " +
		"-XX:CompileCommand=option,Class::method,bool,DumpReplay,true")
	// ErrCut: the file ends before the end of its last line, "compile".
	ErrCut = errors.New("replay file is cut off: its last line must be a whole \"compile\" line; have the VM write it again")
	// ErrSyntax: a line is not what a VM writes there.
	ErrSyntax = errors.New("not what a VM writes here")
	// ErrVersion: a version of replay files that is not known.
	ErrVersion = errors.New("replay file of an unknown version: versions up to 2 are known (JDK 17 to 25)")

	// ErrMethod: the method to be written is not in the archive, or has no
	// profile there.
	ErrMethod = errors.New("no profile of the method to replay")
	// ErrClass: a class is needed and was not found.
	ErrClass = errors.New("class not found: name the folder or jar that holds it in the class path")
	// ErrShape: the entries are not those of the VM that is to replay them.
	ErrShape = errors.New("profile entries are not those of JDK 25: record the profile there")
)
