package pprof

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"

	"github.com/profarc/profarc/internal/file/disk"
)

// A legacyReader reads words of a binary CPU profile of gperftools.
type legacyReader struct {
	rest  []byte
	size  int
	order binary.ByteOrder
}

func (r *legacyReader) nextWord() (n uint64, ok bool) {
	if len(r.rest) < r.size {
		return 0, false
	}
	word := r.rest[:r.size]
	r.rest = r.rest[r.size:]
	if r.size == 4 {
		return uint64(r.order.Uint32(word)), true
	}
	return r.order.Uint64(word), true
}

// A legacyHeader is the header of a binary CPU profile of gperftools.
type legacyHeader struct {
	period uint64 // microseconds
	isJava bool
}

// readLegacyHeader reads the words 0, 3, 0 (1 in Java's profiles), period and 0. Words have 32 or 64 bits and either
// byte order. It returns a reader of the words after them, or nil.
func readLegacyHeader(data []byte) (*legacyReader, legacyHeader) {
	for _, size := range []int{4, 8} {
		for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
			r := &legacyReader{data, size, order}
			var head [5]uint64
			whole := true
			for i := range head {
				head[i], whole = r.nextWord()
			}
			if whole && head[0] == 0 && head[1] == 3 && head[2] <= 1 && head[3] != 0 && head[4] == 0 {
				return r, legacyHeader{head[3], head[2] == 1}
			}
		}
	}
	return nil, legacyHeader{}
}

// A legacySample has the addresses of a stack, leaf first.
type legacySample struct {
	count     uint64
	addresses []uint64
}

// readSamples reads the samples up to the trailer, which is a sample with the address 0.
func (r *legacyReader) readSamples() (list []legacySample, err error) {
	for {
		count, _ := r.nextWord()
		depth, ok := r.nextWord()
		if !ok || depth > uint64(len(r.rest)/r.size) {
			return nil, ErrCut
		}
		if depth > disk.MaxDepth {
			return nil, fmt.Errorf("%w: over %d in one", ErrDeep, disk.MaxDepth)
		}
		s := legacySample{count, make([]uint64, depth)}
		for i := range s.addresses {
			s.addresses[i], _ = r.nextWord()
		}
		if depth == 1 && s.addresses[0] == 0 {
			return list, nil
		}
		if depth > 0 {
			list = append(list, s)
		}
	}
}

// legacyMapping matches an executable mapping in the text after the samples, as /proc/self/maps has it.
var legacyMapping = regexp.MustCompile(`(?m)^ *([0-9a-f]+)-([0-9a-f]+) +[r-][w-]x[ps-] +([0-9a-f]+) +\S+ +\d+ *(.*)$`)

func (r *legacyReader) readMappings() (list []writtenMapping) {
	for _, m := range legacyMapping.FindAllSubmatch(r.rest, -1) {
		var numbers [3]uint64
		for i := range numbers {
			numbers[i], _ = strconv.ParseUint(string(m[i+1]), 16, 64)
		}
		list = append(list, writtenMapping{start: numbers[0], limit: numbers[1], offset: numbers[2],
			file: string(bytes.TrimSpace(m[4]))})
	}
	return list
}

// dropHandler drops the second address of stacks if it repeats the leaf, or if all samples have the same, which is then
// the signal handler.
func dropHandler(samples []legacySample) {
	drop := func(s *legacySample) { s.addresses = append(s.addresses[:1], s.addresses[2:]...) }
	same := len(samples) > 1
	for i := range samples {
		s := &samples[i]
		if len(s.addresses) > 1 && s.addresses[0] == s.addresses[1] {
			drop(s)
		}
		same = same && len(s.addresses) > 1 && s.addresses[1] == samples[0].addresses[1]
	}
	if same {
		for i := range samples {
			drop(&samples[i])
		}
	}
}

// convertLegacyCPU converts a binary CPU profile of gperftools to profile.proto, without compression. The error is
// ErrLegacy for the other legacy formats.
func convertLegacyCPU(data []byte) ([]byte, error) {
	r, head := readLegacyHeader(data)
	if r == nil || head.isJava {
		return nil, ErrLegacy
	}
	samples, err := r.readSamples()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := &sampledWriter{Encoder: newPlainEncoder(&out), mappings: r.readMappings()}
	w.SampleType("samples", "count")
	w.SampleType("cpu", "nanoseconds")
	w.writeMappings()
	w.writeValueType(profilePeriodType, "cpu", "nanoseconds")
	w.writeNumberField(profilePeriod, head.period*1000)
	ids := map[uint64]uint64{}
	dropHandler(samples)
	for _, s := range samples {
		w.stack = w.stack[:0]
		for i, address := range s.addresses {
			if i > 0 {
				address-- // of the call before a return address
			}
			if ids[address] == 0 {
				ids[address] = w.locationAt(w.mappingOf(address), address, nil)
			}
			w.stack = append(w.stack, ids[address])
		}
		w.Sample(w.stack, int64(s.count), int64(s.count*head.period*1000))
	}
	err = w.Close()
	return out.Bytes(), err
}

// mappingOf returns the mapping of an address, from 1, or 0.
func (w *sampledWriter) mappingOf(address uint64) uint64 {
	for i, m := range w.mappings {
		if address >= m.start && address < m.limit {
			return uint64(i + 1)
		}
	}
	return 0
}
