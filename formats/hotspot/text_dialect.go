package hotspot

// A Dialect is how a VM arranges the columns of its text.
type Dialect uint8

// The dialects.
const (
	JDK17 Dialect = iota // columns run together where a number is long
	JDK25                // a blank always stands between columns
)

// dialectNames are the values of [PropertyDialect].
var dialectNames = [...]string{JDK17: "jdk17", JDK25: "jdk25"}

func (d Dialect) String() string { return dialectNames[d] }

// parseDialect is the inverse of String.
func parseDialect(name string) (d Dialect, ok bool) {
	for i, n := range dialectNames {
		if n == name {
			return Dialect(i), true
		}
	}
	return 0, false
}

// Columns of the text, from 0.
const (
	columnKind = 16 // of the entry's kind in JDK 17, and of the names of type lists
	columnBody = 36 // of everything that is counted
)

// entryColumns are the columns at which "bci:" and the kind begin.
func (d Dialect) entryColumns() (bci, kind int) {
	if d == JDK17 {
		return 6, columnKind
	}
	return 7, columnKind + 1
}

// Properties of an archive that came from a text, in layout.TableProperties.
const (
	PropertyDialect = "methoddata.dialect" // how the VM arranges its columns: "jdk17" or "jdk25"
	PropertyReasons = "methoddata.reasons" // "plain" if the VM was built without JVMCI, whose names of trap reasons are longer
	PropertyTotal   = "methoddata.total"   // "Total MDO size", if it is not the sum of the sizes
	// PropertyInterpreted is "own" if the invocations by the interpreter are
	// counted by themselves. VMs from JDK 17 on do not print that count: they
	// print all invocations in its place.
	PropertyInterpreted = "methoddata.interpreted"
)

// OwnInterpreted is the value of [PropertyInterpreted].
const OwnInterpreted = "own"

const plainReasons = "plain"
