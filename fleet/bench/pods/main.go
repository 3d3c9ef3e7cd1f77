//go:build linux

// Pods measures the memory of several VMs of a machine that use the same archive: from one file, as pods do that mount
// one image volume, and from a copy each, as init containers leave them.
//
//	go run ./bench/pods -functions 20000 -pods 8 -work /tmp/pods
//
// There is no Kubernetes in it. The archive is packed as profarc push --volume packs it, and its layer is unpacked once
// into a folder, which a container runtime would mount in each pod. A VM is a process in Go. Each looks up every
// function and reads its counters, as a compiler does. The VMs that adopt count in all functions, and need private
// pages for it. The proportional set size (PSS) of a process has each page divided by the number of processes that map
// it, so that the sum over processes is their memory in the machine.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

const points = 8 // branches of a function

func main() {
	functions := flag.Int("functions", 20000, "functions in the archive")
	pods := flag.Int("pods", 8, "number of VMs")
	work := flag.String("work", "", "folder to work in")
	reads := flag.String("read", "", "archive to read, in a process that this program starts")
	adopts := flag.String("adopt", "", "archive to adopt, in a process that this program starts")
	flag.Parse()
	var err error
	switch {
	case *reads != "":
		err = useArchive(*reads, *functions, false)
	case *adopts != "":
		err = useArchive(*adopts, *functions, true)
	default:
		err = measure(context.Background(), *work, *functions, *pods)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// keyOf returns the key of the function with a number. Its code is i+1.
func keyOf(i int) layout.Key {
	return layout.Key{Class: fmt.Sprintf("shop/%d.go", i%500), Name: fmt.Sprintf("function%d", i)}
}

// train writes an archive.
func train(ctx context.Context, path string, functions int) error {
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	for i := range functions {
		p := b.Profile(keyOf(i), uint64(i+1))
		p.Invocations(uint64(1 + i))
		for point := range points {
			p.Branch(builder.At{Bci: int32(4 * point)}, builder.Branch{Taken: uint64(point), NotTaken: uint64(i)})
		}
		if err := p.Done(); err != nil {
			return err
		}
	}
	_, err := b.Commit(ctx, path)
	return err
}

// useArchive looks up all functions and reads their counters. It counts a call of each if it adopts their profiles.
func useArchive(path string, functions int, adopt bool) error {
	s, err := reader.Open(path, archive.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	if adopt {
		if err := s.Adopt(reader.AdoptOptions{}); err != nil {
			return err
		}
	}
	sum := uint64(0)
	for i := range functions {
		p, err := s.Profile(keyOf(i), uint64(i+1))
		if err == nil && adopt {
			p, err = countCall(p)
		}
		if err != nil {
			return err
		}
		for e := range p.Entries() {
			if b, ok := e.Branch(); ok {
				sum += b.Taken.Load() + b.NotTaken.Load()
			}
		}
	}
	return waitForEnd(sum)
}

func countCall(p reader.Profile) (reader.Profile, error) {
	p, err := p.Claim()
	if err != nil {
		return p, err
	}
	calls, _ := p.Invocations()
	return p, calls.Add(1)
}

// waitForEnd says that a VM is ready, and waits until its input ends.
func waitForEnd(sum uint64) error {
	fmt.Println("ready", sum)
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

// measure prints the memory of VMs on one file, and on copies of it.
func measure(ctx context.Context, work string, functions, pods int) error {
	if work == "" {
		return fmt.Errorf("name a folder to work in with -work")
	}
	trained := filepath.Join(work, "trained", "app.parc")
	if err := os.MkdirAll(filepath.Dir(trained), 0o777); err != nil {
		return err
	}
	if err := train(ctx, trained, functions); err != nil {
		return err
	}
	volume := filepath.Join(work, "volume")
	size, err := unpackVolume(ctx, trained, volume)
	if err != nil {
		return err
	}
	fmt.Printf("app.parc has %d functions and %.1f MB\n\n", functions, megabytes(size))
	fmt.Println("| VMs | which | files | PSS of the archive in all VMs | in one | PSS of one VM |")
	fmt.Println("|---|---|---|---|---|---|")
	var copies []string
	for i := range pods {
		folder := filepath.Join(work, "pod-"+strconv.Itoa(i))
		if _, err := unpackVolume(ctx, trained, folder); err != nil {
			return err
		}
		copies = append(copies, filepath.Join(folder, "app.parc"))
	}
	one := []string{filepath.Join(volume, "app.parc")}
	for _, mode := range []string{"read", "adopt"} {
		err := errors.Join(measureVMs(mode, one, 1, functions), measureVMs(mode, one, pods, functions),
			measureVMs(mode, copies, pods, functions))
		if err != nil {
			return err
		}
	}
	return nil
}

// measureVMs starts n VMs on the files in turn, and prints a row of the table.
func measureVMs(mode string, files []string, n, functions int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var started []*exec.Cmd
	defer func() {
		for _, cmd := range started {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}()
	for i := range n {
		cmd := exec.Command(self, "-"+mode, files[i%len(files)], "-functions", strconv.Itoa(functions))
		cmd.Stderr = os.Stderr
		_, err := cmd.StdinPipe()
		if err != nil {
			return err
		}
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			return err
		}
		started = append(started, cmd)
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			return fmt.Errorf("VM %d: %q, %w", i, line, err)
		}
	}
	var ofArchive, ofAll int64
	for _, cmd := range started {
		mapped, all, err := proportionalSize(cmd.Process.Pid, "/app.parc")
		if err != nil {
			return err
		}
		ofArchive += mapped
		ofAll += all
	}
	fmt.Printf("| %d | %s | %d | %.1f MB | %.1f MB | %.1f MB |\n", n, mode, len(files), megabytes(ofArchive),
		megabytes(ofArchive)/float64(n), megabytes(ofAll)/float64(n))
	return nil
}

func megabytes(n int64) float64 { return float64(n) / 1e6 }
