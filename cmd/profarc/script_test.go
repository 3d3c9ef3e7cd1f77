package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/testkit/specimen"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
)

// specimen NAME FILE writes a specimen archive.
func scriptSpecimen(ts *testscript.TestScript, _ bool, args []string) {
	for _, s := range specimen.All() {
		if s.Name == args[0] {
			data, err := s.Bytes()
			ts.Check(err)
			ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o666))
			return
		}
	}
	ts.Fatalf("no specimen %s", args[0])
}

// process FILE PID SECOND INVOCATIONS writes what a process had counted at a second.
func scriptProcess(ts *testscript.TestScript, _ bool, args []string) {
	numbers := make([]int, 3)
	for i := range numbers {
		var err error
		numbers[i], err = strconv.Atoi(args[i+1])
		ts.Check(err)
	}
	b := builder.New(layout.DomainHotSpot, builder.Config{
		DumpTime: time.Unix(int64(numbers[1]), 0),
		Run:      &layout.Provenance{Process: layout.Process{Boot: [16]byte{1}, PID: uint64(numbers[0])}},
	})
	p := b.Profile(layout.Key{Class: "A", Name: "m"}, 0)
	p.Invocations(uint64(numbers[2]))
	ts.Check(p.Done())
	data, _, err := b.Bytes()
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o666))
}

// damage HOW FILE changes a file: cut=N keeps N bytes, flip=N changes the byte
// at N (from the end, if negative), newer makes an archive of a later version.
func scriptDamage(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[1])
	data, err := os.ReadFile(path)
	ts.Check(err)
	how, number, _ := strings.Cut(args[0], "=")
	n, err := strconv.Atoi("0" + strings.TrimPrefix(number, "-"))
	ts.Check(err)
	if strings.HasPrefix(number, "-") {
		n = len(data) - n
	}
	switch how {
	case "cut":
		data = data[:n]
	case "flip":
		data[n] ^= 0x20
	case "newer":
		data[12]++ // the low byte of the version
		disk.UpdateChecksum(data)
	default:
		ts.Fatalf("damage %s", how)
	}
	ts.Check(os.WriteFile(path, data, 0o666))
}

// compress CODEC FROM TO compresses a file.
func scriptCompress(ts *testscript.TestScript, _ bool, args []string) {
	data, err := os.ReadFile(ts.MkAbs(args[1]))
	ts.Check(err)
	var out bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&out)
	if args[0] == "zstd" {
		w, err = zstd.NewWriter(&out)
		ts.Check(err)
	}
	_, err = w.Write(data)
	ts.Check(err)
	ts.Check(w.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), out.Bytes(), 0o666))
}

// fails CODE COMMAND... runs a command that must exit with that code, print one
// line of its own to stderr, and leave no temporary file.
func scriptFails(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	checkFailure(ts, err, args[0], ts.ReadFile("stderr"))
}

func checkFailure(ts *testscript.TestScript, err error, code, stderr string) {
	var exit *exec.ExitError
	if !errors.As(err, &exit) || strconv.Itoa(exit.ExitCode()) != code {
		ts.Fatalf("ended with %v, want exit code %s", err, code)
	}
	if !strings.HasPrefix(stderr, "profarc: ") || strings.Count(stderr, "\n") != 1 || !strings.HasSuffix(stderr, "\n") {
		ts.Fatalf("stderr is not one line of profarc: %q", stderr)
	}
	left, err := filepath.Glob(ts.MkAbs(".profarc-*"))
	ts.Check(err)
	if len(left) > 0 {
		ts.Fatalf("files that were not removed: %v", left)
	}
}

// interrupt INPUT COMMAND... runs a command that reads its standard input, writes
// it a file but no end, and interrupts it.
func scriptInterrupt(ts *testscript.TestScript, _ bool, args []string) {
	input, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	path := ""
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, args[1])); err == nil && path == "" {
			path = filepath.Join(dir, args[1])
		}
	}
	var stderr bytes.Buffer
	cmd := exec.Command(path, args[2:]...)
	cmd.Dir, cmd.Stderr = ts.MkAbs("."), &stderr
	in, err := cmd.StdinPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	// More than a pipe holds: once it is written, the command is reading.
	_, err = in.Write(bytes.Repeat(input, 1+(1<<20)/len(input)))
	ts.Check(err)
	ts.Check(cmd.Process.Signal(os.Interrupt))
	hung := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	err = cmd.Wait()
	hung.Stop()
	checkFailure(ts, err, "130", stderr.String())
}

// javac ARGUMENT... compiles programs in half the time that javac takes by itself.
func scriptJavac(ts *testscript.TestScript, not bool, args []string) {
	if not {
		ts.Fatalf("javac must compile")
	}
	ts.Check(ts.Exec("javac", slices.Concat(testjvm.Briefly, args)...))
}

// empty FOLDER checks that nothing is in a folder.
func scriptEmpty(ts *testscript.TestScript, _ bool, args []string) {
	files, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(files) > 0 {
		ts.Fatalf("%s holds %v", args[0], files)
	}
}
