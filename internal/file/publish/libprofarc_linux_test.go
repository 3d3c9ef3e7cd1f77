package publish

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/profarc/profarc/internal/testkit/full"
)

// wrapped are the calls of the system that tests/faults.c lets go wrong.
var wrapped = strings.Fields("open64 openat64 fstat64 fstatat64 flock pwrite64 pread64 fchmod fchown fsync renameat " +
	"unlinkat close closedir")

// A faultRun is what tests/faults.c prints of one publishing.
type faultRun struct {
	name, call, number, always string // of the fault; empty: there is none
	log                        *crashLog
	sync, remove               int    // 1 if such a call went wrong
	code, system               int    // the error
	left, open                 int    // temporary files, open files
	there                      string // old, new, neither; empty if nobody looked
}

// faultRuns parses a trace. before are the files of the directory, published is the new content.
func faultRuns(trace []byte, before map[string][]byte, published []byte) (runs []faultRun, err error) {
	const block = 4096
	r := faultRun{log: newCrashLog(block, before)}
	lines := bufio.NewScanner(bytes.NewReader(trace))
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		line := lines.Text()
		verb, rest, _ := strings.Cut(line, " ")
		var n int
		switch verb {
		case "fault":
			what := strings.Split(rest, " | ")
			r.name, r.call, r.number, r.always = what[0], what[1], what[2], what[3]
		case "there":
			runs[len(runs)-1].there = rest
		case "end":
			_, err = fmt.Sscan(rest, &r.sync, &r.remove, &r.code, &r.system, &r.left, &r.open)
			runs, r = append(runs, r), faultRun{log: newCrashLog(block, before)}
		default:
			n, err = 1, logCall(r.log, verb, rest, published)
		}
		if err != nil {
			return nil, fmt.Errorf("%.100q: %d, %w", line, n, err)
		}
	}
	return runs, lines.Err()
}

// logCall notes one call of a trace.
func logCall(l *crashLog, verb, rest string, published []byte) error {
	var id, at, size int
	var one, two string
	var err error
	switch verb {
	case "create":
		_, err = fmt.Sscan(rest, &id, &one)
		l.Create(id, one)
	case "sync":
		_, err = fmt.Sscan(rest, &id, &one)
		if id == 0 {
			l.SyncFolder(one == "ok")
		} else {
			l.SyncFile(id, one == "ok")
		}
	case "rename":
		_, err = fmt.Sscan(rest, &one, &two)
		l.Rename(one, two)
	case "remove":
		l.Remove(rest)
	case "write":
		_, err = fmt.Sscan(rest, &id, &at, &size, &one)
		if err == nil && one == "=" {
			l.Write(id, int64(at), published[at:at+size])
			break
		}
		data, err2 := hex.DecodeString(one)
		err = errors.Join(err, err2)
		l.Write(id, int64(at), data)
	default:
		err = errors.New("an unknown call")
	}
	return err
}

// The errors of faults without an errno of their own.
var faultErrors = map[string]syscall.Errno{"EIO": syscall.EIO, "late EIO": syscall.EIO, "ENOSPC": syscall.ENOSPC,
	"EDQUOT": syscall.EDQUOT, "EINTR": syscall.EINTR, "locked": syscall.EWOULDBLOCK, "taken": syscall.EEXIST}

// mayBe reports whether an errno says what went wrong: that of the call, or EIO for what a lie did.
func (r *faultRun) mayBe(errno syscall.Errno) bool {
	want, ok := faultErrors[r.name]
	return ok && errno == want || !ok && errno == syscall.EIO
}

// problem returns the fault of a run, and how many states a crash may leave. without is the run without a fault.
func (r *faultRun) problem(p crashedPublishing, without *faultRun) (states int, err error) {
	p.Succeeded = r.code == 0
	switch {
	case p.Succeeded && (r.there != "new" || without.code != 0):
		return 0, errors.New("success is reported")
	case r.there == "neither":
		return 0, errors.New("neither file is there")
	case r.left > 0 && r.remove == 0:
		return 0, fmt.Errorf("%d temporary files are left", r.left)
	case r.open != 0:
		return 0, fmt.Errorf("%d files are open", r.open)
	case !p.Succeeded && (r.code != without.code || r.system != without.system) && !r.mayBe(syscall.Errno(r.system)):
		return 0, fmt.Errorf("another error, %d: %w", r.code, syscall.Errno(r.system))
	case r.sync == 1 && r.name == "lie":
		return 0, nil // nobody can notice that
	}
	return p.Check(r.log)
}

