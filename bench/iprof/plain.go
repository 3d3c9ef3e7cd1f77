package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/profarc/profarc/layout"
)

// A plainFile is a profile in plain structs.
type plainFile struct {
	Version        string
	Types          []plainRow
	Methods        []plainRow
	CallCounts     []plainRecord `json:"callCountProfiles"`
	Conditionals   []plainRecord `json:"conditionalProfiles"`
	VirtualInvokes []plainRecord `json:"virtualInvokeProfiles"`
	Instanceofs    []plainRecord `json:"instanceofProfiles"`
	Monitors       []plainRecord `json:"monitorProfiles"`
	Samples        []plainRecord `json:"samplingProfiles"`
}

type plainRow struct {
	ID        int64
	Name      string
	Signature []int64
}

type plainRecord struct {
	Ctx     string
	Records []int64
}

// decode reads a profile with encoding/json.
func decode(path string) (*plainFile, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := new(plainFile)
	return f, json.Unmarshal(text, f)
}

// A query asks how often a method was called in a context.
type query struct {
	frames []place // the method, its caller, the caller's caller, ...
	count  uint64  // the right answer
}

// A place is a method and a point in it.
type place struct {
	key   layout.Key
	point int32
}

// answer searches the file for each method of the query, then for the context.
// Filling a map would take longer.
func (f *plainFile) answer(q *query) uint64 {
	var ctx []string
	for _, p := range q.frames {
		for i := range f.Methods {
			if m := &f.Methods[i]; m.Name == p.key.Name && f.key(m) == p.key {
				ctx = append(ctx, fmt.Sprintf("%d:%d", m.ID, p.point))
				break
			}
		}
	}
	wanted := strings.Join(ctx, "<")
	for _, r := range f.CallCounts {
		if r.Ctx == wanted {
			return uint64(r.Records[0])
		}
	}
	return 0
}

// key returns the key of a method. The ids of its signature are the declaring
// type, the type that it returns, and its parameters.
func (f *plainFile) key(m *plainRow) layout.Key {
	var names []string
	for _, id := range m.Signature {
		names = append(names, f.typeName(id))
	}
	return layout.Key{Class: names[0], Name: m.Name, Signature: names[1] + "(" + strings.Join(names[2:], ",") + ")"}
}

func (f *plainFile) typeName(id int64) string {
	for i := range f.Types {
		if f.Types[i].ID == id {
			return f.Types[i].Name
		}
	}
	return ""
}

// queries returns queries for n records of calls in a context, evenly spread over
// the file.
func (f *plainFile) queries(n int) ([]query, error) {
	var inContext []plainRecord
	for _, r := range f.CallCounts {
		if strings.Count(r.Ctx, "<") >= 2 {
			inContext = append(inContext, r)
		}
	}
	if len(inContext) == 0 {
		return nil, fmt.Errorf("no calls in a context")
	}
	methods := map[int64]*plainRow{}
	for i := range f.Methods {
		methods[f.Methods[i].ID] = &f.Methods[i]
	}
	var all []query
	for i := range n {
		r := inContext[i*len(inContext)/n]
		q := query{count: uint64(r.Records[0])}
		for frame := range strings.SplitSeq(r.Ctx, "<") {
			id, point, err := parsePlace(frame)
			if err != nil {
				return nil, err
			}
			q.frames = append(q.frames, place{f.key(methods[id]), point})
		}
		all = append(all, q)
	}
	return all, nil
}

// parsePlace reads "method:bci".
func parsePlace(text string) (method int64, point int32, err error) {
	id, bci, _ := strings.Cut(text, ":")
	if method, err = strconv.ParseInt(id, 10, 64); err != nil {
		return 0, 0, err
	}
	n, err := strconv.ParseInt(bci, 10, 32)
	return method, int32(n), err
}
