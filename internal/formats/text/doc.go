// Package text writes a whole archive as text for code review and version
// control, and reads it again: [Write] and [Read].
//
// The text is exact. An archive that package builder wrote becomes the same bytes again, and two archives
// that are equal have equal texts. It is in the archive's own order, with names in the place of pointers and
// without offsets or addresses, so that a changed count is one changed line. A method of a HotSpot JVM with
// two profiles, the second in the context of its caller:
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
// A change of the text changes the archive: counts can be changed, lines deleted, and rows,
// profiles and methods added, in any order of lines. A method or type need not be declared
// before it is named, or at all. Sums and numbers of records are computed by the import.
//
//   - A type that nothing refers to stays until its line is deleted too.
//   - A row that refers to a deleted profile is an error: delete it, or import with --unordered,
//     which drops the table order.
//   - A repeated field or profile is an error, since a merge of texts may leave both.
//   - All rows of one stack in the table samples have the count of the stack.
//   - An entry or table that belongs to another domain is an error, so that the domain stays.
//   - A line dump-id keeps the id that the producer gave. Delete it after editing, and the id is
//     derived from the content.
//
// A profile, context, sample or callee of a method overrides its never-ran. not-matchable says that the key
// does not identify the method in another run. A text without its last line was truncated, and is rejected.
//
// The text is about one and a half times as long as the archive. It keeps all that profarc writes;
// flags without a meaning and entries that the format has no use for, which other
// writers may leave, are counted by the export.
//
// # Grammar
//
// A line is a sequence of tokens with spaces between them. Indentation, and all
// from a # on that begins a token, are ignored. A blank line ends a method and a
// table, and is ignored elsewhere. NL ends a line; CR NL does, too.
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
// The line of an entry follows from the row of its tag in the table of schemas (internal/file/disk): the
// word of its sub, its flags and traps, the cells that do not repeat with their keys, displacements last, and
// its rows, in which "=" follows a cell that says what the others count. A tag that is new in the table needs
// no code here.
//
// The shapes of a producer's entries, and its ids, belong to an archive of domain
// custom. In such an archive every wide entry may have "sub=", and "flags=" where it has no seen. A cell of a row
// that follows a name, or the key of the row, has "=" before it.
//
// The numbers after the first of count are the cells between an entry's count and its rows, nonprofiled_count
// where the VM has it; they are left out if all are 0. Rows that are empty and have no row after them are
// left out where the settings of the archive say how many there are. A NAME is quoted only if it has to be:
// if it is empty, has a space, an unprintable character, a quote, any of { } = + or a double colon, or begins
// with # or is - alone.
//
// # Trust
//
// Text is not trusted: what does not fit is an [*Error] with line and column,
// and memory grows with the input.
package text
