package main

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
)

// A bomb is an input that takes much for its size, or is meant to. Each is one
// thing that an importer could keep, repeated until the input has a size: long
// lines and texts, nesting, and the smallest records that there are.
type bomb struct {
	name  string
	write func(w *bufio.Writer, size int)
}

// repeated begins with head, then has what piece makes of 0, 1, ... up to a size, then tail.
func repeated(head string, piece func(i int) string, tail string) func(*bufio.Writer, int) {
	return func(w *bufio.Writer, size int) {
		left := size - len(head) - len(tail)
		w.WriteString(head)
		for i := 0; left > 0; i++ {
			n, err := w.WriteString(piece(i))
			if left -= n; err != nil {
				return // the reader has stopped
			}
		}
		w.WriteString(tail)
	}
}

// constant returns a piece that is always the same, or many of it.
func constant(piece string) func(int) string {
	many := strings.Repeat(piece, 1+1024/len(piece))
	return func(int) string { return many }
}

// countedBomb begins with a head that says how many pieces there are.
func countedBomb(head string, per int, piece, tail string) func(*bufio.Writer, int) {
	return func(w *bufio.Writer, size int) {
		n := max(1, size/len(piece)) / per * per
		fmt.Fprintf(w, head, n/per)
		for range n {
			if _, err := w.WriteString(piece); err != nil {
				return
			}
		}
		w.WriteString(tail)
	}
}

// Beginnings of inputs of the formats that are text.
var (
	ruleLine   = strings.Repeat("-", 72) + "\n"
	methodData = func(name string) string {
		return ruleLine + name + "\n  interpreter_invocation_count:           1\n  invocation_counter:           1\n" +
			"  backedge_counter:           0\n  decompile_count:           0\n  mdo size: 0 bytes\n\n"
	}
	methodDataEnd = ruleLine + "Total MDO size: 0 bytes\n"
	iprofTypes    = `{"version":"1.0.0","types":[`
	iprofMethods  = iprofTypes + `{"id":0,"name":"a"}],"methods":[`
	iprofCalls    = iprofMethods + `{"id":0,"name":"m","signature":[0,0]}],"callCountProfiles":[`
	textBegin     = "profarc text 1\ndomain graal\n\n"
)

// The beginning of a profile of pprof's: a type of values, samples/count.
var pprofBegin = message(1, number(1, 1)+number(2, 2)) + message(6, "") + message(6, "samples") + message(6, "count")

// pprofLocations are the locations 1 to 100.
var pprofLocations = func() (all string) {
	for i := range 100 {
		all += message(4, number(1, i+1))
	}
	return all
}()

// message returns a field of a protocol buffer that is a message or text.
func message(field byte, body string) string {
	return string(binary.AppendUvarint([]byte{field<<3 | 2}, uint64(len(body)))) + body
}

// number returns a field that is a number.
func number(field byte, n int) string {
	return string(binary.AppendUvarint([]byte{field << 3}, uint64(n)))
}

// digits returns n bytes that differ for each i, each from 1 to 100, the first ones most.
func digits(i, n int) string {
	b := []byte(strings.Repeat("\x01", n))
	for at := 0; i > 0 && at < n; at++ {
		b[at] += byte(i % 100)
		i /= 100
	}
	return string(b)
}

