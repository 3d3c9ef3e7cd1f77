package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A program is what is measured.
type program struct {
	name    string
	command []string
	train   []string // the command of the training run; the same as command if nil
	flags   []string // of profarc warm
	needs   []string // files
	prepare func() error
	url     string // of a server
}

// missing returns why a program cannot run here, or "".
func (p program) missing() string {
	for _, f := range p.needs {
		if _, err := os.Stat(f); err != nil {
			return "there is no " + f
		}
	}
	return ""
}

// tool returns the path of a program of the JDK.
func (m *measurement) tool(name string) string { return filepath.Join(m.home, "bin", name) }

// jar returns the path of a jar of the system.
func (m *measurement) jar(name string) string { return filepath.Join(m.jars, name) }

// at returns a path in the folder of this run.
func (m *measurement) at(elems ...string) string {
	return filepath.Join(append([]string{m.dir}, elems...)...)
}

// programs returns all programs, in the order in which they are measured.
func (m *measurement) programs() []program {
	zip := filepath.Join(m.home, "lib", "src.zip")
	compiler := m.javac("jdk.compiler")
	library := m.javac("java.base")
	queries := func(of string) []string {
		return []string{m.tool("java"), "-cp", m.at("Queries.jar") + ":" + m.jar("h2.jar"), "Queries", "10", of}
	}
	iterations := []string{"--unit", `iteration \d+ took (.*)`}
	// JDK 25 complains of AppCDS archives of its tools, and uses them without their modules.
	complaint := []string{"--ignore", `\[error\]\[cds\]`}
	url := fmt.Sprintf("http://127.0.0.1:%d/", freePort())
	port := strings.TrimSuffix(url[strings.LastIndex(url, ":")+1:], "/")
	return []program{
		{name: "javac", command: compiler, flags: complaint, needs: []string{zip}, prepare: m.unpackSources},
		{name: "javac-other", command: compiler, train: library, flags: complaint, needs: []string{zip},
			prepare: m.unpackSources},
		{name: "h2", command: queries("orders"), flags: iterations, needs: []string{m.jar("h2.jar")},
			prepare: m.build("Queries")},
		{name: "h2-other", command: queries("orders"), train: queries("reports"), flags: iterations,
			needs: []string{m.jar("h2.jar")}, prepare: m.build("Queries")},
		{name: "h2-wrong", command: queries("orders"), train: compiler, flags: iterations,
			needs: []string{zip, m.jar("h2.jar")}, prepare: both(m.unpackSources, m.build("Queries"))},
		{name: "ant", command: m.ant(), flags: []string{"--ignore", "Total time|modified in the future"},
			needs: []string{zip, m.jar("ant.jar"), m.jar("ant-launcher.jar")}, prepare: m.unpackSources},
		{name: "clojure", command: m.clojure(), needs: []string{m.jar("clojure.jar"), m.jar("spec.alpha.jar"),
			m.jar("core.specs.alpha.jar")}},
		{name: "serve", command: []string{m.tool("java"), "-Dsun.net.httpserver.nodelay=true", "-cp", m.at("Serve.jar"),
			"Serve", port}, flags: []string{"--url", url}, prepare: m.build("Serve"), url: url},
		{name: "hello", command: []string{m.tool("java"), "-cp", m.at("Hello.jar"), "Hello"}, train: compiler,
			needs: []string{zip}, prepare: both(m.unpackSources, m.build("Hello"))},
	}
}

// javac returns a command that compiles some packages of a module of the JDK.
func (m *measurement) javac(module string) []string {
	list := m.at(module + ".files")
	return []string{m.tool("javac"), "-nowarn", "-proc:none", "-implicit:none", "-XDignore.symbol.file", "-d",
		m.at("classes", module),
		"--patch-module", module + "=" + m.at("src", module), "@" + list, "-encoding", "UTF-8"}
}

func (m *measurement) ant() []string {
	return []string{m.tool("java"), "-cp", m.jar("ant-launcher.jar") + ":" + m.jar("ant.jar"),
		"org.apache.tools.ant.launch.Launcher", "-q",
		"-f", source("build.xml"), "-Dout=" + m.at("ant"), "-Dsources=" + m.at("src", "java.base", "java", "util")}
}

func (m *measurement) clojure() []string {
	jars := []string{m.jar("clojure.jar"), m.jar("spec.alpha.jar"), m.jar("core.specs.alpha.jar")}
	return []string{m.tool("java"), "-cp", strings.Join(jars, ":"), "clojure.main", source("words.clj")}
}

// source returns the absolute path of a file of this folder's programs.
func source(name string) string {
	path, err := filepath.Abs(filepath.Join("warm", "programs", name))
	if err != nil {
		panic(err)
	}
	return path
}

// build returns a function that compiles a program and packs it into a jar: AppCDS takes
// classes of jars only.
func (m *measurement) build(class string) func() error {
	return func() error {
		classes := m.at("classes", class)
		if err := m.command(m.tool("javac"), "-d", classes, source(class+".java")).Run(); err != nil {
			return err
		}
		return m.command(m.tool("jar"), "--create", "--file", m.at(class+".jar"), "-C", classes, ".").Run()
	}
}

// both returns a function that calls two, the second even if the first fails.
func both(first, second func() error) func() error {
	return func() error { return errors.Join(first(), second()) }
}

// unpackSources unpacks the sources that javac and ant work on, once.
func (m *measurement) unpackSources() error {
	if _, err := os.Stat(m.at("src")); err == nil {
		return nil
	}
	unzip := m.command("unzip", "-q", filepath.Join(m.home, "lib", "src.zip"), "jdk.compiler/*", "java.base/java/util/*",
		"-d", m.at("src"))
	if err := unzip.Run(); err != nil {
		return fmt.Errorf("unzip: %w", err)
	}
	compiler := []string{"com/sun/tools/javac/code", "com/sun/tools/javac/comp", "com/sun/tools/javac/tree"}
	return errors.Join(m.list("jdk.compiler", compiler),
		m.list("java.base", []string{"java/util/concurrent", "java/util/stream"}))
}

// list writes the names of a module's sources to the file that javac reads them from.
func (m *measurement) list(module string, packages []string) error {
	files := &strings.Builder{}
	for _, p := range packages {
		err := filepath.WalkDir(m.at("src", module, p), func(path string, d fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".java") {
				fmt.Fprintln(files, path)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return os.WriteFile(m.at(module+".files"), []byte(files.String()), 0o644)
}

// train makes the archive of a program.
func (m *measurement) train(p program, archive string) error {
	if p.prepare != nil {
		if err := p.prepare(); err != nil {
			return err
		}
	}
	command := p.command
	if p.train != nil {
		command = p.train
	}
	cmd := m.command(m.profarc, append([]string{"train", "--quiet", "-o", archive, "--"}, command...)...)
	if p.url == "" {
		return cmd.Run()
	}
	return serve(cmd, p.url)
}

// serve runs a server, sends it as many requests as a measured run, and ends it.
func serve(cmd *exec.Cmd, url string) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	for range 200 {
		if get(url) == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	const clients, requests = 2, 5000
	failures := make(chan error, clients)
	for range clients {
		go func() {
			err := error(nil)
			for i := 0; i < requests && err == nil; i++ {
				err = get(url)
			}
			failures <- err
		}()
	}
	err := errors.Join(<-failures, <-failures)
	return errors.Join(err, get(url+"quit"), cmd.Wait())
}

func get(url string) error {
	answer, err := http.Get(url)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

// freePort returns a port of the loopback interface that nobody listens on.
func freePort() int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
