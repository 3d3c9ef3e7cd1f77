package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"time"

	"github.com/profarc/profarc/bench"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
)

// child does what a turn consists of, and prints its result.
func child(what, text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	do := map[string]func(job, string) (int64, error){"build": build, "invent": invent, "write": write}[what]
	if do == nil {
		return fmt.Errorf("turn %q", what)
	}
	path := filepath.Join(j.Dir, "build-"+strconv.Itoa(os.Getpid())+".tmp")
	defer os.Remove(path)
	memory := watchMemory()
	begin := time.Now()
	size, err := do(j, path)
	if err != nil {
		return err
	}
	r := result{Bytes: size, Wall: time.Since(begin), Memory: memory()}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// build records the profiles and commits the archive. PROFARC_PROFILE names a file for a
// profile of the processor time.
func build(j job, path string) (int64, error) {
	s, err := scale(j.Shape, j.Bytes)
	if err != nil {
		return 0, err
	}
	if name := os.Getenv("PROFARC_PROFILE"); name != "" {
		f, err := os.Create(name)
		if err != nil {
			return 0, err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return 0, err
		}
		defer pprof.StopCPUProfile()
	}
	b := builder.New(layout.DomainHotSpot, builder.Config{Params: bench.Params(), Producer: "synthetic"})
	if err := bench.Record(b, s); err != nil {
		return 0, err
	}
	report, err := b.Commit(context.Background(), path)
	return report.Bytes, err
}

// invent makes the keys that build records.
func invent(j job, _ string) (sum int64, err error) {
	s, err := scale(j.Shape, j.Bytes)
	for i := range s.Methods {
		k := s.Key(i)
		sum += int64(len(k.Class) + len(k.Name) + len(k.Signature))
	}
	return sum, err
}

// write writes as many bytes as the archive has, 2 MiB at a time, and syncs the file, as
// the archive is.
func write(j job, path string) (int64, error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	block := make([]byte, 2<<20)
	for i := range block {
		block[i] = byte(i * i)
	}
	for at := int64(0); at < j.Bytes && err == nil; at += int64(len(block)) {
		_, err = f.Write(block[:min(int64(len(block)), j.Bytes-at)])
	}
	return j.Bytes, cmp.Or(err, f.Sync(), f.Close())
}

// watchMemory returns a function that returns the most memory that the process had since,
// without pages of files, which the system can take back: 0 if it does not say.
func watchMemory() (most func() int64) {
	end, peak := make(chan bool), make(chan int64)
	go func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		highest, own := int64(0), openStatus()
		for {
			select {
			case <-tick.C:
				highest = max(highest, own.memory())
			case <-end:
				peak <- max(highest, own.memory())
				return
			}
		}
	}()
	return func() int64 {
		end <- true
		return <-peak
	}
}

// A status is what the system says of this process. To read it leaves no garbage.
type status struct {
	file *os.File // nil if it says nothing
	text [4096]byte
}

func openStatus() *status {
	f, _ := os.Open("/proc/self/status")
	return &status{file: f}
}

// memory returns how much memory of this process is not a file's.
func (s *status) memory() (sum int64) {
	n, _ := s.file.ReadAt(s.text[:], 0)
	for line := range bytes.Lines(s.text[:max(n, 0)]) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		if string(name) == "RssAnon" || string(name) == "RssShmem" {
			n, _ := strconv.ParseInt(string(bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(value), []byte("kB")))), 10, 64)
			sum += n << 10
		}
	}
	return sum
}
