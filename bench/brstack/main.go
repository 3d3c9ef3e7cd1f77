// Command brstack runs a program and records its last taken branches at regular intervals, in the form of perf script
// --show-mmap-events -F ip,brstack. It is for machines whose processor or hypervisor has no branch records.
//
// The branches are those that the program really took: qemu-x86_64 logs each basic block that it executes, and each
// block's instructions. The program should be single-threaded, and takes about 100 times as long.
//
//	go run ./brstack -o app.perf -- ./app ARGUMENTS
package main

import (
	"bufio"
	"bytes"
	"debug/elf"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

func main() {
	out := flag.String("o", "", "file to write")
	every := flag.Int("every", 4093, "taken branches from one sample to the next")
	depth := flag.Int("depth", 32, "branches in a sample")
	stacks := flag.Bool("stacks", false, "write the call stacks, too, as with perf record -g")
	flag.Parse()
	if *out == "" || flag.NArg() == 0 || *every < 1 || *depth < 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := record(*out, *every, *depth, *stacks, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "brstack:", err)
		os.Exit(1)
	}
}

// record runs a program below qemu-x86_64 and writes its samples.
func record(out string, every, depth int, stacks bool, command []string) (err error) {
	folder, err := os.MkdirTemp("", "brstack")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	fifo := filepath.Join(folder, "log")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		return err
	}
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	t := tracer{out: bufio.NewWriter(file), every: every, stacks: stacks,
		ring: make([]branch, depth), ends: map[uint64]end{}}
	if err := t.writeMappings(command[0]); err != nil {
		return err
	}
	arguments := []string{"-cpu", "max", "-d", "in_asm,exec,nochain", "-D", fifo}
	run := exec.Command("qemu-x86_64", append(arguments, command...)...)
	run.Stdin = os.Stdin
	run.Stdout = os.Stdout
	run.Stderr = os.Stderr
	if err := run.Start(); err != nil {
		return err
	}
	log, err := os.Open(fifo)
	if err != nil {
		return err
	}
	defer log.Close()
	if err := t.readLog(log); err != nil {
		return err
	}
	return errors.Join(run.Wait(), t.out.Flush())
}

// A branch is a taken branch.
type branch struct{ from, to uint64 }

// An end is the end of a basic block.
type end struct {
	last     uint64 // address of the last instruction
	next     uint64 // address after it
	branches bool   // the last instruction is a branch
	may      bool   // it can also fall through
	calls    bool
	returns  bool
}

type tracer struct {
	out          *bufio.Writer
	every        int
	stacks       bool
	calls        []uint64 // return addresses of the running functions, the outermost first
	ring         []branch // the last branches; the newest is at (taken-1) % len
	taken        int
	ends         map[uint64]end // end of each block, by its address
	block, older uint64         // the block that runs, and the one before; 0 if nothing ran
	inside       bool           // the instructions of a block follow
	start        uint64         // address of that block
}

// loadAddress is where qemu-x86_64 loads programs that can run anywhere.
const loadAddress = 0x4000000000

// writeMappings writes an event for each segment of code.
func (t *tracer) writeMappings(program string) error {
	f, err := elf.Open(program)
	if err != nil {
		return err
	}
	defer f.Close()
	absolute, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	for _, s := range f.Progs {
		if s.Type != elf.PT_LOAD || s.Flags&elf.PF_X == 0 {
			continue
		}
		const page = 0x1000
		at, offset := s.Vaddr&^(page-1), s.Off&^(page-1)
		size := (s.Vaddr + s.Memsz - at + page - 1) &^ (page - 1)
		if f.Type == elf.ET_DYN {
			at += loadAddress
		}
		fmt.Fprintf(t.out, " PERF_RECORD_MMAP2 1/1: [%#x(%#x) @ %s 00:00 0 0]: r-xp %s\n", at, size, hex(offset), absolute)
	}
	return nil
}

// hex writes zero without a prefix, as perf does.
func hex(n uint64) string {
	if n == 0 {
		return "0"
	}
	return fmt.Sprintf("%#x", n)
}

