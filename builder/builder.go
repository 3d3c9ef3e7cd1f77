package builder

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/profarc/profarc/internal/disk"
	"github.com/profarc/profarc/layout"
)

// Config is what an archive says of itself. The zero value is of use.
type Config struct {
	Params      layout.Params // producer's settings
	Producer    string        // who made the profiles, at most 64 bytes, for instance "OpenJDK 17.0.15+6"
	Fingerprint [16]byte      // of the program; zero if not known
	DumpID      [16]byte      // identity of the dump; derived from the content if zero
	DumpTime    time.Time     // zero if not known
	Flags       uint64        // layout.FlagDelta
	// Run says which run the dump is of; nil if nothing is known of it. See
	// Builder.DescribeRun.
	Run     *layout.Provenance
	Workers int // goroutines used by Commit; GOMAXPROCS if 0
	// Progress, if not nil, is told by Commit how many of how many bytes are
	// written. It must not call the builder.
	Progress func(done, total int64)
}

// References to what a builder has interned. They are valid for that builder
// only. The zero value of each is none.
type (
	TypeRef    uint32
	MethodRef  uint32
	ContextRef uint32
	ProfileRef uint32
	SymbolRef  uint32
)

// NoContext is the context of a profile that holds for every caller.
const NoContext ContextRef = 0

// A Builder gathers profiles.
type Builder struct {
	domain layout.Domain
	shape  disk.Shape

	mu       sync.Mutex
	config   Config
	symbols  symbols
	types    table[typeKey, typeData]
	methods  methods
	contexts contexts
	profiles list[profileData]
	versions map[profileKey]ProfileRef // but for the first profile of a method and context
	tables   map[layout.TableKind]*Table
	blocks   arena
	merger   merger              // of the last profile
	merged   profileParts        // of the last merge
	scratch  []byte              // of the last function
	dumps    map[[16]byte]dump   // that were merged
	copied   map[[16]byte]bool   // dumps of archives that were merged or added
	runIDs   map[runKey][16]byte // of the last dump of each run
	shaped   shapeUse            // what was merged depends on
	mixed    bool                // of several runs
	ordered  keptOrder           // what the order of the profiles' references is
	united   int                 // rows of tables when they were united last
	run      runData
	runs     uint32 // so far
	unmerged uint64 // entries of which another with more cells was kept, and values that llvm-profdata drops

	unmatchable uint64 // profiles that were merged with one of another run, and may be of something else
	batch       *Batch // that is open, or nil
	era         int    // number of batches that began or ended
	err         error
}

// New makes an empty builder.
func New(domain layout.Domain, config Config) *Builder {
	b := &Builder{domain: domain, config: config, shape: disk.ShapeOf(&config.Params), tables: map[layout.TableKind]*Table{}, versions: map[profileKey]ProfileRef{}, dumps: map[[16]byte]dump{}, copied: map[[16]byte]bool{}, runIDs: map[runKey][16]byte{}}
	b.symbols.byNameRef = domain.LLVM()
	b.run = b.newRun(Run{})
	if !domain.Valid() {
		b.fail(fmt.Errorf("unknown domain %d", uint32(domain)))
	}
	if err := disk.CheckParams(&config.Params); err != nil {
		b.fail(err)
	}
	if err := config.check(); err != nil {
		b.fail(err)
	}
	if config.Run != nil {
		b.DescribeRun(*config.Run)
	}
	return b
}

const maxProducer = 64

// check refuses what a header could not say again.
func (c *Config) check() error {
	switch {
	case len(c.Producer) > maxProducer:
		return fmt.Errorf("a producer of %d bytes, at most %d are kept: shorten %.20q", len(c.Producer), maxProducer, c.Producer)
	case strings.IndexByte(c.Producer, 0) >= 0:
		return fmt.Errorf("a producer holds a NUL byte: %q", c.Producer)
	case !c.DumpTime.IsZero() && !time.Unix(0, c.DumpTime.UnixNano()).Equal(c.DumpTime):
		return fmt.Errorf("a dump of %s: times reach from 1678 to 2262", c.DumpTime)
	case c.Flags&^disk.KnownFlags != 0:
		return fmt.Errorf("unknown flags %#x", c.Flags&^disk.KnownFlags)
	}
	return nil
}

// Domain is the domain the builder was made for.
func (b *Builder) Domain() layout.Domain { return b.domain }

// Err is the first error of any call on the builder.
func (b *Builder) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// fail keeps the first error. The caller holds mu, or nobody else has b yet.
func (b *Builder) fail(err error) {
	if b.err == nil {
		b.err = fmt.Errorf("builder: %w", err)
	}
}

// Symbol interns any text or bytes, for tables.
func (b *Builder) Symbol(text string) SymbolRef {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.symbol(text, disk.MaxBlob)
}

// symbol interns text of at most limit bytes. The caller holds mu.
func (b *Builder) symbol(text string, limit int) SymbolRef {
	if len(text) > limit {
		b.fail(fmt.Errorf("%w: a name of %d bytes, at most %d are possible; it begins with %.40q", layout.ErrTooLarge, len(text), limit, text))
		return 0
	}
	ref, _ := b.symbols.intern(text)
	return ref
}

// name interns a part of a key: "" is none. The caller holds mu.
func (b *Builder) name(text string) SymbolRef {
	if text == "" {
		return 0
	}
	if strings.IndexByte(text, 0) >= 0 {
		b.fail(fmt.Errorf("a name holds a NUL byte: %.80q", text))
		return 0
	}
	return b.symbol(text, disk.MaxName)
}

func (b *Builder) text(s SymbolRef) string {
	if s == 0 {
		return ""
	}
	return b.symbols.text(s)
}
