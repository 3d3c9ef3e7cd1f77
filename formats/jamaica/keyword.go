package jamaica

// A keyword says what a line records.
type keyword uint8

const (
	keyBytecodes keyword = iota
	keyCycles
	keyNative
	keyNewArray
	keyInvoke
	keyThread
	keyThreads
	keyReflected
	keyInstances
	keyHeapUse
	keyHeapRefs
	numKeywords
)

// A numberKind says how a number is written.
type numberKind uint8

const (
	count numberKind = iota // 64 bits
	share                   // a percentage, a % may follow
	point                   // a bci
)

// A number is one of the numbers of a line.
type number struct {
	kind  numberKind
	about string // what an error says is expected
}

// A part is a part of the text of one run, which the VM writes in one go.
type part uint8

const (
	partProfile part = iota
	partInstances
	partHeap
	partAny // may stand anywhere
)

// A form is what the values of a line are: first numbers, then names.
type form struct {
	name     string
	verified bool // the spelling is known: a colon follows the keyword
	part     part
	numbers  []number
	names    []string // what an error says is expected
	optional int      // so many of the first names may be missing
	methods  bool     // the names are of methods
}

const (
	aMethod = "the signature of a method"
	aClass  = "the name of a class"
)

var (
	aShare       = number{share, "a percentage"}
	aPoint       = number{point, "the position of a bytecode"}
	theObjects   = number{count, "a number of objects"}
	theTree      = number{count, "a number of objects in trees"}
	aNumberBytes = number{count, "a number of bytes"}
)

// forms are the forms of all keywords.
var forms = [numKeywords]form{
	keyBytecodes: {name: "PROFILE", verified: true, methods: true, names: []string{aMethod},
		numbers: []number{{count, "a number of bytecodes"}, aShare}},
	keyCycles: {name: "PROFILE_CYCLES", verified: true, methods: true, names: []string{aMethod},
		numbers: []number{{count, "a number of cycles"}}},
	keyNative: {name: "PROFILE_NATIVE", methods: true, names: []string{aMethod},
		numbers: []number{{count, "a number of calls"}, aShare}},
	keyNewArray: {name: "PROFILE_NEWARRAY", methods: true, names: []string{aMethod},
		numbers: []number{{count, "a number of arrays"}, aPoint}},
	keyInvoke: {name: "PROFILE_INVOKE", methods: true, names: []string{"the signature of a caller", "the signature of a called method"},
		numbers: []number{{count, "a number of calls"}, aPoint}},
	keyThread: {name: "PROFILE_THREAD", part: partAny,
		numbers: []number{{count, "a priority"}, {count, "a number of cycles"}, aShare, aShare, aShare, aShare,
			{count, "the size of the C stack"}, {count, "the size of the Java stack"}}},
	keyThreads:   {name: "PROFILE_THREADS", part: partAny, numbers: []number{{count, "a number of threads"}}},
	keyReflected: {name: "PROFILE_CLASS_USED_VIA_REFLECTION", part: partAny, names: []string{aClass}},
	keyInstances: {name: "INSTANTIATION_COUNT", part: partInstances, names: []string{"a class loader", aClass}, optional: 1,
		numbers: []number{theObjects, {count, "the blocks of an object"}, {count, "a number of blocks"}, aNumberBytes, theTree, aShare}},
	keyHeapUse: {name: "HEAP_USE", part: partHeap, names: []string{aClass},
		numbers: []number{theObjects, {count, "the blocks of an object"}, {count, "the size of a block"}, aNumberBytes, aShare, theTree, aShare}},
	keyHeapRefs: {name: "HEAP_REFS", part: partHeap,
		numbers: []number{{count, "a number of references"}, {count, "a number of words"}, aShare}},
}

var keywords = func() map[string]keyword {
	m := map[string]keyword{}
	for k := range numKeywords {
		m[forms[k].name] = k
	}
	return m
}()