// bombs of a format, by its name.
var bombs = map[string][]bomb{
	"methoddata": {
		{"line", repeated(methodData("A::m()V"), constant("x"), "\n"+methodDataEnd)},
		{"empty lines", repeated(methodData("A::m()V"), constant("\n"), methodDataEnd)},
		{"empty lines in front", repeated("", constant("\n"), methodData("A::m()V")+methodDataEnd)},
		{"name", repeated(ruleLine+"A::", constant("m"), "()V"+methodData("A::m()V")[len(ruleLine)+7:]+methodDataEnd)},
		{"methods", repeated("", func(i int) string { return methodData(fmt.Sprintf("A::m%d()V", i)) }, methodDataEnd)},
		{"entries", repeated(methodData("A::m()V"), func(i int) string {
			return fmt.Sprintf("  %d   bci: %d    CounterData         count(1)\n", 16*i, i%65535)
		}, methodDataEnd)},
		{"rules", repeated("", constant(ruleLine), methodData("A::m()V")+methodDataEnd)},
		{"dumps", repeated("", constant(methodData("A::m()V")+methodDataEnd), "")},
	},
	"replay": {
		{"words", repeated("ciMethodData A b ()V 0 0 orig 0 data 99999999", constant(" 0x0"), "")},
		{"pointers", repeated("ciMethodData A b ()V 0 0 orig 0 data 0 oops 99999999", constant(" 4 A"), "")},
		{"names", repeated("ciMethodData A b ()V 0 0 orig 0 data 0 oops 99999999",
			func(i int) string { return fmt.Sprintf(" 4 %x", i) }, "")},
		{"methods", repeated("", func(i int) string {
			return fmt.Sprintf("ciMethodData A %x ()V 0 0 orig 0 data 0 oops 0 methods 0\n", i)
		}, "")},
		{"calls", repeated("", func(i int) string { return fmt.Sprintf("ciMethod A %x ()V 0 0 1 0 -1\n", i) },
			"ciMethodData A b ()V 0 0 orig 0 data 0 oops 0 methods 0\n")},
		{"hidden classes", repeated("", func(i int) string { return fmt.Sprintf("instanceKlass  @%x ; # A\n", i) },
			"ciMethodData A b ()V 0 0 orig 0 data 0 oops 0 methods 0\n")},
	},
	"iprof": {
		{"string", repeated(iprofCalls+`{"ctx":"`, constant("0"), `","records":[1]}]}`)},
		{"escapes", repeated(iprofMethods+`{"id":0,"name":"`, constant(`\n`), `","signature":[0,0]}]}`)},
		{"name", repeated(iprofTypes+`{"id":0,"name":"`, constant("a"), `"}],"methods":[]}`)},
		{"foreign string", repeated(iprofCalls+`],"other":"`, constant("a"), `"}`)},
		{"foreign array", repeated(iprofCalls+`],"other":[1`, constant(",1"), `]}`)},
		{"odd items", repeated(iprofCalls+`1`, constant(",1"), `]}`)},
		{"odd objects", repeated(iprofCalls+`{}`, constant(",{}"), `]}`)},
		{"odd members", repeated(iprofCalls+`{"a":0`, constant(`,"a":0`), `}]}`)},
		{"brackets", repeated(iprofCalls, constant("["), "")},
		{"braces", repeated(iprofCalls, constant(`{"":`), "")},
		{"types", repeated(iprofTypes+`{"id":0,"name":"a"}`,
			func(i int) string { return fmt.Sprintf(`,{"id":%d,"name":"%x"}`, i+1, i) }, `],"methods":[]}`)},
		{"methods", repeated(iprofMethods+`{"id":0,"name":"m","signature":[0,0]}`, func(i int) string {
			return fmt.Sprintf(`,{"id":%d,"name":"%x","signature":[0,0]}`, i+1, i)
		}, `]}`)},
		{"records", repeated(iprofCalls+`{"ctx":"0:0","records":[1]}`,
			func(i int) string { return fmt.Sprintf(`,{"ctx":"0:%d","records":[1]}`, i+1) }, `]}`)},
		{"integers", repeated(iprofCalls+`{"ctx":"0:0","records":[1`, constant(",1"), `]}]}`)},
		{"signature", repeated(iprofMethods+`{"id":0,"name":"m","signature":[0`, constant(",0"), `]}]}`)},
		{"context", repeated(iprofCalls+`{"ctx":"`, constant("0:0<"), `0:0","records":[1]}]}`)},
		{"keys", repeated(iprofCalls+`]`, func(i int) string { return fmt.Sprintf(`,"k%x":0`, i) }, `}`)},
		{"blanks", repeated(iprofCalls, constant(" "), `]}`)},
	},
	"jamaica": {
		{"line", repeated("PROFILE: 1 (100%) A.m()V\n", constant("x"), "\n")},
		{"name", repeated("PROFILE: 1 (100%) A.m()V\nPROFILE: 1 (100%) A.", constant("m"), "()V\n")},
		{"empty lines", repeated("PROFILE: 1 (100%) A.m()V\n", constant("\n"), "")},
		{"methods", repeated("", func(i int) string { return fmt.Sprintf("PROFILE: 1 (1%%) A.%x()V\n", i) }, "")},
		{"runs", repeated("", constant("PROFILE: 1 (100%) A.m()V\n"), "")},
		{"cut names", repeated("", constant("PROFILE: 1 (100%) A.m\n"), "")},
		{"other keywords", repeated("PROFILE: 1 (100%) A.m()V\n", constant("PROFILE_X: 1\n"), "")},
	},
	"pprof": {
		{"strings", repeated(pprofBegin, constant("2\x00"), "")},
		{"string", repeated(pprofBegin+"2\xc0\x84=", constant("x"), "")},
		{"types", repeated(pprofBegin, constant("\x0a\x00"), "")},
		{"comments", repeated(pprofBegin, constant("h\x01"), "")},
		{"mappings", repeated(pprofBegin, constant("\x1a\x00"), "")},
		{"functions", repeated(pprofBegin, func(i int) string { return message(5, number(1, i+1)+number(2, 1)) }, "")},
		{"locations", repeated(pprofBegin, func(i int) string { return message(4, number(1, i+1)) }, "")},
		{"ids", repeated(pprofBegin, func(i int) string { return message(4, number(1, 3*i+7)) }, "")},
		{"lines", repeated(pprofBegin, constant(message(4, number(1, 1)+strings.Repeat("\x22\x00", 60))), "")},
		{"samples", repeated(pprofBegin+message(4, number(1, 1)), constant(message(2, number(1, 1)+number(2, 1))), "")},
		{"values", repeated(pprofBegin+message(4, number(1, 1)),
			constant(message(2, number(1, 1)+strings.Repeat(number(2, 1), 50))), "")},
		{"stacks", repeated(pprofBegin+pprofLocations,
			func(i int) string { return message(2, "\x0a\x60"+digits(i, 96)+number(2, 1)) }, "")},
		{"inlined", repeated(pprofBegin+message(4, number(1, 1)+strings.Repeat("\x22\x00", 1000)),
			constant(message(2, "\x0a\x28"+strings.Repeat("\x01", 40)+number(2, 1))), "")},
	},
	"text": {
		{"line", repeated(textBegin+"type ", constant("x"), "\nend\n")},
		{"comment", repeated(textBegin+"# ", constant("x"), "\nend\n")},
		{"empty lines", repeated(textBegin, constant("\n"), "end\n")},
		{"types", repeated(textBegin, func(i int) string { return fmt.Sprintf("type t%x\n", i) }, "end\n")},
		{"methods", repeated(textBegin, func(i int) string { return fmt.Sprintf("method m%x\n", i) }, "end\n")},
		{"profiles", repeated(textBegin, func(i int) string { return fmt.Sprintf("method m%x\nprofile\n", i) }, "end\n")},
		{"entries", repeated(textBegin+"method m\nprofile\n",
			func(i int) string { return fmt.Sprintf("@%d Count calls 1\n", i) }, "end\n")},
		{"rows", repeated(textBegin+"table 99 word\n", constant("row 1\n"), "end\n")},
		{"frames", repeated(textBegin+"method m\nprofile", constant(" <- m@1"), "\nend\n")},
	},
	"llvm": {
		{"line", repeated(":ir\n", constant("x"), "\n1\n1\n1\n")},
		{"comment", repeated(":ir\n#", constant("x"), "\nmain\n1\n1\n1\n")},
		{"empty lines", repeated(":ir\nmain\n1\n1\n1\n", constant("\n"), "")},
		{"functions", repeated(":ir\n", func(i int) string { return fmt.Sprintf("f%08x\n1\n1\n1\n", i) }, "")},
		{"runs", repeated(":ir\n", constant("f\n1\n1\n1\n"), "")},
		{"counters", countedBomb(":ir\nmain\n1\n%d\n", 1, "1\n", "")},
		{"bitmap", countedBomb("main\n1\n1\n1\n$%d\n", 1, "1\n", "")},
		{"sites", countedBomb(":ir\nmain\n1\n1\n1\n1\n0\n%d\n", 1, "0\n", "")},
		{"values", countedBomb(":ir\nmain\n1\n1\n1\n1\n1\n1\n%d\n", 1, "1:1\n", "")},
		{"value names", func(w *bufio.Writer, size int) {
			fmt.Fprintf(w, ":ir\nmain\n1\n1\n1\n1\n0\n1\n%d\n", size/12)
			for i := range size / 12 {
				fmt.Fprintf(w, "n%08x:1\n", i)
			}
		}},
		{"trace", repeated(":ir\n:temporal_prof_traces\n1\n1\n1\n", constant("a,"), "\nmain\n1\n1\n1\n")},
		{"traces", countedBomb(":ir\n:temporal_prof_traces\n%d\n1\n", 1, "1\na\n", "main\n1\n1\n1\n")},
		{"shared counters", func(w *bufio.Writer, size int) { w.Write(rawBomb(size)) }},
		{"counters that are not there", func(w *bufio.Writer, size int) {
			w.Write(rawHeaderOf(1, 1<<39/8, 0, bytes.Repeat([]byte{0}, min(size, 8<<20))))
		}},
		{"names that are not there", func(w *bufio.Writer, size int) {
			w.Write(rawHeaderOf(1, 1, 1<<39, bytes.Repeat([]byte{0}, min(size, 8<<20))))
		}},
		{"names", func(w *bufio.Writer, size int) { w.Write(rawNames(namesOf(strings.Repeat("a\x01", size/2) + "a"))) }},
		{"long packed names", func(w *bufio.Writer, size int) {
			chunk := packedNames(strings.Repeat(strings.Repeat("a", 999)+"\x01", 2<<10) + "a")
			w.Write(rawNames(bytes.Repeat(chunk, 1+size/len(chunk))))
		}},
		{"packed names", func(w *bufio.Writer, size int) {
			chunk := packedNames(strings.Repeat("a\x01", 1<<20) + "a")
			w.Write(rawNames(bytes.Repeat(chunk, 1+size/len(chunk))))
		}},
	},
}