// readLog reads the log of qemu.
func (t *tracer) readLog(log io.Reader) error {
	lines := bufio.NewReaderSize(log, 1<<20)
	for {
		line, err := lines.ReadSlice('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case bytes.HasPrefix(line, []byte("Trace ")):
			t.inside = false
			if err := t.enter(line); err != nil {
				return err
			}
		case bytes.HasPrefix(line, []byte("Stopped execution")):
			t.block = t.older // the block did not run
		case bytes.HasPrefix(line, []byte("IN:")):
			t.inside = true
			t.start = 0
		case t.inside && bytes.HasPrefix(line, []byte("0x")):
			t.addInstruction(string(line))
		}
	}
}

// enter notes that a block runs, from a line as
// Trace 0: 0x7fa9e00b7380 [0000000000000000/0000004000001140/1040c0b3/00000200] f.
func (t *tracer) enter(line []byte) error {
	_, rest, _ := bytes.Cut(line, []byte("/"))
	text, _, _ := bytes.Cut(rest, []byte("/"))
	to, err := strconv.ParseUint(string(text), 16, 64)
	if err != nil {
		return fmt.Errorf("log of qemu: %q: %w", line, err)
	}
	before, ok := t.ends[t.block]
	t.older = t.block
	t.block = to
	if ok && before.branches && (before.next != to || !before.may) {
		t.follow(before, to)
		t.addBranch(branch{before.last, to})
	}
	return nil
}

// follow updates the call stack after a branch.
func (t *tracer) follow(e end, to uint64) {
	if e.calls {
		t.calls = append(t.calls, e.next)
	}
	for i := len(t.calls) - 1; e.returns && i >= 0; i-- {
		if t.calls[i] == to {
			t.calls = t.calls[:i]
			return
		}
	}
}

// writeStack writes a call stack, a line each, the innermost frame first.
func (t *tracer) writeStack(at uint64) {
	fmt.Fprintf(t.out, "\t%16x\n", at)
	for i := len(t.calls) - 1; i >= 0; i-- {
		fmt.Fprintf(t.out, "\t%16x\n", t.calls[i])
	}
}

func (t *tracer) addBranch(b branch) {
	t.ring[t.taken%len(t.ring)] = b
	t.taken++
	if t.taken%t.every != 0 {
		return
	}
	if t.stacks {
		t.writeStack(b.to)
	} else {
		fmt.Fprintf(t.out, "%17x ", b.to)
	}
	for i := range min(t.taken, len(t.ring)) {
		b := t.ring[(t.taken-1-i)%len(t.ring)]
		fmt.Fprintf(t.out, " 0x%x/0x%x/P/-/-/0 ", b.from, b.to)
	}
	fmt.Fprintln(t.out)
	if t.stacks {
		fmt.Fprintln(t.out)
	}
}

// addInstruction extends a block by an instruction, from a line as
// 0x4000001142:  0f 8e e8 00 00 00        jle      0x4000001230.
func (t *tracer) addInstruction(line string) {
	address, rest, _ := strings.Cut(line, ":")
	at, err := strconv.ParseUint(strings.TrimPrefix(address, "0x"), 16, 64)
	if err != nil {
		return
	}
	size := 0
	words := strings.Fields(rest)
	for size < len(words) && len(words[size]) == 2 && isHex(words[size]) {
		size++
	}
	if t.start == 0 {
		t.start = at
	}
	e := t.ends[t.start]
	if size < len(words) { // else the line continues the bytes of a long instruction
		e.last = at
		e.branches, e.may = classify(words[size:])
		text := strings.Join(words[size:], " ")
		e.calls = strings.Contains(text, "call")
		e.returns = strings.Contains(text, "ret")
	}
	e.next = at + uint64(size)
	t.ends[t.start] = e
}

func isHex(word string) bool { return strings.Trim(word, "0123456789abcdef") == "" }

// classify reports whether an instruction is a branch, and whether it can also fall through.
func classify(words []string) (branches, may bool) {
	for _, w := range words {
		switch w {
		case "notrack", "bnd", "repz", "rep":
			continue
		}
		may = strings.HasPrefix(w, "loop") || w[0] == 'j' && !strings.HasPrefix(w, "jmp")
		return may || w[0] == 'j' || strings.HasPrefix(w, "call") || strings.HasPrefix(w, "ret"), may
	}
	return false, false
}
