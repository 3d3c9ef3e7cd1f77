package agent_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/profarc/profarc/experimental/reduce"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
	"github.com/profarc/profarc/layout"
)

// A kind says which archive a program runs with.
type kind int

const (
	own     kind = iota // of the same program, trained with the JVM's usual flags
	alike               // the same, trained with the flags of the cell
	stale               // of the program as it was before it changed
	foreign             // of another program
	other               // of the same program in the other JDK
	damaged             // made invalid, with correct sums
)

// A cell is one way to run a program with the agent.
type cell struct {
	name    string
	program string
	flags   []string
	archive kind
	options string   // of the agent, further ones
	args    []string // of the program
	brief   []string // the same in the short form
	env     []string // further variables
	prefix  []string // the command that runs java
	agents  int      // how often the agent is named; 0 is once
	says    string   // what the agent's only line on stderr contains; empty: no line
	adopts  bool     // whether methods must be adopted
	short   bool     // whether it belongs to the short form
	jdk     int      // the only JDK that has it: 17 or 25; 0: both
	prepare func(t *testing.T, r *rig, c *cell)
	file    string // the archive, if prepare has made it
	jar     string // the program's classes, if prepare has made it; empty: a folder
}

func flags(f ...string) []string { return f }

// everyProgram returns a cell for each program.
func everyProgram(name string, flags ...string) (list []cell) {
	for _, p := range []string{"Mixed", "Unload", "Threads", "Deep"} {
		list = append(list, cell{name: name + " " + p, program: p, flags: flags, adopts: true})
	}
	return list
}

// cells returns all cells.
func cells() []cell {
	list := []cell{
		{name: "mixed", program: "Mixed", adopts: true, short: true},
		{name: "unload", program: "Unload", brief: fewer(), adopts: true, short: true},
		{name: "threads", program: "Threads", adopts: true, short: true},
		{name: "deep", program: "Deep", adopts: true},
		{name: "redefine", program: "Redefine", short: true, adopts: true, prepare: instrumented},
		{name: "stale", program: "Stale", archive: stale, adopts: true, short: true},
		{name: "stale, mature", program: "Stale", archive: stale, options: ",weight=6000", adopts: true},
		{name: "stale, C2 alone", program: "Stale", archive: stale, flags: flags("-XX:-TieredCompilation"), adopts: true},
		{name: "stale, types of arguments", program: "Stale", archive: stale,
			flags: flags("-XX:+UnlockDiagnosticVMOptions", "-XX:TypeProfileLevel=222"), options: ",weight=6000"},
		{name: "foreign", program: "Mixed", archive: foreign},
		{name: "damaged", program: "Mixed", archive: damaged, short: true},
		{name: "twice", program: "Mixed", agents: 2, adopts: true, short: true, says: "the agent is named twice"},
		{name: "off", program: "Mixed", env: flags("PROFARC_AGENT=off")},
		{name: "dry", program: "Mixed", options: ",dry", adopts: true},
		{name: "drift", program: "Threads", options: ",drift", adopts: true},
		{name: "presence", program: "Mixed", options: ",weight=presence", adopts: true},
		{name: "one processor", program: "Threads", prefix: flags("taskset", "-c", "0"), adopts: true},
		{name: "AppCDS", program: "Mixed", adopts: true, prepare: sharedClasses},
		{name: "AppCDS, threads", program: "Threads", adopts: true, prepare: sharedClasses},
		{name: "no CDS archive", program: "Threads", flags: flags("-Xshare:off", manyEvents), adopts: true, short: true},
		{name: "no CDS archive, stale", program: "Stale", archive: stale, flags: flags("-Xshare:off", manyEvents),
			adopts: true},
		{name: "no CDS archive, types", program: "Stale", archive: stale,
			flags:   flags("-Xshare:off", manyEvents, "-XX:+UnlockDiagnosticVMOptions", "-XX:TypeProfileLevel=222"),
			options: ",weight=6000", adopts: true},
		{name: "types of all, trained", program: "Stale", archive: stale,
			flags:   flags("-XX:+UnlockDiagnosticVMOptions", "-XX:TypeProfileLevel=222", "-XX:TypeProfileWidth=4"),
			options: ",weight=6000"},
		{name: "full metaspace", program: "Full", archive: foreign,
			flags: flags("-Xmx64m", "-XX:MaxMetaspaceSize=12m", "-Xlog:jvmti*=off:stderr"), brief: flags("16"), adopts: true,
			short: true},
		{name: "small metaspace", program: "Unload", flags: flags("-XX:MaxMetaspaceSize=16m"), adopts: true},
		{name: "wide pointers", program: "Mixed", flags: flags("-XX:-UseCompressedClassPointers"), adopts: true, jdk: 17},
		{name: "compact headers", program: "Unload", flags: flags("-XX:+UseCompactObjectHeaders"), adopts: true, jdk: 25},
		{name: "large heap", program: "Unload", flags: flags("-Xmx40g"), adopts: true},
		{name: "old processor", program: "Mixed", flags: flags("-XX:UseAVX=0"), adopts: true},
		{name: "small code cache", program: "Threads", flags: flags("-XX:ReservedCodeCacheSize=3m"), adopts: true},
	}
	list = append(list, compilers()...)
	list = append(list, beside()...)
	list = append(list, layered()...)
	list = append(list, requesting()...)
	list = append(list, acrossReleases()...)
	for _, gc := range []string{"Serial", "Parallel", "G1", "Z", "Shenandoah"} {
		list = append(list, everyProgram(gc, "-XX:+Use"+gc+"GC")...)
	}
	return append(list, cell{name: "Epsilon", program: "Mixed",
		flags: flags("-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC", "-Xmx2g"), adopts: true})
}

