package replay_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/profarc/profarc/formats"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/parse"
	"github.com/profarc/profarc/internal/formats/replay"
	"github.com/profarc/profarc/internal/formats/text"
	"github.com/profarc/profarc/internal/ledger"
	"github.com/profarc/profarc/internal/ledger/archived"
	"github.com/profarc/profarc/internal/testkit/testarchive"
)

// A VM of JDK 25, with a branch, a virtual call with a hidden receiver, a trap without an entry, and free words.
const newText = `version 2
JvmtiExport can_access_local_variables 0
# 3 ciObject found
instanceKlass zoo/Ape
instanceKlass  @bci zoo/Main run ()V 4 <appendix> argL0 ; # zoo/Main$$Lambda+0x000000006c041c00
ciInstanceKlass zoo/Main 1 1 4 7 1 1
ciMethod zoo/Main run (Lzoo/Animal;)V 1024 0 6420 0 -1
ciMethodData zoo/Main run (Lzoo/Animal;)V 2 5908 orig 4 0 0 169 127 data 20 0x8000000400010007 0x3e7 0x48 0x3e8 ` +
	`0x90005 0x5 0x7fa990048d90 0x1e 0x7fa990048d98 0x28 0x110003 0x6 0x18 0x140001 0x0 0x0 0x9 0x2 0x0 0x1 ` +
	`oops 2 6 zoo/Ape 8  @bci zoo/Main run ()V 4 <appendix> argL0 ; methods 0
compile zoo/Main run (Lzoo/Animal;)V -1 4
`

// A VM of JDK 17, with a cell before the rows of receivers, a signed count, and a speculative trap.
const oldText = `JvmtiExport can_access_local_variables 0
ciMethod zoo/Main see (Ljava/lang/Object;)Z 0 0 12 0 -1
ciMethodData zoo/Main see (Ljava/lang/Object;)Z 2 12 orig 0 data 14 0x50004 0xfffffffffffffffd 0x0 0x7f00 0xc 0x0 0x0 ` +
	`0x5000d 0x7f08 0x0 0x0 0x9 0x1 0x0 oops 1 3 zoo/Ape methods 1 8 zoo/Ape climb ()V
`

func load(t testing.TB, text string, i *replay.Importer) (testarchive.Archive, *formats.Imported) {
	t.Helper()
	in, err := formats.Import(t.Context(), []formats.Input{{Name: "replay.log", Reader: strings.NewReader(text)}},
		formats.ImportOptions{Importers: []codec.Importer{i}})
	if err != nil {
		t.Fatal(err)
	}
	data, report, err := in.Builder.Bytes()
	if err != nil || len(report.Unaccounted) > 0 {
		t.Fatalf("%v, unaccounted: %v", err, report.Unaccounted)
	}
	return testarchive.Archive{Store: testarchive.Open(t, data), Bytes: data}, in
}

// Types of arguments, results and parameters, and an exception handler.
const typesText = `ciMethodData zoo/Main see (Ljava/lang/Object;)Z 2 12 orig 0 data 15 0x2000a 0x7 0x3 0x0 0x7f01 0x2 0x0 ` +
	`0x9 0x1 0x0 0xc 0x2 0x0 0x7f08 0x300001 oops 2 4 zoo/Ape 13 zoo/Hut methods 0
`

// lossesOf returns the number of lost things, without those of every file.
func lossesOf(in *formats.Imported) map[codec.LossKind]int {
	lost := map[codec.LossKind]int{}
	for _, l := range in.Lost {
		if l.What != replay.LossCounters && l.What != parse.LossLoaders && l.What != parse.LossCodeIDs {
			lost[l.What] += l.Count
		}
	}
	return lost
}

// textOf returns the profiles of an archive as text.
func textOf(t testing.TB, a testarchive.Archive) string {
	t.Helper()
	var out strings.Builder
	if _, err := formats.Export(t.Context(), &out, a.Store, &text.Exporter{}); err != nil {
		t.Fatal(err)
	}
	_, profiles, _ := strings.Cut(out.String(), "\nmethod ")
	profiles, _, _ = strings.Cut(profiles, "\ntable ")
	return "method " + profiles
}

