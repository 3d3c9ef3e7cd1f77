package iprof

import (
	"bytes"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/layout"
	"github.com/profarc/profarc/merge"
)

// anotherRun is a run of the program of fibonacci whose ids are others, with a method more.
const anotherRun = `{"version":"1.0.0","types":[{"id":1,"name":"Fib"},{"id":2,"name":"void"},{"id":3,"name":"java.lang.String"},` +
	`{"id":4,"name":"java.lang.Object"},{"id":5,"name":"C"}],"methods":[{"id":1,"name":"fibonacci","signature":[1,2]},{"id":2,"name":"print","signature":[4,2,3]},` +
	`{"id":3,"name":"added","signature":[5,2]},{"id":4,"name":"neverCalled","signature":[1,2]}],` +
	`"callCountProfiles":[{"ctx":"1:0","records":[2]},{"ctx":"2:0<1:34","records":[5]},{"ctx":"4:0","records":[1]}],` +
	`"conditionalProfiles":[{"ctx":"1:11","records":[53,1,2,20,0,5]}],` +
	`"virtualInvokeProfiles":[{"ctx":"1:4","records":[3,40,5,7]}],` +
	`"monitorProfiles":[{"ctx":"0:0","records":[1,2,5,9]}],` +
	`"samplingProfiles":[{"ctx":"2:38<1:17","records":[3]}],"future":1}`

// bothRuns is the sum of the two.
const bothRuns = `{"version":"1.0.0","types":[{"id":1,"name":"A"},{"id":2,"name":"B"},{"id":3,"name":"C"},{"id":4,"name":"Fib"},{"id":5,"name":"[Ljava.lang.String;"},` +
	`{"id":6,"name":"java.lang.Object"},{"id":7,"name":"java.lang.String"},{"id":8,"name":"void"}],` +
	`"methods":[{"id":1,"name":"added","signature":[3,8]},{"id":2,"name":"fibonacci","signature":[4,8]},{"id":3,"name":"main","signature":[4,8,5]},` +
	`{"id":4,"name":"neverCalled","signature":[4,8]},{"id":5,"name":"print","signature":[6,8,7]},{"id":6,"name":"valueOf","signature":[7,7,6]}],` +
	`"callCountProfiles":[{"ctx":"2:0","records":[3]},{"ctx":"4:0","records":[1]},{"ctx":"5:0<2:34","records":[15]}],` +
	`"conditionalProfiles":[{"ctx":"2:11","records":[20,0,15,53,1,3]}],` +
	`"virtualInvokeProfiles":[{"ctx":"2:4","records":[7,100,2,56,3,7,1,2]},{"ctx":"6:11<5:2<2:34","records":[7,10]}],` +
	`"monitorProfiles":[{"ctx":"0:0","records":[3,9,4,3,6,4]}],` +
	`"samplingProfiles":[{"ctx":"3:2","records":[1]},{"ctx":"5:38<2:17","records":[3]},{"ctx":"5:38<2:17<3:9","records":[10]}],"future":1}`

func mergeTexts(t *testing.T, weight layout.Weight, texts ...string) []byte {
	t.Helper()
	all := builder.New(layout.DomainGraal, builder.Config{})
	for _, text := range texts {
		b, _, err := Read(strings.NewReader(text), ReadOptions{Unordered: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := merge.Into(t.Context(), all, open(t, archiveOf(t, b)), merge.Run{Weight: weight}); err != nil {
			t.Fatal(err)
		}
	}
	return archiveOf(t, all)
}

// TestMerge: runs with other ids are put together by what the ids stand for, whatever came first.
func TestMerge(t *testing.T) {
	data := mergeTexts(t, 0, fibonacci, anotherRun)
	got, report := write(t, data, WriteOptions{})
	if got != bothRuns || len(report.Lost) > 0 {
		t.Errorf("lost %v\n%s\n%s", report.Lost, got, bothRuns)
	}
	valid(t, got, "1.0.0")
	if other := mergeTexts(t, 0, anotherRun, fibonacci); !bytes.Equal(other, data) {
		t.Error("another archive when merged the other way round")
	}
	twice, _ := write(t, mergeTexts(t, 2*layout.WeightOne, fibonacci, anotherRun), WriteOptions{})
	for _, sum := range []string{`{"ctx":"2:0","records":[6]}`, `"records":[7,200,`,
		`{"ctx":"5:38<2:17<3:9","records":[20]}`} {
		if !strings.Contains(twice, sum) {
			t.Errorf("no %s in %s", sum, twice)
		}
	}
}
