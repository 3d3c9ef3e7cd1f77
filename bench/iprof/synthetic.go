package main

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
)

// Numbers of items in the recorded profile. A synthetic profile has as many per
// megabyte.
const (
	shareOfMegabytes = 3.95
	shareOfTypes     = 5227
	shareOfMethods   = 42717
	shareOfCalled    = 3000 // methods that were called
)

// shareOfContexts is the number of contexts in the recorded profile, by their
// number of callers.
var shareOfContexts = []float64{1149, 2010, 1954, 1624, 818, 364, 289, 212, 97, 69, 51, 30, 30, 26, 16, 7, 2, 3, 2}

// Probabilities that describe the recorded profile.
const (
	conditionalPart = 0.39  // of the contexts have 1.8 conditional records each
	virtualPart     = 0.045 // of the contexts have a virtual call
	ownNamePart     = 0.32  // of the methods have a unique name
	repeatedPart    = 0.4   // of the methods have the signature of an earlier method
	somePart        = 0.65  // of the signatures have a parameter
	moreParameters  = 0.5   // of those with n parameters have another one
)

// A synthetic writes a synthetic profile.
type synthetic struct {
	*bufio.Writer
	rng      *rand.Rand
	types    int
	methods  int
	contexts []callContext
	items    int // of the section that is being written

	signatures []string // of the methods so far
}

// A callContext is a method in a calling context.
type callContext struct {
	method int
	caller int // index in contexts, -1 for none
	bci    int // of the call
	calls  int // that this context makes
}

// writeSynthetic writes a profile of about that size.
func writeSynthetic(path string, megabytes int) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	scale := float64(megabytes) / shareOfMegabytes
	f := &synthetic{
		Writer:  bufio.NewWriterSize(file, 1<<20),
		rng:     rand.New(rand.NewPCG(4, 2)),
		types:   int(scale * shareOfTypes),
		methods: int(scale * shareOfMethods),
	}
	f.makeContexts(scale)
	f.writeSections()
	if err := f.Flush(); err != nil {
		return err
	}
	return file.Close()
}

// makeContexts makes a forest of contexts, level by level.
func (f *synthetic) makeContexts(scale float64) {
	called := int(scale * shareOfCalled)
	above, level := 0, 0 // where the level above begins, and where this level begins
	for depth, share := range shareOfContexts {
		for i := range int(scale * share) {
			if depth == 0 {
				f.contexts = append(f.contexts, callContext{method: i * (f.methods / called), caller: -1})
				continue
			}
			from := above + f.rng.IntN(level-above)
			c := f.contexts[from].call(called, f.methods/called)
			c.caller = from
			f.contexts = append(f.contexts, c)
		}
		above, level = level, len(f.contexts)
	}
}

// call makes a call at a new bci. The calling method and the bci determine the
// callee, in every context of that method.
func (c *callContext) call(called, apart int) callContext {
	site := rand.New(rand.NewPCG(uint64(c.method), uint64(c.calls)))
	bci := 3 + 5*c.calls
	c.calls++
	return callContext{method: site.IntN(called) * apart, bci: bci}
}

// writeSections writes the sections in the order of version 1.0.0.
func (f *synthetic) writeSections() {
	fmt.Fprint(f, `{"version":"1.0.0"`)
	f.section("types", f.types, f.typeRow)
	f.section("methods", f.methods, f.methodRow)
	f.section("callCountProfiles", len(f.contexts), f.callCount)
	f.section("conditionalProfiles", len(f.contexts), f.conditionals)
	f.section("virtualInvokeProfiles", len(f.contexts), f.virtualCall)
	f.section("monitorProfiles", 1, func(int) { f.item(`{"ctx":"0:0","records":[%d,17]}`, ident(12)) })
	f.section("samplingProfiles", 1, func(int) { f.record(len(f.contexts)-1, 5, 1) })
	fmt.Fprint(f, "}")
}

// section writes a section. item writes the items of each of n types, methods or
// contexts.
func (f *synthetic) section(name string, n int, item func(i int)) {
	fmt.Fprintf(f, `,"%s":[`, name)
	f.items = 0
	for i := range n {
		item(i)
	}
	fmt.Fprint(f, "]")
}

