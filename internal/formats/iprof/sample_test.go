package iprof

import "testing"

// TestSamplesComeBack: what GraalVM wrote comes back byte by byte, what others
// wrote with other blanks is the same JSON.
func TestSamplesComeBack(t *testing.T) {
	for name, exact := range map[string]bool{
		"some-compiler-0.4.0.iprof.gz": true, "elidemin-1.0.0.iprof": true,
		"reachability-demo-1.0.0.iprof": false, "reachability-demo_sampled-1.0.0.iprof": false,
		"reachability-near_call_instrumented-1.0.0.iprof": false, "reachability-near_call_sampling-1.0.0.iprof": false,
	} {
		t.Run(name, func(t *testing.T) {
			want := string(sample(t, name))
			data, in := read(t, want, ReadOptions{})
			got, out := write(t, data, WriteOptions{})
			t.Logf("%d bytes of JSON, %d of archive (%.2f); %+v %+v", len(want), len(data), float64(len(data))/float64(len(want)), *in, *out)
			if exact && got != want {
				t.Error("other bytes")
			}
			sameJSON(t, got, want)
			if len(in.Lost)+len(out.Lost) > 0 {
				t.Errorf("lost %v, %v", in.Lost, out.Lost)
			}
		})
	}
}
