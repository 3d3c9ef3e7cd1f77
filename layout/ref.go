package layout

// A Ref refers to a record in the file by its offset in units of 8 bytes. 0 is
// none: no record lies at the start of the file.
type Ref uint32

// Offset returns the offset in bytes from the start of the file.
func (n Ref) Offset() int64 { return int64(n) * 8 }

// TypeFlags qualify a type.
type TypeFlags uint32

// The flags of a type.
const (
	TypeHidden       TypeFlags = 1 << 0 // a hidden class: its name is made up by the VM
	TypeNotMatchable TypeFlags = 1 << 1 // the name does not identify the type in another run
)

// MethodFlags are the flags of a method. The bits that are not listed here are
// internal to the encoding.
type MethodFlags uint16

// The flags of a method.
const (
	MethodUnexecuted   MethodFlags = 1 << 3 // the run saw the method and did not execute it
	MethodNotMatchable MethodFlags = 1 << 4 // the key does not identify the method in another run
	MethodSharedID     MethodFlags = 1 << 5 // another key of the archive has the same id
)
