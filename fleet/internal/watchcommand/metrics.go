package watchcommand

import (
	"time"

	"github.com/profarc/profarc/fleet/internal/metrics"
)

// prefix begins the names of all metrics.
const prefix = "profarc_watch_"

// totals are the counts since the process started.
type totals struct {
	looks, failures, merged, bytes, published, conflicts int64
	succeeded                                            time.Time // time of the last look without an error
	size, dumps                                          float64   // of the archive
}

func (t *totals) addLook(found *look, err error, now time.Time) {
	t.looks++
	t.published += int64(found.published)
	t.conflicts += int64(found.conflicts)
	t.merged += int64(found.merged)
	t.bytes += found.bytes
	if err != nil {
		t.failures++
		return
	}
	t.succeeded = now
	t.size = float64(found.size)
	t.dumps = float64(found.dumps)
}

// metrics returns the counts since the process started, and the state that the last look found.
func (t *totals) metrics(found *look) []metrics.Metric {
	gauge := func(name, help string, n float64) metrics.Metric {
		return metrics.Metric{Name: prefix + name, Kind: metrics.Gauge, Help: help, Values: metrics.One(n)}
	}
	counter := func(name, help string, n int64) metrics.Metric {
		m := gauge(name, help, float64(n))
		m.Kind = metrics.Counter
		return m
	}
	last := 0.0
	if !t.succeeded.IsZero() {
		last = float64(t.succeeded.UnixMilli()) / 1000
	}
	reason := func(name string, n int) metrics.Value {
		return metrics.Value{Label: "reason", LabelValue: name, Number: float64(n)}
	}
	return []metrics.Metric{
		counter("looks_total", "Looks at the profiles.", t.looks),
		counter("failures_total", "Looks that ended with an error.", t.failures),
		counter("merged_total", "Files and objects that were merged.", t.merged),
		counter("merged_bytes_total", "Bytes of the merged files and objects.", t.bytes),
		counter("published_total", "Replacements of the archive.", t.published),
		counter("conflicts_total", "Merges that began again because another job replaced the archive.", t.conflicts),
		gauge("last_success_timestamp_seconds", "Time of the last look without an error.", last),
		gauge("archive_bytes", "Size of the archive.", t.size),
		gauge("archive_dumps", "Dumps in the archive.", t.dumps),
		gauge("arrived", "Files and objects that are there.", float64(found.arrived)),
		gauge("expected", "Files and objects that should be there, 0 if it is not known.", float64(found.expected)),
		gauge("missing", "Expected files and objects that are not there.", float64(found.missing)),
		gauge("in_use", "Files that are left alone because a process writes to them.", float64(found.inUse)),
		{Name: prefix + "aside", Kind: metrics.Gauge, Help: "Files and objects that are set aside, by reason.",
			Values: []metrics.Value{reason("damaged", found.damaged), reason("limit", found.overLimit),
				reason("skipped", found.skipped)}},
	}
}
