// Package text writes a whole archive as text for code review and version
// control, and reads it again: [Write] and [Read].
//
// The text is exact. Exporting and importing an archive of package builder gives the same bytes, and equal archives
// have equal texts. The text follows the order of the archive. It has names instead of pointers and no offsets or
// addresses, so that a changed count changes one line. This HotSpot method has two profiles, the second one in the
// context of its caller.
//
//	profarc text 1
//	domain hotspot
//	producer "OpenJDK 21.0.7"
//	param type-rows 2
//	param bci-rows 2
//
//	type shapes/Area{app}
//	type shapes/Circle{app}
//	type shapes/Main{app}
//	type shapes/Square{app}
//
//	method shapes/Area::total(Ljava/util/List;)D{app}
//	  profile
//	    invocations 2400
//	    backedges 60000
//	    @9 VirtualCall count=40 shapes/Circle{app}=51000 shapes/Square{app}=8960
//	    @14 Branch taken=59998 not-taken=2 displacement=56
//	    @21 ReceiverType [null-seen trap=3] count=0 shapes/Circle{app}=51000
//	  profile <- shapes/Main::main([Ljava/lang/String;)V{app} @37
//	    @14 Branch taken=100 not-taken=2 displacement=56
//
//	method shapes/Main::main([Ljava/lang/String;)V{app} access=public,static
//
//	method shapes/Main::usage()V{app} never-ran
//
//	table properties symbol symbol
//	  row java.vm.name "OpenJDK 64-Bit Server VM"
//
//	end
//
// # Editing
//
// A user can change counts, delete lines, and add rows, profiles and methods in any order of lines. Methods and types
// need not be declared. The import computes checksums and record counts.
//
//   - An unused type stays in the archive until its line is deleted.
//   - A row that refers to a deleted profile is an error. Delete it, or import with --unordered to drop the order.
//   - A repeated field or profile is an error, since a text merge can leave both.
//   - All rows of a stack in the table samples have the count of the stack.
//   - An entry or table of another domain is an error.
//   - A line dump-id keeps the id that the producer assigned. Without it, the id is derived from the content. Delete it
//     after editing.
//
// A profile, context, sample or callee of a method overrides its never-ran. not-matchable means that the key does not
// identify the method in another run. A text without its last line was truncated, and is rejected.
//
// The text is about 1.5 times as long as the archive. The export reports losses only for archives of other writers,
// which can have flags without meaning and misplaced entries.
//
// # Grammar
//
// A line is a sequence of tokens with spaces between them. Indentation is ignored. A token that begins with # starts a
// comment. A blank line ends a method or table, and is ignored elsewhere. A line ends with NL or CR NL.
//
//	text     = "profarc text 1" NL { header } { type | method | table } "end" NL
//
//	header   = ( "domain" DOMAIN | "producer" NAME | "fingerprint" HEX | "dump-id" HEX | "time" RFC3339
//	           | "flags" BITS | "param" PARAM N | "producer-id" HEX ) NL
//	           | "shape" N SHAPE UNIT NL { ( "cell" | "row" ) CELL KIND { BIT | "-" } NL }
//	type     = "type" TYPE [ "flags=" BITS ] [ "alias=" NAME ] NL
//	method   = "method" METHOD [ "access=" BITS ] [ "not-matchable" ] [ "never-ran" ] NL
//	           { context | profile }
//	context  = "context" frame { frame } NL
//	profile  = "profile" [ "code=" HEX ] { frame } NL { field | entry }
//	frame    = "<-" METHOD "@" POINT
//	field    = ( "size" "code=" N "producer=" N | "invocations" N | "backedges" N | "interpreted" N
//	           | "history" "decompiles=" N "overflow-recompiles=" N "overflow-traps=" N "tenure-traps=" N
//	           | "compile" "level=" N "state=" N "would-profile=" N "loops=" N "blocks=" N
//	           | "escape" "flags=" N "local=" N "stack=" N "returned=" N
//	           | "traps" { N } ) NL
//	table    = "table" KIND [ "flags=" N ] COLUMN { COLUMN } NL { "row" { cell } NL }
//	cell     = N | POINT | NAME | TYPE | METHOD | "(" METHOD [ "code=" HEX ] { frame } ")" | "-"
//
//	entry    = [ "extra" | "parameters" | "handlers" ] "@" POINT ( hotspot | wide ) NL
//	hotspot  = "Bit" [ seen ]
//	         | "Counter" [ seen ] "count=" N
//	         | "Jump" [ seen ] "taken=" N "displacement=" S
//	         | "Branch" [ seen ] "taken=" N "not-taken=" N "displacement=" S
//	         | ( "ReceiverType" | "VirtualCall" ) [ seen ] count { row }
//	         | "VirtualCallType" [ seen ] count { row } [ types ]
//	         | "CallType" [ seen ] "count=" N [ types ]
//	         | "ParametersType" [ seen ] [ types ]
//	         | "Ret" [ seen ] "count=" N { N "=" N "," S }
//	         | "MultiBranch" [ seen ] "default=" N "," S { N "," S }
//	         | "ArgInfo" [ seen ] { S }
//	         | "SpeculativeTrap" [ seen ] "method=" ( METHOD | "-" )
//	wide     = "Counters" { N }
//	         | "ValueSite" SUB { ( N | NAME ) "=" N }
//	         | "Bitmap" [ HEX ]
//	         | "Successors" SUB { POINT ":" N "=" N }
//	         | "Receivers" SUB [ seen ] "other=" N { row }
//	         | "Callees" { ( METHOD "=" N ) | "-" [ "=" N ] }
//	         | "Count" SUB [ seen ] N
//	         | "Undecoded" [ seen ] { N }
//	         | SHAPE [ "sub=" N ] [ "flags=" N ] { CELL "=" value } { value { ( "=" | "," ) value } }
//	SUB      = "indirect-call" | "mem-op-size" | "vtable" | "conditional" | "return" | "virtual-call" | "type-check"
//	         | "calls" | "bytecodes" | "cycles" | "native-calls" | "new-arrays" | "samples" | "nanoseconds"
//	value    = N | TYPE | METHOD | "-" | bits
//	bits     = ( BIT | N ) { "|" ( BIT | N ) }
//	seen     = "[" { "null-seen" | "interpreted" | "one-of-several" | "trap=" ( N | "many" ) | "recompiled" | N } "]"
//	count    = "count=" N { "," N }
//	row      = TYPE "=" N | "-" [ "=" N ]
//	types    = "args" { N "=" word } [ "return=" word ]
//	word     = ( TYPE | "-" ) [ "+null" ] [ "+unknown" ]
//
//	METHOD   = NAME | [ NAME ] "::" NAME [ signature ] [ "{" NAME "}" ]
//	signature = a NAME that begins with "(", or "::" NAME
//	TYPE     = NAME [ "{" NAME "}" ]
//	NAME     = bare text, or text in quotes with \" \\ \n and \xHH
//	BITS     = ( word | N ) { "," ( word | N ) }
//	N        = a decimal number, or 0x and a hexadecimal one
//	S, POINT = N, or - N
//
// The table of schemas (internal/file/disk) defines the line of each entry, so that a new tag needs no code here. The
// line has the word of its sub, its flags and traps, the cells that do not repeat with their keys, displacements last,
// and its rows. In a row, "=" follows a cell that identifies the thing counted by the other cells.
//
// Only archives of domain custom have producer ids and shapes. There, every wide entry can have "sub=", and "flags="
// if it has no seen. In a row, "=" precedes a cell after a name or after the key of the row.
//
// The second and later numbers of count are the cells between an entry's count and its rows, such as
// nonprofiled_count. They are omitted if all are 0. Empty rows at the end of an entry are omitted if the settings of
// the archive imply their number. A NAME is quoted if it is empty or "-", begins with #, or contains a space, an
// unprintable character, a quote, any of { } = + or a double colon.
//
// # Trust
//
// The input is not trusted. Malformed input is an [*Error] with line and column, and memory is proportional to the
// input.
package text
