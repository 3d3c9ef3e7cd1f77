package autofdo

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/formats/llvm/sample"
)

// Bits of the flags of a pseudo probe.
const (
	probeKind          = 0x0f // 0 for a block, otherwise a call
	probeSentinel      = 0x20 // the address is the GUID of a part of a function
	probeDiscriminator = 0x40
	probeDelta         = 0x80 // the address is a difference from the one before
)

// maxInlining is the maximum nesting of inlined functions.
const maxInlining = 1000

// A probe is a pseudo probe, which marks a block or a call of a function's source.
type probe struct {
	frames []sample.Frame // functions into which it was inlined, the outermost first; the last one is its own
	isCall bool
	root   uint64 // address of the function into which all were inlined
}

// probes has the pseudo probes of a program.
type probes struct {
	at        map[uint64][]probe // probes by address
	addresses []uint64           // sorted
	names     map[uint64]string  // names of functions, by GUID
	checksums map[string]uint64  // checksums of functions, by name
	starts    map[uint64]uint64  // addresses of functions, by GUID
	rest      []byte
	entries   map[uint64]string // names of functions, by address
	last      uint64            // address of the probe before
	root      uint64            // address of the function that is read
	absolute  bool              // functions continue at the last address of the one before, as of older compilers
	damaged   bool
}

// readProbes reads the sections of pseudo probes. It returns nil for a program without.
func (p *Program) readProbes() (*probes, error) {
	var content [2][]byte
	for i, name := range []string{".pseudo_probe_desc", ".pseudo_probe"} {
		s := p.file.Section(name)
		if s == nil {
			return nil, nil
		}
		var err error
		if content[i], err = s.Data(); err != nil {
			return nil, fmt.Errorf("section %s: %w", name, err)
		}
	}
	r := &probes{at: map[uint64][]probe{}, names: map[uint64]string{}, checksums: map[string]uint64{},
		starts: map[uint64]uint64{}, entries: map[uint64]string{}, rest: content[1]}
	err := sample.ReadProbeDescriptions(content[0], 0, func(guid, checksum uint64, name string) {
		r.names[guid] = name
		r.checksums[name] = checksum
	})
	r.damaged = err != nil
	symbols, _ := p.file.Symbols() // a program without symbols has no names
	for _, s := range symbols {
		guid := disk.NameRef(s.Name)
		r.starts[guid] = s.Value
		if name, ok := r.names[guid]; ok {
			r.entries[s.Value] = name
		}
	}
	for len(r.rest) > 0 && !r.damaged {
		r.readFunction(nil, 0)
	}
	if r.damaged {
		return nil, errors.New("its sections of pseudo probes are damaged")
	}
	for address := range r.at {
		r.addresses = append(r.addresses, address)
	}
	slices.Sort(r.addresses)
	return r, nil
}

// readFunction reads the probes of a function and of the functions that are inlined in it.
func (r *probes) readFunction(callers []sample.Frame, depth int) {
	if depth > 0 {
		call := uint32(r.uleb()) // probe in the caller, 0 if it is unknown
		if call == 0 {
			callers = nil
		} else {
			callers = slices.Clone(callers)
			callers[len(callers)-1].Line = call
		}
	}
	guid := r.word()
	name, ok := r.names[guid]
	if !ok || depth > maxInlining {
		r.damaged = true
		return
	}
	if depth == 0 {
		r.root = r.starts[guid]
		if !r.absolute {
			r.last = cmp.Or(r.root, r.last)
		}
	}
	frames := append(slices.Clip(callers), sample.Frame{Name: name})
	count, inlined := r.uleb(), r.uleb()
	for ; count > 0 && !r.damaged; count-- {
		r.readProbe(slices.Clone(frames))
	}
	for ; inlined > 0 && !r.damaged; inlined-- {
		r.readFunction(frames, depth+1)
	}
}

func (r *probes) readProbe(frames []sample.Frame) {
	at := &frames[len(frames)-1].Location
	at.Line = uint32(r.uleb())
	var flags byte
	if b := r.takeBytes(1); b != nil {
		flags = b[0]
	}
	isSentinel := flags&probeSentinel != 0
	switch {
	case flags&probeDelta != 0:
		r.last += uint64(r.sleb())
	case isSentinel:
		guid := r.word()
		r.last = guid
		if start, ok := r.starts[guid]; ok {
			r.last = start
		}
	default:
		r.last = r.word()
		r.absolute = true
	}
	if flags&probeDiscriminator != 0 {
		at.Discriminator = uint32(r.uleb())
	}
	if !isSentinel && r.root != 0 { // else the linker removed the function
		r.at[r.last] = append(r.at[r.last], probe{frames, flags&probeKind != 0, r.root})
	}
}

// callProbe returns the probe of a call, or nil.
func (p *Program) callProbe(address uint64) *probe {
	all := p.probes.at[address]
	if i := slices.IndexFunc(all, func(one probe) bool { return one.isCall }); i >= 0 {
		return &all[i]
	}
	return nil
}

// takeBytes returns the next bytes, or nil at the end, which is damage.
func (r *probes) takeBytes(n uint64) (b []byte) {
	if n > uint64(len(r.rest)) {
		r.damaged = true
		r.rest = nil
		return nil
	}
	b, r.rest = r.rest[:n], r.rest[n:]
	return b
}

func (r *probes) word() uint64 {
	b := r.takeBytes(8)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

func (r *probes) uleb() uint64 {
	v, n := binary.Uvarint(r.rest)
	r.takeBytes(uint64(max(n, 1)))
	return v
}

// sleb reads a number with a sign, which the highest bit of its last byte's seven has.
func (r *probes) sleb() (v int64) {
	for shift := 0; shift < 64; shift += 7 {
		b := r.takeBytes(1)
		if b == nil {
			return 0
		}
		v |= int64(b[0]&0x7f) << shift
		if b[0]&0x80 == 0 {
			if b[0]&0x40 != 0 && shift < 57 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
	return v
}
