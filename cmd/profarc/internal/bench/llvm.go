package bench

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/bench/llvmreader"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/formats/llvm"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// maxFunctions is the most functions that are looked up with LLVM's reader.
const maxFunctions = 1 << 18

// An llvmField is an archive of LLVM's profiles, and LLVM's reader of a .profdata file with the same.
type llvmField struct {
	store  *reader.Store
	keys   map[string]*llvmreader.Keys // by the name of the file
	peer   *llvmreader.Reader
	next   int // the first key that the next turn takes
	times  [][2]series
	share  int // keys of a turn
	repeat int // times that they are looked up
}

// withLLVM measures lookups, and LLVM's reader, too, if it is asked for. What may be
// missing it finds before anything is measured.
func (b *bench) withLLVM(lookups func() error) error {
	if !b.o.llvm {
		return lookups()
	}
	if d := b.field.domain; d != layout.DomainLLVMIR && d != layout.DomainLLVMFrontend {
		return cli.Usagef("--llvm: %s has profiles of the domain %s: LLVM's reader has none of them", b.path, d)
	}
	f := &llvmField{store: b.field.store, times: make([][2]series, len(llvmreader.Contests))}
	if err := b.gatherFunctions(f); err != nil {
		return err
	}
	if len(f.keys["hits"].Names) < 2 {
		b.report.note("not measured: LLVM's reader, for fewer than two functions")
		return lookups()
	}
	dir, err := os.MkdirTemp("", "profarc-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, err := llvmreader.Build(b.ctx, b.o.llvmConfig, dir)
	if err != nil {
		return fmt.Errorf("--llvm: %w", err)
	}
	b.report.LLVM = program.Version
	if err := lookups(); err != nil {
		return err
	}
	if err := f.start(b, program, dir); err != nil {
		return err
	}
	return errors.Join(b.llvm(f), f.peer.Stop())
}

// llvm compares lookups with LLVM's own reader.
func (b *bench) llvm(f *llvmField) error {
	if err := f.agree(b); err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	err := b.rounds(shareLLVM, f.round)
	for i, c := range llvmreader.Contests {
		b.report.addLLVM(c.Name, &f.times[i][0], &f.times[i][1])
	}
	return err
}

// gatherFunctions notes the keys of functions with a counter and one version, in the
// random order of the field.
func (b *bench) gatherFunctions(f *llvmField) error {
	hits, misses := &llvmreader.Keys{}, &llvmreader.Keys{}
	f.keys = map[string]*llvmreader.Keys{"hits": hits, "misses": misses}
	for i, k := range b.field.keys {
		if len(hits.Names) == maxFunctions {
			break
		}
		p, err := f.store.Profile(k, layout.CodeAny)
		if err != nil {
			return err
		}
		if _, err := llvmreader.FirstCounter(p); err != nil || strings.ContainsRune(k.Name, '\n') {
			continue
		}
		other := layout.Key{Name: k.Name + b.field.suffix}
		addKey(hits, k.Name, p.Code(), b.field.ids[i])
		addKey(misses, other.Name, p.Code(), other.ID(b.field.domain))
	}
	n := len(hits.Names)
	f.share = max(1, min(lookupsPerTurn, n/2))
	f.repeat = (lookupsPerTurn + f.share - 1) / f.share
	return nil
}

func addKey(k *llvmreader.Keys, name string, hash, id uint64) {
	k.Names, k.Hashes, k.IDs = append(k.Names, name), append(k.Hashes, hash), append(k.IDs, id)
}

// start writes the files that LLVM's reader needs, and lets it read them.
func (f *llvmField) start(b *bench, program llvmreader.Program, dir string) (err error) {
	paths := map[string]string{}
	for name, write := range map[string]func(io.Writer) error{
		"hits":   func(w io.Writer) error { return llvmreader.WriteKeys(w, f.keys["hits"]) },
		"misses": func(w io.Writer) error { return llvmreader.WriteKeys(w, f.keys["misses"]) },
		"profdata": func(w io.Writer) error {
			_, err := (&llvm.IndexedExporter{}).Export(w, f.store)
			return err
		},
	} {
		paths[name] = filepath.Join(dir, name)
		if err := writeBuffered(paths[name], write); err != nil {
			return err
		}
	}
	f.peer, err = program.Start(b.ctx, paths["profdata"], paths["hits"], paths["misses"])
	return err
}

func writeBuffered(path string, write func(io.Writer) error) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(file, 1<<20)
	return errors.Join(write(w), w.Flush(), file.Close())
}

// agree checks that both readers find the same, which also takes all of it through the archive's checks.
func (f *llvmField) agree(b *bench) error {
	for _, c := range llvmreader.Contests {
		keys := f.keys[c.File()]
		ours, err := c.Way.LookUp(f.store, keys, 1)
		if err != nil {
			return err
		}
		theirs, err := f.peer.LookUp(c.File(), 0, len(keys.Names), 1)
		if err != nil {
			return err
		}
		if ours.Found != theirs.Found || ours.Sum != theirs.Sum {
			return b.wrong(fmt.Sprintf("%s: %d found with a sum of %d, LLVM finds %d with %d", c.Name, ours.Found, ours.Sum,
				theirs.Found, theirs.Sum))
		}
	}
	return nil
}

// round lets each contender look up, each other keys.
func (f *llvmField) round(round int) error {
	for i := range llvmreader.Contests {
		for turn := range 2 {
			which := (turn + round) % 2
			a, err := f.turn(&llvmreader.Contests[i], which)
			if err != nil {
				return err
			}
			f.times[i][which].add(a.Nanoseconds)
		}
	}
	return nil
}

// turn lets the archive (0) or LLVM's reader (1) look keys up.
func (f *llvmField) turn(c *llvmreader.Contest, which int) (a llvmreader.Answer, err error) {
	keys := f.keys[c.File()]
	if f.next+f.share > len(keys.Names) {
		f.next = 0
	}
	from, to := f.next, f.next+f.share
	f.next = to
	part := keys.Part(from, to)
	look := func(times int) (llvmreader.Answer, error) {
		if which == 1 {
			return f.peer.LookUp(c.File(), from, to, times)
		}
		return c.Way.LookUp(f.store, &part, times)
	}
	if f.repeat > 1 { // as hot as it gets
		if a, err = look(1); err != nil {
			return a, err
		}
	}
	return look(f.repeat)
}
