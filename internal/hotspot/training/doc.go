// Package training runs a command and holds every JVM that it starts at the
// JVM's exit, so that its profiles can be read when they are complete.
//
// # How
//
// The command and all its descendants are traced (ptrace, PTRACE_SEIZE) from their first instruction. Tracing
// follows forks, and stops a thread when it starts, takes a signal, or ends; no system call is traced. When a
// process ends, by the return of main, System.exit, Runtime.halt, a signal or a crash, its threads stop at
// the start of the kernel's exit path (PTRACE_EVENT_EXIT): they run no more code, and their memory is still
// there, with every MethodData, which HotSpot does not free at its exit. The process is read there and
// released. A JVM that executes another program in its place, to restart itself, ends so for all its threads
// but one; what follows it in the process is traced like any other.
//
// The command keeps its terminal, standard streams, environment, process group and exit code. Signals reach
// it as they would untraced; those that are sent to the caller alone are passed on. If the caller dies, even
// by SIGKILL, the system ends the tracing and the command runs on.
//
// # Why not an agent
//
// A Java agent, loaded into every JVM through JAVA_TOOL_OPTIONS, could wait in a shutdown hook until the JVM
// has been read. Compared with tracing on a program of 80 ms (medians of 21 interleaved runs, OpenJDK 17, 2
// CPUs, without the reading itself):
//
//	                          agent            ptrace
//	time added to the run     19 ms            10 ms
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
// # Limits
//
//   - Processes that are not descendants of the command are not traced: processes of a
//     daemon that ran before, a container engine or a service manager.
//   - A JVM that gets a second SIGKILL while it is held is lost.
//   - A JVM that still runs when the command has ended, such as a build daemon, is
//     read as it is then, and released.
//   - A program with the setuid bit does not change its user under a tracer without
//     CAP_SYS_PTRACE, and no debugger, strace or jhsdb can attach to a traced
//     process.
package training
