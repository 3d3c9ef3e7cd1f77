// Package replay imports and exports HotSpot's replay files.
//
// # Format
//
// [Read] reads the file that a VM writes for a compilation:
//
//	java -XX:+UnlockDiagnosticVMOptions -XX:CompileCommand=option,Main::hot,bool,DumpReplay,true ...
//
// A file is lines of words, in this order:
//
//	version N                            from JDK 18 on; 2 in JDK 21 and 25
//	JvmtiExport CAPABILITY 0|1           three of them
//	instanceKlass CLASS [# NAME]         a class that is only loaded
//	ciInstanceKlass CLASS LINKED INITIALIZED LENGTH TAG...
//	staticfield CLASS NAME SIGNATURE VALUE
//	ciMethod METHOD INVOCATIONS BACKEDGES INTERPRETED THROWOUTS INSTRUCTIONS
//	ciMethodData METHOD STATE INVOCATIONS orig N BYTE... data N WORD...
//	    oops N (INDEX CLASS)... methods N (INDEX METHOD)...
//	compile METHOD BCI LEVEL [inline N (DEPTH BCI [LATE] METHOD)...]
//
// METHOD is a class, a name and a signature. Lines that begin with # are
// comments. Words may be quoted, and contain \uXXXX. From
// version 1 on a hidden class is a reference to the bytecode that made it:
//
//	@bci Main main ([Ljava/lang/String;)V 160 <appendix> member <vmtarget> ;
//
// The words of a ciMethodData line are the VM's own, so that profiles are kept word for
// word: data, extra and parameter entries, ArgInfo, and the exception handlers of JDK
// 25. The widths of the VM's entries are inferred; see [ReadOptions]. The output of
// dumpreplaydata of jhsdb clhsdb is read, too.
//
// # What a VM needs to replay
//
// Found by leaving lines out, on JDK 25:
//
//   - A class without a ciInstanceKlass line is treated as not loaded, including the
//     JDK's own classes, superclasses, interfaces, and classes in the signatures that
//     compiled code uses: C2 compiles a trap there. A receiver in a profile, or an
//     interface of a recorded class, without its line crashes the VM.
//   - LENGTH and the tags must be those of the class file that the VM loads. For a few
//     interfaces of the JDK, and java/lang/Class, the VM extends the constant pool: it
//     then reports "constant pool length mismatch" and continues.
//   - Called methods need a ciMethod line; ciMethodData only where there is a
//     profile. The number of words must be that of the VM's MethodData, or of its
//     data entries alone.
//   - The methods in the compile line are inlined if the profile leads there, and no
//     others.
//   - instanceKlass, staticfield and JvmtiExport lines may be missing. Values of
//     static fields let C2 fold constants.
//   - The VM cannot read back its own \uXXXX beyond ASCII, nor strings with quotation
//     marks: [Write] writes names in UTF-8 and leaves such strings out.
//
// So [Write] reads constant pools and code from class files: see [WriteOptions].
//
// # Trust
//
// Neither files nor class files are trusted: a violation of the grammar is an error with
// line and column, every walk must end exactly, and memory grows only with the bytes
// read.
package replay
