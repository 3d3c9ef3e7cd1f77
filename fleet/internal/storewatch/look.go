package storewatch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/profarc/profarc/fleet/internal/blobs"
	"github.com/profarc/profarc/formats/codec"
	account "github.com/profarc/profarc/internal/ledger"
)

// Options configure a Watcher. A limit of 0 is no limit.
type Options struct {
	Out          blobs.Location   // archive to write and add to
	From         []blobs.Location // prefixes of the objects
	MaxObject    int64            // bytes of an object; reading one takes memory in proportion to it
	MaxArchive   int64            // bytes of the archive
	MaxAge       time.Duration    // age of a dump
	MaxRecorders int              // dumps in the archive
	Expect       int              // number of objects that the runs should have left, 0 if it is not known
	Expected     []string         // their names
	Folder       string           // parent of temporary folders, "" for the folder of the system
	Memory       int64            // builder.Config.MemoryBudget
	Jobs         int              // number of objects to fetch at the same time
	// step, if not nil, is called between the steps of a job, for tests.
	step func(what string)
}

// A Watcher merges objects into an archive. It is not safe for concurrent use.
type Watcher struct {
	stores *blobs.Stores
	o      Options
	done   map[string]outcome // of objects as they were last listed, by name
	seen   [16]byte           // dump id of the archive to which done applies
	last   *settled           // nil if the next look must fetch the archive
}

// A settled archive has everything that was listed, and its account is complete.
type settled struct {
	version blobs.Version
	missing []account.Input // of the report
	size    int64
	dumps   int
}

// New returns a watcher. The caller closes the stores.
func New(stores *blobs.Stores, o Options) *Watcher {
	return &Watcher{stores: stores, o: o, done: map[string]outcome{}}
}

// An outcome says what became of an object.
type outcome struct {
	object blobs.Object
	aside  *Aside    // nil if the archive has it
	until  time.Time // when to read the object again, or zero
}

// deniedPause is the time after which an object that may not be read is tried again.
const deniedPause = 10 * time.Minute

// An Aside is an object that is not merged.
type Aside struct {
	Object   string        `json:"file"`
	name     string        // below the prefix, for the account
	State    account.State `json:"state"` // Damaged, or Skipped if it is sound
	Reason   string        `json:"reason"`
	recorded string        // reason in the account
	// Chosen is set if a limit left the object out.
	Chosen bool `json:"by_limit"`
}

// A Report describes what one look at the objects found and did.
type Report struct {
	Archive   string       `json:"archive"`
	Arrived   int          `json:"arrived"`  // number of listed objects
	Expected  int          `json:"expected"` // 0 if it is not known
	Missing   []string     `json:"missing"`  // expected names that did not arrive
	Merged    int          `json:"merged"`   // objects that this look merged
	Bytes     int64        `json:"bytes"`    // bytes of the merged objects
	Known     int          `json:"known"`    // objects whose counts the archive had
	Aside     []Aside      `json:"aside"`
	Lost      codec.Losses `json:"lost"`          // losses of the merged objects
	Size      int64        `json:"archive_bytes"` // 0 if there is no archive
	Dumps     int          `json:"dumps"`         // number of dumps in the archive
	Published int          `json:"published"`     // number of times that the archive was replaced
	Conflicts int          `json:"conflicts"`     // number of times that another job replaced it meanwhile
	NS        int64        `json:"ns"`

	missing []account.Input
	merged  map[string]bool // names of the merged objects
}

// Bad returns the number of objects that are set aside for another reason than a limit.
func (r *Report) Bad() (n int) {
	for _, a := range r.Aside {
		if !a.Chosen {
			n++
		}
	}
	return n
}

// maxConflicts is the number of times that a look begins again because another job replaced the archive.
const maxConflicts = 30

