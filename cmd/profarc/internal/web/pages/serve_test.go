package pages

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/internal/testkit/specimen"
)

// hastyLimits end everything soon.
var hastyLimits = servingLimits{header: 300 * time.Millisecond, request: 400 * time.Millisecond, answer: time.Second,
	idle: 300 * time.Millisecond, ending: time.Second, proof: 100 * time.Millisecond, connections: 100}

// soon is how long a test waits for what must happen.
const soon = 20 * time.Second

// A served site on loopback.
type loopback struct {
	*Server
	address string
	stop    context.CancelFunc
	ended   chan error // what serve returned
}

// serveOnLoopback serves a specimen until the end of the test.
func serveOnLoopback(t *testing.T, limits servingLimits) *loopback {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := NewServer(specimenSite(t, specimen.All()[0]), l.Addr())
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	s := &loopback{pages, l.Addr().String(), stop, make(chan error, 1)}
	go func() { s.ended <- pages.serveWithin(ctx, l, limits) }()
	t.Cleanup(stop)
	return s
}

// end stops the server and waits for it.
func (s *loopback) end(t *testing.T) {
	t.Helper()
	s.stop()
	select {
	case err := <-s.ended:
		if err != nil {
			t.Errorf("the server ends with %v", err)
		}
	case <-time.After(soon):
		t.Error("the server does not end")
	}
}

// dial opens a connection that the test closes.
func (s *loopback) dial(t *testing.T) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(soon)); err != nil {
		t.Fatal(err)
	}
	return c
}

// get returns a request for a page.
func (s *loopback) get(page string) string {
	return fmt.Sprintf("GET %s%s HTTP/1.1\r\nHost: %s\r\n\r\n", s.Path(), page, s.address)
}

// answerTo sends a request over a connection of its own, and returns the answer.
func (s *loopback) answerTo(t *testing.T, request string) (*http.Response, string) {
	t.Helper()
	c := s.dial(t)
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	return readAnswer(t, bufio.NewReader(c), request)
}

func readAnswer(t *testing.T, from *bufio.Reader, request string) (*http.Response, string) {
	t.Helper()
	answer, err := http.ReadResponse(from, nil)
	if err != nil {
		t.Fatalf("no answer to %.60q: %v", request, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatalf("half an answer to %.60q: %v", request, err)
	}
	return answer, string(body)
}

// waitFor waits until something holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(soon); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within %v", what, soon)
		}
	}
}

// isClosed waits until the server closes a connection.
func isClosed(t *testing.T, c net.Conn, what string) {
	t.Helper()
	if _, err := io.Copy(io.Discard, c); err != nil && strings.Contains(err.Error(), "timeout") {
		t.Errorf("%s: the connection stays open", what)
	}
}

// TestSlowClientsAreLeft has clients that send and read too slowly, while others are answered.
func TestSlowClientsAreLeft(t *testing.T) {
	full.Only(t, "takes many inputs")
	before := runtime.NumGoroutine()
	s := serveOnLoopback(t, hastyLimits)
	var clients sync.WaitGroup
	for what, text := range map[string]string{"a header byte by byte": s.get("methods"),
		"a line without an end": strings.Repeat("G", 1000)} {
		t.Run(what, func(t *testing.T) {
			c := s.dial(t)
			clients.Go(func() {
				for i := range len(text) {
					if _, err := io.WriteString(c, text[i:i+1]); err != nil {
						break
					}
					time.Sleep(20 * time.Millisecond)
				}
				isClosed(t, c, what)
			})
		})
	}
	clients.Go(func() { isClosed(t, s.dial(t), "nothing") })
	idle := s.dial(t)
	fmt.Fprint(idle, s.get("methods"))
	clients.Go(func() { isClosed(t, idle, "a second request that does not come") })
	greedy := s.dial(t)
	clients.Go(func() {
		for range 100_000 { // more than all buffers on the way hold
			if _, err := io.WriteString(greedy, s.get("methods")); err != nil {
				if strings.Contains(err.Error(), "timeout") {
					t.Error("answers that are not read: the connection stays open")
				}
				return
			}
		}
		t.Error("all requests were taken from who reads no answers")
	})
	for range 20 {
		if answer, _ := s.answerTo(t, s.get("methods")); answer.StatusCode != http.StatusOK {
			t.Errorf("status %d for a good client", answer.StatusCode)
		}
	}
	clients.Wait()
	s.end(t)
	waitFor(t, "the end of all goroutines", func() bool { return runtime.NumGoroutine() <= before+1 })
}

