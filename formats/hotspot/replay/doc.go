// Package replay imports and exports HotSpot's replay files.
//
// # Format
//
// [Read] reads what a VM writes for a compilation that it is asked to dump:
//
//	java -XX:+UnlockDiagnosticVMOptions -XX:CompileCommand=option,Main::hot,bool,DumpReplay,true ...
//
// A file is lines of words, in this order:
//
//	version N                            from JDK 18 on; 2 in JDK 21 and 25
//	JvmtiExport CAPABILITY 0|1           three of them
//	instanceKlass CLASS [# NAME]         a class that is only to be loaded
//	ciInstanceKlass CLASS LINKED INITIALIZED LENGTH TAG...
//	staticfield CLASS NAME SIGNATURE VALUE
//	ciMethod METHOD INVOCATIONS BACKEDGES INTERPRETED THROWOUTS INSTRUCTIONS
//	ciMethodData METHOD STATE INVOCATIONS orig N BYTE... data N WORD...
//	    oops N (INDEX CLASS)... methods N (INDEX METHOD)...
//	compile METHOD BCI LEVEL [inline N (DEPTH BCI [LATE] METHOD)...]
//
// METHOD is a class, a name and a signature. Lines that begin with # are
// comments. Words may be in quotation marks, and hold \uXXXX. From
// version 1 on a hidden class is a reference to the bytecode that made it:
//
//	@bci Main main ([Ljava/lang/String;)V 160 <appendix> member <vmtarget> ;
//
// The words of a ciMethodData line are the VM's own, so that profiles are kept
// word for word: data, extra and parameter entries, ArgInfo, and the exception
// handlers of JDK 25. The file does not say how wide the VM's entries are; see
// [ReadOptions]. What dumpreplaydata of jhsdb clhsdb prints is read, too.
//
// # What a VM needs to replay
//
// Found by leaving lines out, on JDK 25:
//
//   - A class without a ciInstanceKlass line is treated as not loaded. That holds
//     for the JDK's own, for superclasses and interfaces, and for classes in the
//     signatures that compiled code uses: C2 puts a trap where it meets one. A
//     receiver in a profile, or an interface of a recorded class, without its
//     line crashes the VM.
//   - LENGTH and the tags must be those of the class file that the VM loads. Of a
//     few interfaces of the JDK, and of java/lang/Class, the VM has added to the
//     constant pool: it then complains ("constant pool length mismatch") and goes
//     on.
//   - Called methods need a ciMethod line; ciMethodData only where there is a
//     profile. The number of words must be that of the VM's MethodData, or of its
//     data entries alone.
//   - What the compile line lists is inlined if the profile leads there, and
//     nothing else is.
//   - instanceKlass, staticfield and JvmtiExport lines may be missing. Values of
//     static fields let C2 fold constants.
//   - The VM cannot read back what it writes as \uXXXX beyond ASCII, nor strings
//     that hold quotation marks: [Write] writes names in UTF-8 and leaves such
//     strings out.
//
// So [Write] reads constant pools and code from class files: see [WriteOptions].
//
// # Trust
//
// Neither files nor class files are trusted: what does not fit the grammar is an
// error with line and column, every walk must end exactly, and memory grows
// with what is read.
package replay
