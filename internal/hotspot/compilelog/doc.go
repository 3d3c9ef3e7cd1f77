// Package compilelog reads the calls that C2 inlined from a log that HotSpot writes with
//
//	-XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation -XX:LogFile=FILE
//
// The log has a task for each compilation. The task contains the methods that the compiler parsed, each nested in its
// caller, after the bytecode of the call:
//
//	<task compile_id='7' method='Main run ()V' ...>          of C1, if it has a level
//	<klass id='1' name='Main'/> <method id='2' holder='1' name='run' return='9'/>
//	<parse method='2'>
//	<bc code='184' bci='4'/>
//	<parse method='3'> ... </parse>                          inlined at 4
//	</parse>
//	<late_inline method='3'> <jvms bci='8' method='2'/> </late_inline>
//	<parse method='3'> ... </parse>                          inlined at 8, once all was parsed
//	<task_done success='1' .../>
package compilelog
