// Package training runs a command and holds every JVM that it starts at the JVM's exit, so that its profiles can be
// read when they are complete.
//
// # How
//
// The command and all its descendants are traced (ptrace, PTRACE_SEIZE) from their first instruction. Tracing follows
// forks and stops a thread when it starts, takes a signal, or ends. No system calls are traced. When a process ends, by
// the return of main, System.exit, Runtime.halt, a signal or a crash, its threads stop at the start of the kernel's
// exit path (PTRACE_EVENT_EXIT). They execute no more code. Their memory is still there, including every MethodData,
// which HotSpot does not free at its exit. The process is read there and released. If a JVM executes another program to
// restart itself, all its threads except one end in this way. The new program is traced like any other.
//
// The command keeps its terminal, standard streams, environment, process group and exit code. Signals reach it as
// without tracing. Signals sent only to the caller are forwarded. If the caller dies, even by SIGKILL, the system
// ends the tracing and the command continues.
//
// # Where tracing is forbidden
//
// The agent (agent/serve.h), loaded into each JVM through JAVA_TOOL_OPTIONS, serves the memory when the process calls
// exit. The archive is the same. But each JVM prints a line on stderr, and the tracer alone reads JVMs
//
//   - that crash, are killed by SIGKILL, or end in another way without a call of exit,
//   - whose VM does not start, or that still run when the command has ended,
//   - that run as another user or in another container, or replace themselves (exec),
//   - that drop JAVA_TOOL_OPTIONS from their environment.
//
// Therefore training uses ptrace if it may.
//
// # Limits
//
//   - Processes that are not descendants of the command are not traced, for instance children of an
//     existing daemon, a container engine or a service manager.
//   - A JVM that gets a second SIGKILL while it is held is lost.
//   - A JVM that still runs when the command has ended, such as a build daemon, is
//     read in its current state and released.
//   - A setuid program does not change its user under a tracer without CAP_SYS_PTRACE,
//     and no debugger, strace or jhsdb can attach to a traced process.
package training
