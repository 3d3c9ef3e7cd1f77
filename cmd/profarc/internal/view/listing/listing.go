package listing

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/java/bytecode"
	"github.com/profarc/profarc/internal/java/classfile"
	"github.com/profarc/profarc/internal/java/methodcode"
	"github.com/profarc/profarc/internal/names/entries"
	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Program is the code and the sources of a Java program. It is safe for concurrent use.
type Program struct {
	mu      sync.Mutex
	classes *classfile.Path
	sources *classfile.Sources

	sizesOf *reader.Store         // archive that sizes were read from
	sizes   map[layout.Key]uint64 // bytes of C2's code, by method without loader
}

// Open opens a class path and a source path; see classfile.Open and classfile.OpenSources. release is the profiled
// JVM's, or 0 if unknown.
func Open(classPath, sourcePath []string, release int) (*Program, error) {
	classes, err := classfile.Open(classPath, release)
	if err != nil {
		return nil, err
	}
	sources, err := classfile.OpenSources(sourcePath, classPath)
	if err != nil {
		classes.Close()
		return nil, err
	}
	return &Program{classes: classes, sources: sources}, nil
}

func (p *Program) Close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.classes.Close()
	p.sources.Close()
}

var ErrDomain = errors.New("profiles of this domain are not of Java's bytecodes")

func SupportsDomain(d layout.Domain) bool {
	return d == layout.DomainHotSpot || d == layout.DomainGraal || d == layout.DomainJamaica
}

// A Match tells whether the class path has the profiled code.
type Match string

// Only Same proves that the counts belong to the code, and Unproven makes it likely. With
// Other, the listing has no counts.
const (
	Same     Match = "same"      // the code id equals the profile's
	Unproven Match = "unproven"  // the profile has no code id, but its points fit
	Other    Match = "other"     // the method has other code, so its instructions have no counts
	NoCode   Match = "no code"   // the method is native or abstract
	NoMethod Match = "no method" // the class does not declare the method
	NoClass  Match = "no class"  // the class is not on the class path
)

var matchTexts = map[Match]string{
	Same:     "this is the code that was profiled",
	Unproven: "the profile does not say which code it is of: its points fit this one, which may be another version",
	Other:    "the class path has other code of this method than the one that was profiled, so no counts stand beside it",
	NoCode:   "the method is native or abstract on the class path: it has no bytecodes",
	NoMethod: "the class on the class path does not have this method",
	NoClass:  "the class is not on the class path",
}

// Text describes the match in words.
func (m Match) Text() string { return matchTexts[m] }

type Listing struct {
	Class      string `json:"class"` // java/lang/String
	Name       string `json:"name"`
	Descriptor string `json:"descriptor"`
	Match      Match  `json:"match"`
	CodeID     uint64 `json:"-"`                 // code id; 0 without code
	Problem    string `json:"problem,omitempty"` // damage of class or source file, or ""
	// Unplaced are the points without a listed instruction, which are all points unless Match is Same or Unproven.
	Unplaced     []analyze.Point `json:"unplaced,omitempty"`
	Instructions []Instruction   `json:"instructions"`
	Source       *Source         `json:"source,omitempty"` // nil if not found
	SourceFile   string          `json:"source_file,omitempty"`
}

func (l *Listing) HasCounts() bool { return l.Match == Same || l.Match == Unproven }

func (l *Listing) At(bci int) (i *Instruction, ok bool) {
	at, ok := instructionAt(l.Instructions, bci)
	if !ok {
		return nil, false
	}
	return &l.Instructions[at], true
}

