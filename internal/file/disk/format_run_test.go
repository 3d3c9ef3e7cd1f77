package disk_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

func TestRunsAreAsDocumented(t *testing.T) {
	for kind, want := range map[disk.TableKind]string{disk.TableRuns: "runs", disk.TableClassPath: "class-path"} {
		row := documentedTable(t, kind)
		if row[1] != want || !slices.Equal(documentedColumns(row[2]), disk.TableColumns(kind)) {
			t.Errorf("table %d is %q with columns %v on the page, %v in the code", kind, row[1], documentedColumns(row[2]),
				disk.TableColumns(kind))
		}
	}
	p := layout.Provenance{
		DumpID: [16]byte{1, 8: 2}, Since: [16]byte{3, 8: 4},
		Process: layout.Process{Boot: [16]byte{5, 8: 6}, Namespace: 7, PID: 8, Start: 9},
		Begun:   time.Unix(0, 10), Time: time.Unix(0, 11), Exit: disk.ExitCode(3),
		VM: "a", Vendor: "b", Main: "c", Command: "d", Options: "e", Selection: "f",
		ClassPath: []layout.ClassPathEntry{{Path: "x.jar"}},
	}
	row := disk.RunRowOf(&p)
	want := [disk.RunWords]uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 3<<32 | 1, disk.ClassPathID(p.ClassPath)}
	if row.Words != want || row.Texts != [disk.RunTexts]string{"a", "b", "c", "d", "e", "f"} {
		t.Errorf("a row is %d %q", row.Words, row.Texts)
	}
	back := row.Provenance()
	back.ClassPath = p.ClassPath
	if fmt.Sprint(back) != fmt.Sprint(p) {
		t.Errorf("a row says %+v of %+v", back, p)
	}
	for exit, text := range map[layout.Exit]string{0: "end not recorded", disk.ExitCode(0): "exit code 0",
		9<<32 | 2: "signal 9", 255<<32 | 1: "exit code 255"} {
		if exit.String() != text {
			t.Errorf("%#x is %q, want %q", uint64(exit), exit, text)
		}
	}
	if disk.ExitSignal(9) != 9<<32|2 {
		t.Errorf("signal 9 is %#x", uint64(disk.ExitSignal(9)))
	}
}

// documentedTable returns the row of a kind in the page's list of tables.
func documentedTable(t *testing.T, kind disk.TableKind) []string {
	for _, row := range tableBehind(t, "| kind | name | columns") {
		if row[0] == strconv.Itoa(int(kind)) {
			return row
		}
	}
	t.Fatalf("the page has no table %d", kind)
	return nil
}

// documentedColumns reads "words: a, b; symbols: c" or "a word, b symbol".
func documentedColumns(text string) (kinds []disk.ColumnKind) {
	of := map[string]disk.ColumnKind{"word": disk.ColumnWord, "words": disk.ColumnWord,
		"symbol": disk.ColumnSymbol, "symbols": disk.ColumnSymbol}
	for part := range strings.SplitSeq(text, ";") {
		every, names, listed := strings.Cut(strings.TrimSpace(part), ": ")
		if !listed {
			names = every
		}
		for name := range strings.SplitSeq(names, ", ") {
			kind := of[every]
			if !listed {
				kind = of[name[strings.LastIndexByte(name, ' ')+1:]]
			}
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

func TestFingerprintIsAsDocumented(t *testing.T) {
	for _, row := range tableBehind(t, "| VM | entries: kind, size, sum") {
		entries := []layout.ClassPathEntry{}
		for text := range strings.SplitSeq(row[1], ";") {
			var kind, size, sum uint64
			if n, err := fmt.Sscanf(strings.TrimSpace(text), "%d, %d, %x", &kind, &size, &sum); n == 3 && err == nil {
				entries = append(entries, layout.ClassPathEntry{Path: "any",
					Content: layout.Content{Kind: layout.ContentKind(kind), Size: size, Sum: sum}})
			}
		}
		if got := fmt.Sprintf("%x", disk.Fingerprint(row[0], entries)); got != row[2] {
			t.Errorf("the fingerprint of %q with %d entries is %s, the page says %s", row[0], len(entries), got, row[2])
		}
	}
	unread := []layout.ClassPathEntry{{Content: layout.Content{Kind: disk.ContentUnknown}}, {}}
	for _, f := range [][16]byte{disk.Fingerprint("", unread[1:]), disk.Fingerprint("VM", nil),
		disk.Fingerprint("VM", unread)} {
		if f != [16]byte{} {
			t.Errorf("a program that is not known has the fingerprint %x", f)
		}
	}
}
