package artifact

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/java/jdk"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/ledger/archived"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Facts are the annotations of an archive. Unknown fields are empty.
type Facts struct {
	Created     time.Time  `json:"created"` // time of the last dump
	Domain      string     `json:"domain"`
	Format      string     `json:"format"` // version of the archive format
	Producer    string     `json:"producer"`
	Builds      []string   `json:"builds"`              // of the profiled VMs, such as 17.0.14+7, or build ids of programs
	Platforms   []Platform `json:"platforms,omitempty"` // of the profiled VMs, such as linux/amd64; nil if unknown
	Main        string     `json:"main,omitempty"`
	Fingerprint string     `json:"fingerprint,omitempty"` // fingerprint of VM and class path in hexadecimal
	Dump        string     `json:"dump"`                  // id of the dump in hexadecimal
	Dumps       []string   `json:"dumps"`                 // ids of the merged dumps, at most maxDumps
	Runs        int        `json:"runs"`
	Methods     uint64     `json:"methods"`
	Profiles    uint64     `json:"profiles"`
	Base        string     `json:"base,omitempty"`   // dump id and checksum of a layer's base
	Inputs      string     `json:"inputs,omitempty"` // numbers of inputs by state, as "expected=12 read=11 damaged=1"
	Lost        string     `json:"lost,omitempty"`   // lost counts of all, by unit, as "7/900 samples, 1/20 calls"
	Score       string     `json:"score,omitempty"`  // score of push --class-path, from 0 to 1
	Gate        string     `json:"gate,omitempty"`   // verdict and criteria of the gate that it passed, of push --gate
}

const (
	prefix   = "io.github.profarc."
	maxDumps = 64
)

// stringFields maps annotations to string fields.
func (f *Facts) stringFields() map[string]*string {
	return map[string]*string{
		"domain": &f.Domain, "format": &f.Format, "producer": &f.Producer, "main": &f.Main,
		"fingerprint": &f.Fingerprint, "dump": &f.Dump, "base": &f.Base, "score": &f.Score,
		"inputs": &f.Inputs, "lost": &f.Lost, "gate": &f.Gate,
	}
}

func (f Facts) annotations() map[string]string {
	all := map[string]string{
		ocispec.AnnotationCreated: f.Created.UTC().Format(time.RFC3339Nano),
		prefix + "runs":           strconv.Itoa(f.Runs),
		prefix + "methods":        strconv.FormatUint(f.Methods, 10),
		prefix + "profiles":       strconv.FormatUint(f.Profiles, 10),
	}
	for name, text := range f.stringFields() {
		if *text != "" {
			all[prefix+name] = *text
		}
	}
	if len(f.Builds) > 0 {
		all[prefix+"builds"] = strings.Join(f.Builds, " ")
	}
	if len(f.Platforms) > 0 {
		all[prefix+"platforms"] = strings.ReplaceAll(JoinPlatforms(f.Platforms), ",", "")
	}
	if len(f.Dumps) > 0 {
		all[prefix+"dumps"] = strings.Join(f.Dumps, " ")
	}
	return all
}

// parseFacts parses annotations. Malformed ones are treated as unknown.
func parseFacts(all map[string]string) Facts {
	var f Facts
	for name, text := range f.stringFields() {
		*text = all[prefix+name]
	}
	f.Created, _ = time.Parse(time.RFC3339Nano, all[ocispec.AnnotationCreated])
	f.Runs, _ = strconv.Atoi(all[prefix+"runs"])
	f.Methods, _ = strconv.ParseUint(all[prefix+"methods"], 10, 64)
	f.Profiles, _ = strconv.ParseUint(all[prefix+"profiles"], 10, 64)
	f.Builds = strings.Fields(all[prefix+"builds"])
	f.Dumps = strings.Fields(all[prefix+"dumps"])
	for _, text := range strings.Fields(all[prefix+"platforms"]) {
		if p, err := ParsePlatform(text); err == nil {
			f.Platforms = append(f.Platforms, p)
		}
	}
	return f
}

// FactsOf returns the facts about an archive.
func FactsOf(s *reader.Store) (Facts, error) {
	h := s.Header()
	f := Facts{
		Created: h.Time(), Domain: h.Domain.String(), Format: disk.VersionString(h.Version), Producer: h.Producer,
		Fingerprint: hexOrEmpty(h.Fingerprint), Dump: hexOrEmpty(h.DumpID), Methods: h.Counts.Methods,
		Profiles: h.Counts.Profiles,
	}
	base, layer, err := s.Base()
	if err != nil {
		return f, err
	}
	if layer {
		f.Base = base.ID()
	}
	runs, err := s.Runs()
	if err != nil {
		return f, err
	}
	f.Runs = len(runs)
	for _, r := range runs {
		f.addRun(r)
	}
	if err := errors.Join(f.addBinaries(s), f.addAccount(s)); err != nil {
		return f, err
	}
	slices.Sort(f.Builds)
	f.Builds = slices.Compact(f.Builds)
	slices.Sort(f.Platforms)
	f.Platforms = slices.Compact(f.Platforms)
	return f, nil
}

// addAccount adds a summary of the archive's account, if it has one.
func (f *Facts) addAccount(s *reader.Store) error {
	a, err := archived.Account(s)
	if err != nil || len(a.Inputs) == 0 {
		return err
	}
	f.Inputs = fmt.Sprintf("expected=%d", a.Named())
	for _, state := range []ledger.State{ledger.Read, ledger.Salvaged, ledger.Damaged, ledger.Skipped, ledger.Missing} {
		if n := a.Count(state); n > 0 {
			f.Inputs += fmt.Sprintf(" %s=%d", state, n)
		}
	}
	var parts []string
	lost := a.Lost()
	totals := a.Totals()
	for _, u := range ledger.SortedUnits(lost) {
		parts = append(parts, fmt.Sprintf("%d/%d %s", lost[u], totals[u], u))
	}
	f.Lost = strings.Join(parts, ", ")
	return nil
}

// addBinaries adds the build ids of programs in LLVM profiles.
func (f *Facts) addBinaries(s *reader.Store) error {
	ids, err := s.TableOrEmpty(disk.TableBinaryIDs)
	if err != nil {
		return err
	}
	for row := range min(ids.Rows, maxDumps) {
		id, err := ids.Text(0, row)
		if err != nil {
			return err
		}
		f.Builds = append(f.Builds, hex.EncodeToString([]byte(id)))
	}
	return nil
}

// addRun adds the facts about a run.
func (f *Facts) addRun(r layout.Provenance) {
	if len(f.Dumps) < maxDumps {
		f.Dumps = append(f.Dumps, hexOrEmpty(r.DumpID))
	}
	f.Main = cmp.Or(f.Main, r.Main)
	if b := jdk.VersionOfVM(r.VM); b != "" && len(f.Builds) < maxDumps {
		f.Builds = append(f.Builds, strings.Join(strings.Fields(b), "_"))
	}
	if p := platformOfVM(r.VM); p != "" && !slices.Contains(f.Platforms, p) {
		f.Platforms = append(f.Platforms, p)
	}
	if r.Time.After(f.Created) {
		f.Created = r.Time
	}
}

func hexOrEmpty(b [16]byte) string {
	if b == [16]byte{} {
		return ""
	}
	return hex.EncodeToString(b[:])
}
