package sparsebits

import (
	"sync"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

const testRange = 1 << 23

func TestSetIsASet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, want := New(testRange), map[int64]bool{}
		for _, i := range rapid.SliceOf(places()).Draw(t, "added") {
			s.Add(i)
			want[i] = true
		}
		for _, i := range rapid.SliceOf(places()).Draw(t, "asked") {
			if s.Has(i) != want[i] {
				t.Fatalf("Has(%d) = %t", i, !want[i])
			}
		}
		for i := range want {
			if !s.Has(i) {
				t.Fatalf("%d was added and is not there", i)
			}
		}
	})
}

func TestStatesKeepOneStateASlot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, want := NewStates(testRange), map[int64]uint8{}
		state := rapid.Uint8Range(0, 3)
		t.Repeat(map[string]func(*rapid.T){
			"store": func(t *rapid.T) {
				i, v := places().Draw(t, "slot"), state.Draw(t, "state")
				s.Store(i, v)
				want[i] = v
			},
			"swap": func(t *rapid.T) {
				i, old, v := places().Draw(t, "slot"), state.Draw(t, "old"), state.Draw(t, "new")
				if ok := s.CompareAndSwap(i, old, v); ok != (want[i] == old) {
					t.Fatalf("CompareAndSwap(%d, %d, %d) = %t in state %d", i, old, v, ok, want[i])
				} else if ok {
					want[i] = v
				}
			},
			"or": func(t *rapid.T) {
				i, v := places().Draw(t, "slot"), state.Draw(t, "state")
				s.Or(i, v)
				want[i] |= v
			},
			"count": func(t *rapid.T) {
				v, n := rapid.Uint8Range(1, 3).Draw(t, "state"), uint64(0)
				for _, state := range want {
					if state == v {
						n++
					}
				}
				if got := s.Count(v); got != n {
					t.Fatalf("Count(%d) = %d, want %d", v, got, n)
				}
			},
			"fill": func(t *rapid.T) {
				from, v := places().Draw(t, "from"), rapid.Uint8Range(1, 3).Draw(t, "state")
				to := min(testRange, from+rapid.Int64Range(0, 200).Draw(t, "slots"))
				free := true
				for i := from; i < to; i++ {
					free = free && want[i] == 0
				}
				if ok := s.Fill(from, to, v); ok != free {
					t.Fatalf("Fill(%d, %d) = %t", from, to, ok)
				}
				for i := from; free && i < to; i++ {
					want[i] = v
				}
			},
			"clear": func(t *rapid.T) {
				from := places().Draw(t, "from")
				to := min(testRange, from+rapid.Int64Range(0, 200).Draw(t, "slots"))
				s.Clear(from, to)
				for i := from; i < to; i++ {
					want[i] = 0
				}
			},
			"": func(t *rapid.T) {
				for i, v := range want {
					if got := s.Load(i); got != v {
						t.Fatalf("slot %d is in state %d, want %d", i, got, v)
					}
				}
			},
		})
	})
}

// places draws numbers that often share a word, and lie at the edges of words, chunks and directories.
func places() *rapid.Generator[int64] {
	return rapid.OneOf(
		rapid.Int64Range(0, 130),
		rapid.Int64Range(1<<12-70, 1<<12+70),
		rapid.Int64Range(1<<20-70, 1<<20+70),
		rapid.Int64Range(1<<20-70, 1<<20+70),
		rapid.Int64Range(testRange-70, testRange-1),
	)
}

// Every slot is claimed by exactly one of several goroutines, also where their
// slots share words and chunks are allocated under them.
func TestClaimsAreExclusive(t *testing.T) {
	const slots, stride, claimers = 4000, 13, 4
	s := NewStates(slots * stride)
	var claimed atomic.Int64
	var wg sync.WaitGroup
	for range claimers {
		wg.Go(func() {
			for i := range int64(slots) {
				if s.CompareAndSwap(i*stride, 0, 1) {
					claimed.Add(1)
					s.Store(i*stride, 2)
				}
			}
		})
	}
	wg.Wait()
	if claimed.Load() != slots {
		t.Errorf("%d claims of %d slots", claimed.Load(), slots)
	}
	for i := range int64(slots) {
		if v := s.Load(i * stride); v != 2 {
			t.Fatalf("slot %d is in state %d", i*stride, v)
		}
	}
}

// What was written before Add is seen by who finds the number with Has.
func TestAddPublishes(t *testing.T) {
	const n = 2000
	s := New(n * 64)
	values := make([]int, n)
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range values {
			values[i] = i + 1
			s.Add(int64(i) * 64)
		}
	})
	wg.Go(func() {
		for i := range values {
			if s.Has(int64(i)*64) && values[i] != i+1 {
				t.Errorf("number %d was seen before its value", i)
			}
		}
	})
	wg.Wait()
}

func TestAskingAllocatesNothing(t *testing.T) {
	s, states := New(1<<32), NewStates(1<<32)
	s.Add(5)
	states.Store(5, 1)
	if n := testing.AllocsPerRun(100, func() { s.Has(5); s.Has(1 << 31); states.Load(5); states.Load(1 << 31) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkHas(b *testing.B) {
	s := New(1 << 32)
	for i := range int64(1 << 16) {
		s.Add(i)
	}
	b.ReportAllocs()
	i := int64(0)
	for b.Loop() {
		if i = (i + 1) & 0xffff; !s.Has(i) {
			b.Fatal(i)
		}
	}
}

func BenchmarkClaim(b *testing.B) {
	s := NewStates(1 << 32)
	b.ReportAllocs()
	i := int64(0)
	for b.Loop() {
		i = (i + 1) & 0xffff
		s.CompareAndSwap(i, s.Load(i), 1)
	}
}
