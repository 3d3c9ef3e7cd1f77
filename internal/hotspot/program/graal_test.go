package program_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/profarc/profarc/builder"
	"github.com/profarc/profarc/experimental/fit"
	"github.com/profarc/profarc/formats/codec"
	"github.com/profarc/profarc/internal/formats/iprof"
	"github.com/profarc/profarc/internal/hotspot/program"
	"github.com/profarc/profarc/internal/testkit/full"
	"github.com/profarc/profarc/layout"
)

const greeter = `public class Greeter {
    interface Name { String text(); }
    record Plain(String text) implements Name {}
    static int seen;
    static String greet(Name name, int times) {
        if (times > 3) {
            return shout(name.text());
        }
        return name.text();
    }
    static String shout(String text) { return text + "!"; }
    public static void main(String[] names) { System.out.println(greet(new Plain("x"), names.length)); }
}
`

// greeterProfile is an iprof of the program. javap says where the condition and the calls are.
const greeterProfile = `{"version":"1.0.0","types":[{"id":1,"name":"void"},{"id":2,"name":"int"},
{"id":3,"name":"java.lang.String"},{"id":4,"name":"[Ljava.lang.String;"},{"id":5,"name":"Greeter"},
{"id":6,"name":"Greeter$Name"},{"id":7,"name":"Greeter$Plain"},{"id":8,"name":"com.oracle.svm.core.JavaMainWrapper"}],
"methods":[{"id":1,"name":"main","signature":[5,1,4]},{"id":2,"name":"greet","signature":[5,3,6,2]},
{"id":3,"name":"shout","signature":[5,3,3]},{"id":4,"name":"text","signature":[7,3]},
{"id":5,"name":"run","signature":[8,2,2]},{"id":6,"name":"length","signature":[3,2]}],
"callCountProfiles":[{"ctx":"1:0","records":[10]},{"ctx":"2:0<1:%[1]d","records":[20]},{"ctx":"3:0<2:%[4]d",
"records":[30]},{"ctx":"4:0<2:%[3]d","records":[40]},{"ctx":"5:0","records":[50]}],
"conditionalProfiles":[{"ctx":"2:%[2]d","records":[%[2]d,0,7,9,1,8]}],
"virtualInvokeProfiles":[{"ctx":"2:%[3]d","records":[7,40]}],
"monitorProfiles":[],"samplingProfiles":[{"ctx":"3:0<2:%[4]d<1:0","records":[3]}]}`

var javapLine = regexp.MustCompile(`(?m)^ +(\d+): (\w+)(?: .*?// (\S+) (\S+))?`)

// placesOf returns places of the program, as javap has them.
func placesOf(t *testing.T, dir string) []any {
	t.Helper()
	out, err := exec.Command("javap", "-c", "-p", "-cp", dir, "Greeter").Output()
	if err != nil {
		t.Fatal(err)
	}
	places := map[string]int{}
	for _, m := range javapLine.FindAllStringSubmatch(string(out), -1) {
		at := 0
		_, _ = fmt.Sscan(m[1], &at)
		key := m[2] + " " + strings.Split(m[4], ":")[0]
		if _, there := places[key]; !there {
			places[key] = at
		}
	}
	return []any{places["invokestatic greet"], places["if_icmple "], places["invokeinterface Greeter$Name.text"],
		places["invokestatic shout"]}
}

func compileGreeter(t *testing.T, edit ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	file := filepath.Join(dir, "Greeter.java")
	if err := os.WriteFile(file, []byte(strings.NewReplacer(edit...).Replace(greeter)), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("javac", "-d", dir, file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// TestStaleIprof: methods that are gone, with other signatures, or with other bytecodes at the points of a profile are
// found, and left out of the adapted profile.
func TestStaleIprof(t *testing.T) {
	full.Only(t, "starts JVMs")
	if _, err := exec.LookPath("javap"); err != nil {
		t.Skip("no javap: put that of a JDK on the path")
	}
	text := fmt.Sprintf(greeterProfile, placesOf(t, compileGreeter(t))...)
	read, err := (&iprof.Importer{}).Import(&codec.Input{Reader: strings.NewReader(text)})
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, read.Dumps[0])
	for _, c := range []struct {
		name string
		edit []string
		lost map[string]fit.State // of main, greet, shout and text
	}{
		{"nothing", nil, nil},
		{"field", []string{"seen;", "seen, more;"}, nil},
		{"statement first", []string{"        if (times", "        seen++;\n        if (times"},
			map[string]fit.State{"greet": fit.Stale}},
		{"other parameter", []string{"int times", "long times"}, map[string]fit.State{"greet": fit.Gone,
			"shout": fit.Gone, "text": fit.Gone}}, // by their caller
		{"other result", []string{"static String shout", "static CharSequence shout", "return shout(name.text())",
			"return shout(name.text()).toString()"}, map[string]fit.State{"shout": fit.Gone}},
		{"renamed", []string{"shout(", "cry("}, map[string]fit.State{"shout": fit.Gone}},
		{"class renamed", []string{"Plain(", "Simple("}, map[string]fit.State{"text": fit.Gone}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, err := program.OpenClassPath([]string{compileGreeter(t, c.edit...)}, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer path.Close()
			into := builder.New(layout.DomainGraal, builder.ConfigOf(s.Header()))
			_, err = fit.Check(t.Context(), s, program.GraalClassPath{ClassPath: path}, fit.Options{Into: into,
				Each: func(v *fit.Verdict) error {
					k, err := v.Method.Key()
					want := fit.Exact
					if k.Name == "run" || k.Name == "length" {
						want = fit.Unchecked
					} else if state, lost := c.lost[k.Name]; lost {
						want = state
					}
					if want == fit.Stale && v.Points == 0 {
						want = fit.Exact // the number of its calls is of the method
					}
					if v.State != want {
						t.Errorf("%s.%s is %s (%s), want %s", k.Class, k.Name, v.State, v.Reason, want)
					}
					return err
				}})
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if _, err := (&iprof.Exporter{}).Export(&out, open(t, into)); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"main", "greet", "shout", "text", "run"} {
				there := strings.Contains(out.String(), `"name":"`+name+`"`)
				if there == (c.lost[name] == fit.Gone) {
					t.Errorf("%s is in the adapted profile: %v\n%s", name, there, out.String())
				}
			}
		})
	}
}
