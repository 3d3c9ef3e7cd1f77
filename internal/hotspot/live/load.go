package live

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"github.com/profarc/profarc/internal/system/procfs"
)

// Times to wait for a JVM that is to load the agent.
const (
	attachTimeout = 10 * time.Second
	attachPause   = 10 * time.Millisecond
)

// LoadAgent has a running JVM load the agent, as jcmd does. The agent serves its memory until Close. find is called for
// the path of the library, if the process is a JVM of this user.
func (l *Listener) LoadAgent(ctx context.Context, pid int, find func() (string, error)) (*Served, error) {
	p, err := openProcess(pid)
	if err != nil {
		return nil, err
	}
	if _, err := libraryBases(ctx, p); err != nil {
		return nil, p.addProcess(translateError(err)) // other programs end at a SIGQUIT
	}
	library, err := find()
	if err != nil {
		return nil, err
	}
	to, err := p.dialAttach(ctx)
	if err != nil {
		return nil, p.addProcess(err)
	}
	options := "serve=" + strings.ReplaceAll(l.Addr().String(), ",", ",,")
	if _, err := fmt.Fprintf(to, "1\x00load\x00%s\x00true\x00%s\x00", library, options); err != nil {
		_ = to.Close()
		return nil, err
	}
	answer := make(chan string, 1)
	go func() { // the JVM answers when it has served, or cannot load the agent
		text, _ := io.ReadAll(io.LimitReader(to, maxFrame))
		answer <- string(text)
		_ = to.Close()
		_ = l.SetDeadline(time.Now())
	}()
	_ = l.SetDeadline(time.Now().Add(attachTimeout))
	s, err := l.AcceptJVM()
	if err != nil {
		_ = to.SetDeadline(time.Now())
		return nil, p.addProcess(fmt.Errorf("it does not load the agent: %q", <-answer))
	}
	return s, nil
}

// dialAttach connects to the socket on which a JVM receives commands. The JVM opens it after a SIGQUIT if a file
// exists.
func (p *process) dialAttach(ctx context.Context) (net.Conn, error) {
	id, _ := procfs.Identify(p.pid)
	socket := fmt.Sprintf("/tmp/.java_pid%d", id.PID)
	if conn, err := net.Dial("unix", socket); err == nil {
		return conn, nil
	}
	file := fmt.Sprintf("/tmp/.attach_pid%d", id.PID)
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		return nil, err
	}
	defer os.Remove(file)
	if err := p.sendQuit(); err != nil {
		return nil, err
	}
	for end := time.Now().Add(attachTimeout); ; time.Sleep(attachPause) {
		conn, err := net.Dial("unix", socket)
		if err == nil || ctx.Err() != nil || time.Now().After(end) {
			return conn, err
		}
	}
}
