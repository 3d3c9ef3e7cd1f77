package storewatch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/fleet/internal/blobs"
	"github.com/profarc/profarc/fleet/internal/counted"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/cli"
	account "github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// Limits of a batch, which is published in one step.
const (
	minBatchObjects = 512 // maximum number of objects for a small archive
	maxBatchBytes   = 256 << 20
)

// A batch merges some objects and publishes the archive with them.
type batch struct {
	w       *Watcher
	folder  string // temporary files
	files   int    // number of temporary files
	now     time.Time
	version blobs.Version     // of the archive
	archive *reader.Store     // nil if the store has no archive
	ledger  *counted.Ledger   // of the archive
	limits  map[string]string // recorded reasons of objects that a limit left out, by name
	fetched []*fetched
	bytes   int64 // bytes of fetched objects
	more    bool  // whether the limits of a batch left objects to the next one
}

// maxObjects grows with the archive, so that copying the archive for each batch takes time proportional to the number
// of all objects.
func (m *batch) maxObjects() int { return max(minBatchObjects, len(m.ledger.IDs)) }

// mergeBatch merges a batch and publishes it. It reports whether objects are left for another batch. The
// error is errConflict if another job replaced the archive.
func (w *Watcher) mergeBatch(ctx context.Context, r *Report, objects []blobs.Object) (more bool, err error) {
	w.last = nil
	folder, err := w.newFolder()
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(folder)
	m := &batch{w: w, folder: folder, now: time.Now(), ledger: counted.NewLedger(hashObjects)}
	if err := m.openArchive(ctx); err != nil {
		return false, err
	}
	defer m.closeArchive()
	r.Dumps = len(m.ledger.IDs)
	if err := m.fetchNew(ctx, objects); err != nil {
		return false, err
	}
	w.traceStep("fetched")
	s, err := m.buildLargest(ctx, r)
	if err != nil {
		return false, err
	}
	if s.isChanged {
		if err := w.publish(ctx, m, s); err != nil {
			return false, err
		}
		r.Published++
		r.Dumps = s.dumps
		r.Size = s.bytes
	}
	m.settleSum(s, r)
	if !s.isChanged && !m.more {
		w.last = &settled{m.version, r.missing, r.Size, r.Dumps}
	}
	return m.more, nil
}

// openArchive fetches the archive and reads its ledger.
func (m *batch) openArchive(ctx context.Context) (err error) {
	path := filepath.Join(m.folder, "archive.parc")
	m.version, err = m.w.stores.FetchVersion(ctx, m.w.o.Out, path)
	if err != nil || m.version == (blobs.Version{}) {
		m.w.forgetUnless([16]byte{})
		return err
	}
	m.archive, err = reader.Open(path, archive.Options{})
	if err == nil {
		m.w.forgetUnless(m.archive.Header().DumpID)
		err = m.archive.Mapping().Guard(func() (err error) {
			m.limits, err = readLimits(m.archive)
			return cmp.Or(m.ledger.AddStore(m.archive), err)
		})
	}
	if err != nil {
		return fmt.Errorf("%s cannot be added to: %s: remove it, or write to another name with -o", m.w.o.Out,
			strings.ReplaceAll(err.Error(), path+": ", ""))
	}
	return nil
}

func (m *batch) closeArchive() {
	if m.archive != nil {
		m.archive.Close()
	}
}

// leaveOut sets an object aside. One that was removed or replaced since it was listed is left to the next look.
func (m *batch) leaveOut(o blobs.Object, why error) {
	if errors.Is(why, errMoved) {
		return
	}
	end := outcome{aside: m.w.asideOf(o, why)}
	if errors.Is(why, blobs.ErrDenied) {
		end.until = time.Now().Add(deniedPause)
	}
	m.w.settle(o, end)
}

// nameOf returns the key of an object without the prefix below which it was listed.
func (w *Watcher) nameOf(o blobs.Object) string {
	for _, from := range w.o.From {
		if from.Bucket == o.Bucket && strings.HasPrefix(o.Key, from.Prefix().Key) {
			return strings.TrimPrefix(o.Key, from.Prefix().Key)
		}
	}
	return o.Key
}

func (w *Watcher) asideOf(o blobs.Object, why error) *Aside {
	var limit *limitError
	chosen := errors.As(why, &limit)
	isSkipped := chosen || errors.Is(why, errEmpty) || errors.Is(why, merging.ErrCounted) ||
		errors.Is(why, merging.ErrSameProcess)
	state := account.Damaged
	if isSkipped {
		state = account.Skipped
	}
	reason := strings.TrimPrefix(cli.OneLine(why.Error()), o.String()+": ")
	a := &Aside{Object: o.String(), name: w.nameOf(o), State: state, Reason: reason, recorded: reason, Chosen: chosen}
	if chosen {
		a.recorded = recordedReason(reason, o)
	}
	return a
}

