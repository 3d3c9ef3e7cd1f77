package live

import (
	"context"
	"errors"
	"iter"
	"maps"
	"runtime"
	"slices"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/system/compartment"
	"github.com/profarc/profarc/internal/system/procfs"
)

// An image is the memory of a process, or the part of it that is read, page by
// page. It is read as a process is.
type image struct {
	pageTable
	base  uint64 // of libjvm
	spans []span // that something is read from
}

// newImage returns the image of memory that is at base, with libjvm first.
func newImage(base uint64, memory []byte) *image {
	i := &image{pageTable: pageTable{}, base: base}
	for at := base; len(memory) > 0; at += pageSize {
		page := make([]byte, pageSize)
		memory = memory[copy(page, memory):]
		i.pageTable[at] = page
	}
	return i
}

func (i *image) isAlive() bool                              { return true }
func (i *image) isGone() bool                               { return false }
func (i *image) heldBytes() int64                           { return int64(len(i.pageTable)) * pageSize }
func (i *image) holdWhile(use func(h *holding) error) error { return use(&holding{}) }
func (i *image) addProcess(err error) error                 { return err }

func (i *image) mappings(context.Context) iter.Seq2[procfs.Mapping, error] {
	return func(yield func(procfs.Mapping, error) bool) {
		yield(procfs.Mapping{Start: i.base, Path: "/libjvm.so"}, nil)
	}
}

// with returns the image with bytes in the place of others. Unmapped addresses stay unmapped.
func (i *image) with(patches []patch) *image {
	out := &image{pageTable: maps.Clone(i.pageTable), base: i.base}
	for _, p := range patches {
		for n, c := range p.bytes {
			at := p.addr + uint64(n)
			page, ok := out.pageTable[at/pageSize*pageSize]
			if !ok {
				continue
			}
			page = slices.Clone(page)
			page[at%pageSize] = c
			out.pageTable[at/pageSize*pageSize] = page
		}
	}
	return out
}

// A patch is a change of an image.
type patch struct {
	addr  uint64
	bytes []byte
}

// change decodes a change of the image, which is at a place that something is read from: other bytes, the
// address of another such place, or a sum. where is u40 span, u16 offset in it, u8 how.
func (i *image) change(where, value uint64) patch {
	s := i.spans[where>>24%uint64(len(i.spans))]
	addr := s.addr + where>>8&0xffff%uint64(max(s.size, 1))
	word := addr &^ 7
	switch how := where % 8; {
	case how < 4:
		return patch{addr, le.AppendUint64(nil, value)[:1<<how]}
	case how < 6:
		return patch{word, le.AppendUint64(nil, i.spans[value%uint64(len(i.spans))].addr)}
	}
	was := make([]byte, 8)
	_ = i.readAt(was, word)
	return patch{word, le.AppendUint64(nil, le.Uint64(was)+value)}
}

// fuzzImage reads the image with any three changes. They are numbers, which the
// fuzzer does not spend its time on making shorter.
func fuzzImage(f *testing.F, i *image) {
	for how := range uint64(8) {
		f.Add(how<<30|how, uint64(1<<64-8), how<<29|(7-how), how, how<<28|how, uint64(1<<31), uint8(how))
	}
	f.Fuzz(func(t *testing.T, where1, value1, where2, value2, where3, value3 uint64, way uint8) {
		patches := []patch{i.change(where1, value1), i.change(where2, value2), i.change(where3, value3)}
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("with %x", patches)
			}
		})
		readImageIn(t, i.with(patches), int(way%ways))
	})
}

// allocFactor bounds what reading an image allocates altogether, garbage
// included, as a multiple of the basis of its budgets.
const allocFactor = 24

// The ways in which an image is read.
const (
	whileRunning = iota // as a process that runs
	whileHeld           // as one that is held
	ofClasses           // for the methods of its classes
	ways
)

// readImage reads an image in every way and returns how many methods have a profile.
func readImage(t *testing.T, i *image) (methods int) {
	t.Helper()
	for way := range ways {
		methods = max(methods, readImageIn(t, i, way))
	}
	return methods
}

// readImageIn reads an image in one way. The result must be profiles or an error of this
// package, and take no more memory than allowed.
func readImageIn(t *testing.T, i *image, way int) (methods int) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ctx := context.Background()
	vm, err := attachTarget(ctx, i)
	switch {
	case err != nil:
	case way == ofClasses:
		err = vm.Methods(ctx, func(MethodCode) error { return nil })
	default:
		var b *builder.Builder
		var r *Report
		if b, r, err = vm.Dump(ctx, Options{Stop: way == whileHeld}); err == nil && r.Methods > 0 {
			methods = r.Methods
			_, _, err = b.Bytes()
		}
		vm.Unprofiled()
	}
	checkImageError(t, err)
	runtime.ReadMemStats(&after)
	if n, most := after.TotalAlloc-before.TotalAlloc, uint64(allocFactor*newMeter(ctx,
		i.heldBytes()).memoryBasis()); n > most {
		t.Errorf("%d bytes were allocated, at most %d may be", n, most)
	}
	return methods
}

func checkImageError(t *testing.T, err error) {
	t.Helper()
	var defect *compartment.Defect
	if errors.As(err, &defect) {
		t.Fatalf("%v\n%s", err, defect.Stack)
	}
	if err == nil {
		return
	}
	for _, known := range []error{ErrStructure, ErrBudget, ErrNoTables, ErrUnsupported, ErrNotHotSpot, ErrAdopted} {
		if errors.Is(err, known) {
			return
		}
	}
	t.Fatalf("an error that says nothing to do: %v", err)
}
