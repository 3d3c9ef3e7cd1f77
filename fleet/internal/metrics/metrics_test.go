package metrics_test

import (
	"bytes"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/profarc/profarc/fleet/internal/metrics"
)

var some = []metrics.Metric{
	{Name: "x_total", Kind: metrics.Counter, Help: "Xs.", Values: metrics.One(12345678901)},
	{Name: "y", Kind: metrics.Gauge, Help: "Ys, by z.", Values: []metrics.Value{
		{Label: "z", LabelValue: "a\"b\\c\nd", Number: 0.25}, {Label: "z", LabelValue: "e", Number: math.Inf(1)}}},
}

// checkSome parses a text with the parser of Prometheus and compares it with some.
func checkSome(t *testing.T, text []byte) {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	all, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil || len(all) != len(some) {
		t.Fatalf("%v: %s", err, text)
	}
	x, y := all["x_total"], all["y"]
	if x.GetHelp() != "Xs." || x.GetMetric()[0].GetCounter().GetValue() != 12345678901 {
		t.Errorf("a counter is %v", x)
	}
	for i, v := range some[1].Values {
		m := y.GetMetric()[i]
		if m.GetGauge().GetValue() != v.Number || m.GetLabel()[0].GetName() != v.Label ||
			m.GetLabel()[0].GetValue() != v.LabelValue {
			t.Errorf("a gauge is %v, want %v", m, v)
		}
	}
}

func TestFileIsOfPrometheus(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "x.prom")
	target, err := metrics.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	for range 2 {
		if err := target.Set(t.Context(), some); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	checkSome(t, text)
	if left, _ := os.ReadDir(filepath.Dir(name)); len(left) != 1 {
		t.Errorf("the folder has %v", left)
	}
}

func TestServerIsOfPrometheus(t *testing.T) {
	t.Parallel()
	target, err := metrics.Open("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	if err := target.Set(t.Context(), some); err != nil {
		t.Fatal(err)
	}
	answer, err := http.Get("http://" + target.Address() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(answer.Status, err)
	}
	checkSome(t, text)
}

func TestTargetsAreChecked(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"x.txt", "x", "/dir:9/x", "localhost", ":"} {
		if target, err := metrics.Open(value); err == nil {
			target.Close()
			t.Errorf("--metrics %s is accepted", value)
		}
	}
}
