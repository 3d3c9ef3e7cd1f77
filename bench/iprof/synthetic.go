package main

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
)

// How much of everything the recorded profile has, of which each megabyte of a
// synthetic one has a share.
const (
	shareOfMegabytes = 3.95
	shareOfTypes     = 5227
	shareOfMethods   = 42717
	shareOfCalled    = 3000 // methods that were called at all
)

// shareOfContexts is how many contexts it has, by their number of callers.
var shareOfContexts = []float64{1149, 2010, 1954, 1624, 818, 364, 289, 212, 97, 69, 51, 30, 30, 26, 16, 7, 2, 3, 2}

// Further figures of it, as parts of one.
const (
	conditionalPart = 0.39  // of the contexts have 1.8 conditional records each
	virtualPart     = 0.045 // of the contexts have a virtual call
	ownNamePart     = 0.32  // of the methods have a name that no other has
	repeatedPart    = 0.4   // of the methods have a signature that was there before
	somePart        = 0.65  // of the signatures have a parameter
	moreParameters  = 0.5   // of those with some parameters have one more
)

// A synthetic is a profile that is being written.
type synthetic struct {
	*bufio.Writer
	rng      *rand.Rand
	types    int
	methods  int
	contexts []callContext
	items    int // of the section that is being written

	signatures []string // that methods have
}

// A callContext is a method as it was called from somewhere.
type callContext struct {
	method int
	caller int // place in contexts, -1 if there is none
	bci    int // of the call
	calls  int // that were made from here
}

// writeSynthetic makes a profile of about that size.
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
	f.grow(scale)
	f.write()
	if err := f.Flush(); err != nil {
		return err
	}
	return file.Close()
}

// grow makes a forest of contexts, level by level.
func (f *synthetic) grow(scale float64) {
	called := int(scale * shareOfCalled)
	above, level := 0, 0 // where the level above begins, and this one
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

// call makes a call from a place of its own. What is called there is decided by
// the calling method and the place, whoever called that method.
func (c *callContext) call(called, apart int) callContext {
	site := rand.New(rand.NewPCG(uint64(c.method), uint64(c.calls)))
	bci := 3 + 5*c.calls
	c.calls++
	return callContext{method: site.IntN(called) * apart, bci: bci}
}

// write writes the sections in the order of version 1.0.0.
func (f *synthetic) write() {
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

// section writes a section, of which item writes what there is of each of n.
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

// ident is the id of type or method i: ids have gaps.
func ident(i int) int { return i + i/9 }

// commonTypes are what most parameters are of.
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
	// Of one class no two methods have the same verb and noun.
	name := fmt.Sprintf("%s%s%d", verbs[i%len(verbs)], nouns[i%len(nouns)], number)
	declaring := i * f.types / f.methods
	f.item(`{"id":%d,"name":"%s","signature":[%d,%s]}`, ident(i), name, ident(declaring), f.signature())
}

// signature is the ids of what a method returns and of its parameters, often the
// same as those of another.
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

// someType is the id of a type in a signature: a few are in most of them.
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

// count is small mostly, and now and then very large.
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
