//go:build !wasm

package mapped

import "syscall"

// NonBlocking makes opening a pipe return immediately.
const NonBlocking = syscall.O_NONBLOCK
