package perf

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/stacks/perf/perfdata"
	"github.com/profarc/profarc/internal/system/lazyregexp"
)

// Losses of branches.
const (
	LossBroken codec.LossKind = "branches after one that is no pair of addresses"
	LossNamed  codec.LossKind = "branches by name, without addresses: print them with perf script -F ip,brstack"
)

var (
	// addressHead matches a line with command and process, or only an address: process, event, address.
	addressHead = lazyregexp.New(`^ *(?:\S.*?\s+(-?[0-9]+)(?:\s*/\s*-?[0-9]+)?|(-?[0-9]+)/ *-?[0-9]+)(?:\s+|$)(?:-?[0-9]+\s+)??(?:\[[0-9]+\]\s+)?` +
		`(?:[0-9]+\.[0-9]+:\s+)?(?:(?:[0-9]+\s+)?(\S+):(?:\s+|$))?(?:([0-9a-f]{4,16})(?:\s+[^[\s0-9]|$)|$)`)
	onlyAddress = lazyregexp.New(`^\s*([0-9a-f]+)(?:\s|$)`)
	// eventAddress matches the event and the address of -F event,ip.
	eventAddress = lazyregexp.New(`^\s*([a-zA-Z]\S*):\s+([0-9a-f]{4,16})$`)
	// mapping matches an event of --show-mmap-events: process, start, size, offset and file.
	mapping = lazyregexp.New(`PERF_RECORD_MMAP2? (-?[0-9]+)/-?[0-9]+: \[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ (0x[0-9a-f]+|0)[^\]]*\]:` +
		` [-rwxps]+ (.*)$`)
	// namedBranch matches a branch of brstacksym and a line of brstackinsn.
	namedBranch = lazyregexp.New(`\S/\S+/[-PMN]/[-X]/[-A]/|\tinsn:|# (?:MIS)?PRED`)
)

// addMapping adds the mapping in a line. Other events are skipped.
func (r *sampleReader) addMapping(line []byte) {
	if m := mapping().FindSubmatch(line); m != nil {
		process, _ := strconv.Atoi(string(m[1]))
		var n [3]uint64
		for i := range n {
			n[i], _ = strconv.ParseUint(string(m[2+i]), 0, 64)
		}
		r.addMap(perfdata.Map{Process: process, Start: n[0], Size: n[1], Offset: n[2], File: string(m[5])})
	}
}

// parseAddressHead parses the head of a sample whose address is wanted.
func parseAddressHead(line []byte) (h head, ok bool) {
	h.Process = anyProcess
	if len(line) == 0 || line[0] == '\t' {
		return h, false
	}
	m := eventAddress().FindSubmatch(line)
	if m != nil {
		h.Event = string(m[1])
		m = m[1:]
	} else if m = addressHead().FindSubmatch(line); m != nil {
		h.Process, _ = strconv.Atoi(string(append(m[1], m[2]...)))
		h.Event = string(m[3])
		m = m[3:]
	} else if m = onlyAddress().FindSubmatch(line); m != nil {
		h.bare = true
	} else {
		return h, false
	}
	h.setAddress(m[1])
	return h, true
}

func (h *head) setAddress(text []byte) {
	if n, err := strconv.ParseUint(string(text), 16, 64); err == nil {
		h.placed = true
		h.IP = n
	}
}

// cutBranches divides a line before its first branch, as 0x401136/0x401150/P/-/-/0.
func cutBranches(line []byte) (before, branches []byte) {
	for at := 0; ; at += len("0x") {
		next := bytes.Index(line[at:], []byte("0x"))
		if next < 0 {
			return line, nil
		}
		at += next
		word, _, _ := bytes.Cut(line[at:], []byte(" "))
		if (at == 0 || line[at-1] == ' ') && bytes.Contains(word, []byte("/0x")) {
			return bytes.TrimRight(line[:at], " "), line[at:]
		}
	}
}

// addBranches adds branches to the sample, the newest first. perf prints the file of an address in parentheses with
// -F +dso.
func (r *sampleReader) addBranches(text []byte) {
	for word := range bytes.FieldsSeq(text) {
		var b [2]uint64
		var err error
		rest := string(word)
		for i := range b {
			digits := strings.TrimPrefix(rest, "0x")
			end := len(digits) - len(strings.TrimLeft(digits, "0123456789abcdef"))
			if b[i], err = strconv.ParseUint(digits[:end], 16, 64); err != nil {
				r.lose(LossBroken, word)
				return
			}
			_, rest, _ = strings.Cut(digits[end:], "/0x")
		}
		r.of.Branches = append(r.of.Branches, b)
	}
}
