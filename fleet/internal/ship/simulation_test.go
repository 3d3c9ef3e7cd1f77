package ship

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/spf13/pflag"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/fleet/internal/artifact"
	"github.com/profarc/profarc/fleet/internal/registry"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/escape"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// histories is how many histories run unless PROFARC_HISTORIES says otherwise.
const histories = 240

// TestHistories runs histories in simulated time. In each of them eight pushers send one or two archives to one
// registry, promote those that passed their gate, roll back at times, and try again what failed; meanwhile others pull
// and collect. What the registry does wrong is drawn from the number of the history, which a failure tells with all
// requests. The order of what happens at the same time, ids of events and pauses between tries are not drawn from it.
//
// It holds that nothing that was said to be pushed or promoted is lost, that nothing is promoted that no gate passed,
// that the promoted tag always names whole archives, that a rollback returns to what had been promoted, and that all
// commands succeed where the registry only asks for patience.
//
// PROFARC_HISTORIES=100000 runs so many.
func TestHistories(t *testing.T) {
	t.Parallel()
	n := histories
	if text := os.Getenv("PROFARC_HISTORIES"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	parcels := packParcels(t)
	var total tally
	var next atomic.Int64
	for range 2 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			for {
				number := next.Add(1) - 1
				if number >= int64(n) || t.Failed() {
					return
				}
				synctest.Test(t, func(t *testing.T) { runHistory(t, uint64(number), parcels, &total) })
			}
		})
	}
	t.Cleanup(func() {
		t.Logf(
			"%d histories: %d requests, %d pushes, %d promotions, %d rollbacks succeeded; %d commands failed; %d pulls, %d merges",
			n,
			total.requests.Load(),
			total.pushes.Load(),
			total.promotions.Load(),
			total.rollbacks.Load(),
			total.failed.Load(),
			total.pulls.Load(),
			total.merges.Load(),
		)
		for name, count := range map[string]*atomic.Int64{"push": &total.pushes, "promotion": &total.promotions,
			"rollback": &total.rollbacks, "failed command": &total.failed, "pull": &total.pulls, "merge": &total.merges} {
			if count.Load() == 0 && n >= histories {
				t.Errorf("the histories have no %s", name)
			}
		}
	})
}

// A tally counts what histories did.
type tally struct{ requests, pushes, promotions, rollbacks, failed, pulls, merges atomic.Int64 }

const pushers, pushesOfEach = 8, 2

// meeting is the time to whose multiples pushers wait before they promote, so that they meet.
const meeting = 500 * time.Millisecond

// A parcel is an archive to push.
type parcel struct {
	data   []byte
	calls  uint64
	facts  artifact.Facts
	packed *artifact.Packed
}