// A sum is the archive with objects merged into it, in a file.
type sum struct {
	isChanged bool
	merged    []*fetched
	known     []*fetched // objects whose dumps another object of the sum has
	aside     map[*fetched]error
	lost      codec.Losses
	path      string
	bytes     int64
	dumps     int
	id        [16]byte
}

// buildLargest builds the archive with as many of the fetched objects as the limit of its size allows.
func (m *batch) buildLargest(ctx context.Context, r *Report) (*sum, error) {
	all := m.fetched
	s, err := m.build(ctx, r, all, nil)
	most := m.w.o.MaxArchive
	if err != nil || most <= 0 || s.bytes <= most || len(s.merged) == 0 {
		return s, err
	}
	fits, tooMany := 0, len(all)
	for fits+1 < tooMany {
		n := (fits + tooMany) / 2
		s, err := m.build(ctx, r, all[:n], nil)
		if err != nil {
			return nil, err
		}
		if s.bytes <= most {
			fits = n
		} else {
			tooMany = n
		}
	}
	return m.build(ctx, r, all[:fits], all[fits:])
}

// build merges objects into a copy of the archive. The objects over are left out, since the archive would be too large.
func (m *batch) build(ctx context.Context, r *Report, objects, over []*fetched) (*sum, error) {
	s := &sum{aside: map[*fetched]error{}}
	c := &construction{batch: m, sum: s, ledger: counted.NewLedger(hashObjects)}
	if m.archive != nil {
		if err := c.addArchive(ctx); err != nil {
			return nil, err
		}
	}
	for _, f := range objects {
		if err := c.addObject(ctx, f); err != nil {
			return nil, err
		}
	}
	for _, f := range over {
		s.aside[f] = m.w.o.overSize()
	}
	if c.b == nil {
		return s, nil
	}
	before := c.b.Internal().Account()
	c.account(r)
	after := c.b.Internal().Account()
	s.isChanged = len(s.merged) > 0 || !sameInputs(before.Inputs, after.Inputs)
	if !s.isChanged {
		s.bytes = int64(m.archive.Header().FileSize)
		s.dumps = len(m.ledger.IDs)
		return s, nil
	}
	return s, c.commit(ctx)
}

// sameInputs compares the inputs of two accounts in any order.
func sameInputs(x, y []account.Input) bool {
	a, b := account.Account{Inputs: slices.Clone(x)}, account.Account{Inputs: slices.Clone(y)}
	a.Sort()
	b.Sort()
	return len(x) == len(y) && (len(x) == 0 || reflect.DeepEqual(a.Inputs, b.Inputs))
}

// A construction is the builder of a sum.
type construction struct {
	*batch
	sum    *sum
	b      *builder.Builder // nil until something is merged
	ledger *counted.Ledger  // of the archive and the merged objects
}

func (c *construction) newBuilder(like *reader.Store) *builder.Builder {
	h := like.Header()
	return builder.New(h.Domain, builder.Config{Params: h.Params, SpillFolder: c.folder, MemoryBudget: c.w.o.Memory})
}

func (c *construction) addArchive(ctx context.Context) error {
	c.b = c.newBuilder(c.archive)
	err := c.archive.Mapping().Guard(func() error { return merge.Into(ctx, c.b, c.archive, merge.Run{}) })
	if err != nil {
		return fmt.Errorf("%s cannot be added to: %w: remove it, or write to another name with -o", c.w.o.Out, err)
	}
	return c.ledger.AddStore(c.archive)
}

// addObject merges an object, or sets it aside. It returns only errors that the object does not cause.
func (c *construction) addObject(ctx context.Context, f *fetched) error {
	p, err := c.openProfile(ctx, f)
	if err == nil {
		defer p.Close()
		err = p.store.Mapping().Guard(func() error { return c.addProfile(ctx, f, p) })
	}
	var fault *storeError
	switch {
	case errors.As(err, &fault):
		return fault.error
	case ctx.Err() != nil:
		return ctx.Err()
	case isOfMachine(err):
		return fmt.Errorf("%s: %w: name a folder with more room in --tmp, or fetch fewer at once with --jobs", f.object, err)
	case err != nil:
		c.sum.aside[f] = err
	}
	return nil
}

// isOfMachine reports whether an error is a full disk or another limit of this machine. The object can be sound.
func isOfMachine(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EMFILE) ||
		errors.Is(err, syscall.ENFILE)
}

