// Package metrics writes numbers in the text format of Prometheus, to a file for the node exporter or to its server.
package metrics

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/profarc/profarc/internal/cli"
)

// A Kind is the type of a metric.
type Kind string

// Kinds of metrics.
const (
	Gauge   Kind = "gauge"
	Counter Kind = "counter"
)

// A Metric is a number with a name, or several that differ in their labels.
type Metric struct {
	Name   string
	Kind   Kind
	Help   string
	Values []Value
}

// A Value is a number with an optional label.
type Value struct {
	Label, LabelValue string // "" in a value without a label
	Number            float64
}

// One returns the values of a metric without labels.
func One(n float64) []Value { return []Value{{Number: n}} }

var escapeLabel = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// Format returns the text of metrics.
func Format(all []Metric) []byte {
	var text bytes.Buffer
	for _, m := range all {
		fmt.Fprintf(&text, "# HELP %s %s\n# TYPE %s %s\n", m.Name, m.Help, m.Name, m.Kind)
		for _, v := range m.Values {
			text.WriteString(m.Name)
			if v.Label != "" {
				fmt.Fprintf(&text, `{%s="%s"}`, v.Label, escapeLabel.Replace(v.LabelValue))
			}
			fmt.Fprintf(&text, " %s\n", strconv.FormatFloat(v.Number, 'g', -1, 64))
		}
	}
	return text.Bytes()
}

// A Target is where metrics go. The zero value discards them.
type Target struct {
	file    string
	current atomic.Pointer[[]byte]
	server  *http.Server
	address string
}

// extension ends the names of the files that the node exporter reads.
const extension = ".prom"

// Open opens the target of a flag's value: an address, as :9300 or localhost:9300, on which it serves /metrics, or a
// file whose name ends in .prom. "" is no target.
func Open(value string) (*Target, error) {
	t := &Target{}
	if value == "" {
		return t, nil
	}
	if filepath.Ext(value) == extension {
		t.file = value
		return t, nil
	}
	if _, port, err := net.SplitHostPort(value); err != nil || port == "" || strings.ContainsRune(value, '/') {
		return nil, cli.Usagef("--metrics %s: give an address, as :9300, or a file that ends in %s, since the node exporter "+
			"reads no others", value, extension)
	}
	listener, err := net.Listen("tcp", value)
	if err != nil {
		return nil, fmt.Errorf("--metrics %s: %w: choose a free port", value, err)
	}
	t.address = listener.Addr().String()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", t.serve)
	t.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second,
		IdleTimeout: 2 * time.Minute}
	go func() { _ = t.server.Serve(listener) }()
	return t, nil
}

// Address returns the address of the server, or "" without a server.
func (t *Target) Address() string { return t.address }

func (t *Target) serve(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	if text := t.current.Load(); text != nil {
		_, _ = w.Write(*text)
	}
}

// Set replaces the metrics. The file is replaced in one step, so that no reader sees half of it.
func (t *Target) Set(ctx context.Context, all []Metric) error {
	text := Format(all)
	t.current.Store(&text)
	if t.file == "" {
		return nil
	}
	err := cli.Publish(ctx, t.file, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	if err == nil {
		err = os.Chmod(t.file, 0o644) // the node exporter runs as another user
	}
	return err
}

// Close stops the server.
func (t *Target) Close() {
	if t.server != nil {
		_ = t.server.Close()
	}
}
