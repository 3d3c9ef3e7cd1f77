package main

import (
	"context"
	"errors"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/compartment"
)

// A trainedArchive is an archive of one JVM, or of several that were merged.
type trainedArchive struct {
	Archive  string `json:"archive"`
	Profiles uint64 `json:"profiles"`
	Bytes    int64  `json:"bytes"`
	JVMs     int    `json:"jvms"`
	Apart    string `json:"apart,omitempty"` // why its JVMs are not merged with those of the first archive
}

// unwritten are profiles without an archive.
type unwritten struct {
	profiles *builder.Builder
	jvms     []*trainedJVM // whose profiles they are
	apart    string
}

// write writes the archives. The first waits for the second, or for the end:
// only then is its name known.
func (t *trainingRun) write() {
	defer close(t.done)
	var first *unwritten
	written := 0
	for u := range t.queue {
		if first == nil && written == 0 {
			first = &u
			continue
		}
		if first != nil {
			written++
			t.commit(*first, t.numbered(written))
			first = nil
		}
		written++
		t.commit(u, t.numbered(written))
	}
	if first != nil {
		t.commit(*first, t.o.out)
	}
}

// writeMerged writes, at the end, one archive of each group of JVMs that fit
// together. The largest group is what -o names.
func (t *trainingRun) writeMerged() {
	defer close(t.done)
	var groups []*unwritten
	for u := range t.queue {
		err := apartFromOthers("merged the profiles of a JVM", func() error {
			joined, err := join(groups, u)
			groups = joined
			return err
		})
		if err != nil {
			t.lose(u, err)
		}
	}
	if len(groups) == 0 {
		return
	}
	first, others := apart(groups)
	t.commit(*first, t.o.out)
	for i, g := range others {
		t.commit(*g, t.numbered(i+1))
	}
}

// join merges the profiles of a JVM into the first group that they fit. If there
// is none they are a new group.
func join(groups []*unwritten, u unwritten) ([]*unwritten, error) {
	for _, g := range groups {
		if err := g.merge(u); !errors.Is(err, builder.ErrMismatch) {
			return groups, err
		}
	}
	g := &unwritten{}
	if err := g.merge(u); err != nil {
		return groups, err
	}
	return append(groups, g), nil
}

// merge takes in the profiles of others. If these do not fit nothing changes.
func (u *unwritten) merge(more unwritten) error {
	all, err := mergeBuilt(context.Background(), u.profiles, more.profiles, "the JVM's profiles", importConfig{})
	if err == nil {
		u.profiles, u.jvms = all, append(u.jvms, more.jvms...)
	}
	return err
}

// apart parts the largest group, the first of several, from the others, and has
// these say why they do not fit it.
func apart(groups []*unwritten) (largest *unwritten, others []*unwritten) {
	largest = groups[0]
	for _, g := range groups {
		if len(g.jvms) > len(largest.jvms) {
			largest = g
		}
	}
	for _, g := range groups {
		if g == largest {
			continue
		}
		if err := apartFromOthers("compared the profiles of JVMs", func() error { return largest.merge(*g) }); err != nil {
			g.apart = message(err)
			others = append(others, g)
		}
	}
	return largest, others
}

// apartFromOthers runs work on what one JVM gave: a defect of it must not end
// the work on others, nor change the exit code of the command.
func apartFromOthers(doing string, work func() error) error {
	return compartment.Run(func() string { return doing }, work)
}

// commit writes an archive.
func (t *trainingRun) commit(u unwritten, path string) {
	var r builder.Report
	err := apartFromOthers("wrote "+path, func() (err error) {
		r, err = u.profiles.Commit(t.ctx, path)
		return err
	})
	if err != nil {
		t.lose(u, err)
		return
	}
	for _, jvm := range u.jvms {
		jvm.Archive, jvm.Bytes, jvm.Apart = path, r.Bytes, u.apart
	}
	t.archives = append(t.archives, trainedArchive{path, r.Counts.Profiles, r.Bytes, len(u.jvms), u.apart})
}

// lose says why profiles have no archive.
func (t *trainingRun) lose(u unwritten, err error) {
	t.lost = true
	for _, jvm := range u.jvms {
		jvm.Why = message(err)
	}
}