// compilers returns the cells of the VM's compilers and profiles.
func compilers() []cell {
	width := func(n string) []string { return flags("-XX:TypeProfileWidth=" + n) }
	types := flags("-XX:+UnlockDiagnosticVMOptions", "-XX:TypeProfileLevel=222")
	return []cell{
		{name: "Xcomp", program: "Mixed", flags: flags("-Xcomp"), adopts: true},
		{name: "Xcomp, unload", program: "Unload", flags: flags("-Xcomp"), adopts: true},
		{name: "Xint", program: "Mixed", flags: flags("-Xint"), says: "compiles nothing", short: true},
		{name: "C1 alone", program: "Mixed", flags: flags("-XX:TieredStopAtLevel=1"), says: "C1 alone"},
		{name: "C2 alone", program: "Mixed", flags: flags("-XX:-TieredCompilation"), adopts: true},
		{name: "C2 alone, unprofiled", program: "Mixed", flags: flags("-XX:-TieredCompilation", "-XX:-ProfileInterpreter"),
			adopts: true},
		{name: "C2 alone, unload", program: "Unload", flags: flags("-XX:-TieredCompilation"), adopts: true},
		{name: "no rows", program: "Mixed", flags: width("0"), adopts: true},
		{name: "no rows, trained", program: "Mixed", flags: width("0"), archive: alike, adopts: true},
		{name: "four rows", program: "Mixed", flags: width("4"), adopts: true, short: true},
		{name: "four rows, trained", program: "Unload", flags: width("4"), archive: alike, adopts: true},
		{name: "all types", program: "Mixed", flags: types, adopts: true},
		{name: "all types, trained", program: "Mixed", flags: types, archive: alike, adopts: true},
		{name: "all types, unload", program: "Unload", flags: types, archive: alike, adopts: true},
	}
}

