package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A job measures a program with a JDK.
type job struct {
	*bench
	program
	home    string
	earlier string // JDK whose archive is adopted too, or ""
}

// filePath returns the path of a file of the job.
func (j job) filePath(end string) string {
	return filepath.Join(j.dir, j.program.name+"-"+filepath.Base(j.home)+end)
}

// measureProgram compiles the program, records its archive, and measures it.
func (j job) measureProgram(ctx context.Context) error {
	steps := [][]string{
		append([]string{j.profarc(), "train", "-q", "-o", j.archive(), "--"}, j.programCommand()...),
	}
	warm, err := j.warmCommand(ctx)
	if err != nil {
		return err
	}
	steps = append(steps, append(warm, j.programCommand()...))
	if j.archived != "" { // with another program's archive
		steps = steps[1:]
	}
	if strings.HasSuffix(j.source, ".java") {
		steps = append(j.compileCommands(), steps...)
	}
	if j.tool != "" {
		if err := unzipSources(j.home, j.filePath(".sources")); err != nil {
			return err
		}
	}
	for _, step := range steps {
		if err := j.runStep(ctx, step); err != nil {
			return err
		}
	}
	return nil
}

// archive returns the path of the archive to adopt.
func (j job) archive() string {
	if j.archived != "" {
		j.program.name = j.archived
	}
	return j.filePath(".parc")
}

// compileCommands returns the commands that build a jar of the program's class. AppCDS does not support folders.
func (j job) compileCommands() [][]string {
	classes := j.filePath(".classes")
	return [][]string{
		{filepath.Join(j.home, "bin/javac"), "-nowarn", "-cp", j.classPath(), "-d", classes, "inputs/" + j.source},
		{filepath.Join(j.home, "bin/jar"), "cf", j.filePath(".jar"), "-C", classes, "."},
	}
}

// warmCommand returns the command that measures the program, without the command of the program.
func (j job) warmCommand(ctx context.Context) ([]string, error) {
	step := []string{j.profarc(), "warm", "-n", fmt.Sprint(j.rounds), "--skip", "plain,archive+flag",
		"--archive", j.archive(), "--report", j.filePath(".json")}
	if j.unit != "" {
		step = append(step, "--unit", j.unit)
	}
	if j.ignore != "" {
		step = append(step, "--ignore", j.ignore)
	}
	if j.earlier != "" {
		agent, err := exec.CommandContext(ctx, j.profarc(), "agent", "path").Output()
		if err != nil {
			return nil, err
		}
		archive := job{j.bench, j.program, j.earlier, ""}.archive()
		step = append(step, "--contender",
			fmt.Sprintf("earlier=@appcds -agentpath:%s=quiet,archive=%s", strings.TrimSpace(string(agent)), archive))
	}
	return append(step, "--"), nil
}

// programCommand returns the program's command. It replaces {sources} in arguments by the directory of the JDK's
// sources.
func (j job) programCommand() []string {
	if j.tool != "" {
		step := []string{filepath.Join(j.home, j.tool)}
		for _, arg := range j.args {
			step = append(step, strings.ReplaceAll(arg, "{sources}", j.filePath(".sources")))
		}
		return step
	}
	return append([]string{filepath.Join(j.home, "bin/java"), "-cp", j.classPath()}, j.args...)
}

// classPath returns Debian's jars and the job's jar.
func (j job) classPath() string {
	var paths []string
	for _, name := range j.jars {
		paths = append(paths, filepath.Join(debianJars, name+".jar"))
	}
	if strings.HasSuffix(j.source, ".java") {
		paths = append(paths, j.filePath(".jar"))
	}
	return strings.Join(paths, ":")
}

// runStep runs a command in the directory of the inputs while holding the lock, if any.
func (j job) runStep(ctx context.Context, step []string) error {
	if j.lock != "" {
		step = append([]string{"flock", j.lock}, step...)
	}
	c := exec.CommandContext(ctx, step[0], step[1:]...)
	log, err := os.OpenFile(j.filePath(".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	c.Dir = j.dir
	c.Stdout = log
	c.Stderr = log
	fmt.Fprintf(os.Stderr, "warm: %s with %s: %s\n", j.program.name, filepath.Base(j.home), filepath.Base(step[0]))
	if err := c.Run(); err != nil {
		return fmt.Errorf("%w: see %s", err, j.filePath(".log"))
	}
	return nil
}
