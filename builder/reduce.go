package builder

import (
	"cmp"
	"context"
	"math"

	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Reduction says what Reduce leaves out of an archive, and whether it replaces
// names. The zero value keeps everything but the source order.
type Reduction struct {
	// Hot keeps the fewest methods that together have that part of all counts of
	// each unit, of which One is all: see Weights.Needed. Beside them it keeps the
	// fewest sampled stacks that have that part of all samples, with the methods
	// on them. 0 keeps all.
	Hot Weight
	// DropCold drops profiles and sampled stacks that counted nothing, and methods
	// that are left without a profile or never ran. Those on a stack ran.
	DropCold bool
	// Methods, if not nil, says which methods may stay, and with them the sampled
	// stacks whose leaves they are. Hot is then a part of their counts and samples.
	Methods func(k layout.Key) bool
	// Names, if not nil, replaces all names, and leaves out what it cannot
	// judge: aliases, properties of the run but for numbers, keys that the
	// importer did not know.
	Names *Anonymizer
	// Config has Workers and Progress for Commit; the rest is the archive's.
	Config Config
}

// Reduced says what stayed.
type Reduced struct {
	Methods  uint64 // that were chosen; others stay without profiles where these name them
	Profiles uint64
	Entries  uint64
	Rows     map[layout.TableKind]int // of tables, that were left out

	counts, all         [layout.NumCountUnits]wide
	samples, allSamples wide
}

// ShareOf is the part of all counts of a unit that stayed; ok is false if there
// were none, or if they cannot be added up.
func (r *Reduced) ShareOf(u layout.CountUnit) (share float64, ok bool) {
	if r.all[u] == (wide{}) || u.Inclusive() {
		return 1, false
	}
	return r.counts[u].float() / r.all[u].float(), true
}

// Share is the lowest part of all counts of a unit that stayed, 1 if there are
// none.
func (r *Reduced) Share() float64 {
	lowest := 1.0
	for u := range layout.NumCountUnits {
		share, _ := r.ShareOf(u)
		lowest = min(lowest, share)
	}
	return lowest
}

// Units are the units that there were counts of.
func (r *Reduced) Units() (units []layout.CountUnit) {
	for u := range layout.NumCountUnits {
		if r.all[u] != (wide{}) {
			units = append(units, u)
		}
	}
	return units
}

// SampleShare is the part of all samples of stacks that stayed; sampled is false
// if there were none.
func (r *Reduced) SampleShare() (share float64, sampled bool) {
	if r.allSamples == (wide{}) {
		return 1, false
	}
	return r.samples.float() / r.allSamples.float(), true
}

// Reduce makes a builder that holds a part of an archive, or the archive with
// other names. What stays keeps what it refers to: types, the callers of its
// contexts, the methods that it calls or that its traps name. The source order
// goes, since it is of the whole.
//
// The dump keeps its identity, so that a part is not merged with its whole or
// with another part; where names are replaced, identities are too. The error
// is the reader's, or that of ctx.
func Reduce(ctx context.Context, s *reader.Store, r Reduction) (*Builder, *Reduced, error) {
	out := &Reduced{Rows: map[layout.TableKind]int{}}
	cut, err := newCut(ctx, s, &r, out)
	if err != nil {
		return nil, nil, err
	}
	b := New(s.Header().Domain, cut.config(s.Header(), r.Config))
	c := newCopier(ctx, b, s, b.run)
	c.cut = cut
	if err := c.run(c.adoptDumps, c.copyCut, c.copyTables); err != nil {
		return nil, nil, err
	}
	return b, out, nil
}

// adoptDumps takes over from which dumps an archive was merged, so that its
// tables are put in order again.
func (c *copier) adoptDumps() error {
	if c.s.Header().Flags&layout.FlagMerged == 0 {
		return nil
	}
	dumps, err := dumpsOf(c.s, Run{})
	if err != nil {
		return err
	}
	c.b.mu.Lock()
	defer c.b.mu.Unlock()
	c.b.mixed = true
	for _, d := range dumps {
		d.id = c.cut.anonymizer().identity(d.id)
		c.b.dumps[d.id], c.b.copied[d.id] = d, true
	}
	return nil
}

// copyCut copies what the cut leaves of types, methods, contexts and profiles.
func (c *copier) copyCut() error {
	if !c.cut.selective() {
		if err := c.run(c.copyTypes, c.copyMethods, c.copyContexts); err != nil {
			return err
		}
	}
	for m, err := range c.s.Methods() {
		if err = cmp.Or(err, c.poll.Err()); err != nil {
			return err
		}
		if err := c.copyCutMethod(m); err != nil {
			return err
		}
	}
	return nil
}

func (c *copier) copyCutMethod(m reader.Method) error {
	if !c.cut.keeps(m.Ref()) {
		return nil
	}
	c.cut.out.Methods++
	if _, err := c.methodRef(m.Ref()); err != nil {
		return err
	}
	var weight unitCounts
	defer func() { c.cut.out.keep(weight) }()
	for p, err := range m.Profiles() {
		if err = cmp.Or(err, c.poll.Err()); err != nil {
			return err
		}
		if c.cut.drops(p) {
			continue
		}
		weight.add(c.cut.took(p))
		if err := c.copyProfile(m.Ref(), p); err != nil {
			return err
		}
	}
	return nil
}

// keep adds the weights of a method that stays.
func (r *Reduced) keep(weight unitCounts) {
	for u, n := range weight {
		r.counts[u] = r.counts[u].plus(n)
	}
}

// wide is a sum that cannot overflow here: of 2^64 numbers at most.
type wide struct{ high, low uint64 }

func (w wide) float() float64 { return math.Ldexp(float64(w.high), 64) + float64(w.low) }
