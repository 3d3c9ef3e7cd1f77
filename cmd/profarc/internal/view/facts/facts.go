// Package facts describes archives. It covers the header, runs and tables, summaries of counts, samples and
// allocations, and polluted sites. Its reports marshal to the JSON that commands print.
package facts

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/names/display"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/internal/system/lists"
	"github.com/profarc/profarc/internal/system/poll"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

var settingNames = map[int]string{
	disk.SettingTypeProfileWidth: "TypeProfileWidth",
	disk.SettingBciProfileWidth:  "BciProfileWidth",
	disk.SettingReceiverGap:      "receiver gap cells",
	disk.SettingTypeProfileLevel: "TypeProfileLevel",
	disk.SettingVMRelease:        "VM release",
	disk.SettingLLVMVersion:      "LLVM index version",
	disk.SettingLLVMVariant:      "LLVM variant bits",
	disk.SettingProfileTraps:     "ProfileTraps",
	disk.SettingLLVMNewest:       "LLVM index version, newest possible",
}

type Setting struct {
	Name  string `json:"name"`
	Value uint32 `json:"value"`
}

func settingsOf(p layout.Params) []Setting {
	list := []Setting{}
	for i, v := range disk.Settings(&p) {
		if *v == 0 {
			continue
		}
		list = append(list, Setting{cmp.Or(settingNames[i], fmt.Sprintf("setting %d", i)), *v})
	}
	return list
}

func flagNames(flags uint64) []string {
	names := []string{}
	if flags&disk.FlagDelta != 0 {
		names = append(names, "delta")
	}
	if flags&disk.FlagMerged != 0 {
		names = append(names, "merged")
	}
	return names
}

func bytesText(b [16]byte) string {
	if b == ([16]byte{}) {
		return ""
	}
	return hex.EncodeToString(b[:])
}

func hexID(id uint64) string { return fmt.Sprintf("%016x", id) }

// Facts describe an archive. Ids, checksums and addresses are hexadecimal strings, since not every JSON parser has
// 64-bit integers. Times are RFC 3339 in UTC; "" if unknown.
type Facts struct {
	Archive string `json:"archive"`
	*RunFacts
	Format      string          `json:"format"`
	Domain      string          `json:"domain"`
	Producer    string          `json:"producer"`
	ProducerID  string          `json:"producer_id,omitempty"`
	DumpTime    string          `json:"dump_time"`
	DumpID      string          `json:"dump_id"`
	Sum         string          `json:"sum"` // checksum of the header; a layer names its base by it
	Fingerprint string          `json:"fingerprint"`
	Flags       []string        `json:"flags"`
	Required    uint64          `json:"required_features"`
	Optional    uint64          `json:"optional_features"`
	ReadOnly    uint64          `json:"features_to_write"`
	Base        string          `json:"base"`
	Size        int64           `json:"bytes"`
	OpenNS      int64           `json:"open_ns"`
	Regions     []RegionFact    `json:"regions"`
	Counts      layout.Counts   `json:"counts"`
	Summary     *layout.Summary `json:"summary,omitempty"` // nil if the counts have several units
	Index       IndexFact       `json:"index"`
	Settings    []Setting       `json:"settings"`
	Properties  []Property      `json:"properties"`
	Tables      []TableFact     `json:"tables"`
	LayerOn     *BaseFact       `json:"layer_on,omitempty"` // base of a layer
	Account     *AccountFact    `json:"account,omitempty"`  // nil if the archive has none

	Cutoffs *Summary `json:"cutoff_summary,omitempty"`
}

type BaseFact struct {
	DumpID   string `json:"dump_id"`
	Sum      string `json:"sum"` // checksum of the base's header
	DumpTime string `json:"dump_time"`
	Producer string `json:"producer"`
}

type RegionFact struct {
	Name   string `json:"name"`
	Offset int64  `json:"offset"`
	Size   int64  `json:"bytes"`
}

// An IndexFact describes the hash index by its number of 64-byte lines and the maximum number that a lookup reads.
type IndexFact struct {
	Lines    uint64 `json:"lines"`
	MaxProbe uint64 `json:"max_probe"`
	Seed     string `json:"seed"`
}

type Property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type TableFact struct {
	Kind uint32 `json:"kind"`
	Name string `json:"name"`
	Rows int    `json:"rows"`
	// Table is the name for show --table.
	Table   string       `json:"table"`
	Columns []ColumnFact `json:"columns"`

	*SampleFact // nil except for the table of samples
}

type SampleFact struct {
	Stacks  int    `json:"stacks"`
	Samples uint64 `json:"samples"`
}

// Describe returns the facts of an archive. It reads the header and tables, but no profiles. opened is the time that
// opening took.
func Describe(s *reader.Store, opened time.Duration) (*Facts, error) {
	h := s.Header()
	f := &Facts{
		Archive: s.Mapping().Name(), DumpTime: formatUTC(h.Time()), Format: disk.VersionString(h.Version),
		Domain: h.Domain.String(), Producer: h.Producer, ProducerID: bytesText(h.ProducerID),
		DumpID: bytesText(h.DumpID), Sum: hexID(h.Sum), Fingerprint: bytesText(h.Fingerprint), Flags: flagNames(h.Flags),
		Required: h.Required, Optional: h.Optional, ReadOnly: h.ReadOnly, Base: fmt.Sprintf("0x%x", h.Base), Size: h.FileSize,
		OpenNS: opened.Nanoseconds(),
		Counts: h.Counts, Settings: settingsOf(h.Params),
		Index:      IndexFact{h.Buckets, uint64(h.MaxProbe), hexID(h.Seed)},
		Properties: []Property{}, Tables: []TableFact{},
	}
	for r := disk.RegionHeader; int(r) <= disk.NumRegions; r++ {
		f.Regions = append(f.Regions, RegionFact{r.String(), disk.RegionOf(h, r).Offset, disk.RegionOf(h, r).Size})
	}
	if h.Domain != layout.DomainJamaica && h.Domain != layout.DomainSampled { // counts of one unit
		f.Summary = &h.Summary
	}
	base, layer, errBase := s.Base()
	if layer {
		f.LayerOn = &BaseFact{bytesText(base.DumpID), hexID(base.Sum), formatUTC(base.Time), base.Producer}
	}
	var errRuns, errAccount error
	f.RunFacts, errRuns = gatherRuns(s)
	f.Account, errAccount = DescribeAccount(s)
	return f, cmp.Or(errBase, errRuns, errAccount, f.gatherTables(s))
}

