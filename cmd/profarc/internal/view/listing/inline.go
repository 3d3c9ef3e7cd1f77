package listing

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/profarc/profarc/cmd/profarc/internal/view/facts"
	"github.com/profarc/profarc/experimental/analyze"
	"github.com/profarc/profarc/internal/java/classfile"
	"github.com/profarc/profarc/internal/names/schema"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/reader"
)

// Default limits of C2 in opto/bytecodeInfo.cpp and opto/doCall.cpp of JDK 17 and 25.
const (
	maxInlineSize  = 35       // bytes of bytecode at any call
	freqInlineSize = 325      // bytes of bytecode at a frequent call
	frequent       = 0.25     // InlineFrequencyRatio, executions per invocation of the caller
	oftenCalls     = 250      // MinInliningThreshold, until JDK 17, where 100 calls are often
	bigMethod      = 3 * 2500 // InlineSmallCode of machine code; with its tables it takes up to three times as much
	seldomRatio    = 0.0085   // MinInlineFrequencyRatio, from JDK 18 on
)

// unguessed lists trap reasons after which C2 does not guess a receiver.
var unguessed = []string{"class_check", "bimorphic_or_optimized_type_check"}

// A Refusal tells why C2 does not inline a call by default. Why begins with the words of -XX:+PrintInlining if there
// are any.
type Refusal struct {
	Why    string `json:"why"`
	Change string `json:"change"` // how to make C2 inline it
}

type callSite struct {
	*Instruction
	program   *Program
	receivers *analyze.Point // nil if the bytecode has no receiver types
	traps     string
	count     uint64  // executions that its points counted
	perCall   float64 // executions for each invocation of the caller
	often     bool    // whether C2 also inlines bigger methods
}

// setRefusals sets the refusals of a method's calls. It skips calls that are rare, and those whose callee is native or
// not on the class path.
func (p *Program) setRefusals(l *Listing, q reader.Profile, entered methodEntries) error {
	if !l.HasCounts() || !entered.known || entered.n == 0 {
		return nil
	}
	if err := p.readMachineSizes(q.Store()); err != nil {
		return err
	}
	for k := range l.Instructions {
		i := &l.Instructions[k]
		_, counted := executedCount(i)
		if !counted || i.Ref == nil || i.Ref.Class == "" || !strings.HasPrefix(i.Mnemonic, "invoke") {
			continue
		}
		if c := p.newCallSite(i, entered.n); c.considered(q.Store().Header().Params.VMRelease) {
			i.NotInlined = p.refusalOf(c)
		}
	}
	return nil
}

func (p *Program) newCallSite(i *Instruction, entered uint64) *callSite {
	count, _ := executedCount(i)
	c := &callSite{Instruction: i, program: p, count: count, perCall: float64(count) / float64(entered)}
	for at := range i.Points {
		c.traps += " " + i.Points[at].Traps
		if i.Points[at].Site == analyze.SiteReceivers {
			c.receivers = &i.Points[at]
		}
	}
	return c
}

func (p *Program) readMachineSizes(s *reader.Store) error {
	if p.sizesOf == s {
		return nil
	}
	p.sizesOf = s
	p.sizes = map[layout.Key]uint64{}
	t, err := s.TableOrEmpty(schema.TableCompilations)
	if err != nil {
		return err
	}
	for row := range t.Rows {
		if t.Cell(1, row) != fullyOptimized || int64(t.Cell(2, row)) >= 0 || t.Cell(7, row) == 0 {
			continue // compiled by C1, compiled for a loop, or discarded
		}
		m, err := s.MethodAt(layout.Ref(t.Cell(0, row)))
		if err != nil {
			return err
		}
		key, err := m.Key()
		if err != nil {
			return err
		}
		k := key.Split(layout.DomainHotSpot)
		k.Loader = ""
		p.sizes[k] = t.Cell(5, row)
	}
	return nil
}

// machineSize returns the bytes of C2's code for a target, or 0. If several loaders define the class, it is the size
// for any of them.
func (p *Program) machineSize(t target) uint64 {
	return p.sizes[layout.Key{Class: t.class.Name, Name: t.method.Name, Signature: t.method.Signature}]
}

const fullyOptimized = 4

func (c *callSite) considered(release uint32) bool {
	if release != 0 && release <= 17 {
		c.often = true
		return c.count > oftenCalls
	}
	c.often = c.perCall >= frequent
	return c.perCall >= seldomRatio
}

