package mmap

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// A Fault is an access to mapped memory that no file stands behind any more.
type Fault struct{ Address uintptr }

func (f *Fault) Error() string { return fmt.Sprintf("memory fault at 0x%x", f.Address) }

// Guard runs f. A memory fault at an address that owns accepts ends f and
// becomes a [*Fault]; every other panic goes on. It holds for the calling
// goroutine alone, not for those that f starts.
func Guard(owns func(address uintptr) bool, f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		// The runtime's error for a fault says where it was.
		fault, ok := v.(interface {
			runtime.Error
			Addr() uintptr
		})
		if !ok || !owns(fault.Addr()) {
			panic(v)
		}
		err = &Fault{fault.Addr()}
	}()
	return f()
}