// ListMethod lists the code of a method with the counts of its profiles, which must describe one version of the code.
// It adds the counts of several contexts. Without profiles it lists the code alone. The error matches ErrDomain, or
// comes from a damaged archive. Damage of class and source files is reported in the listing.
func (p *Program) ListMethod(m reader.Method, profiles ...reader.Profile) (*Listing, error) {
	s := m.Store()
	d := s.Header().Domain
	if !SupportsDomain(d) {
		return nil, fmt.Errorf("%w: %s", ErrDomain, d)
	}
	k, err := m.Key()
	if err != nil {
		return nil, err
	}
	var points []analyze.Point
	var entered methodEntries
	var read analyze.PointReader
	for _, q := range profiles {
		some, err := read.Points(q)
		if err != nil {
			return nil, err
		}
		points = append(points, some...)
		entered.addEntries(q)
	}
	code := layout.CodeUnknown
	if d == layout.DomainHotSpot && len(profiles) > 0 {
		code = profiles[0].Code()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.listCode(d, k.Split(d), code, points, entered)
	if d == layout.DomainHotSpot && len(profiles) > 0 {
		err = p.setRefusals(l, profiles[0], entered)
	}
	return l, err
}

type methodEntries struct {
	n     uint64
	known bool
}

func (e *methodEntries) addEntries(q reader.Profile) {
	if c, ok := q.Invocations(); ok {
		e.n = schema.AddCounts(e.n, c.Load())
		e.known = true
	}
}

func (p *Program) listCode(d layout.Domain, k layout.Key, code uint64, points []analyze.Point,
	entered methodEntries) *Listing {
	l := &Listing{Class: strings.ReplaceAll(k.Class, ".", "/"), Name: k.Name, Descriptor: k.Signature,
		Instructions: []Instruction{}}
	class, m := p.findCode(l, d, k, code)
	if class == nil || m.Code == nil {
		l.Unplaced = points
		return l
	}
	l.SourceFile = class.SourceFile()
	l.Descriptor = m.Signature
	ok := false
	l.Instructions, ok = instructions(class, m)
	if !ok {
		l.Problem = fmt.Sprintf("byte %d of its code is no bytecode", endOfCode(m.Code, l.Instructions))
	}
	if l.Match == Unproven && !pointsFit(points, m.Code, l.Instructions) {
		l.Match = Other
	}
	if l.HasCounts() {
		l.placePoints(points)
		f := &flow{code: m.Code, list: l.Instructions, late: d == layout.DomainHotSpot}
		f.deriveCounts(entered.n, entered.known)
		setHeat(f.list, func(i *Instruction) (uint64, *float64) { return i.Count, &i.Heat })
	} else {
		l.Unplaced = points
	}
	l.addSource(p.sources, class)
	return l
}

func endOfCode(code []byte, list []Instruction) int {
	if len(list) == 0 {
		return 0
	}
	last := list[len(list)-1].Bci
	return last + bytecode.Size(code, last)
}

func (p *Program) findCode(l *Listing, d layout.Domain, k layout.Key, code uint64) (class *classfile.File,
	m classfile.Method) {
	files, err := p.classes.AllClasses(l.Class)
	if l.Match = NoClass; err != nil {
		l.Problem = err.Error()
	}
	for _, file := range files {
		found, ok := methodOf(file, d, k)
		if !ok {
			if class == nil {
				l.Match = NoMethod
			}
			continue
		}
		id := bytecode.CodeID(found.Code)
		if class == nil || id == code {
			class, m, l.CodeID, l.Match = file, found, id, matchCode(found.Code, id, code)
		}
		if l.Match == Same {
			break
		}
	}
	return class, m
}

func matchCode(code []byte, id, profiled uint64) Match {
	switch {
	case code == nil:
		return NoCode
	case profiled == layout.CodeUnknown:
		return Unproven
	case id == profiled:
		return Same
	}
	return Other
}

// methodOf finds a method by key. GraalVM has its own form of signatures.
func methodOf(file *classfile.File, d layout.Domain, k layout.Key) (classfile.Method, bool) {
	if d != layout.DomainGraal {
		return file.Method(k.Name, k.Signature)
	}
	i := slices.IndexFunc(file.Methods, func(m classfile.Method) bool {
		spelled, ok := javanames.GraalSignature(m.Signature)
		return ok && m.Name == k.Name && spelled == k.Signature
	})
	if i < 0 {
		return classfile.Method{}, false
	}
	return file.Methods[i], true
}

// bytecodeKinds maps Point.Bytecode to the kinds of bytecodes at which such points occur. Other points occur anywhere.
var bytecodeKinds = map[string][]methodcode.PointKind{
	"call": calls, "check": {methodcode.TypeCheck},
	"call or check": append([]methodcode.PointKind{methodcode.TypeCheck}, calls...),
	"jump":          {methodcode.Jump},
	"branch":        {methodcode.Branch}, "switch": {methodcode.Switch}, "ret": {methodcode.Ret},
}

var calls = []methodcode.PointKind{methodcode.Call, methodcode.VirtualCall}

func pointsFit(points []analyze.Point, code []byte, list []Instruction) bool {
	for _, p := range points {
		if p.Point < 0 {
			continue // not at a bytecode
		}
		if _, ok := instructionAt(list, int(p.Point)); !ok {
			return false
		}
		i, _ := bytecode.DecodeAt(code, int(p.Point))
		if kinds, ruled := bytecodeKinds[p.Bytecode]; ruled && !slices.Contains(kinds, i.Kind()) {
			return false
		}
	}
	return true
}

func (l *Listing) placePoints(points []analyze.Point) {
	for _, p := range points {
		at, ok := instructionAt(l.Instructions, int(p.Point))
		if !ok {
			l.Unplaced = append(l.Unplaced, p)
			continue
		}
		i := &l.Instructions[at]
		setTargets(&p, i, l.nextBci(at))
		i.Points = append(i.Points, p)
	}
}

func (l *Listing) nextBci(at int) int {
	if at+1 < len(l.Instructions) {
		return l.Instructions[at+1].Bci
	}
	return -1
}

func setTargets(p *analyze.Point, i *Instruction, next int) {
	for k := range p.Outcomes {
		o := &p.Outcomes[k]
		switch {
		case o.Kind == analyze.NotTaken && next >= 0:
			o.Target = &next
		case (o.Kind == analyze.Taken || o.Kind == analyze.Default) && len(i.Targets) > 0:
			o.Target = &i.Targets[0]
		case o.Kind == analyze.Case && len(i.Labels) == len(p.Outcomes)-1 && o.Index < len(i.Labels):
			o.Target = &i.Targets[o.Index+1]
			o.Label = &i.Labels[o.Index]
		}
	}
}

type Fact struct{ Name, Value string }

// FactsText joins facts: "invocations 3, size in the VM 200 bytes, escape analysis: no result".
func FactsText(facts []Fact) string {
	var parts []string
	for _, f := range facts {
		between := " "
		if f.Value[0] < '0' || f.Value[0] > '9' {
			between = ": "
		}
		parts = append(parts, f.Name+between+f.Value)
	}
	return strings.Join(parts, ", ")
}

// ProfileFacts returns the counters of the whole method, and sizes. number formats numbers.
func ProfileFacts(q reader.Profile, number func(uint64) string) (list []Fact) {
	for _, c := range []struct {
		name string
		get  func() (reader.Counter, bool)
	}{{"invocations", q.Invocations}, {"backedges", q.Backedges}, {"invocations by the interpreter", q.Interpreted}} {
		if n, ok := c.get(); ok {
			list = append(list, Fact{c.name, number(n.Load())})
		}
	}
	code, host := q.Size()
	if code > 0 {
		list = append(list, Fact{"size of the code", number(uint64(code)) + " bytes"})
	}
	if host > 0 {
		list = append(list, Fact{"size in the VM", number(uint64(host)) + " bytes"})
	}
	return list
}

// CompilerFacts returns the facts recorded by the VM's compilers. number formats numbers.
func CompilerFacts(q reader.Profile, number func(uint64) string) (list []Fact) {
	add := func(name string, n uint64) { list = append(list, Fact{name, number(n)}) }
	data := entries.CompilerDataOf(q)
	if c := data.Compile; c != nil {
		list = append(list, Fact{"highest level", tierText(q.Store().Header().Domain, int(c.Level))})
		add("loops", uint64(c.Loops))
		add("basic blocks", uint64(c.Blocks))
	}
	if h := data.History; h != nil {
		add("decompiles", uint64(h.Decompiles))
		if h.OverflowRecompiles > 0 || h.OverflowTraps > 0 || h.TenureTraps > 0 {
			add("overflow recompiles", uint64(h.OverflowRecompiles))
			add("overflow traps", uint64(h.OverflowTraps))
			add("tenure traps", uint64(h.TenureTraps))
		}
	}
	if e := data.Escape; e != nil {
		list = append(list, Fact{"escape analysis", entries.EscapeText(*e)})
	}
	return list
}

var tiers = []string{"never compiled", "C1, without profiling", "C1, with counters", "C1, with full profiling", "C2"}

func tierText(d layout.Domain, level int) string {
	if d != layout.DomainHotSpot || level >= len(tiers) {
		return fmt.Sprint(level)
	}
	if level == 0 {
		return tiers[level]
	}
	return fmt.Sprintf("%d (%s)", level, tiers[level])
}

func MethodNotes(m reader.Method) (notes []string) {
	if m.Unexecuted() {
		notes = append(notes, "never ran")
	}
	if m.Flags()&layout.MethodNotMatchable != 0 {
		notes = append(notes, "its name means nothing in another run")
	}
	if m.Flags()&schema.MethodSharedID != 0 {
		notes = append(notes, "another method has the same id")
	}
	return notes
}