// compileFaults compiles libprofarc and the program that publishes with faults. It uses the sanitizers of the compiler.
func compileFaults(t *testing.T) (program string) {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler")
	}
	sources, err := filepath.Glob("../../../c/src/*.c")
	if err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(t.TempDir(), "faults")
	args := append(sources, "../../../c/tests/faults.c", "-I../../../c/include", "-std=c11", "-Wall", "-Wextra", "-Werror",
		"-pthread", "-O1", "-g", "-Wl,--wrap="+strings.Join(wrapped, ",--wrap="), "-o", program)
	sanitizers := []string{"-fsanitize=address,undefined", "-fno-sanitize-recover=all"}
	if exec.Command(cc, append(sanitizers, args...)...).Run() == nil {
		return program
	}
	if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// TestEveryFaultOfLibprofarc lets each call of the system that publishes a file go wrong, once and from then on, in
// each way: the old file is there or the new one, whole, and after success the new one, also after a crash. The error
// says what went wrong, nothing is left behind and no file is open.
func TestEveryFaultOfLibprofarc(t *testing.T) {
	full.Only(t, "runs compilers and their tools")
	t.Parallel()
	program := compileFaults(t)
	archive, err := os.ReadFile("../../../testdata/v1/hotspot.parc")
	if err != nil {
		t.Fatal(err)
	}
	old := bytes.Repeat([]byte("old "), 2000)
	faults, states := 0, 0
	for _, test := range []struct {
		name, how string
		out       string // the path of the file
		old       bool
		new       []byte
		refused   bool
	}{
		{"a new file", "publish", "a.parc", false, bytes.Repeat([]byte("new"), 50_000), false},
		{"a file replaced", "publish", "a.parc", true, bytes.Repeat([]byte("new"), 50_000), false},
		{"an empty file", "publish", "a.parc", true, []byte{}, false},
		{"a new archive", "write", "a.parc", false, archive, false},
		{"an archive replaced", "write", "a.parc", true, archive, false},
		{"a link", "publish", "link", true, archive, true},
		{"a directory", "publish", "folder", true, archive, true},
		{"in no directory", "publish", "none/a.parc", true, archive, true},
		{"without a name", "write", "folder/", true, archive, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			out, aside := folder+"/"+test.out, filepath.Join(t.TempDir(), "old")
			err := errors.Join(os.Mkdir(folder+"/folder", 0o700), os.Symlink("folder", folder+"/link"),
				os.WriteFile(aside, old, 0o600))
			if err != nil {
				t.Fatal(err)
			}
			source := filepath.Join(t.TempDir(), "new")
			if err := os.WriteFile(source, test.new, 0o600); err != nil {
				t.Fatal(err)
			}
			args := []string{test.how, source, out}
			p := crashedPublishing{Target: test.out, New: test.new}
			before := map[string][]byte{}
			switch {
			case test.refused:
				args = append(args, "keep")
			case test.old:
				args, p.Old = append(args, aside), old
				before[test.out] = old
			}
			var stderr bytes.Buffer
			cmd := exec.Command(program, args...)
			cmd.Stderr = &stderr
			trace, failed := cmd.Output()
			runs, err := faultRuns(trace, before, test.new)
			if failed != nil || err != nil || len(runs) < 2 || (runs[len(runs)-1].code == 0) == test.refused {
				t.Fatalf("%s: %d runs, %v, %v: %s", test.name, len(runs), failed, err, &stderr)
			}
			for i := range runs {
				r := &runs[i]
				n, err := r.problem(p, &runs[len(runs)-1])
				if err != nil {
					t.Errorf("%s: %s in %s, call %s, %s: %v", test.name, r.name, r.call, r.number, r.always, err)
				}
				states += n
				if r.name != "" {
					faults++
				}
			}
		})
	}
	t.Logf("%d faults, %d states after a crash", faults, states)
	if faults < 500 {
		t.Errorf("only %d faults", faults)
	}
}