// The cells of the file are the entries of the archive, with the types and methods that the file names.
func TestEntriesOfReplayFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text   string
		totals ledger.Totals
		want   string
	}{
		"JDK 25": {newText, ledger.Totals{ledger.Invocations: 6420, ledger.BranchCounts: 2005, ledger.TypeCounts: 75},
			`method zoo/Main::run(Lzoo/Animal;)V
  profile
    invocations 6420
    @1 Branch [trap=4 recompiled] taken=999 not-taken=1000 displacement=72
    @9 VirtualCall count=5 zoo/Ape=30 zoo/Main$$Lambda@zoo/Main#0=40
    @17 Jump taken=6 displacement=24
    extra @20 Bit
    extra @0 ArgInfo 0 1
`},
		"JDK 17": {oldText, ledger.Totals{ledger.Invocations: 12, ledger.TypeCounts: 9}, `method zoo/Ape::climb()V

method zoo/Main::see(Ljava/lang/Object;)Z
  profile
    invocations 12
    @5 ReceiverType count=-3 zoo/Ape=12
    extra @5 SpeculativeTrap method=zoo/Ape::climb()V
    extra @0 ArgInfo 0
`},
		"types": {typesText, ledger.Totals{ledger.BranchCounts: 7}, `method zoo/Main::see(Ljava/lang/Object;)Z
  profile
    @2 CallType count=7 args 0=zoo/Ape+null return=-+unknown
    extra @0 ArgInfo 0
    parameters @0 ParametersType args 0=zoo/Hut
    handlers @48 Bit
`},
	} {
		t.Run(name, func(t *testing.T) {
			a, in := load(t, c.text, &replay.Importer{})
			account, err := archived.Account(a.Store)
			if diff := cmp.Diff(c.totals, account.Totals()); diff != "" || err != nil {
				t.Errorf("other totals (-want +got): %s %v", diff, err)
			}
			if diff := cmp.Diff(map[codec.LossKind]int{}, lossesOf(in)); diff != "" {
				t.Errorf("lost %s", diff)
			}
			if diff := cmp.Diff(c.want, textOf(t, a)); diff != "" {
				t.Errorf("other profiles (-want +got): %s", diff)
			}
		})
	}
}

// A mistake is an error with its place. Salvage leaves the line out, and the file is known as salvaged.
func TestDamagedReplayFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, now, want string }{
		"cut":        {" oops 2", "", `line 8, column`},
		"number":     {"5908", "x", `expected a number, found "x orig`},
		"word":       {"0x90005", "90005", `expected "0x", found "90005`},
		"wide word":  {"0x90005", "0x10000000000000000", `expected a number of 64 bits`},
		"many words": {"data 20", "data 2000000000", `expected "0x", found "oops`},
		"few words":  {"data 20", "data 19", `expected "oops", found "0x1 oops`},
		"index":      {"oops 2 6", "oops 2 -", `expected a number`},
		"name":       {"argL0 ; methods", "argL0 methods", `expected " ;"`},
	} {
		t.Run(name, func(t *testing.T) {
			damaged := strings.Replace(newText, c.old, c.now, 1)
			if name == "cut" {
				damaged, _, _ = strings.Cut(newText, c.old)
			}
			in := []formats.Input{{Name: "replay.log", Reader: strings.NewReader(damaged)}}
			_, err := formats.Import(t.Context(), in, formats.ImportOptions{})
			var place *parse.Error
			if !errors.As(err, &place) || !errors.Is(err, replay.ErrSyntax) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
			_, salvaged := load(t, damaged+"\n"+oldText, &replay.Importer{Salvage: true})
			if salvaged.Methods != 1 || lossesOf(salvaged)[replay.LossDamaged] != 1 {
				t.Errorf("%d methods, lost %v", salvaged.Methods, salvaged.Lost)
			}
		})
	}
}

// What cannot be the words of a MethodData is left out with its counts, and a method that is there twice counts once.
func TestLostProfilesOfReplayFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		old, now string
		want     codec.LossKind
	}{
		"tag":             {"0x110003", "0x110050", replay.LossData},
		"order":           {"0x110003", "0x80003", replay.LossData},
		"cut entry":       {"0x9 0x2", "0x9 0x3", replay.LossData},
		"unnamed pointer": {"oops 2 6 zoo/Ape 8", "oops 1 8", replay.LossData},
		"named count":     {"oops 2 6 zoo/Ape", "oops 2 7 zoo/Ape", replay.LossData},
		"twice":           {"compile", newText[strings.Index(newText, "ciMethodData"):], replay.LossTwice},
	} {
		t.Run(name, func(t *testing.T) {
			_, in := load(t, oldText+strings.Replace(newText, c.old, c.now, 1), &replay.Importer{})
			if lossesOf(in)[c.want] != 1 {
				t.Errorf("lost %v", in.Lost)
			}
		})
	}
	empty := []formats.Input{{Name: "r.log", Reader: strings.NewReader("JvmtiExport can_a 0\n")}}
	_, err := formats.Import(t.Context(), empty, formats.ImportOptions{})
	if !errors.Is(err, replay.ErrNoMethodData) {
		t.Error(err)
	}
}

// The file of jhsdb has a prompt, and other counts of calls, which are not in the archive.
func TestReplayDataOfJhsdb(t *testing.T) {
	t.Parallel()
	_, lines, _ := strings.Cut(oldText, "\n")
	a, in := load(t, "hsdb> "+lines, &replay.Importer{})
	if totals := textOf(t, a); in.Format != "replay" || strings.Contains(totals, "invocations") {
		t.Errorf("%s: %s", in.Format, totals)
	}
}