// TestRequestForms sends requests of all forms as they stand on the wire.
func TestRequestForms(t *testing.T) {
	t.Parallel()
	s := serveOnLoopback(t, usualLimits)
	_, port, _ := net.SplitHostPort(s.address)
	token := strings.Trim(s.Path(), "/")
	encoded := ""
	for _, c := range []byte(token) {
		encoded += fmt.Sprintf("%%%02x", c)
	}
	asked := func(method, target, host, more string) string {
		return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\n%s\r\n", method, target, host, more)
	}
	page := s.Path() + "methods"
	for _, c := range []struct {
		what, request string
		status        int
	}{
		{"plain", asked("GET", page, s.address, ""), 200},
		{"localhost", asked("GET", page, "localhost:"+port, ""), 200},
		{"upper case", asked("GET", page, "LOCALHOST:"+port, ""), 200},
		{"a trailing dot", asked("GET", page, "localhost.:"+port, ""), 200},
		{"two trailing dots", asked("GET", page, "localhost..:"+port, ""), 421},
		{"IPv6", asked("GET", page, "[::1]:"+port, ""), 200},
		{"long IPv6", asked("GET", page, "[0:0:0:0:0:0:0:1]:"+port, ""), 200},
		{"IPv6 of another interface", asked("GET", page, "[::1%25lo]:"+port, ""), 421},
		{"IPv6 of another machine", asked("GET", page, "[2001:db8::1]:"+port, ""), 421},
		{"IPv4 of another machine", asked("GET", page, "192.0.2.1:"+port, ""), 421},
		{"no port", asked("GET", page, "127.0.0.1", ""), 421},
		{"no port after the colon", asked("GET", page, "127.0.0.1:", ""), 421},
		{"another port", asked("GET", page, "127.0.0.1:1", ""), 421},
		{"another name", asked("GET", page, "127.0.0.1.example:"+port, ""), 421},
		{"a name that begins well", asked("GET", page, "localhost.example:"+port, ""), 421},
		{"an empty host", asked("GET", page, "", ""), 421},
		{"no host", "GET " + page + " HTTP/1.1\r\n\r\n", 400},
		{"no host in HTTP/1.0", "GET " + page + " HTTP/1.0\r\n\r\n", 421},
		{"two hosts", asked("GET", page, s.address, "Host: example.com\r\n"), 400},
		{"absolute", asked("GET", "http://"+s.address+page, s.address, ""), 200},
		{"absolute, of another host", asked("GET", "http://example.com"+page, s.address, ""), 421},
		{"absolute, without a path", asked("GET", "http://"+s.address, s.address, ""), 404},
		{"no address", asked("GET", "example", s.address, ""), 400},
		{"two slashes", asked("GET", "/"+page, s.address, ""), 404},
		{"asterisk", asked("OPTIONS", "*", s.address, ""), 404},
		{"asterisk, of another host", asked("OPTIONS", "*", "example.com", ""), 421},
		{"CONNECT", asked("CONNECT", s.address, s.address, ""), 404},
		{"OPTIONS", asked("OPTIONS", page, s.address, ""), 405},
		{"TRACE", asked("TRACE", page, s.address, ""), 405},
		{"DELETE", asked("DELETE", page, s.address, ""), 405},
		{"lower case", asked("get", page, s.address, ""), 405},
		{"a made-up method", asked("BREW", page, s.address, ""), 405},
		{"a made-up method without the token", asked("BREW", "/methods", s.address, ""), 404},
		{"a percent-encoded token", asked("GET", "/"+encoded+"/methods", s.address, ""), 200},
		{"a percent-encoded slash", asked("GET", "/"+token+"%2fmethods", s.address, ""), 200},
		{"a bad percent", asked("GET", "/%zz/methods", s.address, ""), 400},
		{"a zero byte", asked("GET", page+"%00", s.address, ""), 404},
		{"the folder above", asked("GET", s.Path()+"../"+token+"/methods", s.address, ""), 404},
		{"above the folder", asked("GET", s.Path()+"..", s.address, ""), 404},
		{"the folder above, percent-encoded", asked("GET", s.Path()+"%2e%2e/"+token+"/methods", s.address, ""), 404},
		{"a file of the machine", asked("GET", s.Path()+"../../../../etc/passwd", s.address, ""), 404},
		{"a folder within", asked("GET", s.Path()+"x/methods", s.address, ""), 404},
		{"a long query", asked("GET", page+"?x="+strings.Repeat("y", mostQueryBytes-2), s.address, ""), 200},
		{"a longer query", asked("GET", page+"?x="+strings.Repeat("y", mostQueryBytes-1), s.address, ""), 414},
		{"a long path", asked("GET", s.Path()+strings.Repeat("y", 60_000), s.address, ""), 404},
		{"a huge path", asked("GET", s.Path()+strings.Repeat("y", 100_000), s.address, ""), 431},
		{"a huge header", asked("GET", page, s.address, "Cookie: "+strings.Repeat("y", 100_000)+"\r\n"), 431},
		{"many cookies", asked("GET", page, s.address, strings.Repeat("Cookie: abc=def\r\n", 3000)), 200},
		{"a body", asked("GET", page, s.address, "Content-Length: 5\r\n") + "hello", 413},
		{"a body that does not come", asked("GET", page, s.address, "Content-Length: 5000000000\r\n"), 413},
		{"a body in chunks", asked("GET", page, s.address, "Transfer-Encoding: chunked\r\n") +
			"5\r\nhello\r\n0\r\n\r\n", 413},
		{"a body if it is wanted", asked("GET", page, s.address, "Content-Length: 5\r\nExpect: 100-continue\r\n"), 413},
		{"a form", asked("POST", page, s.address, "Content-Length: 5\r\n") + "a=b&c", 405},
	} {
		t.Run(c.what, func(t *testing.T) {
			answer, body := s.answerTo(t, c.request)
			if answer.StatusCode != c.status {
				t.Errorf("%s: status %d, want %d", c.what, answer.StatusCode, c.status)
			}
			if c.status > 404 && !answer.Close {
				t.Errorf("%s: the connection may be used again", c.what)
			}
			if c.status != 200 && (strings.Contains(body, token) || strings.Contains(answer.Header.Get("Location"), token)) {
				t.Errorf("%s: the answer has the token", c.what)
			}
		})
	}
}

