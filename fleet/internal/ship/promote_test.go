package ship

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/profarc/profarc/fleet/internal/artifact"
	"github.com/profarc/profarc/fleet/internal/testregistry"
)

// pushArchives pushes archives that nothing else is, and returns their names.
func pushArchives(t *testing.T, host string, n int) (names []string) {
	t.Helper()
	for i := range n {
		path, _ := archiveOf{calls: uint64(1 + i)}.write(t)
		names = append(names, decoded[pushed](t, must(t, "push", path, host+"/shop", "--json")).Reference)
	}
	return names
}

func historyOf(t *testing.T, host string) channelReport {
	t.Helper()
	return decoded[channelReport](t, must(t, "history", host+"/shop:prod", "--json"))
}

// together holds the writes of one tag until several are under way, so that each of their
// writers has read the same before.
func together(path string) func(http.Handler) http.Handler {
	var waiting atomic.Int32
	return func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, path) {
				waiting.Add(1)
				for begun := time.Now(); waiting.Load() < 4 && time.Since(begun) < 50*time.Millisecond; {
					time.Sleep(time.Millisecond)
				}
				defer waiting.Add(-1)
			}
			h.ServeHTTP(w, r)
		})
	}
}

// TestWritersAtOnce: of what eight writers promote and roll back at once nothing is lost, and
// nothing counts twice.
func TestWritersAtOnce(t *testing.T) {
	t.Parallel()
	inEach(t, writeAtOnce)
	for _, referrers := range []bool{true, false} {
		t.Run(fmt.Sprintf("all write at the same time, referrers %t", referrers), func(t *testing.T) {
			t.Parallel()
			writeAtOnce(t, testregistry.Memory(t, referrers, together("/manifests/prod")))
		})
	}
}

func writeAtOnce(t *testing.T, host string) {
	const writers, base = 8, 4
	names := pushArchives(t, host, base+2*writers)
	for _, name := range names[:base] {
		must(t, "promote", name, "--to", "prod")
	}
	var all sync.WaitGroup
	var rollbacks atomic.Int32
	for i := range writers {
		all.Go(func() {
			for _, args := range [][]string{
				{"promote", names[base+2*i], "--to", "prod"}, {"rollback", host + "/shop:prod"},
				{"promote", names[base+2*i+1], "--to", "prod"},
			} {
				if _, said, code := fleet(t.Context(), args...); code != 0 {
					t.Errorf("%v: %s", args, said)
				} else if args[0] == "rollback" {
					rollbacks.Add(1)
				}
			}
		})
	}
	all.Wait()
	checkHistory(t, historyOf(t, host), names, int(rollbacks.Load()))
}

// checkHistory compares a channel with the commands that were run: each name was promoted once.
func checkHistory(t *testing.T, h channelReport, names []string, rollbacks int) {
	t.Helper()
	var promoted, off, ids []string
	for _, e := range h.History {
		ids = append(ids, e.ID)
		if e.What == "promote" {
			promoted = append(promoted, string(e.Digest))
		} else {
			off = append(off, string(e.Off))
		}
	}
	if len(off) != rollbacks {
		t.Errorf("%d rollbacks in the history, %d were made", len(off), rollbacks)
	}
	var left []string
	for _, d := range slices.Backward(promoted) {
		if !slices.Contains(off, d) {
			left = append(left, h.Reference[:strings.LastIndex(h.Reference, ":")]+"@"+d)
		}
	}
	if got := append([]string{h.Current}, h.Before...); !slices.Equal(got, left) {
		t.Errorf("the tag has\n%v\nand its history makes\n%v", got, left)
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != len(h.History) || len(promoted) != len(names) {
		t.Errorf("%d events with %d ids, %d promotions, want %d", len(h.History), len(slices.Compact(ids)), len(promoted),
			len(names))
	}
	for _, name := range names {
		if _, d, _ := strings.Cut(name, "@"); !slices.Contains(promoted, d) {
			t.Errorf("the promotion of %s is lost", name)
		}
	}
}

// TestRollbackThatEndsHalfway: what a killed writer recorded is completed by the next one, once.
func TestRollbackThatEndsHalfway(t *testing.T) {
	t.Parallel()
	var full atomic.Bool
	host := testregistry.Memory(t, false, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if full.Load() && r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/manifests/prod") {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			h.ServeHTTP(w, r)
		})
	})
	names := pushArchives(t, host, 4)
	for _, name := range names[:3] {
		must(t, "promote", name, "--to", "prod")
	}
	full.Store(true)
	fails(t, "the rollback is recorded", "rollback", host+"/shop:prod")
	full.Store(false)
	if h := historyOf(t, host); h.Current != names[2] {
		t.Errorf("%+v", h)
	}
	must(t, "promote", names[3], "--to", "prod")
	h := historyOf(t, host)
	checkHistory(t, h, names, 1)
	if h.Current != names[3] || len(h.Before) != 2 || h.Before[0] != names[1] {
		t.Errorf("%+v", h)
	}
}

func TestTagsTooLongForEvents(t *testing.T) {
	t.Parallel()
	host := testregistry.Memory(t, true, nil)
	name, longest := pushArchives(t, host, 1)[0], strings.Repeat("a", artifact.MaxChannel)
	must(t, "promote", name, "--to", longest)
	fails(t, "take a shorter one", "promote", name, "--to", longest+"a")
}
