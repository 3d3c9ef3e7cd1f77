// Package perfdata reads the files of perf record: the file perf.data, and the stream of perf record -o -.
//
//	header | attributes of events, ids | records | features
//
// A record has a type and a size. Those of the kernel are samples, and events in the life of processes. Samples have
// the fields that the sample type of their attribute selects. Features have the names of events and the build ids of
// files. See linux/include/uapi/linux/perf_event.h and linux/tools/perf/Documentation/perf.data-file-format.txt.
//
// Read needs memory in proportion to the file. It checks every size and count against the bytes that are there.
package perfdata

import (
	"math"

	"github.com/profarc/profarc/formats/codec"
)

// Types of records of the kernel: PERF_RECORD_*.
const (
	recordMap         = 1
	recordLost        = 2
	recordCommand     = 3
	recordFork        = 7
	recordSample      = 9
	recordMap2        = 10
	recordLostSamples = 13

	miscExec    = 1 << 13 // flag of a command: the process runs another program
	miscBuildID = 1 << 14 // flag of a mapping: it has a build id
)

// A Sample is a sample of an event.
type Sample struct {
	Event     string
	Process   int
	IP        uint64
	Period    uint64      // 0 if unknown
	Chain     []uint64    // call stack, the leaf first, with the marks of contexts; nil if none was recorded
	HasMemory bool        // has a copy of the stack's memory
	Branches  [][2]uint64 // sources and targets of the last taken branches, the newest first
}

// MinContext is the lowest mark in a call stack. Marks say whether the frames that follow belong to the kernel.
const MinContext = math.MaxUint64 - 4094

// A Map is a file that a process maps.
type Map struct {
	Process             int // -1 for the kernel
	Start, Size, Offset uint64
	File                string
	BuildID             []byte // nil if unknown
}

// A Handler gets the records of a file in the order of their times.
type Handler struct {
	Sample func(Sample)
	Map    func(Map)
	Fork   func(process, parent int)
	Exec   func(process int)
}

// Losses of files.
const (
	LossByPerf  codec.LossKind = "samples that perf lost, because it wrote too slowly"
	LossRecords codec.LossKind = "damaged records"
	LossBytes   codec.LossKind = "bytes after damage, or after the end of a file that was cut off"
)

// Read calls the handler for the records of a file.
func Read(content []byte, h Handler) (codec.Losses, error) {
	f := file{bytes: content, byID: map[uint64]*event{}, buildIDs: map[string][]byte{}}
	err := f.read()
	if err != nil {
		return nil, err
	}
	for _, r := range f.records {
		if !f.handle(r, h) {
			f.lost.Add(LossRecords, 1)
		}
	}
	return f.lost, nil
}

// handle returns false for a damaged record.
func (f *file) handle(r record, h Handler) bool {
	switch r.kind {
	case recordSample:
		s, ok := f.eventOf(r.body).readSample(r.body)
		if ok {
			h.Sample(s)
		}
		return ok
	case recordMap, recordMap2:
		m, ok := f.readMap(r)
		if ok {
			h.Map(m)
		}
		return ok
	}
	c := cursor{r.body}
	first, second := c.u64(), c.u64()
	switch r.kind {
	case recordLost:
		f.lost.Add(LossByPerf, int(second))
	case recordLostSamples:
		f.lost.Add(LossByPerf, int(first))
	case recordFork: // process and its parent, thread and its parent
		if parent := int(int32(first >> 32)); parent != int(int32(first)) {
			h.Fork(int(int32(first)), parent)
		}
	case recordCommand:
		if r.misc&miscExec != 0 {
			h.Exec(int(int32(first)))
		}
	}
	return true
}

func (f *file) readMap(r record) (m Map, ok bool) {
	c := cursor{r.body}
	m.Process = int(int32(c.u32()))
	c.u32()
	m.Start, m.Size, m.Offset = c.u64(), c.u64(), c.u64()
	if r.kind == recordMap2 {
		id := c.bytes(24)
		if r.misc&miscBuildID != 0 && id != nil {
			m.BuildID = id[4:][:min(20, id[0])]
		}
		c.bytes(8) // protection and flags
	}
	m.File = text(c.rest)
	if m.BuildID == nil {
		m.BuildID = f.buildIDs[m.File]
	}
	return m, c.rest != nil
}
