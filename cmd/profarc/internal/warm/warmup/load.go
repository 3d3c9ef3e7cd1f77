package warmup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// A Load is what clients ask of a server on this machine. Each sends its next request once
// the one before was answered.
type Load struct {
	URL      string
	Requests int // of all clients
	Clients  int
}

const (
	loadWindows  = 50                     // units that the requests are cut into
	pollPause    = 2 * time.Millisecond   // between attempts to reach a server that starts
	answerWithin = 30 * time.Second       // else a request has failed
	mostBody     = 1 << 18                // of the first answer that is kept
	busyWithin   = 200 * time.Millisecond // for a server that should not be there
)

// ErrNotLocal is the error of an address of another machine.
var ErrNotLocal = errors.New("load is put on this machine only: name an address such as http://127.0.0.1:8080/")

// Check returns an error if the load can't be put: it must be on a loopback address, by plain HTTP.
func (l *Load) Check() error {
	u, err := url.Parse(l.URL)
	switch {
	case err != nil:
		return err
	case u.Scheme != "http" || u.Port() == "":
		return fmt.Errorf("%s: %w", l.URL, ErrNotLocal)
	case u.Hostname() != "localhost" && !net.ParseIP(u.Hostname()).IsLoopback():
		return fmt.Errorf("%s: %w", l.URL, ErrNotLocal)
	}
	return nil
}

// Busy reports whether something listens at the address already.
func (l *Load) Busy(ctx context.Context) bool {
	u, err := url.Parse(l.URL)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, busyWithin)
	defer cancel()
	c, err := dialLocal(ctx, "tcp", u.Host)
	if err != nil {
		return false
	}
	c.Close()
	return true
}

// dialLocal connects to a loopback address, whatever the name of the host leads to.
func dialLocal(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	if a, ok := c.RemoteAddr().(*net.TCPAddr); !ok || !a.IP.IsLoopback() {
		c.Close()
		return nil, fmt.Errorf("%s: %w", address, ErrNotLocal)
	}
	return c, nil
}

// client returns a client with as many connections, which follows no redirection.
func (l *Load) client() *http.Client {
	return &http.Client{
		Timeout:       answerWithin,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{DialContext: dialLocal, DisableCompression: true,
			MaxIdleConns: l.Clients, MaxIdleConnsPerHost: l.Clients},
	}
}

// A loadResult is what was measured of a server. Times are from its start.
type loadResult struct {
	done    bool // every request was answered
	firstNS int64
	lastNS  int64
	body    []byte // of the first answer
	units   []Unit
	asked   int
	failed  int
	problem string // of the first request that failed
}

// why explains why the load was not done.
func (l *loadResult) why(exit int) string {
	switch {
	case l.firstNS == 0:
		return fmt.Sprintf("it ended with exit code %d before it answered a request", exit)
	case l.failed > 0:
		return fmt.Sprintf("%d of %d requests failed, the first with: %s", l.failed, l.asked, l.problem)
	}
	return fmt.Sprintf("it ended with exit code %d after %d requests", exit, l.asked)
}

// A request is when one was answered, and how long that took.
type request struct{ endNS, tookNS int64 }

// run waits for the server and puts the load on it. It ends early if ctx is done, as when the server has
// ended.
func (l *Load) run(ctx context.Context, begun time.Time, ready <-chan struct{}) (r loadResult) {
	client := l.client()
	defer client.CloseIdleConnections()
	select {
	case <-ready:
	case <-ctx.Done():
		return r
	}
	if r.body, r.firstNS = l.await(ctx, client, begun); r.firstNS == 0 {
		return r
	}
	requests := l.ask(ctx, client, begun, &r)
	r.asked = len(requests) + r.failed
	r.done = r.failed == 0 && len(requests) == l.Requests
	if len(requests) > 0 {
		r.units = windows(requests)
		r.lastNS = requests[len(requests)-1].endNS
	}
	return r
}

// await returns the first answer of a server that starts. Until then it refuses connections, or
// answers that it is not available.
func (l *Load) await(ctx context.Context, client *http.Client, begun time.Time) (body []byte, firstNS int64) {
	for ctx.Err() == nil {
		if body, err := l.get(ctx, client, mostBody); err == nil {
			return body, time.Since(begun).Nanoseconds()
		}
		time.Sleep(pollPause)
	}
	return nil, 0
}

// get sends a request and returns the beginning of what was answered.
func (l *Load) get(ctx context.Context, client *http.Client, most int64) (body []byte, err error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, l.URL, nil)
	if err != nil {
		return nil, err
	}
	a, err := client.Do(q)
	if err != nil {
		return nil, err
	}
	defer a.Body.Close()
	if most > 0 {
		body, err = io.ReadAll(io.LimitReader(a.Body, most))
	}
	if _, all := io.Copy(io.Discard, a.Body); err != nil || all != nil {
		return nil, cmp.Or(err, all)
	}
	if a.StatusCode >= http.StatusBadRequest {
		return nil, fmt.Errorf("the server answered %s", a.Status)
	}
	return body, nil
}

// ask sends all requests, and returns those that were answered in the order of their ends.
func (l *Load) ask(ctx context.Context, client *http.Client, begun time.Time, r *loadResult) []request {
	var left atomic.Int64
	left.Store(int64(l.Requests))
	var mu sync.Mutex
	var answered []request
	var clients sync.WaitGroup
	for range l.Clients {
		clients.Go(func() {
			var mine []request
			failed, problem := 0, error(nil)
			for left.Add(-1) >= 0 && ctx.Err() == nil {
				sent := time.Now()
				_, err := l.get(ctx, client, 0)
				now := time.Now()
				if err == nil {
					mine = append(mine, request{now.Sub(begun).Nanoseconds(), now.Sub(sent).Nanoseconds()})
				} else if ctx.Err() == nil {
					failed, problem = failed+1, cmp.Or(problem, err)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			answered = append(answered, mine...)
			if r.failed += failed; problem != nil && r.problem == "" {
				r.problem = problem.Error()
			}
		})
	}
	clients.Wait()
	slices.SortFunc(answered, func(a, b request) int { return cmp.Compare(a.endNS, b.endNS) })
	return answered
}

// windows cuts requests into units, by their ends.
func windows(requests []request) []Unit {
	size := (len(requests) + loadWindows - 1) / loadWindows
	var units []Unit
	for w := range slices.Chunk(requests, size) {
		var took []int64
		sum := int64(0)
		for _, q := range w {
			took, sum = append(took, q.tookNS), sum+q.tookNS
		}
		slices.Sort(took)
		units = append(units, Unit{w[len(w)-1].endNS, sum / int64(len(w)), took[(99*len(took)+99)/100-1]})
	}
	return units
}