// packParcels makes the archives that all histories push.
func packParcels(t *testing.T) (all []*parcel) {
	t.Helper()
	for i := range pushers * pushesOfEach {
		p := &parcel{calls: 1 << i}
		var path string
		path, p.data = archiveOf{day: i % 5, calls: p.calls}.write(t)
		s, err := reader.Open(path, archive.Options{Heap: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		p.facts, err = artifact.FactsOf(s)
		if err == nil {
			p.packed, err = artifact.Pack(t.Context(), s, "app.parc", t.TempDir())
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.packed.Close() })
		all = append(all, p)
	}
	return all
}

// profilesOfFaults are the registries of histories, in turn.
var profilesOfFaults = []struct {
	faults
	patient bool // what asks for patience alone: every command succeeds
}{
	{faults{}, true},
	{faults{busy: 30, longestBusy: 5}, true},
	{faults{slow: 200}, true},
	{faults{failed: 60}, false},
	{faults{reset: 30, lost: 30}, false},
	{faults{stale: 300}, false},
	{faults{cut: 50, silent: 10}, false},
	{faults{failed: 20, busy: 10, silent: 5, reset: 15, lost: 20, cut: 20, stale: 100, slow: 50, longestBusy: 8}, false},
}

// A history is a registry, and what those who used it were told.
type history struct {
	*testing.T
	registry *simulatedRegistry
	parcels  []*parcel
	total    *tally
	patient  bool

	mu       sync.Mutex
	passed   map[digest.Digest]bool              // by a gate
	pushed   map[string]map[digest.Digest]pushOf // that succeeded, by the tag of the image
	promoted map[digest.Digest]bool              // that succeeded
	failures int
}

type pushOf struct {
	parcel *parcel
	at     time.Time
}

func runHistory(t *testing.T, number uint64, parcels []*parcel, total *tally) {
	profile := profilesOfFaults[number%uint64(len(profilesOfFaults))]
	random := rand.New(rand.NewPCG(number, 1))
	h := &history{T: t, parcels: parcels, total: total, patient: profile.patient, passed: map[digest.Digest]bool{},
		registry: newSimulatedRegistry(random, faults{}, number/8%2 == 0),
		pushed:   map[string]map[digest.Digest]pushOf{"good": {}, "other": {}}, promoted: map[digest.Digest]bool{}}
	h.pushImages()
	h.registry.faults = profile.faults
	ctx, stop := context.WithCancel(t.Context())
	var working, watching sync.WaitGroup
	for i := range pushers {
		own := rand.New(rand.NewPCG(number, 2+uint64(i)))
		working.Go(func() { h.work(ctx, own, parcels[pushesOfEach*i:pushesOfEach*(i+1)]) })
	}
	watching.Go(func() { h.watch(ctx) })
	working.Wait()
	stop()
	watching.Wait()
	h.registry.faults = faults{}
	time.Sleep(stalest)
	h.check(number)
	total.requests.Add(int64(len(h.registry.log)))
	if t.Failed() {
		t.Logf("history %d with %+v, referrers %t:\n%s", number, profile, h.registry.referrers,
			strings.Join(h.registry.log, "\n"))
	}
}

// connection returns flags of commands that talk to the registry.
func (h *history) connection() connection {
	return connection{timeout: registry.DefaultSilence, maxTime: registry.DefaultAll, base: h.registry,
		flags: pflag.NewFlagSet("", pflag.ContinueOnError)}
}

func quietApp() *cli.App {
	return cli.New("profarc-fleet", strings.NewReader(""), cli.Streams{PlainOut: escape.NewWriter(io.Discard),
		PlainErr: escape.NewWriter(io.Discard), RawOut: io.Discard, RawErr: io.Discard})
}

// inShop returns what a tag or digest of the repository is called.
func inShop(reference string) string {
	if strings.Contains(reference, ":") {
		return simulatedHost + "/shop@" + reference
	}
	return simulatedHost + "/shop:" + reference
}

func (h *history) open(reference string) *registry.Repository {
	c := h.connection()
	repo, err := c.openRepository(inShop(reference))
	if err != nil {
		h.Error(err)
	}
	return repo
}

// pushImages pushes the images that archives are attached to.
func (h *history) pushImages() {
	for tag := range h.pushed {
		repo := h.open(tag)
		manifest := fmt.Sprintf(
			`{"schemaVersion":2,"mediaType":%q,"config":{"mediaType":%q,"digest":%q,"size":2},"layers":[],`+
				`"annotations":{"name":%q}}`,
			ocispec.MediaTypeImageManifest,
			ocispec.MediaTypeImageConfig,
			ocispec.DescriptorEmptyJSON.Digest,
			tag,
		)
		if err := pushEmptyConfig(h.Context(), repo); err != nil {
			h.Error(err)
		}
		if _, err := repo.PushManifest(h.Context(), ocispec.MediaTypeImageManifest, []byte(manifest), tag); err != nil {
			h.Error(err)
		}
	}
}

// try runs a command up to four times, until it succeeds.
func (h *history) try(random *rand.Rand, what string, command func() error) bool {
	for range 4 {
		err := command()
		if err == nil {
			return true
		}
		h.total.failed.Add(1)
		h.mu.Lock()
		h.failures++
		h.mu.Unlock()
		if h.patient {
			h.Errorf("%s: %v", what, err)
		}
		time.Sleep(time.Duration(random.IntN(5000)) * time.Millisecond)
	}
	return false
}

// work is a pusher: what passes the gate it pushes to the image, and promotes; what does not, to another image.
func (h *history) work(ctx context.Context, random *rand.Rand, own []*parcel) {
	a := quietApp()
	for _, p := range own[:1+random.IntN(3)/2] {
		time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
		if random.IntN(4) == 0 { // the gate
			h.push(ctx, a, random, p, "other")
			continue
		}
		d, ok := h.push(ctx, a, random, p, "good")
		if !ok {
			continue
		}
		time.Sleep(time.Until(time.Now().Truncate(meeting).Add(meeting)))
		name := inShop(string(d))
		if random.IntN(4) == 0 {
			name = inShop("good") // the newest
		}
		h.promote(ctx, a, random, name, d)
		if random.IntN(3) == 0 {
			h.rollBack(ctx, a, random)
		}
	}
}

// push pushes an archive, and notes the digest if it succeeds. What was not said to be pushed may have been, too.
func (h *history) push(ctx context.Context, a *cli.App, random *rand.Rand, p *parcel,
	image string) (d digest.Digest, ok bool) {
	ok = h.try(random, "push", func() error {
		o := pushOptions{connection: h.connection(), subject: inShop(image)}
		repo, _, err := o.pushTarget([]string{"app.parc"})
		if err != nil {
			return err
		}
		subject, err := o.resolveSubject(ctx)
		if err != nil {
			return err
		}
		if image == "good" {
			manifest, err := artifact.Manifest(p.facts, []ocispec.Descriptor{p.packed.Layer}, subject)
			if err != nil {
				return err
			}
			h.mu.Lock()
			h.passed[digest.FromBytes(manifest)] = true
			h.mu.Unlock()
		}
		sent := &pushed{Facts: p.facts}
		err = sent.uploadPacked(ctx, a, repo, []*artifact.Packed{p.packed}, nil, subject, nil)
		d = digest.Digest(sent.Digest)
		return err
	})
	if ok {
		h.total.pushes.Add(1)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.pushed[image][d] = pushOf{p, time.Now()}
	}
	return d, ok
}

// promote promotes an archive by its digest, or the newest, which may be another one.
func (h *history) promote(ctx context.Context, a *cli.App, random *rand.Rand, name string, d digest.Digest) {
	if h.try(random, "promote", func() error {
		return runPromote(ctx, a, name, promoteOptions{connection: h.connection(), to: "prod"})
	}) {
		h.total.promotions.Add(1)
		h.mu.Lock()
		defer h.mu.Unlock()
		if strings.Contains(name, string(d)) {
			h.promoted[d] = true
		}
	}
}

// rollBack rolls back once. That there is nothing to go back to is no failure.
func (h *history) rollBack(ctx context.Context, a *cli.App, random *rand.Rand) {
	if err := runRollback(ctx, a, inShop("prod"), promoteOptions{connection: h.connection()}); err == nil {
		h.total.rollbacks.Add(1)
	} else if h.patient && !strings.Contains(err.Error(), "there is no archive before the current one") {
		h.Errorf("rollback: %v", err)
	}
}

// watch looks at the promoted tag and its attachments, again and again.
func (h *history) watch(ctx context.Context) {
	for sleep(ctx, 2*time.Second) == nil {
		repo := h.open("prod")
		n, err := lookUp(ctx, repo, "prod")
		if err == nil {
			var all []*artifact.Archive
			if all, err = n.archives(ctx, repo); err == nil {
				h.checkInUse(all)
			}
		}
		h.checkReadable(err)
		h.checkAttached(ctx, "good")
	}
}

// checkReadable takes an error of a reader: with a registry that is only slow there is none.
func (h *history) checkReadable(err error) {
	if err != nil && h.patient && !registry.IsMissing(err) && !errors.Is(err, context.Canceled) {
		h.Errorf("a reader's error: %v", err)
	}
	if errors.Is(err, registry.ErrTampered) || errors.Is(err, artifact.ErrOther) {
		h.Errorf("what was read is damaged: %v", err)
	}
}

// checkInUse checks what the promoted tag leads to.
func (h *history) checkInUse(all []*artifact.Archive) {
	if len(all) == 0 {
		h.Error("the promoted tag names no archive")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range all {
		if !h.passed[a.Descriptor.Digest] {
			h.Errorf("%s is in use, and passed no gate", a.Descriptor.Digest)
		}
		h.checkWhole(a.Descriptor.Digest)
	}
}

// checkWhole checks that the registry has an archive, byte for byte.
func (h *history) checkWhole(d digest.Digest) {
	h.registry.mu.Lock()
	m, ok := h.registry.manifests[d]
	a, err := artifact.Parse(ocispec.Descriptor{Digest: d}, m.data)
	var layer []byte
	if err == nil {
		layer = h.registry.blobs[a.Layer.Digest]
	}
	h.registry.mu.Unlock()
	if !ok || err != nil || digest.FromBytes(layer) != a.Layer.Digest {
		h.Errorf("%s is not whole: %t, %v, a layer of %d bytes", d, ok, err, len(layer))
	}
}

// checkAttached checks that the attachments of an image have all that was pushed before it was asked for.
func (h *history) checkAttached(ctx context.Context, image string) (list []digest.Digest) {
	begun := time.Now()
	if h.registry.faults.stale > 0 {
		begun = begun.Add(-stalest)
	}
	repo := h.open(image)
	subject, err := repo.Resolve(ctx, image)
	if err == nil {
		var attached []ocispec.Descriptor
		if attached, err = repo.Attached(ctx, subject.Digest); err == nil {
			for _, d := range attached {
				list = append(list, d.Digest)
			}
			h.checkHasAll(image, list, begun)
		}
	}
	h.checkReadable(err)
	return list
}

func (h *history) checkHasAll(image string, list []digest.Digest, before time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for d, p := range h.pushed[image] {
		if p.at.Before(before) && !slices.Contains(list, d) {
			h.Errorf("%s was attached to %s, and a list that was asked for later does not have it", d, image)
		}
	}
}

// check checks a history that has ended, when the registry does what it should.
func (h *history) check(number uint64) {
	var all []digest.Digest
	for image := range h.pushed {
		all = append(all, h.checkAttached(h.Context(), image)...)
		for d := range h.pushed[image] {
			h.checkWhole(d)
		}
	}
	withFiles := number/16%8 == 0 // they take the longest
	if withFiles {
		h.checkMerge(all)
	}
	repo := h.open("prod")
	before, err := readChannel(h.Context(), repo, "prod")
	if registry.IsMissing(err) && len(h.promoted) == 0 {
		return
	}
	if err != nil {
		h.Error(err)
		return
	}
	if h.failures == 0 && h.registry.faults.stale == 0 && profilesOfFaults[number%8].stale == 0 {
		h.checkChannel(before) // nobody failed: the tag has everything
	}
	c, err := changeChannel(
		h.Context(),
		repo,
		"prod",
		func(*artifact.Channel) (*artifact.Event, error) { return nil, nil },
	)
	if err != nil {
		h.Error(err)
		return
	}
	h.checkChannel(c)
	h.checkRollback(c)
	if withFiles {
		h.pull()
	}
}

// checkChannel compares a channel with what those who promoted were told, and with its own history.
func (h *history) checkChannel(c *artifact.Channel) {
	promoted, off := map[digest.Digest]bool{}, map[digest.Digest]bool{}
	last := digest.Digest("")
	for _, e := range c.History {
		switch {
		case e.What == "promote":
			promoted[e.Digest], last = true, e.Digest
		case !promoted[e.Digest] || !promoted[e.Off]:
			h.Errorf("a rollback from %s to %s, which were not promoted before", e.Off, e.Digest)
		default:
			off[e.Off] = true
		}
	}
	for d := range promoted {
		if !h.passed[d] {
			h.Errorf("%s was promoted, and passed no gate", d)
		}
	}
	for d := range h.promoted {
		if !promoted[d] {
			h.Errorf("the promotion of %s is lost", d)
		}
	}
	current := c.Archives[0].Digest
	if !promoted[current] || len(off) == 0 && current != last {
		h.Errorf("%s is the current archive, %s was promoted last", current, last)
	}
	h.checkWhole(current)
}

// checkRollback rolls back when nobody else does anything: what was before is in use again.
func (h *history) checkRollback(before *artifact.Channel) {
	err := runRollback(h.Context(), quietApp(), inShop("prod"), promoteOptions{connection: h.connection()})
	if len(before.Archives) < 2 {
		if err == nil {
			h.Error("a rollback to nothing succeeded")
		}
		return
	}
	after, readErr := readChannel(h.Context(), h.open("prod"), "prod")
	if err := errors.Join(err, readErr); err != nil {
		h.Error(err)
		return
	}
	h.checkChannel(after)
	if !slices.EqualFunc(after.Archives, before.Archives[1:], func(a, b ocispec.Descriptor) bool {
		return a.Digest == b.Digest
	}) {
		h.Errorf("after a rollback of %v the tag has %v", before.Archives, after.Archives)
	}
}

// pull pulls the archive in use, and compares all bytes.
func (h *history) pull() {
	c, err := readChannel(h.Context(), h.open("prod"), "prod")
	if err != nil {
		h.Error(err)
		return
	}
	want := c.Archives[0].Digest
	to := filepath.Join(h.TempDir(), "app.parc")
	if err := runPull(h.Context(), quietApp(), inShop("prod"), &pullOptions{connection: h.connection(), out: to,
		any: true}); err != nil {
		h.Error(err)
		return
	}
	h.total.pulls.Add(1)
	got, err := os.ReadFile(to)
	p := h.pushed["good"][want].parcel
	if p == nil { // its push did not succeed as far as its pusher knows
		return
	}
	if err != nil || !bytes.Equal(got, p.data) {
		h.Errorf("%s: %d bytes were pulled, %v, want %d", want, len(got), err, len(p.data))
	}
}

// checkMerge pulls and merges all that is attached: the sum has each push that succeeded, once.
func (h *history) checkMerge(list []digest.Digest) {
	b := builder.New(layout.DomainHotSpot, builder.Config{})
	for _, d := range list {
		to := filepath.Join(h.TempDir(), "app.parc")
		o := &pullOptions{connection: h.connection(), out: to, any: true}
		if err := runPull(h.Context(), quietApp(), inShop(string(d)), o); err != nil {
			h.Error(err)
			return
		}
		s, err := reader.Open(to, archive.Options{Heap: true})
		if err != nil {
			h.Error(err)
			return
		}
		if err := merge.Into(h.Context(), b, s, merge.Run{}); err != nil {
			h.Error(err)
		}
		_ = s.Close()
	}
	want := uint64(0)
	for _, image := range h.pushed {
		for _, p := range image {
			want |= p.parcel.calls
		}
	}
	if want == 0 {
		return
	}
	data, _, err := b.Bytes()
	if err != nil {
		h.Error(err)
		return
	}
	h.total.merges.Add(1)
	if got := callsOf(h.T, data); got&want != want {
		h.Errorf("the sum has the calls %b, pushed were %b", got, want)
	}
}

// callsOf returns how often shop.Main.sell was called.
func callsOf(t *testing.T, data []byte) uint64 {
	path := filepath.Join(t.TempDir(), "sum.parc")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Error(err)
	}
	s, err := reader.Open(path, archive.Options{Heap: true})
	if err != nil {
		t.Error(err)
		return 0
	}
	defer s.Close()
	p, err := s.Profile(layout.Key{Class: "shop.Main", Name: "sell", Signature: "()V"}, layout.CodeAny)
	if err != nil {
		t.Error(err)
		return 0
	}
	n, _ := p.Invocations()
	return n.Load()
}
