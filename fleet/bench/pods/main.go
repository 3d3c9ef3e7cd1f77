//go:build linux

// Pods measures the memory of several VMs of a machine that use the same archive: from one file, as pods do that mount
// one image volume, and from a copy each, as init containers leave them.
//
//	go run ./bench/pods -functions 20000 -pods 8 -work /tmp/pods
//	go run ./bench/pods -functions 20000 -pods 8 -work /tmp/pods -containers
//
// The archive is packed as profarc push --volume packs it. Without -containers its layer is unpacked once into a
// folder. With it, profarc pushes the archive to a registry in memory, containerd pulls the image and mounts it for
// each pod, as Kubernetes lets it, and each VM is in a container. This needs root, and the Debian package containerd.
//
// A VM is a process in Go. Each looks up every function and reads its counters, as a compiler does. The VMs that adopt
// count in all functions, and need private pages for it. The proportional set size (PSS) of a process has each page
// divided by the number of processes that map it, so that the sum over processes is their memory in the machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strconv"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

const (
	points      = 8          // branches of a function
	archiveName = "app.parc" // name of an archive's file in a volume
)

func main() {
	functions := flag.Int("functions", 20000, "functions in the archive")
	pods := flag.Int("pods", 8, "number of VMs")
	work := flag.String("work", "", "folder to work in")
	reads := flag.String("read", "", "archive to read, in a process that this program starts")
	adopts := flag.String("adopt", "", "archive to adopt, in a process that this program starts")
	containers := flag.Bool("containers", false, "run the VMs in containers of containerd")
	flag.Parse()
	var err error
	switch {
	case *reads != "":
		err = useArchive(*reads, *functions, false)
	case *adopts != "":
		err = useArchive(*adopts, *functions, true)
	default:
		err = measure(context.Background(), *work, *functions, *pods, *containers)
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
func measure(ctx context.Context, work string, functions, pods int, inContainers bool) error {
	if work == "" {
		return fmt.Errorf("name a folder to work in with -work")
	}
	trained := filepath.Join(work, "trained", archiveName)
	if err := os.MkdirAll(filepath.Dir(trained), 0o777); err != nil {
		return err
	}
	if err := train(ctx, trained, functions); err != nil {
		return err
	}
	copies, size, err := unpackCopies(ctx, trained, work, pods)
	if err != nil {
		return err
	}
	fmt.Printf("%s has %d functions and %.1f MB\n\n", archiveName, functions, megabytes(size))
	if !inContainers {
		volume := filepath.Join(work, "volume")
		_, err := unpackVolume(ctx, trained, volume)
		if err != nil {
			return err
		}
		return printTable(ctx, startProcess, []string{filepath.Join(volume, archiveName)}, copies, functions)
	}
	n, err := startNode(ctx)
	if err != nil {
		return err
	}
	mounted, err := n.mountVolumes(ctx, trained, pods)
	if err == nil {
		err = printTable(ctx, n.startVM, mounted, copies, functions)
	}
	return errors.Join(err, n.stop())
}

// unpackCopies unpacks the volume of an archive for each pod.
func unpackCopies(ctx context.Context, trained, work string, pods int) (copies []string, size int64, err error) {
	for i := range pods {
		folder := filepath.Join(work, "pod-"+strconv.Itoa(i))
		size, err = unpackVolume(ctx, trained, folder)
		if err != nil {
			return nil, 0, err
		}
		copies = append(copies, filepath.Join(folder, archiveName))
	}
	return copies, size, nil
}

// A launcher starts a VM that reads or adopts an archive.
type launcher func(ctx context.Context, mode, archive string, functions int) (*vm, error)

// printTable measures VMs that share an archive, under one path or several, and VMs that have copies.
func printTable(ctx context.Context, start launcher, shared, copies []string, functions int) error {
	fmt.Println("| VMs | which | files | PSS of the archive in all VMs | in one | PSS of one VM |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, mode := range []string{"read", "adopt"} {
		for _, row := range []struct {
			archives   []string
			vms, files int
		}{{shared, 1, 1}, {shared, len(copies), 1}, {copies, len(copies), len(copies)}} {
			ofArchive, ofAll, err := measureVMs(ctx, start, mode, row.archives, row.vms, functions)
			if err != nil {
				return err
			}
			n := float64(row.vms)
			fmt.Printf("| %d | %s | %d | %.1f MB | %.1f MB | %.1f MB |\n", row.vms, mode, row.files, megabytes(ofArchive),
				megabytes(ofArchive)/n, megabytes(ofAll)/n)
		}
	}
	return nil
}

// measureVMs starts n VMs on the archives in turn. It returns the PSS of their mappings of the archive, and of all.
func measureVMs(ctx context.Context, start launcher, mode string, archives []string, n,
	functions int) (ofArchive, ofAll int64, err error) {
	var started []*vm
	defer func() {
		for _, v := range started {
			err = errors.Join(err, v.stop())
		}
	}()
	for i := range n {
		v, err := start(ctx, mode, archives[i%len(archives)], functions)
		if err != nil {
			return 0, 0, fmt.Errorf("VM %d: %w", i, err)
		}
		started = append(started, v)
	}
	for _, v := range started {
		mapped, all, err := proportionalSize(v.pid, "/"+archiveName)
		if err != nil {
			return 0, 0, err
		}
		ofArchive += mapped
		ofAll += all
	}
	return ofArchive, ofAll, nil
}

func megabytes(n int64) float64 { return float64(n) / 1e6 }
