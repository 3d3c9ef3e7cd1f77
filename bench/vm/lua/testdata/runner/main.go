// Runner runs a Lua program and prints its processor time in nanoseconds and its output's checksum.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"syscall"

	lua "github.com/yuin/gopher-lua"
)

// options are the values of the flags.
type options struct {
	archive, dump, profile string
	idle, advised, reasons bool
	number                 int
}

func main() {
	var o options
	flag.StringVar(&o.archive, "archive", "", "archive to start with")
	flag.StringVar(&o.dump, "dump", "", "archive to write")
	flag.StringVar(&o.profile, "profile", "", "CPU profile to write")
	flag.BoolVar(&o.idle, "idle", false, "count nothing")
	flag.BoolVar(&o.advised, "advised", false, "quicken hot functions, and do not count mature ones")
	flag.BoolVar(&o.reasons, "reasons", false, "print the advice for each function")
	flag.IntVar(&o.number, "number", 1, "the program's global variable number")
	flag.Parse()
	if err := run(o, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "runner:", err)
		os.Exit(1)
	}
}

func run(o options, program string) error {
	if o.profile != "" {
		file, err := os.Create(o.profile)
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	begin := processorTime()
	finish := start(o)
	L := lua.NewState()
	L.SetGlobal("number", lua.LNumber(o.number))
	if err := runFile(L, program); err != nil {
		return err
	}
	fmt.Println("time", processorTime()-begin)
	fmt.Println("result", L.GetGlobal("result"))
	return finish()
}

// runFile runs a program. Its name in profiles does not depend on its folder.
func runFile(L *lua.LState, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	program, err := L.Load(file, filepath.Base(path))
	if err != nil {
		return err
	}
	L.Push(program)
	return L.PCall(0, 0, nil)
}

// processorTime returns the processor time of the process in nanoseconds.
func processorTime() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
