package perf

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"github.com/profarc/profarc/internal/formats/stacks/perf/perfdata"
	"github.com/profarc/profarc/internal/system/debuginfo"
)

const (
	kernel     = -1 // the mappings of the kernel
	anyProcess = -2 // the mappings of all processes, for samples of a process without mappings
)

// compiledCode begins the names of the files with the functions that virtual machines compiled.
const compiledCode = "/tmp/perf-"

// processes has the files that processes map.
type processes struct {
	root  string // folder with the files of the machine that recorded
	maps  map[int][]perfdata.Map
	files map[string]functions // functions by name and build id of their file
}

func newProcesses(root string) *processes {
	return &processes{root, map[int][]perfdata.Map{}, map[string]functions{}}
}

// add adds a mapping. The functions of memory without a file are in a file that the compiler of the process writes.
func (p *processes) add(m perfdata.Map) {
	if strings.HasPrefix(m.File, "//anon") || strings.HasPrefix(m.File, "[anon") {
		m.File = fmt.Sprintf("%s%d.map", compiledCode, m.Process)
		m.Offset = m.Start
	}
	p.maps[m.Process] = append(p.maps[m.Process], m)
	p.maps[anyProcess] = append(p.maps[anyProcess], m)
}

func (p *processes) fork(process, parent int) { p.maps[process] = slices.Clone(p.maps[parent]) }

func (p *processes) exec(process int) { delete(p.maps, process) }

// find returns the newest mapping with an address.
func (p *processes) find(process int, address uint64) (perfdata.Map, bool) {
	list := p.maps[process]
	if list == nil {
		list = p.maps[anyProcess]
	}
	for _, list := range [][]perfdata.Map{list, p.maps[kernel]} {
		for _, m := range slices.Backward(list) {
			if address-m.Start < m.Size {
				return m, true
			}
		}
	}
	return perfdata.Map{}, false
}

// nameOf returns the name of the function at an address, or "".
func (p *processes) nameOf(process int, address uint64) string {
	m, ok := p.find(process, address)
	if !ok {
		return ""
	}
	key := m.File + "\x00" + string(m.BuildID)
	f, ok := p.files[key]
	if !ok {
		f = p.readFunctions(m)
		p.files[key] = f
	}
	return f.nameAt(address - m.Start + m.Offset)
}

// functions has the functions of a file by address, and its segments.
type functions struct {
	segments []*elf.Prog
	symbols  []elf.Symbol
}

// readFunctions returns the functions of a mapped file: of the file or the copy that perf keeps, and of the debug
// information that Linux distributions install. It is empty if the file is missing or another build.
func (p *processes) readFunctions(m perfdata.Map) (f functions) {
	switch {
	case m.Process == kernel:
		f.addText("/proc/kallsyms", m)
		return f
	case strings.HasPrefix(m.File, compiledCode):
		f.addText(filepath.Join(p.root, m.File), m)
		return f
	}
	id := f.addFile(filepath.Join(p.root, m.File), m.BuildID)
	if id == nil {
		id = m.BuildID
	}
	if name := hex.EncodeToString(id); len(name) > 2 {
		if home, err := os.UserHomeDir(); f.segments == nil && err == nil {
			f.addFile(filepath.Join(home, ".debug/.build-id", name[:2], name[2:], "elf"), m.BuildID)
		}
		f.addFile(filepath.Join(p.root, "/usr/lib/debug/.build-id", name[:2], name[2:]+".debug"), m.BuildID)
	}
	f.sort()
	return f
}

// isRegular reports whether a path names a file. A recording can name devices and pipes, which must not be opened.
func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// addFile adds the functions of a file, unless it cannot be read or is another build. It returns its build id.
func (f *functions) addFile(path string, buildID []byte) (own []byte) {
	defer func() { _ = recover() }() // the reader of the standard library can panic on damage
	if !isRegular(path) {
		return nil
	}
	file, err := elf.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	own = debuginfo.BuildID(file)
	if buildID != nil && own != nil && !bytes.Equal(own, buildID) {
		return nil
	}
	if f.segments == nil {
		f.segments = file.Progs
	}
	static, _ := file.Symbols()
	dynamic, _ := file.DynamicSymbols()
	for _, s := range append(static, dynamic...) {
		kind := elf.ST_TYPE(s.Info)
		label := kind == elf.STT_NOTYPE && elf.ST_VISIBILITY(s.Other) == elf.STV_DEFAULT &&
			int(s.Section) < len(file.Sections)
		if s.Value != 0 && (kind == elf.STT_FUNC || kind == elf.STT_GNU_IFUNC || label) {
			f.symbols = append(f.symbols, s)
		}
	}
	return own
}

// addText adds the functions in a text with an address, a size and a name in each line. The kernel has a kind instead
// of the size. Its functions are added if the running kernel is at the address in the mapping.
func (f *functions) addText(path string, m perfdata.Map) {
	if !isRegular(path) {
		return
	}
	list, _ := os.ReadFile(path)
	for line := range bytes.Lines(list) {
		words := bytes.SplitN(bytes.TrimSpace(line), []byte(" "), 3)
		address, err := parseHex(words[0])
		if err != nil || len(words) < 3 {
			continue
		}
		name, _, _ := strings.Cut(string(words[2]), "\t") // a module of the kernel follows
		s := elf.Symbol{Name: name, Value: address}
		if m.Process != kernel {
			s.Size, _ = parseHex(words[1])
		} else if s.Name == "_text" && address != m.Offset {
			return
		} else if !bytes.ContainsAny(words[1], "tTwW") {
			continue
		}
		f.symbols = append(f.symbols, s)
	}
	f.segments = []*elf.Prog{{ProgHeader: elf.ProgHeader{Type: elf.PT_LOAD, Filesz: math.MaxUint64}}}
	f.sort()
}

func parseHex(text []byte) (uint64, error) {
	return strconv.ParseUint(string(bytes.TrimPrefix(text, []byte("0x"))), 16, 64)
}

// sort sorts by address. Of several functions with an address the last is named: with the fewest underscores.
func (f *functions) sort() {
	slices.SortStableFunc(f.symbols, func(a, b elf.Symbol) int {
		return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(strings.Count(b.Name, "_"), strings.Count(a.Name, "_")))
	})
}

// nameAt returns the name of the function at an offset in the file, or "".
func (f *functions) nameAt(offset uint64) string {
	segment := slices.IndexFunc(f.segments, func(p *elf.Prog) bool {
		return p.Type == elf.PT_LOAD && offset-p.Off < p.Filesz
	})
	if segment < 0 {
		return ""
	}
	address := offset - f.segments[segment].Off + f.segments[segment].Vaddr
	symbol, ok := debuginfo.SymbolAt(f.symbols, address)
	if !ok {
		return ""
	}
	return demangle.Filter(symbol.Name, demangle.NoParams)
}