// acrossReleases returns the cells of archives that the other JDK recorded.
func acrossReleases() []cell {
	types := flags("-XX:+UnlockDiagnosticVMOptions", "-XX:TypeProfileLevel=222")
	list := []cell{
		{name: "mixed", program: "Mixed", short: true},
		{name: "unload", program: "Unload", brief: fewer()},
		{name: "threads", program: "Threads"},
		{name: "deep", program: "Deep"},
		{name: "mature", program: "Mixed", options: ",weight=6000"},
		{name: "drift", program: "Threads", options: ",drift"},
		{name: "requests", program: "Threads", options: ",policy=order,budget=100"},
		{name: "all types", program: "Mixed", flags: types},
		{name: "no types", program: "Mixed", flags: flags("-XX:+UnlockDiagnosticVMOptions", "-XX:TypeProfileLevel=0")},
		{name: "no rows", program: "Mixed", flags: flags("-XX:TypeProfileWidth=0")},
		{name: "one row", program: "Unload", flags: flags("-XX:TypeProfileWidth=1")},
		{name: "eight rows", program: "Mixed", flags: flags("-XX:TypeProfileWidth=8")},
		{name: "Xcomp", program: "Mixed", flags: flags("-Xcomp")},
		{name: "C2 alone", program: "Mixed", flags: flags("-XX:-TieredCompilation")},
		{name: "small heap", program: "Unload", flags: flags("-Xmx32m")},
		{name: "debugger", program: "Unload", flags: flags(debugger)},
		{name: "redefine", program: "Redefine", prepare: instrumented},
		{name: "redefine, attached", program: "Redefine", prepare: attached},
		{name: "compact headers", program: "Unload", flags: flags("-XX:+UseCompactObjectHeaders"), jdk: 25},
		{name: "AOT cache", program: "Mixed", jdk: 25, prepare: cached},
		{name: "AOT cache, replaced", program: "Mixed", jdk: 25, options: ",cached=replace", prepare: cached},
		{name: "AOT cache, recorded", program: "Mixed", jdk: 25, options: ",record"},
	}
	for _, gc := range []string{"Serial", "Parallel", "G1", "Z", "Shenandoah"} {
		list = append(list, everyProgram(gc, "-XX:+Use"+gc+"GC")...)
	}
	for i := range list {
		list[i].name = "other JDK, " + list[i].name
		list[i].archive, list[i].adopts, list[i].says = other, true, "adopted, recorded with "
	}
	return list
}

// requesting returns the cells of an agent that asks for compilations.
func requesting() []cell {
	const order, noC1 = ",policy=order,budget=100", "the VM's compilers are not C1 and C2"
	return []cell{
		{name: "requests", program: "Mixed", options: order, adopts: true, short: true},
		{name: "requests, hottest", program: "Mixed", options: ",policy=hottest", adopts: true},
		{name: "requests, unload", program: "Unload", options: order, brief: fewer(), adopts: true, short: true},
		{name: "requests, threads", program: "Threads", options: order, adopts: true, short: true},
		{name: "requests, deep", program: "Deep", options: order, adopts: true},
		{name: "requests, stale", program: "Stale", archive: stale, options: order, adopts: true, short: true},
		{name: "requests, damaged", program: "Mixed", archive: damaged, options: order + ",quiet"},
		{name: "requests, one processor", program: "Threads", options: order, prefix: flags("taskset", "-c", "0"),
			adopts: true},
		{name: "requests, Xcomp", program: "Mixed", flags: flags("-Xcomp"), options: order, adopts: true,
			says: "flags of compilation"},
		{name: "requests, batch", program: "Mixed", flags: flags("-Xbatch"), options: order, adopts: true},
		{name: "requests, C2 alone", program: "Mixed", flags: flags("-XX:-TieredCompilation"), options: order, adopts: true,
			says: noC1},
		{name: "requests, C1 alone", program: "Mixed", flags: flags("-XX:TieredStopAtLevel=1"), options: order,
			says: "C1 alone"},
		{name: "requests, redefine", program: "Redefine", options: order, adopts: true, prepare: instrumented},
		{name: "requests, JNI checked", program: "Mixed", flags: flags("-Xcheck:jni"), options: order, adopts: true},
		{name: "requests, full code cache", program: "Mixed", flags: flags("-XX:ReservedCodeCacheSize=3m"), options: order,
			adopts: true},
	}
}