func (f *Facts) gatherTables(s *reader.Store) (err error) {
	for t := range poll.Values(s.Tables(), &err) {
		fact := TableFact{Kind: uint32(t.Kind), Name: display.TableTitle(t.Kind), Rows: t.Rows, Table: t.Kind.String(),
			Columns: ColumnsOf(t)}
		if t.Kind == disk.TableSamples {
			stackCount, samples, err := CountSamples(s)
			if err != nil {
				return err
			}
			fact.SampleFact = &SampleFact{stackCount, samples}
		}
		f.Tables = append(f.Tables, fact)
		if t.Kind != disk.TableProperties || t.Columns() != 2 {
			continue
		}
		for i := range t.Rows {
			name, err1 := t.Text(0, i)
			value, err2 := t.Text(1, i)
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			f.Properties = append(f.Properties, Property{name, value})
		}
	}
	return err
}

type ColumnFact struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

func ColumnsOf(t reader.Table) []ColumnFact {
	return lists.Map(lists.Below(t.Columns()), func(i int) ColumnFact {
		return ColumnFact{disk.TableColumn(t.Kind, i, t.Column(i)).Name, t.Column(i).String()}
	})
}

type RunFacts struct {
	Runs       []RunFact         `json:"runs"`
	NumRuns    int               `json:"runs_total"` // number of all runs; Runs lists at most maxRunFacts
	ClassPaths [][]ClassPathFact `json:"class_paths"`
}

// maxRunFacts is the maximum number of runs to list, since their texts can be long.
const maxRunFacts = 1000

// A RunFact describes one run. Missing texts are empty.
type RunFact struct {
	DumpID    string       `json:"dump_id"`
	Since     string       `json:"since,omitempty"`
	Main      string       `json:"main,omitempty"`
	VM        string       `json:"vm,omitempty"`
	Vendor    string       `json:"vendor,omitempty"`
	Command   string       `json:"command,omitempty"`
	Options   string       `json:"options,omitempty"`
	Selection string       `json:"selection,omitempty"`
	ClassPath *int         `json:"class_path,omitempty"` // index into class_paths
	Process   *ProcessFact `json:"process,omitempty"`
	Begun     string       `json:"begun,omitempty"`
	Time      string       `json:"time,omitempty"`
	Exit      string       `json:"exit"`
}

// A ProcessFact identifies a process across reboots and reused process ids.
type ProcessFact struct {
	Boot      string `json:"boot"`
	Namespace uint64 `json:"namespace"`
	PID       uint64 `json:"pid"`
	Start     uint64 `json:"start"`
}

type ClassPathFact struct {
	Path string `json:"path"`
	Kind string `json:"kind"`
	Size uint64 `json:"bytes"`
	Sum  string `json:"sum,omitempty"`
}

func gatherRuns(s *reader.Store) (*RunFacts, error) {
	runs, err := s.Runs()
	if err != nil {
		return nil, err
	}
	f := &RunFacts{Runs: []RunFact{}, NumRuns: len(runs), ClassPaths: [][]ClassPathFact{}}
	known := map[*layout.ClassPathEntry]*int{} // index into ClassPaths, by first entry
	for _, r := range runs[:min(len(runs), maxRunFacts)] {
		fact := RunFact{
			DumpID: bytesText(r.DumpID), Since: bytesText(r.Since), Main: r.Main, VM: r.VM, Vendor: r.Vendor, Command: r.Command,
			Options: r.Options, Selection: r.Selection, Begun: formatUTC(r.Begun), Time: formatUTC(r.Time),
			Exit: r.Exit.String(),
		}
		if p := r.Process; p.Known() {
			fact.Process = &ProcessFact{bytesText(p.Boot), p.Namespace, p.PID, p.Start}
		}
		if len(r.ClassPath) > 0 {
			if known[&r.ClassPath[0]] == nil {
				at := len(f.ClassPaths)
				known[&r.ClassPath[0]] = &at
				f.ClassPaths = append(f.ClassPaths, classPathFacts(r.ClassPath))
			}
			fact.ClassPath = known[&r.ClassPath[0]]
		}
		f.Runs = append(f.Runs, fact)
	}
	return f, nil
}

func classPathFacts(entries []layout.ClassPathEntry) []ClassPathFact {
	facts := make([]ClassPathFact, len(entries))
	for i, e := range entries {
		facts[i] = ClassPathFact{e.Path, e.Kind.String(), e.Size, ""}
		if e.Kind == schema.ContentFile || e.Kind == schema.ContentDirectory {
			facts[i].Sum = hexID(e.Sum)
		}
	}
	return facts
}

func formatUTC(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
