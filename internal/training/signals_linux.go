package training

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// A forwarder passes signals that reach the caller alone on to the command.
type forwarder struct {
	signals     chan os.Signal
	pid         chan int
	brokenPipes bool // the caller ignores SIGPIPE
}

// passed are the signals that are passed on.
var passed = []os.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2}

// newForwarder takes the signals. It must be there before the command starts:
// the command gets the signals that a caller handles in their default state,
// which is right also for SIGPIPE, and those that it ignores ignored.
func newForwarder(ignored []os.Signal) *forwarder {
	f := &forwarder{make(chan os.Signal, 16), make(chan int, 1), signal.Ignored(unix.SIGPIPE)}
	signal.Notify(f.signals, append(passed[:len(passed):len(passed)], unix.SIGPIPE)...)
	if len(ignored) > 0 {
		signal.Ignore(ignored...)
	}
	go f.run()
	return f
}

// to says who gets the signals.
func (f *forwarder) to(pid int) { f.pid <- pid }

func (f *forwarder) run() {
	pid, ok := <-f.pid
	for s := range f.signals {
		if ok && s != unix.SIGPIPE && !(fromTerminal(s) && foreground()) {
			_ = unix.Kill(pid, s.(unix.Signal)) // it may have ended
		}
	}
}

func (f *forwarder) stop() {
	signal.Stop(f.signals)
	if f.brokenPipes {
		signal.Ignore(unix.SIGPIPE)
	}
	close(f.signals)
	close(f.pid)
}

// fromTerminal reports whether a terminal sends a signal: to all processes that
// run in its foreground, so that the command has it already.
func fromTerminal(s os.Signal) bool {
	return s == unix.SIGINT || s == unix.SIGQUIT || s == unix.SIGHUP
}

// foreground reports whether this process runs in the foreground of a terminal.
func foreground() bool {
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer terminal.Close()
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