// Look merges the objects that the archive does not have. After an error the archive is unchanged or complete, and
// the next look takes up the rest. The report is never nil.
func (w *Watcher) Look(ctx context.Context) (*Report, error) {
	begin := time.Now()
	r := &Report{Archive: w.o.Out.String(), Missing: []string{}, Aside: []Aside{}, Lost: codec.Losses{},
		merged: map[string]bool{}}
	objects, err := w.listObjects(ctx)
	if err != nil {
		return r, err
	}
	w.forgetRemoved(objects)
	r.expectObjects(objects, w.o.Expect, w.o.Expected)
	idle, err := w.isIdle(ctx, r, objects)
	if err != nil {
		return r, err
	}
	for !idle {
		more, err := w.mergeBatch(ctx, r, objects)
		if errors.Is(err, errConflict) && r.Conflicts < maxConflicts {
			r.Conflicts++
			err = sleep(ctx, time.Duration(rand.Int64N(int64(r.Conflicts)*int64(20*time.Millisecond))))
		} else if err == nil && !more {
			break
		}
		if err != nil {
			return r, err
		}
	}
	w.reportOutcomes(r, objects)
	r.NS = time.Since(begin).Nanoseconds()
	return r, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// settling is how long a file in a folder must be unchanged to count as complete.
const settling = 2 * time.Second

// listObjects returns the objects, the newest first, since the last of several dumps of a process has all counts. In a
// folder it leaves out files that change while it waits, and new ones. A machine's clock can be behind the folder's.
func (w *Watcher) listObjects(ctx context.Context) ([]blobs.Object, error) {
	all, err := w.listOnce(ctx)
	isRecent := func(o blobs.Object) bool { return o.InDirectory() && time.Since(o.Modified) < settling }
	if err != nil || !slices.ContainsFunc(all, isRecent) {
		return all, err
	}
	if err := sleep(ctx, settling); err != nil {
		return nil, err
	}
	before := map[blobs.Object]bool{}
	for _, o := range all {
		before[o] = true
	}
	again, err := w.listOnce(ctx)
	return slices.DeleteFunc(again, func(o blobs.Object) bool { return isRecent(o) && !before[o] }), err
}

func (w *Watcher) listOnce(ctx context.Context) (all []blobs.Object, err error) {
	for _, from := range w.o.From {
		if from.InDirectory() {
			if _, err := os.Stat(from.String()); err != nil {
				return nil, err
			}
		}
		here, err := w.stores.List(ctx, from.Prefix(), "")
		if err != nil {
			return nil, err
		}
		all = append(all, here...)
	}
	all = slices.DeleteFunc(all, func(o blobs.Object) bool {
		return o.String() == w.o.Out.String() || strings.HasPrefix(path.Base(o.Key), ".") || strings.HasSuffix(o.Key, "/")
	})
	slices.SortStableFunc(all, func(x, y blobs.Object) int {
		if c := y.Modified.Compare(x.Modified); c != 0 {
			return c
		}
		return strings.Compare(x.String(), y.String())
	})
	return slices.CompactFunc(all, func(x, y blobs.Object) bool { return x.Location == y.Location }), nil
}

// reportOutcomes adds what became of the objects that this look did not merge.
func (w *Watcher) reportOutcomes(r *Report, objects []blobs.Object) {
	for _, o := range objects {
		switch end, ok := w.done[o.String()]; {
		case !ok || r.merged[o.String()]: // it is gone, or counted as merged
		case end.aside != nil:
			r.Aside = append(r.Aside, *end.aside)
		default:
			r.Known++
		}
	}
}

// isIdle reports whether nothing changed since the archive was settled. It completes the report in this case.
func (w *Watcher) isIdle(ctx context.Context, r *Report, objects []blobs.Object) (bool, error) {
	isNew := func(o blobs.Object) bool { return !w.isSettled(o) }
	if w.last == nil || !reflect.DeepEqual(r.missing, w.last.missing) || slices.ContainsFunc(objects, isNew) {
		return false, nil
	}
	version, ok, err := w.stores.Version(ctx, w.o.Out)
	if err != nil || !ok || version != w.last.version {
		return false, err
	}
	r.Size = w.last.size
	r.Dumps = w.last.dumps
	return true, nil
}

// settle remembers what became of an object.
func (w *Watcher) settle(o blobs.Object, end outcome) {
	end.object = o
	w.done[o.String()] = end
}

// isSettled reports whether the object is known as it is listed now.
func (w *Watcher) isSettled(o blobs.Object) bool {
	end, ok := w.done[o.String()]
	same := end.object.Size == o.Size && end.object.MD5 == o.MD5 && end.object.Modified.Equal(o.Modified)
	return ok && same && (end.until.IsZero() || time.Now().Before(end.until))
}

// forgetUnless forgets what became of objects if another program replaced the archive.
func (w *Watcher) forgetUnless(archive [16]byte) {
	if archive != w.seen {
		w.done = map[string]outcome{}
		w.seen = archive
	}
}

// forgetRemoved forgets what became of objects that the store no longer has.
func (w *Watcher) forgetRemoved(listed []blobs.Object) {
	left := map[string]outcome{}
	for _, o := range listed {
		if end, ok := w.done[o.String()]; ok {
			left[o.String()] = end
		}
	}
	w.done = left
}

func (w *Watcher) traceStep(what string) {
	if w.o.step != nil {
		w.o.step(what)
	}
}

// newFolder creates a temporary folder.
func (w *Watcher) newFolder() (string, error) {
	folder, err := os.MkdirTemp(w.o.Folder, "profarc-fleet-*")
	if err != nil {
		err = fmt.Errorf("a folder for temporary files cannot be made: %w", err)
	}
	return folder, err
}
