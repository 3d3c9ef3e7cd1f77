// Package mergejob merges archives in stores with many workers.
//
//	plan     lists the archives, checks that they can be merged, and divides their methods into parts
//	shard    reads one part of each archive and writes the merged part; it can be repeated
//	commit   joins the parts to the same bytes as a single merge, and publishes them once
//
// Parts are ranges of methods in the order of archives, so that a worker reads a contiguous range of each archive.
package mergejob

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"

	"github.com/profarc/profarc/fleet/internal/blobs"
	"github.com/profarc/profarc/fleet/internal/partmerge"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/recording/merging"
	"github.com/profarc/profarc/internal/recording/profileset"
	"github.com/profarc/profarc/layout"
)

// A Plan lists the archives to merge, the parts, and the URL of the result. Its ID is a hash of the other fields.
type Plan struct {
	Version  int             `json:"profarc_plan"`
	ID       string          `json:"id"`
	Out      string          `json:"out"`  // URL of the result
	Work     string          `json:"work"` // URL prefix of the parts
	Domain   layout.Domain   `json:"domain"`
	Params   layout.Params   `json:"params"` // settings of the first archive
	OneShape bool            `json:"one_shape"`
	Rows     int             `json:"rows"` // number of receiver rows to keep, or -1 for all
	Bounds   []merging.Bound `json:"bounds"`
	Buckets  []string        `json:"buckets"`
	Inputs   []Input         `json:"inputs"`
	LeftOut  []LeftOut       `json:"left_out,omitempty"`
}

// LeftOut is an archive that is bad or missing, for the account of the result.
type LeftOut struct {
	Name   string `json:"name,omitempty"` // "" if only the number of missing archives is known
	State  uint64 `json:"state"`          // a ledger.State
	Reason string `json:"reason,omitempty"`
	Times  uint64 `json:"times"`
}

func (p *Plan) leaveOut(in ledger.Input) {
	p.LeftOut = append(p.LeftOut, LeftOut{in.Name, uint64(in.State), in.Reason, in.Times})
}

// addToAccount adds the archives that were left out to the account of the result.
func (p *Plan) addToAccount(b *profileset.Set) {
	merging.NoteOperation(b)
	for _, l := range p.LeftOut {
		b.AddInput(ledger.Input{Name: l.Name, State: ledger.State(l.State), Reason: l.Reason, Times: l.Times})
	}
}

// An Input is an archive to be merged.
type Input struct {
	Bucket int           `json:"bucket"` // index in Buckets
	Key    string        `json:"key"`
	Size   int64         `json:"size"`
	Sum    string        `json:"sum"`              // checksum of the header, which covers all bytes
	Weight layout.Weight `json:"weight,omitempty"` // 0 means 1
}

// planVersion is the supported version of plans.
const planVersion = 1

// computeID computes the ID of a plan.
func (p *Plan) computeID() (string, error) {
	q := *p
	q.ID = ""
	text, err := json.Marshal(q)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// Encode returns the plan as JSON with a line per input.
func (p *Plan) Encode() ([]byte, error) {
	inputs := p.Inputs
	q := *p
	q.Inputs = nil
	head, err := json.MarshalIndent(q, "", " ")
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	text.Write(bytes.TrimSuffix(head, []byte("null\n}")))
	text.WriteString("[")
	for i, in := range inputs {
		line, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			text.WriteString(",")
		}
		text.WriteString("\n  ")
		text.Write(line)
	}
	text.WriteString("\n ]\n}\n")
	return text.Bytes(), nil
}

// ErrPlan means that a plan is malformed or was changed.
var ErrPlan = errors.New("it is no plan that this program can follow")

// Decode parses a plan. name is its file name for errors.
func Decode(name string, text []byte) (*Plan, error) {
	p := new(Plan)
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("%s: %w: %v", name, ErrPlan, err)
	}
	if p.Version != planVersion {
		return nil, fmt.Errorf("%s: %w: it is of version %d, this program reads version %d: plan again", name, ErrPlan,
			p.Version, planVersion)
	}
	id, err := p.computeID()
	if err == nil && id != p.ID {
		err = fmt.Errorf("%s: %w: it was changed after it was made, or copied in part: plan again", name, ErrPlan)
	}
	if err != nil {
		return nil, err
	}
	if _, err := p.Parts(); err != nil || len(p.Inputs) == 0 {
		return nil, fmt.Errorf("%s: %w: it has %d archives: %v", name, ErrPlan, len(p.Inputs), err)
	}
	for _, in := range p.Inputs {
		if in.Bucket < 0 || in.Bucket >= len(p.Buckets) {
			return nil, fmt.Errorf("%s: %w: there is no bucket %d", name, ErrPlan, in.Bucket)
		}
	}
	return p, nil
}

// Parts returns the parts of the plan.
func (p *Plan) Parts() ([]merging.Part, error) { return partmerge.Divide(p.Bounds...) }

func (p *Plan) inputObject(in *Input) blobs.Object {
	return blobs.Object{Location: blobs.Location{Bucket: p.Buckets[in.Bucket], Key: in.Key}, Size: in.Size}
}

// partFolder returns the prefix of the parts, which depends on the ID of the plan.
func (p *Plan) partFolder() (blobs.Location, error) {
	l, err := blobs.Parse(p.Work)
	return l.Prefix().Join(p.ID[:16]).Prefix(), err
}

// partName returns the file name of a part.
func (p *Plan) partName(part int) string {
	return fmt.Sprintf("part-%05d-of-%05d.parc", part, len(p.Bounds)+1)
}

// resultLocation returns the location of the result.
func (p *Plan) resultLocation() (blobs.Location, error) {
	l, err := blobs.Parse(p.Out)
	if err == nil && path.Ext(l.Key) != ".parc" {
		err = fmt.Errorf("%s: the names of archives end in .parc", l)
	}
	return l, err
}

// hasFractions reports whether an input has a fractional weight, so that the result depends on the order of merges.
func (p *Plan) hasFractions() bool {
	for _, in := range p.Inputs {
		if in.Weight%layout.WeightOne != 0 {
			return true
		}
	}
	return false
}