// addProfile merges an open object unless its dumps are counted, or a limit leaves it out.
func (c *construction) addProfile(ctx context.Context, f *fetched, p *profile) error {
	known, dumps, err := c.ledger.HasAll(p.store)
	if err != nil {
		return err
	}
	if known {
		c.sum.known = append(c.sum.known, f)
		return nil
	}
	if at := p.store.Header().Time(); !at.IsZero() {
		err = c.checkAge(at)
	} else {
		err = c.checkAge(f.object.Modified)
	}
	if err != nil {
		return err
	}
	if most := c.w.o.MaxRecorders; most > 0 && len(c.ledger.IDs)+dumps > most {
		return c.w.o.overRecorders()
	}
	if err := c.mergeStore(ctx, p.store); err != nil {
		return err
	}
	c.sum.merged = append(c.sum.merged, f)
	for _, l := range p.lost {
		c.sum.lost.Add(l.What, l.Count)
	}
	return c.ledger.AddStore(p.store)
}

// mergeStore merges an archive as a whole or not at all.
func (c *construction) mergeStore(ctx context.Context, s *reader.Store) error {
	b := c.b
	if b == nil {
		b = c.newBuilder(s)
	}
	part, err := b.Internal().Begin()
	if err != nil {
		return &storeError{err}
	}
	defer part.Rollback() // does nothing after Commit
	err = merge.Into(ctx, b, s, merge.Run{})
	if broken := b.Err(); broken != nil && c.b != nil {
		return &storeError{broken}
	}
	if err != nil {
		return err
	}
	if err := part.Commit(); err != nil {
		return &storeError{err}
	}
	c.b = b
	return nil
}

// account adds the objects that are set aside or missing to the account, and removes rows that no longer hold.
func (c *construction) account(r *Report) {
	b := c.b.Internal()
	if len(c.sum.merged) > 0 {
		merging.NoteOperation(b)
	}
	var rows []account.Input
	for f, why := range c.sum.aside {
		if !errors.Is(why, errMoved) {
			rows = append(rows, c.w.asideOf(f.object, why).input())
		}
	}
	for _, end := range c.w.done {
		if end.aside != nil {
			rows = append(rows, end.aside.input())
		}
	}
	rows = append(rows, r.missing...)
	merged := map[string]bool{}
	for _, f := range c.sum.merged {
		merged[c.w.nameOf(f.object)] = true
	}
	recorded := map[string]string{}
	for _, in := range rows {
		recorded[in.Name] = in.Reason
	}
	dropInputs(b, func(in account.Input) bool {
		reason, again := recorded[in.Name]
		left := in.State == account.Damaged || in.State == account.Skipped
		return in.State == account.Missing || left && (merged[in.Name] || again && reason != in.Reason)
	})
	counted.AddInputs(b, rows)
}

// dropInputs removes the inputs for which drop returns true from the account.
func dropInputs(b *profileset.Set, drop func(account.Input) bool) {
	all := b.Account().Inputs
	if t := b.Tables[schema.TableInputs]; t != nil {
		t.Cells = nil
	}
	for _, in := range all {
		if !drop(in) {
			b.AddInput(in)
		}
	}
}

// input returns the row of an object in the account.
func (a *Aside) input() account.Input {
	return account.Input{Name: a.name, State: a.State, Reason: a.recorded, Times: 1}
}

func (c *construction) commit(ctx context.Context) error {
	c.files++
	c.sum.path = filepath.Join(c.folder, fmt.Sprint("sum-", c.files, ".parc"))
	written, err := c.b.Commit(ctx, c.sum.path)
	if err != nil {
		return err
	}
	c.sum.bytes = written.Bytes
	c.sum.dumps = merging.Dumps(c.b.Internal())
	c.sum.id = written.DumpID
	return nil
}

var errConflict = errors.New("other jobs replace the archive all the time: let fewer run at once")

// publish replaces the archive unless another job has replaced it.
func (w *Watcher) publish(ctx context.Context, m *batch, s *sum) error {
	w.traceStep("publish")
	err := w.stores.ReplaceFile(ctx, w.o.Out, s.path, m.version)
	if errors.Is(err, blobs.ErrChanged) {
		return errConflict
	}
	if err != nil {
		return err
	}
	w.traceStep("published")
	w.seen = s.id
	return nil
}

// settleSum remembers what became of the objects of a sum that is published.
func (m *batch) settleSum(s *sum, r *Report) {
	for _, f := range s.merged {
		m.w.settle(f.object, outcome{})
		r.merged[f.object.String()] = true
		r.Merged++
		r.Bytes += f.object.Size
	}
	for _, f := range s.known {
		m.w.settle(f.object, outcome{})
	}
	for f, why := range s.aside {
		m.leaveOut(f.object, why)
	}
	for _, l := range s.lost {
		r.Lost.Add(l.What, l.Count)
	}
	if s.bytes > 0 {
		r.Size = s.bytes
	}
}
