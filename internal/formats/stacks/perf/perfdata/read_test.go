package perfdata_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/stacks/perf/perfdata"
	"github.com/profarc/profarc/internal/testkit/full"
)

// A recording writes a file as perf record does: one event with the fields that samples have here.
type recording struct {
	data     []byte
	compress bool
}

const (
	attributeSize = 128
	// IP, TID, TIME, CALLCHAIN, PERIOD, BRANCH_STACK, IDENTIFIER.
	sampleType = 1<<0 | 1<<1 | 1<<2 | 1<<5 | 1<<8 | 1<<11 | 1<<16
)

func pack(values ...any) []byte {
	var b bytes.Buffer
	for _, v := range values {
		if s, ok := v.(string); ok {
			v = append([]byte(s), make([]byte, 8-len(s)%8)...)
		}
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

func (r *recording) add(kind uint32, misc uint16, values ...any) {
	body := pack(values...)
	r.data = append(r.data, pack(kind, misc, uint16(8+len(body)), body)...)
}

// trailer is the end of records that are no samples: TID, TIME, IDENTIFIER.
func trailer(time uint64) []byte { return pack(uint32(7), uint32(7), time, uint64(42)) }

func (r *recording) addSample(time, ip uint64, chain []uint64, branches ...[3]uint64) {
	r.add(9, 2, uint64(42), ip, uint32(7), uint32(7), time, uint64(1000), uint64(len(chain)),
		chain, uint64(len(branches)), branches)
}

// file returns the whole file.
func (r *recording) file() []byte {
	data := r.data
	if r.compress {
		packed, err := zstd.NewWriter(nil)
		if err != nil {
			panic(err)
		}
		body := packed.EncodeAll(data, nil)
		data = pack(uint32(81), uint16(0), uint16(8+len(body)), body)
	}
	attribute := make([]byte, attributeSize)
	copy(attribute, pack(uint32(1), uint32(attributeSize), uint64(0), uint64(1000),
		uint64(sampleType), uint64(0), uint64(1<<18|1<<20)))
	copy(attribute[72:], pack(uint64(1)))
	const header = 104
	ids := header + attributeSize + 16
	start := ids + 8
	names := pack(uint32(1), uint32(attributeSize), attribute, uint32(1), uint32(16), "cpu-clock", uint64(42))
	table := start + len(data)
	return pack([]byte(perfdata.Magic), uint64(header), uint64(attributeSize+16), uint64(header), uint64(attributeSize+16),
		uint64(start), uint64(len(data)), uint64(0), uint64(0), uint64(1<<12), [3]uint64{}, attribute,
		uint64(ids), uint64(8), uint64(42), data, uint64(table+16), uint64(len(names)), names)
}

func sampleRecording() *recording {
	r := &recording{}
	r.add(3, 1<<13, uint32(7), uint32(7), "app", trailer(1))
	r.addSample(50, 0x401136, []uint64{1<<64 - 512, 0x401136, 0x401180},
		[3]uint64{0x401150, 0x401130, 0}, [3]uint64{0x401140, 0x401150, 0})
	r.add(10, 2, uint32(7), uint32(7), uint64(0x401000), uint64(0x1000), uint64(0x1000),
		uint32(1), uint32(2), uint64(3), uint64(4),
		uint32(5), uint32(2), "/bin/app", trailer(2))
	r.add(7, 0, uint32(8), uint32(7), uint32(8), uint32(7), uint64(3), trailer(3))
	r.add(2, 0, uint64(42), uint64(5), trailer(60))
	return r
}

// listed returns what Read reports, a line each.
func listed(content []byte) (string, codec.Losses, error) {
	var out strings.Builder
	lost, err := perfdata.Read(content, perfdata.Handler{
		Sample: func(s perfdata.Sample) {
			fmt.Fprintf(&out, "%s %d %x %d %x %x\n", s.Event, s.Process, s.IP, s.Period, s.Chain, s.Branches)
		},
		Map: func(m perfdata.Map) {
			fmt.Fprintf(&out, "map %d %x+%x @ %x %s %x\n", m.Process, m.Start, m.Size, m.Offset, m.File, m.BuildID)
		},
		Fork: func(process, parent int) { fmt.Fprintf(&out, "fork %d of %d\n", process, parent) },
		Exec: func(process int) { fmt.Fprintf(&out, "exec %d\n", process) },
	})
	return out.String(), lost, err
}

const wantListed = "exec 7\nmap 7 401000+1000 @ 1000 /bin/app \nfork 8 of 7\n" +
	"cpu-clock 7 401136 1000 [fffffffffffffe00 401136 401180] [[401150 401130] [401140 401150]]\n"

// TestRecords: the records come in the order of their times, with the fields that their event selects.
func TestRecords(t *testing.T) {
	r := sampleRecording()
	for _, r.compress = range []bool{false, true} {
		got, lost, err := listed(r.file())
		if err != nil || got != wantListed || lost.Count(perfdata.LossByPerf) != 5 || len(lost) != 1 {
			t.Errorf("compressed %v: %v, lost %+v, got\n%swant\n%s", r.compress, err, lost, got, wantListed)
		}
	}
}

// TestDamagedFiles: counts and sizes beyond the end are damage, and what precedes them is read.
func TestDamagedFiles(t *testing.T) {
	whole := sampleRecording().file()
	for n := range whole {
		got, lost, err := listed(whole[:n])
		if err == nil && len(got) < len(wantListed) && len(lost) == 0 {
			t.Errorf("%d bytes of %d: nothing is lost", n, len(whole))
		}
		if err != nil && !errors.Is(err, perfdata.ErrFormat) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	r := &recording{}
	r.add(9, 2, uint64(42), uint64(1), uint64(7), uint64(50), uint64(1), uint64(1<<61), uint64(1)) // a huge call stack
	r.add(9, 2, uint64(42))
	r.add(10, 2, uint32(7))
	r.data = append(r.data, 9, 0, 0, 0, 0, 0, 7, 0, 1) // a record of less than its header
	if got, lost, err := listed(r.file()); err != nil || got != "" || lost.Count(perfdata.LossRecords) != 3 ||
		lost.Count(perfdata.LossBytes) != 9 {
		t.Errorf("%v, lost %+v, got %s", err, lost, got)
	}
}

// TestPerfReadsTheSame compares with perf script.
func TestPerfReadsTheSame(t *testing.T) {
	full.Only(t, "runs perf script")
	path, err := exec.LookPath("perf")
	if err != nil {
		t.Skip(err)
	}
	file := filepath.Join(t.TempDir(), "perf.data")
	if err := os.WriteFile(file, sampleRecording().file(), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(path, "script", "-f", "-F", "pid,event,period,brstack", "-i", file).CombinedOutput()
	got := strings.Join(strings.Fields(string(out)), " ")
	for _, want := range []string{"7 1000 cpu-clock: ", " 0x401150/0x401130/", " 0x401140/0x401150/"} {
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("%v: no %q in\n%s", err, want, got)
		}
	}
}

func FuzzRead(f *testing.F) {
	r := sampleRecording()
	f.Add(r.file())
	r.compress = true
	f.Add(r.file())
	f.Add(append(pack([]byte(perfdata.Magic), uint64(16)), r.data...))
	f.Fuzz(func(_ *testing.T, content []byte) { _, _, _ = listed(content) })
}
