// Package llvmreader looks functions up in an archive of LLVM's profiles and, with LLVM's
// own reader, in a .profdata file, so that the two can be compared.
//
// LLVM's reader is a library in C++: [Build] compiles a small program that uses it, which
// measures its look-ups itself.
package llvmreader

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed peer/lookup.cc
var source []byte

// ErrMissing: what compiling needs is not installed.
var ErrMissing = errors.New("LLVM's reader can't be compiled")

// The releases of LLVM whose llvm-config [Build] looks for, the newest first.
const newestRelease, oldestRelease = 29, 12

// A Program is the compiled program.
type Program struct {
	Path    string
	Version string // of LLVM
}

// Build compiles the program into dir. config is the llvm-config of the LLVM to use; empty for the newest
// there is. The error matches ErrMissing if there is none, no headers, or no compiler.
func Build(ctx context.Context, config, dir string) (Program, error) {
	p := Program{Path: filepath.Join(dir, "llvm-lookup")}
	config, err := find(config)
	if err != nil {
		return p, err
	}
	version, include, err := describe(ctx, config)
	if err != nil {
		return p, err
	}
	p.Version = version
	release, _, _ := strings.Cut(version, ".")
	if _, err := os.Stat(filepath.Join(include, "llvm", "ProfileData", "InstrProfReader.h")); err != nil {
		return p, fmt.Errorf("%w: there are no headers of LLVM in %s: install llvm-%s-dev", ErrMissing, include, release)
	}
	compiler, err := firstOf("g++", "clang++", "c++")
	if err != nil {
		return p, fmt.Errorf("%w: there is no C++ compiler: install g++", ErrMissing)
	}
	return p, compile(ctx, compiler, config, p.Path)
}

// find returns the path of an llvm-config.
func find(config string) (string, error) {
	names := []string{config}
	if config == "" {
		names = nil
		for release := newestRelease; release >= oldestRelease; release-- {
			names = append(names, fmt.Sprintf("llvm-config-%d", release))
		}
		names = append(names, "llvm-config")
	}
	path, err := firstOf(names...)
	if err != nil {
		return "", fmt.Errorf("%w: there is no %s: install LLVM with its headers (llvm-dev)", ErrMissing, names[len(names)-1])
	}
	return path, nil
}

// firstOf returns the path of the first program that there is.
func firstOf(names ...string) (path string, err error) {
	for _, name := range names {
		if path, err = exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", err
}

func describe(ctx context.Context, config string) (version, include string, err error) {
	out, err := run(ctx, config, "--version", "--includedir")
	version, include, ok := strings.Cut(strings.TrimSpace(out), "\n")
	if err == nil && !ok {
		err = fmt.Errorf("%s said %q", config, out)
	}
	return version, include, err
}

func compile(ctx context.Context, compiler, config, program string) error {
	flags, err := run(ctx, config, "--cxxflags")
	if err != nil {
		return err
	}
	libraries, err := run(ctx, config, "--ldflags", "--libs", "profiledata", "support")
	if err != nil {
		return err
	}
	file := program + ".cc"
	if err := os.WriteFile(file, source, 0o666); err != nil {
		return err
	}
	args := append([]string{"-O2"}, strings.Fields(flags)...)
	args = append(args, "-std=c++17", file, "-o", program)
	_, err = run(ctx, compiler, append(args, strings.Fields(libraries)...)...)
	return errors.Join(err, os.Remove(file))
}

// run returns what a program prints.
func run(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", name, err, said.Bytes())
	}
	return string(out), err
}

// A Reader is a process that runs the program.
type Reader struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	said bytes.Buffer
	over bool
}

// Start lets the program read a .profdata file, and the keys of hits and misses as [WriteKeys] writes them.
func (p Program) Start(ctx context.Context, profdata, hits, misses string) (*Reader, error) {
	r := &Reader{cmd: exec.CommandContext(ctx, p.Path, profdata, hits, misses)}
	r.cmd.Stderr = &r.said
	in, err1 := r.cmd.StdinPipe()
	out, err2 := r.cmd.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	r.in, r.out = in, bufio.NewReader(out)
	return r, r.cmd.Start()
}

// An Answer is the result of look-ups.
type Answer struct {
	Nanoseconds float64 // of processor time, of one
	Found       uint64
	Sum         uint64 // of the first counters of the functions found
}

// LookUp looks the keys from a number up to another of a file up, "hits" or "misses", so many times.
func (r *Reader) LookUp(file string, from, to, times int) (a Answer, err error) {
	_, err = fmt.Fprintln(r.in, file, from, to, times)
	if err == nil {
		_, err = fmt.Fscan(r.out, &a.Nanoseconds, &a.Found, &a.Sum)
	}
	if err != nil {
		return a, errors.Join(fmt.Errorf("LLVM's reader ended: %w", err), r.Stop())
	}
	return a, nil
}

// Stop ends the process, unless it has ended. The error has its message.
func (r *Reader) Stop() error {
	if r.over {
		return nil
	}
	r.over = true
	_ = r.in.Close()
	if err := r.cmd.Wait(); err != nil {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(r.said.Bytes()))
	}
	return nil
}
