package pages

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Every answer, also one that refuses, keeps browsers from telling others what it is, from taking
// it for something else, from showing it in pages of others, and from keeping it.
func TestAnswersHaveHeadersOfTheirPolicy(t *testing.T) {
	t.Parallel()
	s := serveOnLoopback(t, usualLimits)
	for what, request := range map[string]string{
		"a page": s.get("methods"), "no page": s.get("nothing"), "the folder": s.get(""),
		"without the token": "GET / HTTP/1.1\r\nHost: " + s.address + "\r\n\r\n",
		"for another host":  "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n",
		"a method":          strings.Replace(s.get("methods"), "GET", "PUT", 1),
	} {
		t.Run(what, func(t *testing.T) {
			answer, _ := s.answerTo(t, request)
			for name, want := range map[string]string{"Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
				"Cross-Origin-Resource-Policy": "same-origin",
				"Cross-Origin-Opener-Policy":   "same-origin", "Cache-Control": "no-store"} {
				if got := answer.Header.Get(name); got != want {
					t.Errorf("%s: %s is %q, want %q", what, name, got, want)
				}
			}
			policy := answer.Header.Get("Content-Security-Policy")
			for _, want := range []string{"default-src 'none'", "form-action 'self'", "base-uri 'none'",
				"frame-ancestors 'none'"} {
				if !strings.Contains(policy, want) {
					t.Errorf("%s: the policy has no %s: %s", what, want, policy)
				}
			}
			allow := answer.Header.Get("Allow")
			if (allow == "GET, HEAD") != (answer.StatusCode == http.StatusMethodNotAllowed) {
				t.Errorf("%s: status %d allows %q", what, answer.StatusCode, allow)
			}
		})
	}
}

// A header, and the time between two requests, have limits other than a whole request.
func TestTimesAreOfTheirOwn(t *testing.T) {
	t.Parallel()
	limits := usualLimits
	limits.idle, limits.header = 100*time.Millisecond, 100*time.Millisecond
	s := serveOnLoopback(t, limits)
	for what, text := range map[string]string{"an idle connection": s.get("methods"),
		"half a header": "GET / HTTP/1.1\r\n"} {
		t.Run(what, func(t *testing.T) {
			c := s.dial(t)
			begin := time.Now()
			fmt.Fprint(c, text)
			isClosed(t, c, what)
			if took := time.Since(begin); took > limits.request/2 {
				t.Errorf("%s is closed after %v", what, took)
			}
		})
	}
}
