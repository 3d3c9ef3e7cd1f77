package listing

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/internal/java/bytecode"
	"github.com/profarc/profarc/internal/java/classfile"
	"github.com/profarc/profarc/internal/names/javanames"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// A Program is the code of a Java program and its sources. It is safe for concurrent use.
type Program struct {
	mu      sync.Mutex
	classes *classfile.Path
	sources *classfile.Sources

	sizesOf *reader.Store         // the archive of sizes
	sizes   map[layout.Key]uint64 // of C2's code, by method without its loader
}

// Open opens a class path and a source path: see classfile.Open and OpenSources. release
// is the profiled JVM's, 0 if it is not known.
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

// Close closes the files. A nil Program has none.
func (p *Program) Close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.classes.Close()
	p.sources.Close()
}

// ErrDomain: profiles of the archive's domain are not of Java's bytecodes.
var ErrDomain = errors.New("profiles of this domain are not of Java's bytecodes")

// Takes reports whether profiles of a domain are of Java's bytecodes.
func Takes(d layout.Domain) bool {
	return d == layout.DomainHotSpot || d == layout.DomainGraal || d == layout.DomainJamaica
}

// A Match says whether the class path has the code that was profiled.
type Match string

// The matches. Only Same proves that the counts are of this code, and with Unproven they probably are. With
// Other code the counts are left out of the listing: they belong to other bytecodes.
const (
	Same     Match = "same"      // the code id equals the profile's
	Unproven Match = "unproven"  // the profile has no code id, but its points fit
	Other    Match = "other"     // the method has other code: its instructions have no counts
	NoCode   Match = "no code"   // the method is native or abstract
	NoMethod Match = "no method" // the class does not declare the method
	NoClass  Match = "no class"  // the class is not on the class path
)

// A Listing is the code of a method with the counts of its profile.
type Listing struct {
	Class      string `json:"class"` // java/lang/String
	Name       string `json:"name"`
	Descriptor string `json:"descriptor"`
	Match      Match  `json:"match"`
	CodeID     uint64 `json:"-"`                 // of the code that is listed, 0 if there is none
	Problem    string `json:"problem,omitempty"` // the damage, "" if there is none
	// Unplaced are the points that belong to no instruction that is listed: all of them
	// unless Match is Same or Unproven.
	Unplaced     []analyze.Point `json:"unplaced,omitempty"`
	Instructions []Instruction   `json:"instructions"`
	Source       *Source         `json:"source,omitempty"` // nil if none was found
	// SourceFile is the file that the class says it was compiled from, without its folder; ""
	// if it does not say.
	SourceFile string `json:"source_file,omitempty"`
}

// Placed reports whether the counts stand beside the code.
func (l *Listing) Placed() bool { return l.Match == Same || l.Match == Unproven }

// At returns the instruction at a bci; ok is false if there is none.
func (l *Listing) At(bci int) (i *Instruction, ok bool) {
	at, ok := instructionAt(l.Instructions, bci)
	if !ok {
		return nil, false
	}
	return &l.Instructions[at], true
}

// Of lists the code of a method with the counts of its profiles, which are all of one
// version of the code: one profile, or the profiles of several contexts, whose counts are added.
// Without profiles it lists the code alone. The error matches ErrDomain, or comes from a
// damaged archive: faults of class and source files are in the listing.
func (p *Program) Of(m reader.Method, profiles ...reader.Profile) (*Listing, error) {
	s := m.Store()
	d := s.Header().Domain
	if !Takes(d) {
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

// methodEntries is how often a method was entered.
type methodEntries struct {
	n     uint64
	known bool
}

func (e *methodEntries) addEntries(q reader.Profile) {
	if c, ok := q.Invocations(); ok {
		e.n = disk.SaturatingAdd(e.n, c.Load())
		e.known = true
	}
}

// listCode lists the code of a method.
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
	if l.Placed() {
		l.placePoints(points)
		f := &flow{code: m.Code, list: l.Instructions}
		f.deriveCounts(entered.n, entered.known)
		f.setHeat()
	} else {
		l.Unplaced = points
	}
	l.addSource(p.sources, class)
	return l
}

// endOfCode returns where the instructions end.
func endOfCode(code []byte, list []Instruction) int {
	if len(list) == 0 {
		return 0
	}
	last := list[len(list)-1].Bci
	return last + bytecode.Size(code, last)
}

// findCode finds the code of a method, that with the code id if there is one, and sets the match.
func (p *Program) findCode(l *Listing, d layout.Domain, k layout.Key, code uint64) (class *classfile.File,
	m classfile.Method) {
	files, err := p.classes.All(l.Class)
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

// methodOf finds a method by its key. GraalVM spells its signature in its own way.
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

// bytecodeKinds are the kinds of bytecodes at which points stand, by Point.Bytecode. Others may stand at any.
var bytecodeKinds = map[string][]bytecode.PointKind{
	"call": calls, "check": {bytecode.TypeCheck},
	"call or check": append([]bytecode.PointKind{bytecode.TypeCheck}, calls...),
	"jump":          {bytecode.Jump}, "branch": {bytecode.Branch}, "switch": {bytecode.Switch}, "ret": {bytecode.RetFrom},
}

var calls = []bytecode.PointKind{bytecode.Call, bytecode.VirtualCall}

// pointsFit reports whether all points lie at bytecodes of their kind.
func pointsFit(points []analyze.Point, code []byte, list []Instruction) bool {
	for _, p := range points {
		if p.Point < 0 {
			continue // of no bytecode
		}
		if _, ok := instructionAt(list, int(p.Point)); !ok {
			return false
		}
		i, _ := bytecode.At(code, int(p.Point))
		if kinds, ruled := bytecodeKinds[p.Bytecode]; ruled && !slices.Contains(kinds, i.Kind()) {
			return false
		}
	}
	return true
}

// placePoints puts points beside their instructions, and the targets and labels of branches into their outcomes.
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

// nextBci returns the bci after an instruction, -1 if it is the last.
func (l *Listing) nextBci(at int) int {
	if at+1 < len(l.Instructions) {
		return l.Instructions[at+1].Bci
	}
	return -1
}

// setTargets sets the targets of outcomes, and the labels of cases.
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