// debugger lets a debugger attach.
const debugger = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,quiet=y,address=127.0.0.1:0"

// beside returns the cells of what else is in the VM.
func beside() []cell {
	return []cell{
		{name: "no CDS", program: "Mixed", flags: flags("-Xshare:off"), adopts: true, short: true},
		{name: "no CDS, threads", program: "Threads", flags: flags("-Xshare:off"), adopts: true},
		{name: "no CDS, deep", program: "Deep", flags: flags("-Xshare:off"), adopts: true},
		{name: "debugger", program: "Mixed", flags: flags(debugger), adopts: true},
		{name: "debugger, unload", program: "Unload", flags: flags(debugger), adopts: true},
		{name: "JFR", program: "Mixed", adopts: true, prepare: recorded},
		{name: "JFR, threads", program: "Threads", adopts: true, prepare: recorded},
		{name: "redefine, C2 alone", program: "Redefine", flags: flags("-XX:-TieredCompilation"), adopts: true,
			prepare: instrumented},
		{name: "redefine, no CDS", program: "Redefine", flags: flags("-Xshare:off"), adopts: true, prepare: instrumented},
		{name: "redefine, debugger", program: "Redefine", flags: flags(debugger), adopts: true, prepare: instrumented},
		{name: "redefine, attached", program: "Redefine", adopts: true, prepare: attached},
		{name: "redefine, Serial", program: "Redefine", flags: flags("-XX:+UseSerialGC"), adopts: true,
			prepare: instrumented},
		{name: "redefine, Parallel", program: "Redefine", flags: flags("-XX:+UseParallelGC"), adopts: true,
			prepare: instrumented},
		{name: "redefine, Z", program: "Redefine", flags: flags("-XX:+UseZGC"), adopts: true, prepare: instrumented},
		{name: "redefine, Shenandoah", program: "Redefine", flags: flags("-XX:+UseShenandoahGC"), adopts: true,
			prepare: attached},
		{name: "AOT cache", program: "Mixed", jdk: 25, adopts: true, prepare: cached},
		{name: "AOT cache, threads", program: "Threads", jdk: 25, adopts: true, prepare: cached},
		{name: "AOT cache, replaced", program: "Mixed", jdk: 25, options: ",cached=replace", adopts: true, prepare: cached},
		{name: "AOT cache, recorded", program: "Mixed", jdk: 25, options: ",record", adopts: true},
		{name: "JNI checked", program: "Unload", flags: flags("-Xcheck:jni"), adopts: true},
		{name: "GC all the time", program: "Unload", flags: flags("-Xmx24m", "-XX:+UseSerialGC"), adopts: true},
	}
}

// instrumented adds an agent for Java code, which redefines the program's classes.
func instrumented(t *testing.T, r *rig, c *cell) {
	c.flags = append(flags("-javaagent:"+r.javaAgent(t)), c.flags...)
}

// attached has the program load that agent when it runs.
func attached(t *testing.T, r *rig, c *cell) {
	c.flags = append(flags("-Dattached="+r.javaAgent(t), "-Djdk.attach.allowAttachSelf=true",
		"-XX:+EnableDynamicAgentLoading"), c.flags...)
}

// cached adds a cache of the VM that a run of the program has trained.
func cached(t *testing.T, r *rig, c *cell) {
	jar, path := jarOf(t, r.home, r.classes), filepath.Join(t.TempDir(), "app.aot")
	tool(t, r.home, "java", "-XX:AOTCacheOutput="+path, "-cp", jar, c.program)
	c.flags, c.jar = append(flags("-XX:AOTCache="+path), c.flags...), jar
}

