package hotspot

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/testkit/testarchive"
)

// A VM before JDK 17, which prints no decompile counts.
const oldText = `result 17
------------------------------------------------------------------------
static Demo::pick(I)I
  interpreter_invocation_count:     4000 
  invocation_counter:               4000 
  backedge_counter:                    2 
  mdo size: 520 bytes

0 iload_0
1 iconst_2
2 if_icmpne 10
  0   bci: 2    BranchData          taken(1500) displacement(56)
                                    not taken(2500)
5 bipush 7
7 goto 12
  32  bci: 7    JumpData            taken(2500) displacement(24)
10 bipush 9
12 ireturn
------------------------------------------------------------------------
Total MDO size: 520 bytes
`

// A debug build, which counts the calls of compiled code.
var debugBuildText = strings.Replace(oldText, "  mdo size", "  compiled_invocation_count:     5007 \n  mdo size", 1)

// Two single MethodData in an XML log, whose tags are missing, with parameters as JDK 17 and 25 print them.
const escapedText = `method data for {method} {0x00007f0000001000} &apos;&lt;init&gt;&apos; &apos;(Lz/A;)V&apos; in &apos;z/B&apos;
parameter types                     0: stack(1) &apos;z/A&apos;
0     bci: 1    CounterData         count(2)
method data for {method} {0x00007f0000002000} &apos;run&apos; &apos;(Lz/A;)V&apos; in &apos;z/B&apos;
bci: 0         ParametersTypeData  0: stack(1) &apos;z/A&apos;

0      bci: 1    CounterData        count(3)
`

const unruledText = `----- first case -----
demo.Pipe::run(Ldemo/Src;)Ljava/lang/Object;
  interpreter_invocation_count:       13000
  invocation_counter:                 13000
  backedge_counter:                       0
  decompile_count:                        0
  mdo size: 552 bytes

   0 aload_1
   1 invokevirtual 3 <demo/Src.get()Ljava/lang/Object;>
  0    bci: 1    VirtualCallData    count(0) nonprofiled_count(0) entries(1)
                                    'demo/SrcA'(12800 1.00)
   4 areturn
demo.Pipe::rest()V
  interpreter_invocation_count:           7
  invocation_counter:                     7
  backedge_counter:                       0
  decompile_count:                        0
  mdo size: 552 bytes

   0 return
`

const commentText = `class Test {
    // output:
    // demo.Base::call()I
    //  interpreter_invocation_count:       43000
    //  invocation_counter:                 43000
    //  backedge_counter:                       0
    //  decompile_count:                        0
    //  mdo size: 360 bytes
    //
    //   0 fast_aload_0
    //   1 invokevirtual 3 <demo/Base.inner()I>
    //  0    bci: 1    VirtualCallData    count(25000) nonprofiled_count(0) entries(2)
    //                                    'demo/Base$A'(9000 0.21)
    //                                    'demo/Base$B'(8600 0.20)
    //   4 ireturn
`

const singleText = `method data for {method} {0x00007f0000001000} 'step' '(I)D' in 'demo/Sim'
0     bci: 6    CounterData         count(0)
16    bci: 18   BranchData          trap(intrinsic_or_type_checked_inlining recompiled) taken(1) displacement(200)
                                    not taken(57000)
48    bci: 22   VirtualCallData     count(60000) nonprofiled_count(0) entries(0)
                                    method_entries(1)
                                    'demo/Sim.stop()V'(11 1.00)
--- Extra data:
264   bci: 0    ArgInfoData           0x0  0x0
`

