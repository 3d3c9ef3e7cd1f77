package live

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/internal/hotspot/agentlib"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/testjvm"
)

func listen(t *testing.T) *Listener {
	t.Helper()
	l, err := Listen()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func buildAgent(t *testing.T) string {
	t.Helper()
	library, err := (&agentlib.Build{}).Find(t.Context(), "")
	if err != nil {
		t.Skip(err)
	}
	return library
}

// archiveOf dumps a JVM into an archive and returns its bytes.
func archiveOf(t *testing.T, vm *VM, o Options) []byte {
	t.Helper()
	o.Config = builder.Config{DumpID: [16]byte{1}, DumpTime: time.Unix(1, 0)}
	b, r, err := vm.Dump(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Methods < 100 {
		t.Errorf("%d methods", r.Methods)
	}
	r.Describe(t.Context(), b, &Contents{})
	path := filepath.Join(t.TempDir(), "a.parc")
	if _, err := b.Commit(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	all, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// attachTwice attaches to a JVM through its agent and by system calls.
func attachTwice(t *testing.T, s *Served) (served, read *VM) {
	t.Helper()
	served, err := s.Attach(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	read, err = Attach(t.Context(), s.PID())
	if err != nil {
		t.Fatal(err)
	}
	served.Provenance(t.Context())
	read.Provenance(t.Context())
	served.run.Begun = read.run.Begun // a computed time, whose last digit may differ
	return served, read
}

// TestServedMemory reads JVMs that are held at their exit, by system calls and through the agent.
func TestServedMemory(t *testing.T) {
	full.Only(t, "starts JVMs and compilers")
	library := buildAgent(t)
	testjvm.Each(t, func(t *testing.T, home string) {
		l := listen(t)
		flag, err := agentlib.Options{Serve: l.Addr().String()}.AgentPathFlag(library)
		if err != nil {
			t.Fatal(err)
		}
		j := compiling(t, home, flag)
		_ = j.in.Close()
		s, err := l.AcceptJVM()
		if err != nil || s.PID() != j.pid() || s.Exit != 0 {
			t.Fatalf("%+v, %v", s, err)
		}
		served, read := attachTwice(t, s)
		if a, b := archiveOf(t, served, Options{}), archiveOf(t, read, Options{}); !bytes.Equal(a, b) {
			t.Errorf("archives of %d and %d bytes differ", len(a), len(b))
		}
		if err := served.Detach(t.Context()); err != nil {
			t.Fatal(err)
		}
		if a, b := archiveOf(t, served, Options{}), archiveOf(t, read, Options{}); !bytes.Equal(a, b) {
			t.Errorf("archives of %d and %d bytes differ, one of a copy", len(a), len(b))
		}
		if err := s.readAt(make([]byte, 3*maxFrame), 1<<46); err != errFault {
			t.Errorf("unmapped memory: %v", err)
		}
		_ = s.Close()
		j.end()
	})
}

// TestLoadedAgent reads running JVMs that stand still, by system calls and through an agent that they load.
func TestLoadedAgent(t *testing.T) {
	full.Only(t, "starts JVMs and compilers")
	library := buildAgent(t)
	testjvm.Each(t, func(t *testing.T, home string) {
		j := compiling(t, home)
		l := listen(t)
		if _, err := l.LoadAgent(t.Context(), j.pid(), func() (string, error) { return "/no/such/agent", nil }); err == nil {
			t.Error("an agent that does not exist was loaded")
		}
		s, err := l.LoadAgent(t.Context(), j.pid(), func() (string, error) { return library, nil })
		if err != nil || s.Exit != -1 || s.PID() != j.pid() {
			t.Fatalf("%+v, %v", s, err)
		}
		served, read := attachTwice(t, s)
		for _, o := range []Options{{Stop: true}, {}} {
			compareStill(t, served, read, o)
		}
		_ = s.Close()
		j.end()
	})
}

// compareStill compares dumps of a JVM between two dumps of it that are the same.
func compareStill(t *testing.T, served, read *VM, o Options) {
	t.Helper()
	for range 10 {
		before, by, after := archiveOf(t, read, o), archiveOf(t, served, o), archiveOf(t, read, o)
		if bytes.Equal(before, after) {
			if !bytes.Equal(by, after) {
				t.Errorf("archives of %d and %d bytes differ", len(by), len(after))
			}
			return
		}
	}
	t.Error("the JVM does not stand still")
}

// TestNobodyListens checks that a program ends as usual if it cannot connect.
func TestNobodyListens(t *testing.T) {
	full.Only(t, "starts JVMs and compilers")
	library := buildAgent(t)
	testjvm.EachInLongForm(t, func(t *testing.T, home string) {
		for _, socket := range []string{"/no/such/socket", string(bytes.Repeat([]byte("/long"), 50))} {
			j := start(t, home, "-agentpath:"+library+"=serve="+socket, "Twins")
			j.await("ready")
			j.end()
		}
	})
}

// TestForgedPeers connects processes that do not follow the protocol.
func TestForgedPeers(t *testing.T) {
	l := listen(t)
	hello := func(maps uint32) []byte { return append(le.AppendUint32([]byte{7, 0, 0, 0}, maps), make([]byte, 8)...) }
	for _, said := range [][]byte{nil, hello(0)[:4], hello(maxMaps + 1), hello(1), append(hello(1), 2, 0, 0, 0)} {
		conn, err := net.Dial("unix", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, _ = conn.Write(said)
			_ = conn.Close()
		}()
	}
	conn, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = conn.Write(hello(0))
	s, err := l.AcceptJVM()
	if err != nil || s.Exit != 7 || s.PID() != os.Getpid() {
		t.Fatalf("%+v, %v", s, err)
	}
	if _, err := s.Attach(context.Background()); err == nil {
		t.Error("a process without mappings is a VM")
	}
	for _, n := range []uint32{9, 1 << 31} { // of 8
		_ = binary.Write(conn, le, n)
		if err := s.readAt(make([]byte, 8), 4096); err == nil || err == errFault {
			t.Errorf("an answer of %d bytes: %v", n, err)
		}
		s.in.Reset(s.conn)
	}
	_ = conn.Close()
}
