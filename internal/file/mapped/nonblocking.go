//go:build !wasm

package mapped

import "syscall"

// NonBlocking makes opening a pipe return at once.
const NonBlocking = syscall.O_NONBLOCK