const debuggerText = "Attaching to process 31344, please wait...\n" +
	"hsdb> MethodData 0x00007f25b440e8f8 for method java/lang/invoke/LambdaForm$MH+0x000000008b044000.invoke(" +
	"Ljava/lang/Object;I)Ljava/lang/Object;@0x00007f25b440e688\n" +
	"parameter types\t0: stack(0) InstanceKlass for java/lang/String\n" +
	"\t1: stack(1) unknown (null seen)\n" +
	"0 bci: 1 ReceiverTypeData \tflags(1) count(-4) entries(3)\n" +
	"\tInstanceKlass for java/lang/invoke/BoundMethodHandle$Species_LL(19489)\n" +
	"\tObjArrayKlass for InstanceKlass for java/lang/String(2)\n" +
	"\tTypeArrayKlass for [C(1)\n" +
	"64 bci: 24 VirtualCallData \ttrap(#-2147483644) count(408) entries(0)\n" +
	"\targument types\t0: stack(1) none\n" +
	"\treturn type\tInstanceKlass for java/lang/String\n" +
	"160 bci: 36 BranchData \ttaken(5) displacement(72)\n" +
	"\tnot taken(6)\n" +
	"192 bci: 40 MultiBranchData \tdefault_count(7) displacement(864)\n" +
	"\tcount(8) displacement(160)\n" +
	"--- Extra data:\n" +
	"224 bci: 0 ArgInfoData \t  0x0  0x0  0x0\n" +
	"232 bci: 2 SpeculativeTrapData \ttrap(#-2147483644) \tMethod A.b()V@0x00007f25b440e688\n" +
	"MethodData 0x00007f25b440f8f8 for method Work$Num.<init>(I)V@0x00007f25b440e689\n" +
	"0 bci: 1 CounterData \tcount(9)\n" +
	"--- Extra data:\n"

// Older texts, parts of texts, and those of other tools are read. What they do not say is a loss with a name, and not a
// number.
func TestOtherTexts(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		totals ledger.Totals
		lost   map[codec.LossKind]int
	}{
		"old": {oldText, ledger.Totals{ledger.Invocations: 4000, ledger.Backedges: 2, ledger.BranchCounts: 6500},
			map[codec.LossKind]int{LossBytecodes: 7, LossDecompiles: 1}},
		"unruled": {unruledText, ledger.Totals{ledger.Invocations: 13007, ledger.TypeCounts: 12800},
			map[codec.LossKind]int{LossBytecodes: 4, LossEnd: 1, parse.LossWidths: 1}},
		"comment": {commentText, ledger.Totals{ledger.Invocations: 43000, ledger.TypeCounts: 42600},
			map[codec.LossKind]int{LossBytecodes: 3, LossEnd: 1, parse.LossWidths: 1}},
		"single": {singleText, ledger.Totals{ledger.BranchCounts: 57001, ledger.TypeCounts: 60000, ledger.CallCounts: 11},
			map[codec.LossKind]int{LossCounters: 1, LossExtra: 1, LossMethodRows: 1, LossEnd: 1, parse.LossCodeIDs: 1,
				parse.LossWidths: 1}},
		"debugger": {debuggerText, ledger.Totals{ledger.TypeCounts: 19896, ledger.BranchCounts: 35},
			map[codec.LossKind]int{LossCounters: 2, LossExtra: 2, LossEnd: 1, parse.LossCodeIDs: 1}},
		"debug build": {debugBuildText, ledger.Totals{ledger.Invocations: 9007, ledger.Backedges: 2,
			ledger.BranchCounts: 6500},
			map[codec.LossKind]int{LossBytecodes: 7, LossDecompiles: 1, LossCompiledCalls: 1}},
		"JDK 8": {strings.Replace(oldText, "Demo::pick", "demo/Demo.pick", 1), ledger.Totals{ledger.Invocations: 4000,
			ledger.Backedges: 2, ledger.BranchCounts: 6500}, map[codec.LossKind]int{LossBytecodes: 7, LossDecompiles: 1}},
		"single in a log": {escapedText, ledger.Totals{ledger.BranchCounts: 5},
			map[codec.LossKind]int{LossCounters: 2, LossEnd: 1, parse.LossCodeIDs: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			if !Detect([]byte(c.text)) {
				t.Error("not detected")
			}
			_, _, report := read(t, c.text, TextOptions{Name: "some/text.log"})
			if diff := cmp.Diff(c.totals, ledger.Totals(report.Totals)); diff != "" {
				t.Errorf("other totals (-want +got):\n%s", diff)
			}
			lost := map[codec.LossKind]int{}
			for _, l := range report.Lost {
				lost[l.What] += l.Count
				if l.Amount > 0 && !strings.HasPrefix(strings.Join(l.First, ""), "text.log:") {
					t.Errorf("%s: lost %v", l.What, l.First)
				}
			}
			if diff := cmp.Diff(c.lost, lost); diff != "" {
				t.Errorf("other losses (-want +got):\n%s", diff)
			}
		})
	}
}

