//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"cuelabs.dev/go/oci/ociregistry/ocimem"
	"cuelabs.dev/go/oci/ociregistry/ociserver"
	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/profarc/profarc/fleet/internal/ship"
	"github.com/profarc/profarc/internal/cli"
)

// inContainer is where a container has the volume, and the program.
const (
	inContainer = "/profiles"
	program     = "pods"
)

// A node runs VMs in containers. Its containerd has a socket and all its files in a folder.
type node struct {
	folder string // its path is short, since that of a socket has at most 107 bytes
	daemon *exec.Cmd
	mounts []string // mounted images
	count  int      // number of started containers
}

const daemonConfig = `version = 2
root = "%[1]s/root"
state = "%[1]s/state"
disabled_plugins = ["io.containerd.grpc.v1.cri"]
[grpc]
address = "%[1]s/socket"
`

// startNode starts containerd. All containers have this program and the libraries that it loads.
func startNode(ctx context.Context) (n *node, err error) {
	folder, err := os.MkdirTemp("", "pods-*")
	if err != nil {
		return nil, err
	}
	n = &node{folder: folder}
	defer func() {
		if err != nil {
			err = errors.Join(err, n.stop())
		}
	}()
	self, err := os.Executable()
	if err != nil {
		return n, err
	}
	if err := n.copyProgram(ctx, self); err != nil {
		return n, err
	}
	config := filepath.Join(folder, "config.toml")
	if err := os.WriteFile(config, fmt.Appendf(nil, daemonConfig, folder), 0o666); err != nil {
		return n, err
	}
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		return n, err
	}
	defer log.Close()
	n.daemon = exec.Command("containerd", "-c", config)
	n.daemon.Stdout, n.daemon.Stderr = log, log
	if err := n.daemon.Start(); err != nil {
		n.daemon = nil
		return n, err
	}
	return n, n.waitForDaemon(ctx)
}

func (n *node) rootFolder() string { return filepath.Join(n.folder, "container") }

// copyProgram copies a program and its libraries to where containers have them.
func (n *node) copyProgram(ctx context.Context, path string) error {
	err := copyFile(path, filepath.Join(n.rootFolder(), program))
	out, _ := exec.CommandContext(ctx, "ldd", path).Output() // it fails for a program without libraries
	for _, word := range strings.Fields(string(out)) {
		if filepath.IsAbs(word) {
			err = errors.Join(err, copyFile(word, filepath.Join(n.rootFolder(), word)))
		}
	}
	return err
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o755)
}

// waitForDaemon waits until containerd answers.
func (n *node) waitForDaemon(ctx context.Context) (err error) {
	for range 600 {
		if _, err = n.control(ctx, "version"); err == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	log, _ := os.ReadFile(filepath.Join(n.folder, "log"))
	return fmt.Errorf("containerd does not answer: %w\n%s", err, log)
}

// controlCommand returns a command of containerd's client.
func (n *node) controlCommand(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "ctr", append([]string{"--address", filepath.Join(n.folder, "socket")}, args...)...)
}

// control runs a command of containerd's client.
func (n *node) control(ctx context.Context, args ...string) (string, error) {
	out, err := n.controlCommand(ctx, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("ctr %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

// stop ends containerd, and removes its files. The containers have ended.
func (n *node) stop() (err error) {
	for _, mount := range n.mounts {
		err = errors.Join(err, unix.Unmount(mount, 0))
	}
	if n.daemon != nil {
		_ = n.daemon.Process.Signal(os.Interrupt)
		_ = n.daemon.Wait()
	}
	if err != nil {
		return err // RemoveAll would enter what is mounted
	}
	return os.RemoveAll(n.folder)
}

// mountVolumes pushes an archive with the image for volumes, and mounts that image once for each of count pods. It
// returns the paths of the archive.
func (n *node) mountVolumes(ctx context.Context, archive string, count int) (paths []string, err error) {
	address, stop, err := startRegistry()
	if err != nil {
		return nil, err
	}
	defer stop()
	reference := address + "/app:profiles"
	if err := pushVolume(ctx, archive, reference); err != nil {
		return nil, err
	}
	image := reference + ".volume"
	if _, err := n.control(ctx, "images", "pull", "--plain-http", image); err != nil {
		return nil, err
	}
	for i := range count {
		mount := filepath.Join(n.folder, "volume-"+strconv.Itoa(i))
		if err := os.Mkdir(mount, 0o777); err != nil {
			return nil, err
		}
		if _, err := n.control(ctx, "images", "mount", image, mount); err != nil {
			return nil, err
		}
		n.mounts = append(n.mounts, mount)
		paths = append(paths, filepath.Join(mount, archiveName))
	}
	return paths, nil
}

// startRegistry starts a registry in memory.
func startRegistry() (address string, stop func() error, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: ociserver.New(ocimem.New(), nil)}
	go func() { _ = server.Serve(listener) }()
	return listener.Addr().String(), server.Close, nil
}

// pushVolume runs profarc push --volume.
func pushVolume(ctx context.Context, archive, reference string) error {
	streams := cli.ProcessStreams()
	streams.PlainOut = streams.PlainErr // the output has the table
	a := cli.New("profarc-fleet", nil, streams)
	root := &cobra.Command{Use: "profarc-fleet"}
	root.AddGroup(&cobra.Group{ID: ship.Group})
	root.AddCommand(ship.Commands(a)...)
	a.CompleteRoot(root)
	args := []string{"push", archive, reference, "--volume", "--platform", "linux/amd64,linux/arm64"}
	if code := a.Execute(ctx, root, args); code != 0 {
		return fmt.Errorf("push ends with exit code %d", code)
	}
	return nil
}

// startVM starts a VM in a container that has the folder of the archive as a volume.
func (n *node) startVM(ctx context.Context, mode, archive string, functions int) (*vm, error) {
	n.count++
	name := "pod-" + strconv.Itoa(n.count)
	cmd := n.controlCommand(ctx, "run", "--rm", "--rootfs", "--mount",
		fmt.Sprintf("type=bind,src=%s,dst=%s,options=rbind:ro", filepath.Dir(archive), inContainer), n.rootFolder(), name,
		"/"+program, "-"+mode, filepath.Join(inContainer, archiveName), "-functions", strconv.Itoa(functions))
	v, err := newVM(cmd)
	if err != nil {
		return nil, err
	}
	v.pid, err = n.processOf(ctx, name)
	if err != nil {
		return nil, errors.Join(err, v.stop())
	}
	return v, nil
}

// processOf returns the process id of the program in a container.
func (n *node) processOf(ctx context.Context, name string) (int, error) {
	out, err := n.control(ctx, "tasks", "list")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(out) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == name {
			return strconv.Atoi(words[1])
		}
	}
	return 0, fmt.Errorf("containerd lists no task %s: %s", name, out)
}