// rawHeaderOf returns a raw file of version 7 for 64 bits, with so many records,
// counters and bytes of names, and what follows the header.
func rawHeaderOf(records, counters, names uint64, rest []byte) []byte {
	b := []byte("\x81rforpl\xff")
	for _, word := range []uint64{7 | 1<<56, 0, records, 0, counters, 0, names, 0, 0, 1} {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return append(b, rest...)
}

// namesOf returns a section of names that are not packed.
func namesOf(text string) []byte {
	b := binary.AppendUvarint(nil, uint64(len(text)))
	return append(append(b, 0), text...)
}

// packedNames returns a section of names that zlib has packed.
func packedNames(text string) []byte {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	io.WriteString(z, text)
	z.Close()
	b := binary.AppendUvarint(nil, uint64(len(text)))
	return append(binary.AppendUvarint(b, uint64(packed.Len())), packed.Bytes()...)
}

// rawNames returns a raw file of one function and a section of names.
func rawNames(section []byte) []byte {
	return rawHeaderOf(1, 1, uint64(len(section)), append(make([]byte, 48+8), append(section, make([]byte, 8)...)...))
}

// rawBomb has as many records as counters, and each record claims all counters.
func rawBomb(size int) []byte {
	const recordSize = 48
	n := uint64(size / (recordSize + 8))
	var b []byte
	for range n {
		var r [recordSize]byte
		binary.LittleEndian.PutUint64(r[0:], 0xb80a02a6d16c18b2) // any reference: no name has it
		binary.LittleEndian.PutUint32(r[40:], uint32(n))
		b = append(b, r[:]...)
	}
	return rawHeaderOf(n, n, 0, append(b, make([]byte, 8*n)...))
}