func (p *Program) refusalOf(c *callSite) *Refusal {
	target := p.findDeclared(c.Ref.Class, c.Ref)
	if target.method != nil && target.isFixed(c.Mnemonic) || c.Mnemonic == "invokestatic" ||
		c.Mnemonic == "invokespecial" {
		return c.sizeRefusal(target)
	}
	if c.receivers == nil {
		return nil
	}
	types := c.receiverTypes()
	switch best := types[0]; {
	case p.mayShareTarget(c.Ref, types):
		return nil // the loaded classes may leave one target only
	case best.Share < facts.Dominant && (len(types) > facts.Guessed || c.unrecordedCount() > 0):
		return c.pollutedRefusal(types)
	case slices.ContainsFunc(unguessed, func(reason string) bool { return strings.Contains(c.traps, reason) }):
		return &Refusal{
			"no static binding: code that guessed the receiver here was left (" + strings.TrimSpace(c.traps) + ")",
			"a new run guesses again, if this type no longer changes late"}
	default:
		return c.sizeRefusal(p.findDeclared(best.Type, c.Ref))
	}
}

// receiverTypes returns the receiver types, the most frequent first, and at least one element.
func (c *callSite) receiverTypes() (types []analyze.Outcome) {
	for _, o := range c.receivers.Outcomes {
		if o.Kind == analyze.OfType {
			types = append(types, o)
		}
	}
	if len(types) == 0 {
		return []analyze.Outcome{{}}
	}
	return types
}

func (c *callSite) unrecordedCount() (n uint64) {
	for _, o := range c.receivers.Outcomes {
		if o.Kind == analyze.Others || o.Kind == analyze.Untyped {
			n = schema.AddCounts(n, o.Count)
		}
	}
	return n
}

func (c *callSite) pollutedRefusal(types []analyze.Outcome) *Refusal {
	best := types[0].Share
	if best == 0 {
		return &Refusal{"virtual call: no receiver types were recorded", "a training run on the same release records them"}
	}
	percent := int(math.Floor(100 * best))
	return &Refusal{fmt.Sprintf("virtual call: more than %d receiver types, the first with %d %%", facts.Guessed, percent),
		fmt.Sprintf("a copy of this method for each type, or -XX:TypeProfileMajorReceiverPercent=%d", percent)}
}

func (c *callSite) sizeRefusal(t target) *Refusal {
	if t.method == nil || t.annotated || len(t.method.Code) <= maxInlineSize {
		return nil
	}
	size := len(t.method.Code)
	switch machine := c.program.machineSize(t); {
	case machine > bigMethod:
		return &Refusal{fmt.Sprintf("already compiled into a big method: %d bytes of machine code and its tables", machine),
			fmt.Sprintf("move its rare parts to methods of their own, or -XX:InlineSmallCode=%d", machine)}
	case c.often && size > freqInlineSize:
		return &Refusal{fmt.Sprintf("hot method too big: %d bytes of bytecode, at most %d", size, freqInlineSize),
			fmt.Sprintf("move its rare parts to methods of their own, or -XX:FreqInlineSize=%d", size)}
	case !c.often:
		return &Refusal{fmt.Sprintf("too big: %d bytes of bytecode, at most %d at a call that %.2g of the caller's invocations reach",
			size, maxInlineSize, c.perCall), fmt.Sprintf("-XX:MaxInlineSize=%d", size)}
	}
	return nil
}

type target struct {
	class     *classfile.File
	method    *classfile.Method
	annotated bool // its class has methods that the JDK tells C2 to inline, or not to
}

// Flags of classes and methods, and the package of the JDK's annotations.
const (
	accPrivate   = 0x0002
	accFinal     = 0x0010
	vmAnnotation = "Ljdk/internal/vm/annotation/"
)

func (t target) isFixed(mnemonic string) bool {
	return mnemonic == "invokevirtual" && (t.method.Access&(accPrivate|accFinal) != 0 || t.class.Access&accFinal != 0)
}

// maxSuperclasses is the maximum depth of the search for a method.
const maxSuperclasses = 64

func (p *Program) findDeclared(class string, ref *Ref) target {
	for range maxSuperclasses {
		f, err := p.classes.Class(class)
		if f == nil || err != nil || f.Name == f.Super {
			return target{}
		}
		if m, ok := f.Method(ref.Name, ref.Descriptor); ok {
			if m.Code == nil {
				return target{}
			}
			return target{f, &m, hasVMAnnotation(f)}
		}
		class = f.Super
	}
	return target{}
}

func hasVMAnnotation(f *classfile.File) bool {
	for _, c := range f.Pool {
		if c.Tag == classfile.TagUtf8 && strings.HasPrefix(string(c.Data), vmAnnotation) {
			return true
		}
	}
	return false
}

func (p *Program) mayShareTarget(ref *Ref, types []analyze.Outcome) bool {
	first := ""
	for _, t := range types {
		found := p.findDeclared(t.Type, ref)
		switch {
		case found.method == nil || len(types) == 1:
			return false
		case first == "":
			first = found.class.Name
		case first != found.class.Name:
			return false
		}
	}
	return true
}