// item writes an item of a section.
func (f *synthetic) item(format string, args ...any) {
	if f.items++; f.items > 1 {
		fmt.Fprint(f, ",")
	}
	fmt.Fprintf(f, format, args...)
}

// ident returns the id of type or method i. Ids have gaps.
func ident(i int) int { return i + i/9 }

// commonTypes are the types of most parameters.
var commonTypes = []string{"void", "int", "boolean", "java.lang.Object", "java.lang.String", "long", "byte[]", "char",
	"java.lang.Class", "double", "java.util.List", "java.util.Map"}

var nouns = []string{"Buffer", "Resolver", "Handler", "Descriptor", "Iterator", "Support", "Registry", "Encoder", "Factory", "Node", "Snapshot"}

func (f *synthetic) typeRow(i int) {
	if i < len(commonTypes) {
		f.item(`{"id":%d,"name":"%s"}`, ident(i), commonTypes[i])
		return
	}
	f.item(`{"id":%d,"name":"org.synthetic.module%d.internal.%s%s%d"}`, ident(i), i%40, nouns[i%len(nouns)], nouns[i/40%len(nouns)], i)
}

var verbs = []string{"get", "compute", "resolve", "append", "lambda$apply$", "create", "is", "visit"}

func (f *synthetic) methodRow(i int) {
	number := f.rng.IntN(f.methods / 1000)
	if f.rng.Float64() < ownNamePart {
		number = i
	}
	// No two methods of a class have the same verb and noun.
	name := fmt.Sprintf("%s%s%d", verbs[i%len(verbs)], nouns[i%len(nouns)], number)
	declaring := i * f.types / f.methods
	f.item(`{"id":%d,"name":"%s","signature":[%d,%s]}`, ident(i), name, ident(declaring), f.signature())
}

// signature returns the ids of a result type and of parameter types. They are
// often those of an earlier method.
func (f *synthetic) signature() string {
	if len(f.signatures) > 0 && f.rng.Float64() < repeatedPart {
		return f.signatures[f.rng.IntN(len(f.signatures))]
	}
	list := strconv.Itoa(f.someType())
	for more := somePart; f.rng.Float64() < more; more = moreParameters {
		list += fmt.Sprintf(",%d", f.someType())
	}
	f.signatures = append(f.signatures, list)
	return list
}

// someType returns the id of a type for a signature. A few types are in most
// signatures.
func (f *synthetic) someType() int {
	return ident(int(math.Pow(float64(f.types), math.Pow(f.rng.Float64(), 2.5))) - 1)
}

func (f *synthetic) callCount(i int) { f.record(i, 0, f.count()) }

func (f *synthetic) conditionals(i int) {
	if f.rng.Float64() >= conditionalPart {
		return
	}
	for n := range 1 + f.rng.IntN(2) + f.rng.IntN(10)/7 {
		bci := 8 + 11*n
		f.record(i, bci, bci+3, 0, f.count()-1, bci+17, 1, f.count()-1)
	}
}

func (f *synthetic) virtualCall(i int) {
	if f.rng.Float64() < virtualPart {
		f.record(i, 6, ident(f.rng.IntN(f.types)), f.count())
	}
}

// count returns a count that is mostly small and sometimes very large.
func (f *synthetic) count() int {
	return 1 + int(float64(int(1)<<int(20*f.rng.Float64()*f.rng.Float64()))*f.rng.ExpFloat64())
}

// record writes an item for a point of a method in a context.
func (f *synthetic) record(context, point int, values ...int) {
	c := &f.contexts[context]
	ctx := fmt.Appendf(nil, "%d:%d", ident(c.method), point)
	for c.caller >= 0 {
		bci := c.bci
		c = &f.contexts[c.caller]
		ctx = fmt.Appendf(ctx, "<%d:%d", ident(c.method), bci)
	}
	records := fmt.Appendf(nil, "%d", values[0])
	for _, v := range values[1:] {
		records = fmt.Appendf(records, ",%d", v)
	}
	f.item(`{"ctx":"%s","records":[%s]}`, ctx, records)
}
