package live

import "errors"

// The sentinels that errors of this package match. Their texts say what to do.
var (
	// ErrUnsupported: this system has no way to read another process.
	ErrUnsupported = errors.New("a live JVM can be read on 64-bit Linux only: " +
		"run it with -XX:+UnlockDiagnosticVMOptions -XX:+PrintMethodData, and import what it prints")
	// ErrNoProcess: there is no such process.
	ErrNoProcess = errors.New("there is no such process: find the JVM's with jps, " +
		"and name it as this side of a container sees it")
	// ErrZombie: the process has ended, and its parent has not asked how.
	ErrZombie = errors.New("it has ended and is a zombie, whose memory is gone: dump it earlier, or run it under profarc train")
	// ErrGone: the process ended, or became another program, while it was read.
	ErrGone = errors.New("the process ended while it was read, or became another program: dump it earlier, or start it again")
	// ErrPermission: the system does not let this user read the process.
	ErrPermission = errors.New("no permission to read the process: run as its user or as root; " +
		"if /proc/sys/kernel/yama/ptrace_scope is 1 or more, as root or with CAP_SYS_PTRACE; " +
		"in a container add --cap-add=SYS_PTRACE")
	// ErrTraced: another process traces it. The tracer's number follows.
	ErrTraced = errors.New("it is traced by process")
	// ErrNotHotSpot: no HotSpot VM in the process.
	ErrNotHotSpot = errors.New("not a HotSpot JVM")
	// ErrNoTables: a HotSpot VM that does not export what is needed of it.
	ErrNoTables = errors.New("the JVM does not export the tables of its structures: " +
		"run the program on a JDK from 17 on with the server or client VM, or wait until it has started")
	// ErrStructure: what the process holds is not what its tables say.
	ErrStructure = errors.New("the JVM's memory is not what its tables say: " +
		"wait until it has started, then dump it again")
)

// errFault: nothing is mapped at an address.
var errFault = errors.New("no memory there")
