// Package training runs a command and holds every JVM that it starts at the
// JVM's exit, so that its profiles can be read when they are complete.
//
// # How
//
// The command and all its descendants are traced (ptrace, PTRACE_SEIZE) from
// their first instruction. Tracing follows forks, and stops a thread when it
// starts, takes a signal, or ends; no system call is traced. When a process
// ends, by the return of main, System.exit, Runtime.halt, a signal or a crash,
// its threads stop at the door of the kernel's exit path (PTRACE_EVENT_EXIT):
// no code of theirs will run any more, and their memory is still there, with
// all that HotSpot knows, for HotSpot frees no MethodData at its exit. The
// process is read there and let go.
//
// The command keeps its terminal, standard streams, environment, process group
// and exit code. Signals reach it as ever; those that are sent to the caller
// alone are passed on. If the caller dies, even by SIGKILL, the system ends the
// tracing and the command runs on.
//
// # Why not an agent
//
// A Java agent, put into every JVM through JAVA_TOOL_OPTIONS, could wait in a
// shutdown hook until it is read. Compared on a program of 80 ms (medians of 21
// interleaved runs, OpenJDK 17, 2 CPUs, without the reading itself):
//
//	                          agent            ptrace
//	adds to the run           19 ms            10 ms
//	line on stderr            "Picked up JAVA_TOOL_OPTIONS: ..." in each JVM
//	                                           none
//	Runtime.halt, crash       missed           read
//	SIGKILL                   missed           read
//	JVMs with their own       missed, or break read
//	  JAVA_TOOL_OPTIONS
//	hooks that run after      not in the       in the profiles
//	  the agent's             profiles
//	profiles of the agent     in the archive   none
//	other processes           untouched        each fork, exec, signal and exit
//	                                           stops for a moment
//
// So there is no agent.
//
// # What cannot be caught
//
//   - Processes that are no descendants: of a daemon that ran before, of a
//     container engine, of a service manager.
//   - A JVM that a second SIGKILL takes while it is held.
//   - A JVM that still runs when the command has ended, a build daemon for
//     example, is read as it is then, and let go.
//   - Programs with the setuid bit get no other user's rights under a tracer
//     that has no CAP_SYS_PTRACE, and a traced process cannot be attached to by
//     a debugger, strace, or jhsdb.
package training
