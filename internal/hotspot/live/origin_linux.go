package live

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/profarc/profarc/internal/system/procfs"
	"github.com/profarc/profarc/layout"
)

type origin struct {
	launch
	process layout.Process
	begun   time.Time
	// root is the process's root directory if its files differ from this process's, as in a container; else "".
	root string
}

func (p *process) readOrigin() *origin {
	o := &origin{}
	leader := procfs.StatusField(p.pid, "Tgid") // the main thread may have ended
	pid, err := strconv.Atoi(leader)
	if err != nil {
		return o
	}
	o.identify(pid)
	o.dir, _ = os.Readlink(p.procPath("cwd"))
	o.argv = splitNUL(p.readProcHead("cmdline", 1<<20))
	o.env = map[string]string{}
	for _, v := range splitNUL(p.readProcHead("environ", 1<<22)) {
		for _, name := range launchVariables {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				o.env[name] = value
			}
		}
	}
	if !p.sameFiles() {
		o.root = p.procPath("root")
	}
	o.launch.read = o.readFile
	o.launch.list = o.listDirectory
	return o
}

func (o *origin) identify(pid int) {
	id, ok := procfs.Identify(pid)
	if !ok {
		return
	}
	o.process = layout.Process(id)
	if up, err := systemUptime(); err == nil {
		o.begun = time.Now().Add(-up).Add(time.Duration(id.Start) * time.Second / ticksPerSecond).
			Round(time.Second / ticksPerSecond)
	}
}

func systemUptime() (time.Duration, error) {
	text, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return 0, err
	}
	seconds, _, _ := strings.Cut(string(text), " ")
	return time.ParseDuration(seconds + "s")
}

func (p *process) procPath(name string) string { return fmt.Sprintf("/proc/%d/%s", p.pid, name) }

func (p *process) readProcHead(name string, limit int64) string {
	f, err := os.Open(p.procPath(name))
	if err != nil {
		return ""
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, limit))
	return string(text)
}

func splitNUL(text string) []string {
	parts := strings.Split(text, "\x00")
	return parts[:len(parts)-1]
}

func (p *process) sameFiles() bool {
	theirs, err1 := os.Readlink(p.procPath("ns/mnt"))
	ours, err2 := os.Readlink("/proc/self/ns/mnt")
	root, err3 := os.Stat(p.procPath("root") + "/")
	own, err4 := os.Stat("/")
	return err1 == nil && err2 == nil && err3 == nil && err4 == nil && theirs == ours && os.SameFile(root, own)
}

func (o *origin) openPath(path string) (at string, version fileVersion, done func(), err error) {
	at = path
	done = func() {}
	if o.root != "" {
		at, done, err = o.openInRoot(path)
		if err != nil {
			return "", version, done, err
		}
	}
	var stat unix.Stat_t
	if err := unix.Stat(at, &stat); err != nil {
		done()
		return "", version, func() {}, err
	}
	return at, fileVersion{uint64(stat.Dev), stat.Ino, stat.Size, stat.Mtim.Nano(), stat.Ctim.Nano()}, done, nil
}

// openInRoot opens a file below the root of the process. Links cannot lead out of it.
func (o *origin) openInRoot(path string) (at string, done func(), err error) {
	done = func() {}
	root, err := unix.Open(o.root, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", done, err
	}
	defer unix.Close(root)
	how := &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS}
	fd, err := unix.Openat2(root, path, how)
	if err != nil {
		return "", done, err
	}
	return fmt.Sprintf("/proc/self/fd/%d", fd), func() { unix.Close(fd) }, nil
}

func (o *origin) readFile(name string) (string, bool) {
	at, _, done, err := o.openPath(o.absolutePath(name))
	if err != nil {
		return "", false
	}
	defer done()
	f, err := os.OpenFile(at, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return "", false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 1<<20))
	return string(text), err == nil
}

func (o *origin) listDirectory(dir string) []string {
	at, _, done, err := o.openPath(o.absolutePath(dir))
	if err != nil {
		return nil
	}
	defer done()
	f, err := os.Open(at)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(maxEntries)
	return names
}
