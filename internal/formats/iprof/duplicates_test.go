package iprof

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/profarc/profarc/internal/file/disk"
	"github.com/profarc/profarc/layout"
)

// iprofOf returns a profile with one record, of the first method.
func iprofOf(types, methods []string) string {
	return `{"version":"1.0.0","types":[{"id":0,"name":"void"},` + strings.Join(types, ",") +
		`],"methods":[` + strings.Join(methods, ",") + `],"callCountProfiles":[{"ctx":"0:0","records":[1]}],` +
		`"conditionalProfiles":[],"virtualInvokeProfiles":[],"monitorProfiles":[],"samplingProfiles":[]}`
}

// TestRefusedDuplicatesEnd imports equal rows that no archive can hold. The search for a free number must end.
func TestRefusedDuplicatesEnd(t *testing.T) {
	long := strings.Repeat("x", disk.MaxName+1)
	parameters := strings.Repeat(",1", 1024)
	for name, text := range map[string]string{
		"type name": iprofOf([]string{`{"id":1,"name":"` + long + `"}`, `{"id":2,"name":"` + long + `"}`},
			[]string{`{"id":0,"name":"m","signature":[0,0]}`}),
		"type name with its number": iprofOf(
			[]string{`{"id":1,"name":"` + long[2:] + `"}`, `{"id":2,"name":"` + long[2:] + `"}`},
			[]string{`{"id":0,"name":"m","signature":[1,0,2,2]}`, `{"id":1,"name":"m","signature":[1,0,2,2]}`}),
		"method name": iprofOf([]string{`{"id":1,"name":"a"}`},
			[]string{`{"id":0,"name":"` + long + `","signature":[0,0]}`, `{"id":1,"name":"` + long + `","signature":[0,0]}`}),
		"signature": iprofOf([]string{`{"id":1,"name":"` + long[:1024] + `"}`},
			[]string{`{"id":0,"name":"m","signature":[0,0` + parameters + `]}`,
				`{"id":1,"name":"m","signature":[0,0` + parameters + `]}`}),
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := Read(strings.NewReader(text), ReadOptions{}); !errors.Is(err, layout.ErrTooLarge) {
				t.Fatalf("got %v", err)
			}
		})
	}
}

// TestManyDuplicates imports 100,000 equal types and methods, in seconds unless every row tries all numbers again.
func TestManyDuplicates(t *testing.T) {
	var types, methods []string
	for i := range 100_000 {
		types = append(types, fmt.Sprintf(`{"id":%d,"name":"T"}`, i+1))
		methods = append(methods, fmt.Sprintf(`{"id":%d,"name":"m","signature":[0,0]}`, i))
	}
	_, report := read(t, iprofOf(types, methods), ReadOptions{})
	if report.Types != 100_001 || report.Methods != 100_000 {
		t.Fatalf("%d types, %d methods", report.Types, report.Methods)
	}
}