// sharedClasses adds an archive of the program's own classes. The VM does not make a valid
// one each time.
func sharedClasses(t *testing.T, r *rig, c *cell) {
	path := filepath.Join(t.TempDir(), "app.jsa")
	for range 5 {
		r.run(t, c, flags("-XX:ArchiveClassesAtExit="+path))
		if got := r.run(t, c, flags("-XX:SharedArchiveFile="+path)); got.failure == "" && got.errs == "" {
			c.flags = append(flags("-XX:SharedArchiveFile="+path), c.flags...)
			return
		}
	}
	t.Skip("the VM makes no valid archive of classes")
}

// layered returns the cells of archives with a base.
func layered() []cell {
	return []cell{
		{name: "layers", program: "Mixed", adopts: true, prepare: twoLayers, short: true},
		{name: "layers, unload", program: "Unload", adopts: true, prepare: twoLayers},
		{name: "layers, threads", program: "Threads", options: ",policy=order,budget=100,drift", adopts: true,
			prepare: twoLayers},
		{name: "layers, stale", program: "Stale", archive: stale, adopts: true, prepare: twoLayers},
		{name: "on another program", program: "Mixed", adopts: true, prepare: onForeign},
		{name: "on a damaged base", program: "Mixed", options: ",quiet", adopts: true, prepare: onDamaged, short: true},
	}
}

// twoLayers makes the archive of a cell two layers, which have about half of its methods
// each.
func twoLayers(t *testing.T, r *rig, c *cell) {
	whole := r.archive(t, c, 0)
	base := reduced(t, whole,
		reduce.Options{Methods: func(k layout.Key) bool { return k.ID(layout.DomainHotSpot)%2 == 0 }})
	c.file = reduced(t, whole, reduce.Options{Base: open(t, base)})
	c.options += ",base=" + option(base)
}

// onForeign gives the archive of a cell, which names no base, one of another program.
func onForeign(t *testing.T, r *rig, c *cell) {
	c.options += ",base=" + option(r.archive(t, &cell{program: c.program, archive: foreign}, 0))
}

// onDamaged does so with one that is damaged.
func onDamaged(t *testing.T, r *rig, c *cell) {
	c.options += ",base=" + option(r.archive(t, &cell{program: c.program, archive: damaged}, 0))
}

// recorded adds a recording of JFR.
func recorded(t *testing.T, _ *rig, c *cell) {
	c.flags = append(flags("-XX:StartFlightRecording:filename="+filepath.Join(t.TempDir(), "run.jfr")), c.flags...)
}

// rounds returns how often each cell runs, 0 for the short form.
func rounds(t *testing.T) int {
	text := os.Getenv("PROFARC_MATRIX")
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("PROFARC_MATRIX is %q: it must be the number of runs of each cell", text)
	}
	return n
}

// No archive makes a program crash, or do anything else than without it. The short form
// runs a few cells with the first JDK; PROFARC_MATRIX=N runs all of them N times with
// both, and prints a table.
func TestMatrix(t *testing.T) {
	full.Only(t, "starts JVMs")
	n := rounds(t)
	agentFlag(t, "none", "") // it skips the test where the agent can't be built
	table := &table{}
	t.Cleanup(func() { t.Log(table.String()) })
	for i, home := range []string{testjvm.First(), testjvm.Second()} {
		release := []int{17, 25}[i]
		t.Run(fmt.Sprint(release), func(t *testing.T) {
			if n == 0 && i > 0 {
				t.Skip("JDK 25 is part of the long form")
			}
			testjvm.Need(t, home)
			r := newRig(t, home, []string{testjvm.Second(), testjvm.First()}[i])
			for _, c := range cells() {
				if (n > 0 || c.short) && (c.jdk == 0 || c.jdk == release) {
					t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
						t.Parallel()
						if n == 0 {
							c.args = c.brief
						}
						r.cell(t, c, max(n, 1), table.row(release, c.name))
					})
				}
			}
		})
	}
}
