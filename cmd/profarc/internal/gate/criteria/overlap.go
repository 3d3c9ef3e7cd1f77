package criteria

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/profarc/profarc/experimental/compare"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// minCompared is the least share of the counts of either archive by which an overlap is judged.
const minCompared = 0.5

func (j *judge) judgeOverlap() Criterion {
	c := Criterion{Name: "overlap", Bound: Least, Threshold: j.limits.Overlap, Unit: UnitShare}
	if c, ok := j.withBaseline(c); !ok {
		return c
	}
	edits, err := j.findEdits()
	if err != nil {
		return c.unchecked("%v", err)
	}
	r, err := compare.Stores(j.ctx, j.evidence.Baseline, j.whole, compare.Options{Except: edits.methods})
	if err != nil {
		return c.unchecked("%v", err)
	}
	compared := min(r.ComparedA, r.ComparedB)
	switch {
	case len(edits.methods) > 0 && (compared < minCompared || r.Score == nil):
		c = c.unchecked("most counts are in code that changed since %s: %s %s can be compared, without %s",
			j.evidence.BaselineName, cli.FormatPercent(compared), "of "+r.Primary, edits)
		c.Advice = j.names().Replace("the code changed, and the training run may have: profarc diff BASELINE ARCHIVE; " +
			adviceToAdapt + " To let edits of hot code pass: --allow-unchecked overlap")
		return c
	case r.Score == nil:
		return c.unchecked("neither archive has counts")
	}
	text := fmt.Sprintf("of %s with %s: %d profiles in both, %d only in the new one, %d only in the baseline",
		r.Primary, j.evidence.BaselineName, r.Profiles.Matched, r.Profiles.OnlyB, r.Profiles.OnlyA)
	if r.Profiles.Mismatch > 0 {
		text += fmt.Sprintf(", %d with other code", r.Profiles.Mismatch)
	}
	if len(edits.methods) > 0 {
		text += fmt.Sprintf("; %s of the counts are compared, without %s", cli.FormatPercent(compared), edits)
	}
	c = c.judgedBy(*r.Score, "%s", text)
	if r.ScoreInterval == nil {
		return c
	}
	return j.bySamples(c, *r.ScoreInterval, r.Lines.OverlapNeeds)
}

// edits are the methods that an edit of the program changed, removed or added. Their counts cannot be compared.
type edits struct {
	methods              map[layout.Key]bool
	changed, gone, added int
}

func (e *edits) String() string {
	var parts []string
	for _, of := range []struct {
		n    int
		what string
	}{{e.changed, "changed"}, {e.gone, "gone"}, {e.added, "new"}} {
		if of.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", of.n, of.what))
		}
	}
	return strings.Join(parts, ", ")
}

// findEdits compares the code ids of both archives, and looks the baseline's methods up in the program. A method that
// the baseline lacks is new if the profiles of its domain list each method of a program, as LLVM's do.
func (j *judge) findEdits() (*edits, error) {
	e := &edits{methods: map[layout.Key]bool{}}
	base := j.evidence.Baseline
	err := entries.EachMethod(j.ctx, base, func(m reader.Method, k layout.Key) error {
		if j.evidence.Lacks != nil && j.evidence.Lacks(k) {
			e.addMethod(k, &e.gone)
			return nil
		}
		now, err := j.whole.Find(k)
		if err != nil {
			return ignoreNotFound(err)
		}
		changed, err := haveOtherCode(m, now)
		if changed {
			e.addMethod(k, &e.changed)
		}
		return err
	})
	if err != nil || j.evidence.Lacks == nil || !j.s.Header().Domain.LLVM() {
		return e, err
	}
	return e, entries.EachMethod(j.ctx, j.whole, func(_ reader.Method, k layout.Key) error {
		_, err := base.Find(k)
		if errors.Is(err, reader.ErrNotFound) {
			e.addMethod(k, &e.added)
		}
		return ignoreNotFound(err)
	})
}

func (e *edits) addMethod(k layout.Key, n *int) {
	e.methods[k] = true
	*n++
}

func ignoreNotFound(err error) error {
	if errors.Is(err, reader.ErrNotFound) {
		return nil
	}
	return err
}

// haveOtherCode reports whether two methods have profiles, all with known code, and none of the same code.
func haveOtherCode(a, b reader.Method) (bool, error) {
	ofA, errA := codesOf(a)
	ofB, errB := codesOf(b)
	for code := range ofB {
		if ofA[code] {
			return false, nil
		}
	}
	unknown := ofA[layout.CodeUnknown] || ofB[layout.CodeUnknown]
	return len(ofA) > 0 && len(ofB) > 0 && !unknown, cmp.Or(errA, errB)
}

func codesOf(m reader.Method) (_ map[uint64]bool, err error) {
	codes := map[uint64]bool{}
	for p := range poll.Values(m.Profiles(), &err) {
		codes[p.Code()] = true
	}
	return codes, err
}