// The port that belongs to HTTP is left out of Host.
func TestHostsOfThePortOfHTTP(t *testing.T) {
	t.Parallel()
	s, err := NewServer(specimenSite(t, specimen.All()[0]), &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80})
	if err != nil {
		t.Fatal(err)
	}
	for host, own := range map[string]bool{"localhost": true, "localhost.": true, "127.0.0.1": true, "127.0.0.1:80": true,
		"[::1]": true, "[::1]:80": true, "localhost:": true,
		"": false, "[]": false, "localhost:8080": false, "example.com": false, "127.0.0.2": false, "localhost:80:80": false,
		"localhost:080": false} {
		t.Run(host, func(t *testing.T) {
			if s.isOwnHost(host) != own {
				t.Errorf("%q: own is %v", host, !own)
			}
		})
	}
}

// Whoever knows nearly all of the token is told no more than others.
func TestTokensThatNearlyMatch(t *testing.T) {
	t.Parallel()
	s := serveOnLoopback(t, usualLimits)
	token := strings.Trim(s.Path(), "/")
	near := []string{"", token[1:], token[:len(token)-1], token + "A", "A" + token, token + "%00", token + "/" + token}
	for i := range token {
		near = append(near, token[:i]+string(token[i]^1)+token[i+1:])
	}
	_, want := s.answerTo(t, "GET /far HTTP/1.1\r\nHost: "+s.address+"\r\n\r\n")
	for _, path := range near {
		answer, body := s.answerTo(t, "GET /"+path+"/methods HTTP/1.1\r\nHost: "+s.address+"\r\n\r\n")
		if answer.StatusCode != http.StatusNotFound || body != want || !answer.Close {
			t.Errorf("%q: status %d: %s", path, answer.StatusCode, body)
		}
	}
}