// The counters of a method that a text does not have are not in the archive.
func TestUnknownCountersAreNotStored(t *testing.T) {
	data, _, _ := read(t, debuggerText, TextOptions{})
	for m, err := range testarchive.Open(t, data).Methods() {
		if err != nil {
			t.Fatal(err)
		}
		for p, err := range m.Profiles() {
			if _, ok := p.Invocations(); ok || err != nil {
				t.Errorf("%v has invocations, %v", m, err)
			}
		}
	}
}

// A VM can print methods without their profiles, which is a loss.
func TestTextWithoutContents(t *testing.T) {
	var lines []string
	for _, line := range strings.SplitAfter(testdata(t, "jdk25.txt"), "\n") {
		if !strings.Contains(line, "bci: ") && !strings.HasPrefix(line, indent) && !strings.Contains(line, "types  ") {
			lines = append(lines, line)
		}
	}
	_, _, report := read(t, strings.Join(lines, ""), TextOptions{})
	if report.Lost.Count(LossContents) != report.Methods || report.Totals[ledger.Invocations] == 0 {
		t.Errorf("lost %v, totals %v", report.Lost, report.Totals)
	}
}

// Counts of later dumps, and of entries of unknown kinds, are lost with their amounts.
func TestLostCountsOfTexts(t *testing.T) {
	text := testdata(t, "jdk17.txt")
	_, _, once := read(t, text, TextOptions{})
	_, _, twice := read(t, text+text, TextOptions{Name: "a.log"})
	for unit, n := range once.Totals {
		if twice.Totals[unit] != 2*n {
			t.Errorf("%d %s in two dumps, %d in one", twice.Totals[unit], unit, n)
		}
		amount := uint64(0)
		for _, l := range twice.Lost {
			if l.What == LossLaterDump && l.Unit == unit {
				amount += l.Amount
			}
		}
		if amount != n {
			t.Errorf("lost %d %s of the later dump, which has %d", amount, unit, n)
		}
	}
	_, _, odd := read(t, strings.Replace(text, "RetData   ", "MadeUpData", 1), TextOptions{})
	if odd.Totals[ledger.Counts] == 0 {
		t.Errorf("totals %v", odd.Totals)
	}
}

// Salvage keeps the other methods of a text with a mistake, and the entries before it.
func TestDamagedMethodIsSalvaged(t *testing.T) {
	text := testdata(t, "jdk17.txt")
	_, _, whole := read(t, text, TextOptions{})
	bad := strings.Replace(text, "not taken(", "not token(", 1)
	if _, _, err := ReadText(strings.NewReader(bad), TextOptions{}); err == nil {
		t.Fatal("the mistake is not found")
	}
	_, _, report := read(t, bad, TextOptions{Name: "dir/a.log", Salvage: true})
	if report.Methods != whole.Methods || report.Entries >= whole.Entries || report.Entries == 0 {
		t.Errorf("%d methods and %d entries of %d and %d", report.Methods, report.Entries, whole.Methods, whole.Entries)
	}
	i := slices.IndexFunc(report.Lost, func(l codec.Loss) bool { return l.What == LossDamaged })
	if i < 0 || !strings.Contains(report.Lost[i].First[0], "a.log:") || !strings.Contains(report.Salvaged, "not taken(") {
		t.Errorf("lost %+v, salvaged %q", report.Lost, report.Salvaged)
	}
}
