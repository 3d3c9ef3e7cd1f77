package mergejob_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/profarc/profarc/archive"
	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/fleet/internal/blobs"
	"github.com/profarc/profarc/fleet/internal/manyarchives"
	"github.com/profarc/profarc/fleet/internal/mergejob"
	"github.com/profarc/profarc/fleet/internal/tests3"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
	"github.com/profarc/profarc/reader"
)

// An s3 is a store in memory, and its client.
type s3 struct {
	*blobs.Stores
	store *tests3.Store
}

// newS3 starts a store with a bucket.
func newS3(t *testing.T) *s3 {
	t.Helper()
	s := &s3{&blobs.Stores{}, tests3.Start(t)}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// url returns the URL of a name in the bucket.
func (s *s3) url(name string) string { return s.store.URL(name) }

func (s *s3) at(t *testing.T, name string) blobs.Location {
	t.Helper()
	l, err := blobs.Parse(s.url(name))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// put writes an object.
func (s *s3) put(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := s.Write(t.Context(), s.at(t, name), bytes.NewReader(data), int64(len(data)), false); err != nil {
		t.Fatal(err)
	}
}

// names returns the names of the objects below a prefix.
func (s *s3) names(t *testing.T, prefix string) (all []string) {
	t.Helper()
	objects, err := s.List(t.Context(), s.at(t, prefix), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		all = append(all, o.Key)
	}
	return all
}

// putArchives writes archives below runs/ and returns the bytes of one merge of all.
func (s *s3) putArchives(t *testing.T, o manyarchives.Options) (whole []byte, all [][]byte) {
	t.Helper()
	o.Out = t.TempDir()
	if err := manyarchives.Make(o); err != nil {
		t.Fatal(err)
	}
	var b *builder.Builder
	for i := range o.N {
		name := fmt.Sprintf("run-%06d.parc", i)
		data, err := os.ReadFile(filepath.Join(o.Out, name))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data)
		s.put(t, "runs/"+name, data)
		m, err := archive.FromBytes(name, data, archive.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if b == nil {
			b = builder.New(m.Header().Domain, builder.Config{Params: m.Header().Params})
		}
		if err := merge.Into(t.Context(), b, reader.New(m), merge.Run{}); err != nil {
			t.Fatal(err)
		}
	}
	merging.NoteOperation(b.Internal())
	whole, _, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return whole, all
}

// plan plans a merge of runs/ to out.parc.
func (s *s3) plan(ctx context.Context, parts int) (*mergejob.Plan, error) {
	p, _, err := mergejob.Make(ctx, s.Stores, []string{s.url("runs/")},
		mergejob.Options{Out: s.url("out.parc"), Work: s.url("parts/"), Parts: parts, Rows: -1, Jobs: 4})
	return p, err
}

func TestMergeInS3(t *testing.T) {
	s := newS3(t)
	whole, _ := s.putArchives(t, manyarchives.Options{N: 9, Methods: 60, Own: 20, Shared: 100})
	p, err := s.plan(t.Context(), 5)
	if err != nil {
		t.Fatal(err)
	}
	text, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if p, err = mergejob.Decode("plan.json", text); err != nil {
		t.Fatal(err)
	}
	place := mergejob.Place{Folder: t.TempDir(), Memory: 1 << 16}
	var wait sync.WaitGroup
	for i := range 10 { // each part twice, and at once
		wait.Go(func() {
			if _, err := mergejob.MergePart(t.Context(), s.Stores, p, i%5, 3, place, nil); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for i := range 2 {
		r, err := mergejob.Commit(t.Context(), s.Stores, p, place, 0, nil)
		if err != nil || r.There != (i > 0) || r.Dumps != 9 {
			t.Errorf("commit %d: %+v, %v", i, r, err)
		}
	}
	got, err := s.Read(t.Context(), s.at(t, "out.parc"), 1<<30)
	if err != nil || !bytes.Equal(got, whole) {
		t.Errorf("the result has other bytes than one merge: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(place.Folder, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	s.put(t, "out.parc", got[:len(got)/2])
	if _, err := mergejob.Commit(t.Context(), s.Stores, p, place, 0, nil); !errors.Is(err, mergejob.ErrOther) {
		t.Errorf("a commit over other bytes: %v", err)
	}
}

// TestWorkerReadsItsPart: a worker reads what comes before the profiles, and of these its own.
func TestWorkerReadsItsPart(t *testing.T) {
	s := newS3(t)
	_, all := s.putArchives(t, manyarchives.Options{N: 3, Methods: 8000, Own: 10, Shared: 8000})
	profiles, before := int64(0), int64(0)
	for _, data := range all {
		m, err := archive.FromBytes("test.parc", data, archive.Options{})
		if err != nil {
			t.Fatal(err)
		}
		before += disk.RegionOf(m.Header(), disk.RegionEX).End()
		profiles += disk.RegionOf(m.Header(), disk.RegionRW).Size
	}
	p, err := s.plan(t.Context(), 16)
	if err != nil {
		t.Fatal(err)
	}
	s.store.Read.Store(0)
	s.store.Gets.Store(0)
	if _, err := mergejob.MergePart(t.Context(), s.Stores, p, 7, 2, mergejob.Place{Folder: t.TempDir()}, nil); err != nil {
		t.Fatal(err)
	}
	const slack = 8 << 12 // pages at both ends of the range
	if read, most := s.store.Read.Load(), before+profiles/16*5/4+int64(len(all))*slack; read > most {
		t.Errorf("a sixteenth of %d bytes of profiles, behind %d: %d were read, at most %d are needed", profiles, before,
			read, most)
	}
	if gets, most := s.store.Gets.Load(), int64(4*len(all)); gets > most {
		t.Errorf("%d requests, at most %d are needed", gets, most)
	}
}

func TestStoreThatFails(t *testing.T) {
	denied := func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if !strings.Contains(r.URL.Path, "run-000002") {
			return false
		}
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusForbidden)
		_, _ = fmt.Fprint(w, "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>")
		return true
	}
	silent := func(_ http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if strings.Contains(r.URL.Path, "run-000002") {
			<-r.Context().Done()
			return true
		}
		return false
	}
	for _, c := range []struct {
		what  string
		spoil func(t *testing.T, s *s3, all [][]byte)
		want  []string
	}{
		{"denied", func(t *testing.T, s *s3, _ [][]byte) { s.store.Set(denied) },
			[]string{"s3://ci/runs/run-000002.parc: access is denied", "check the credentials"}},
		{"silent", func(t *testing.T, s *s3, _ [][]byte) {
			s.store.Set(silent)
			s.Patience = 300 * time.Millisecond
		}, []string{"s3://ci/runs/run-000002.parc: the store does not answer in time", "--patience"}},
		{"gone", func(t *testing.T, s *s3, _ [][]byte) { s.store.Close() },
			[]string{"s3://ci/parts/", "the store cannot be reached"}},
		{"half uploaded", func(t *testing.T, s *s3, all [][]byte) {
			s.put(t, "runs/run-000002.parc", all[2][:len(all[2])/2])
		}, []string{"s3://ci/runs/run-000002.parc", "plan again"}},
		{"tampered", func(t *testing.T, s *s3, all [][]byte) {
			data := bytes.Clone(all[2])
			for at := len(data) - 4096*3; at < len(data); at += 512 {
				data[at] ^= 1
			}
			s.put(t, "runs/run-000002.parc", data)
		}, []string{"s3://ci/runs/run-000002.parc", "copy or write the archive again"}},
		{"replaced", func(t *testing.T, s *s3, all [][]byte) {
			other := t.TempDir()
			if err := manyarchives.Make(manyarchives.Options{N: 4, Methods: 60, Own: 20, Shared: 101, Out: other}); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(filepath.Join(other, "run-000003.parc"))
			if err != nil {
				t.Fatal(err)
			}
			s.put(t, "runs/run-000002.parc", data)
		}, []string{"s3://ci/runs/run-000002.parc", "plan again"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			s := newS3(t)
			_, all := s.putArchives(t, manyarchives.Options{N: 4, Methods: 60, Own: 20, Shared: 100})
			p, err := s.plan(t.Context(), 1)
			if err != nil {
				t.Fatal(err)
			}
			c.spoil(t, s, all)
			_, err = mergejob.MergePart(t.Context(), s.Stores, p, 0, 2, mergejob.Place{Folder: t.TempDir()}, nil)
			if err == nil {
				t.Fatal("it was merged")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v\nlacks %q", err, want)
				}
			}
			if strings.Count(err.Error(), "\n") > 0 || len(err.Error()) > 600 {
				t.Errorf("no clear message: %v", err)
			}
			if c.what == "gone" {
				return
			}
			s.store.Set(nil)
			if left := append(s.names(t, "parts/"), s.names(t, "out")...); len(left) > 0 {
				t.Errorf("published: %v", left)
			}
		})
	}
}

// TestReplacedArchiveOfTheSameSize: a worker merges what was planned, and not what has its name and its size.
func TestReplacedArchiveOfTheSameSize(t *testing.T) {
	s := newS3(t)
	counted := func(n uint64) []byte {
		b := builder.New(layout.DomainHotSpot, builder.Config{DumpID: [16]byte{1}})
		p := b.Profile(layout.Key{Class: "A", Name: "m", Signature: "()V"}, 0)
		p.Invocations(n)
		if err := p.Done(); err != nil {
			t.Fatal(err)
		}
		data, _, err := b.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	planned, other := counted(7), counted(8)
	s.put(t, "runs/run.parc", planned)
	p, err := s.plan(t.Context(), 1)
	if err != nil || len(planned) != len(other) {
		t.Fatal(err, len(planned), len(other))
	}
	s.put(t, "runs/run.parc", other)
	_, err = mergejob.MergePart(t.Context(), s.Stores, p, 0, 1, mergejob.Place{Folder: t.TempDir()}, nil)
	if !errors.Is(err, blobs.ErrChanged) || !strings.Contains(err.Error(), "plan again") {
		t.Errorf("merged another archive of the same size: %v", err)
	}
	s.put(t, "runs/run.parc", planned)
	if _, err := mergejob.MergePart(t.Context(), s.Stores, p, 0, 1, mergejob.Place{Folder: t.TempDir()}, nil); err != nil {
		t.Error(err)
	}
}

// TestResultIsNoInput: a plan of a prefix that has the result and the parts of another merge
// does not merge these.
func TestResultIsNoInput(t *testing.T) {
	s := newS3(t)
	_, all := s.putArchives(t, manyarchives.Options{N: 3, Methods: 60, Own: 20, Shared: 100})
	place := mergejob.Place{Folder: t.TempDir()}
	o := mergejob.Options{Out: s.url("runs/out.parc"), Work: s.url("runs/parts/"), Parts: 1, Rows: -1, Jobs: 2}
	for i := range 2 {
		p, survey, err := mergejob.Make(t.Context(), s.Stores, []string{s.url("runs/")}, o)
		if err != nil || survey.Archives != len(all) {
			t.Fatalf("plan %d: %+v: %v", i, survey, err)
		}
		if _, err := mergejob.MergePart(t.Context(), s.Stores, p, 0, 2, place, nil); err != nil {
			t.Fatal(err)
		}
		if r, err := mergejob.Commit(t.Context(), s.Stores, p, place, 0, nil); err != nil || r.There != (i > 0) {
			t.Errorf("commit %d: %+v: %v", i, r, err)
		}
	}
}

// TestPlansNameAllBadArchives plans with a cut archive and one that comes twice.
func TestPlansNameAllBadArchives(t *testing.T) {
	s := newS3(t)
	_, all := s.putArchives(t, manyarchives.Options{N: 9, Methods: 60, Own: 20, Shared: 100})
	s.put(t, "runs/cut.parc", all[0][:len(all[0])/2])
	s.put(t, "runs/twice.parc", all[1])
	o := mergejob.Options{Out: s.url("out.parc"), Work: s.url("parts/"), Parts: 1, Rows: -1, Jobs: 4, Expect: 12}
	_, _, err := mergejob.Make(t.Context(), s.Stores, []string{s.url("runs/")}, o)
	if err == nil {
		t.Fatal("bad archives are planned")
	}
	o.SkipBad = true
	p, v, err := mergejob.Make(t.Context(), s.Stores, []string{s.url("runs/")}, o)
	if err != nil {
		t.Fatal(err)
	}
	if v.Archives != 9 || len(v.Skipped) != 2 || len(p.LeftOut) != 3 {
		t.Errorf("planned %d, skipped %v, left out %v", v.Archives, v.Skipped, p.LeftOut)
	}
}
