package live

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/profarc/profarc/internal/system/procfs"
)

// A Listener waits for JVMs whose agent reads their memory for this process. agent/serve.h describes the protocol.
type Listener struct {
	*net.UnixListener
	folder string
}

// Listen opens a socket in a new folder of this user. Close removes both. The name of a socket has at most 107 bytes.
func Listen() (l *Listener, err error) {
	for _, in := range []string{os.TempDir(), "/tmp", "/dev/shm"} {
		l, err = listenIn(in)
		if err == nil {
			return l, nil
		}
	}
	return nil, fmt.Errorf("%w: set TMPDIR to a folder with a short name that can be written", err)
}

func listenIn(folder string) (*Listener, error) {
	folder, err := os.MkdirTemp(folder, "profarc-")
	if err != nil {
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(folder, "serve"), Net: "unix"})
	if err != nil {
		_ = os.RemoveAll(folder)
		return nil, err
	}
	return &Listener{l, folder}, nil
}

func (l *Listener) Close() error {
	defer os.RemoveAll(l.folder)
	return l.UnixListener.Close()
}

// A Served is a JVM that waits for requests. Close lets it continue.
type Served struct {
	*process
	Exit int32 // exit code; exitRunning, or a lower number if it is unknown
	conn net.Conn
	in   *bufio.Reader
	maps []byte
}

// A request is an address and a length. With length 0 it is serveHold, or 0 to end holding.
const (
	requestSize = 16
	serveHold   = 1  // SERVE_HOLD
	exitRunning = -1 // the VM has not ended
)

// Limits of a JVM that serves its memory, which may be forged.
const (
	serveTimeout = 30 * time.Second // for one batch of requests
	maxMaps      = 1 << 24          // a process has at most 65,530 mappings, unless the machine is configured otherwise
	maxFrame     = 1 << 15          // SERVE_LONGEST
	maxBatch     = 1 << 10          // bytes of requests to send before the answers are read; they fit into the socket
)

// AcceptJVM waits for the next JVM. It ignores processes that do not follow the protocol.
func (l *Listener) AcceptJVM() (*Served, error) {
	for {
		conn, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		s := &Served{conn: conn, in: bufio.NewReaderSize(conn, maxFrame)}
		s.process, err = openPeer(conn)
		if err == nil {
			err = s.readHello()
		}
		if err == nil {
			return s, nil
		}
		_ = conn.Close()
	}
}

func (s *Served) readHello() error {
	_ = s.conn.SetDeadline(time.Now().Add(serveTimeout))
	var hello struct {
		Exit   int32
		Length uint32
		Maps   uint64
	}
	if err := binary.Read(s.in, le, &hello); err != nil {
		return err
	}
	if hello.Length > maxMaps {
		return fmt.Errorf("%w: %d bytes of mappings", ErrStructure, hello.Length)
	}
	s.Exit, s.maps = hello.Exit, make([]byte, hello.Length)
	return s.readAt(s.maps, hello.Maps)
}

func (s *Served) readLength(limit int) (int, error) {
	var n uint32
	err := binary.Read(s.in, le, &n)
	if err == nil && int64(n) > int64(limit) {
		err = fmt.Errorf("%w: a frame of %d bytes, of at most %d", ErrStructure, n, limit)
	}
	return int(n), err
}

func (s *Served) Close() error { return s.conn.Close() }
func (s *Served) PID() int     { return s.pid }

// Attach finds the VM in the process, like the function Attach.
func (s *Served) Attach(ctx context.Context) (*VM, error) { return attachTarget(ctx, s) }

func (s *Served) mappings(ctx context.Context) iter.Seq2[procfs.Mapping, error] {
	return procfs.ParseMappings(ctx, bytes.NewReader(s.maps))
}

// holdWhile holds a running VM at a safepoint.
func (s *Served) holdWhile(use func(h *holding) error) error {
	if s.Exit != exitRunning {
		return use(&holding{}) // the VM is at its end
	}
	if err := s.sendRequests(le.AppendUint64(le.AppendUint64(nil, serveHold), 0)); err != nil {
		return err
	}
	h := &holding{begun: time.Now(), resume: func() { _ = s.sendRequests(make([]byte, requestSize)) }}
	if n, err := s.readLength(1); err != nil || n > 0 {
		return lostPeer(cmp.Or(err, errors.New("it reaches no safepoint")))
	}
	defer h.releaseThreads()
	return use(h)
}

func (s *Served) sendRequests(requests []byte) error {
	_ = s.conn.SetDeadline(time.Now().Add(serveTimeout))
	if _, err := s.conn.Write(requests); err != nil {
		return lostPeer(err)
	}
	return nil
}

func (s *Served) readAt(b []byte, addr uint64) error {
	return s.readSpans(b, []span{{addr, len(b)}}, func(int) error { return errFault })
}

// readSpans sends requests in batches, since an answer takes longer than reading the bytes.
func (s *Served) readSpans(b []byte, spans []span, missed func(i int) error) error {
	for first := 0; first < len(spans); {
		last := first
		var requests []byte
		for ; last < len(spans) && len(requests) < maxBatch; last++ {
			requests = appendRequests(requests, spans[last])
		}
		if err := s.sendRequests(requests); err != nil {
			return err
		}
		var failed error
		for ; first < last; first++ {
			part := b[:spans[first].size]
			b = b[len(part):]
			whole, err := s.receiveBytes(part)
			if err != nil {
				return lostPeer(err)
			}
			if !whole {
				clear(part)
				failed = cmp.Or(failed, missed(first))
			}
		}
		if failed != nil {
			return failed
		}
	}
	return nil
}

func appendRequests(to []byte, s span) []byte {
	for n := 0; n < s.size; n += maxFrame {
		to = le.AppendUint64(to, s.addr+uint64(n))
		to = le.AppendUint64(to, uint64(min(s.size-n, maxFrame)))
	}
	return to
}

// receiveBytes receives the answers to the requests of one span. whole is false if not all bytes are mapped.
func (s *Served) receiveBytes(b []byte) (whole bool, err error) {
	whole = true
	for len(b) > 0 {
		piece := b[:min(len(b), maxFrame)]
		b = b[len(piece):]
		n, err := s.readLength(len(piece))
		if err == nil && n > 0 {
			_, err = io.ReadFull(s.in, piece[:n])
		}
		if err != nil {
			return false, err
		}
		whole = whole && n == len(piece)
	}
	return whole, nil
}

func lostPeer(err error) error { return fmt.Errorf("%w (%w)", ErrGone, err) }

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
