// Package agentlib finds the agent for HotSpot, or builds it from its sources, and writes the flag that loads it.
//
// The library is built once for each content of the sources, compiler and platform, and kept in the user's cache:
//
//	profarc/agent/SOURCES-COMPILER/libprofarc-agent.so
//
// Both parts of the name are hashes. Concurrent builds do not interfere, since each works in its own folder and
// renames the finished library.
package agentlib

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/profarc/profarc/internal/file/publish"
)

// Name is the file name of the library.
const Name = "libprofarc-agent.so"

// Variable is the environment variable with the path of a library to use instead of building one.
const Variable = "PROFARC_AGENT_LIBRARY"

// The sentinels that errors of this package match.
var (
	// ErrPlatform is the error on systems that the agent does not support.
	ErrPlatform = fmt.Errorf("the agent runs on linux/amd64 and linux/arm64, and this is %s/%s", runtime.GOOS,
		runtime.GOARCH)
	// ErrNoCompiler is the error if no C compiler is found.
	ErrNoCompiler = errors.New("there is no C compiler to build the agent with: install one (gcc or clang, with the " +
		"headers of the C library), " +
		"or name the released " + Name + " with " + Variable + " or --agent")
)

type adviceError struct{ error }

// HasAdvice returns true; see layout.Error.
func (adviceError) HasAdvice() bool { return true }

func (e adviceError) Unwrap() error { return e.error }

// Supported returns an error that matches ErrPlatform on systems that the agent does not support.
func Supported() error {
	if runtime.GOOS == "linux" && (runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64") {
		return nil
	}
	return ErrPlatform
}

// Find returns the absolute path of the library: the named one, else the one in the environment variable, else one
// from the cache, which is built if it is missing.
func (b *Build) Find(ctx context.Context, named string) (string, error) {
	if err := Supported(); err != nil {
		return "", err
	}
	if named == "" {
		named = os.Getenv(Variable)
	}
	if named == "" {
		return b.findOrBuild(ctx)
	}
	if err := checkObject(named); err != nil {
		return "", err
	}
	return filepath.Abs(named)
}

// Install copies the library that Find returns into a folder, created if necessary, and returns its absolute path.
func (b *Build) Install(ctx context.Context, named, folder string) (string, error) {
	from, err := b.Find(ctx, named)
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return "", err
	}
	path, err := filepath.Abs(filepath.Join(folder, Name))
	if err == nil {
		err = os.MkdirAll(folder, 0o755)
	}
	if err != nil {
		return "", err
	}
	return path, publish.At(ctx, path, func(f *publish.File) error {
		_, err := f.WriteAt(data, 0)
		return err
	})
}