// TestPipelinedRequests sends requests without waiting for answers.
func TestPipelinedRequests(t *testing.T) {
	t.Parallel()
	s := serveOnLoopback(t, usualLimits)
	c := s.dial(t)
	pages := []string{"overview", "methods", "methods?methods.page=2", "pollution"}
	text := ""
	for _, page := range pages {
		text += s.get(page)
	}
	fmt.Fprint(c, text+"GET /far HTTP/1.1\r\nHost: "+s.address+"\r\n\r\n"+s.get("methods"))
	from := bufio.NewReader(c)
	for _, page := range pages {
		t.Run(page, func(t *testing.T) {
			want := map[bool]int{true: 404, false: 200}[page == "nothing"]
			if answer, _ := readAnswer(t, from, page); answer.StatusCode != want {
				t.Errorf("%s: status %d", page, answer.StatusCode)
			}
		})
	}
	if answer, _ := readAnswer(t, from, "far"); answer.StatusCode != http.StatusNotFound {
		t.Errorf("without the token: status %d", answer.StatusCode)
	}
	if left, _ := io.ReadAll(from); len(left) > 0 {
		t.Errorf("an answer after one that closes the connection: %.60q", left)
	}
}

// TestManyRequests sends 10,000 requests over many connections; a tenth is for large
// pages: memory is bounded, and nothing is left of them.
func TestManyRequests(t *testing.T) {
	full.Only(t, "takes many inputs")
	const connections, each = 100, 100
	before := runtime.NumGoroutine()
	s := serveOnLoopback(t, usualLimits)
	pages := []string{"overview", "methods", "methods?find=a&methods.sort=-method", "pollution", "bytes?page=0"}
	done := make(chan struct{})
	highest := make(chan uint64)
	go func() { highest <- mostMemory(done) }()
	var clients sync.WaitGroup
	for n := range connections {
		c := s.dial(t)
		clients.Go(func() {
			if err := c.SetDeadline(time.Now().Add(4 * time.Minute)); err != nil {
				t.Error(err)
			}
			from := bufio.NewReader(c)
			for i := range each {
				page := "nothing"
				if i%10 == 0 {
					page = pages[(n+i/10)%len(pages)]
				}
				fmt.Fprint(c, s.get(page))
				answer, err := http.ReadResponse(from, nil)
				if err != nil {
					t.Errorf("%s: %v", page, err)
					return
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				if answer.StatusCode >= 500 {
					t.Errorf("%s: status %d", page, answer.StatusCode)
				}
			}
			_ = c.Close()
		})
	}
	clients.Wait()
	close(done)
	if most := <-highest; most > 200<<20 {
		t.Errorf("%d MiB of memory were in use", most>>20)
	}
	s.end(t)
	waitFor(t, "the end of all goroutines", func() bool { return runtime.NumGoroutine() <= before+1 })
}

// mostMemory returns the most memory that is in use until something is done.
func mostMemory(done chan struct{}) (most uint64) {
	for {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, m.HeapInuse)
		select {
		case <-done:
			return most
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// TestConnectionsWithoutTokenDoNotKeepOthersOut opens more connections than there may be.
func TestConnectionsWithoutTokenDoNotKeepOthersOut(t *testing.T) {
	limits := usualLimits
	limits.proof = 100 * time.Millisecond
	limits.connections = 8
	s := serveOnLoopback(t, limits)
	proven := s.dial(t)
	from := bufio.NewReader(proven)
	fmt.Fprint(proven, s.get("methods"))
	readAnswer(t, from, "first")
	var unproven []net.Conn
	for range 50 {
		c := s.dial(t)
		fmt.Fprint(c, "GET / HTTP/1.1\r\n")
		unproven = append(unproven, c)
	}
	for _, c := range unproven[:50-limits.connections+1] {
		isClosed(t, c, "a connection without the token")
	}
	fmt.Fprint(proven, s.get("methods"))
	readAnswer(t, from, "second, on the old connection")
	if answer, _ := s.answerTo(t, s.get("methods")); answer.StatusCode != http.StatusOK {
		t.Errorf("a new connection with the token: status %d", answer.StatusCode)
	}
	s.end(t)
}

// TestBurstsAreAnswered sends four times as many requests at once as there may be connections.
func TestBurstsAreAnswered(t *testing.T) {
	t.Parallel()
	limits := usualLimits
	limits.connections = 250
	s := serveOnLoopback(t, limits)
	var clients sync.WaitGroup
	for range 4 * limits.connections {
		clients.Go(func() {
			c, err := net.Dial("tcp", s.address)
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			fmt.Fprint(c, s.get("methods"))
			answer, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Errorf("a request with the token has no answer: %v", err)
				return
			}
			if answer.Body.Close(); answer.StatusCode != http.StatusOK {
				t.Errorf("status %d", answer.StatusCode)
			}
		})
	}
	clients.Wait()
	s.end(t)
}

// TestTheLeastUsedConnectionClosesFirst opens more connections with the token than there may be.
func TestTheLeastUsedConnectionClosesFirst(t *testing.T) {
	limits := usualLimits
	limits.connections = 3
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := newLimitedListener(inner, limits)
	defer l.Close()
	var clients, accepted []net.Conn
	connect := func() {
		client, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { client.Close() })
		server, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		clients = append(clients, client)
		accepted = append(accepted, server)
	}
	answer := func(i int) { // as http.Server does for a request with the token
		l.noteState(accepted[i], http.StateActive)
		l.withNoteToken(t.Context(), accepted[i]).Value(tokenKey{}).(func())()
		l.noteState(accepted[i], http.StateIdle)
	}
	for i := range 3 {
		connect()
		answer(i)
	}
	answer(0)
	connect()
	isClosed(t, clients[1], "the connection that was not used for longest")
	for _, i := range []int{0, 2, 3} {
		if l.open[accepted[i]] == nil {
			t.Errorf("connection %d is closed", i)
		}
	}
}

// TestPagesWaitForEachOther asks for pages while as many are built as may be.
func TestPagesWaitForEachOther(t *testing.T) {
	s := serveOnLoopback(t, usualLimits)
	for range pagesAtOnce {
		s.slots <- struct{}{}
	}
	gone := s.dial(t)
	fmt.Fprint(gone, s.get("methods"))
	waiting := s.dial(t)
	fmt.Fprint(waiting, s.get("methods"))
	waitFor(t, "two pages that wait", func() bool { return goroutinesIn("(*Server).acquireSlot") == 2 })
	_ = gone.Close()
	waitFor(t, "the end of a page whose client is gone", func() bool { return goroutinesIn("(*Server).acquireSlot") == 1 })
	<-s.slots
	if answer, _ := readAnswer(t, bufio.NewReader(waiting), "the page that waited"); answer.StatusCode != http.StatusOK {
		t.Errorf("status %d", answer.StatusCode)
	}
	waitFor(t, "the slot of that page", func() bool { return len(s.slots) == pagesAtOnce-1 })
	s.slots <- struct{}{}
	s.queueing = 50 * time.Millisecond
	answer, body := s.answerTo(t, s.get("methods"))
	if answer.StatusCode != http.StatusServiceUnavailable || answer.Header.Get("Retry-After") == "" ||
		!strings.Contains(body, "Too many pages") {
		t.Errorf("a page that waits too long: status %d\n%s", answer.StatusCode, body)
	}
	s.end(t)
}

// goroutinesIn returns how many goroutines are in a function.
func goroutinesIn(function string) int {
	stacks := make([]byte, 1<<20)
	return bytes.Count(stacks[:runtime.Stack(stacks, true)], []byte(function+"("))
}

// TestAnswersInFlightEnd ends the server while a page is built.
func TestAnswersInFlightEnd(t *testing.T) {
	for _, late := range []bool{false, true} {
		limits := usualLimits
		limits.ending = 300 * time.Millisecond
		if !late {
			limits.ending = soon
		}
		s := serveOnLoopback(t, limits)
		for range pagesAtOnce {
			s.slots <- struct{}{}
		}
		unproven := s.dial(t)
		c := s.dial(t)
		fmt.Fprint(c, s.get("methods"))
		waitFor(t, "a page that waits", func() bool { return goroutinesIn("(*Server).acquireSlot") == 1 })
		s.stop()
		begin := time.Now()
		isClosed(t, unproven, "a connection without the token, at the end")
		if took := time.Since(begin); took > 4*time.Second { // http.Server waits for 5
			t.Errorf("a connection without the token holds the end up for %v", took)
		}
		if !late {
			<-s.slots
			if answer, body := readAnswer(t, bufio.NewReader(c), "the page in flight"); answer.StatusCode != http.StatusOK ||
				!strings.HasSuffix(body, "</html>\n") {
				t.Errorf("status %d: %s", answer.StatusCode, body)
			}
		}
		s.end(t)
		isClosed(t, c, "a page in flight")
		if _, err := net.Dial("tcp", s.address); err == nil {
			t.Error("the port is still open")
		}
	}
}
