// Package train implements the command train, which reads the profiles of a command's JVMs.
package train

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"slices"

	"github.com/spf13/cobra"

	"github.com/profarc/profarc/cmd/profarc/internal/dump"
	"github.com/profarc/profarc/cmd/profarc/internal/runfiles"
	"github.com/profarc/profarc/internal/cli"
	"github.com/profarc/profarc/internal/hotspot/live"
	"github.com/profarc/profarc/internal/hotspot/training"
)

type trainOptions struct {
	out        string
	filters    dump.Filters
	only       string
	merge      bool
	require    int
	keepFailed bool
	accept     []int
	report     string
	quiet      bool
	strict     bool
	first      bool // whether profarc run trains
	base       baseOptions
	openBase   *baseArchive // opened base
}

const commandHelp = `Train runs a command that starts JVMs: java itself, mvn, ant, a shell script. It stops each HotSpot JVM
(17 to 25) at its exit, reads its profiles, and lets it go: after the end of main, System.exit,
Runtime.halt, a signal or a crash. Nothing is put into the JVM and no flag is needed, unless tracing is
forbidden.

The command keeps its signals and standard streams. Train prints its own messages to stderr once the
command has ended: what was written, what was not, and why.

One JVM makes the archive that -o names; several make NAME.1.parc, NAME.2.parc, ... in the order in
which they ended. In the name %m stands for the main class or jar, %p for the process, and %n for the
number of the JVM; several JVMs with one name are numbered as above. --only selects JVMs. A JVM without
a profile makes no archive. A JVM that still runs when the command has ended, such as a build daemon,
is read as it is then, and runs on.

Nothing is written before the command has ended, and nothing if it fails: the archives of earlier runs
stay. It fails if its exit code is not 0, nor 130 or 143, with which servers end after an interrupt or
SIGTERM. --accept names other exit codes that are no failure, and
--keep-failed keeps what a failed run recorded. An archive with fewer methods than --require is not
written either. Train lists archives of earlier runs that it did not replace. Only one training run at
a time writes to a name: a second one fails without running its command.

With --merge all JVMs that fit together make one archive. JVMs that count in another way, such as those
of another release, cannot be merged with them: the largest group of JVMs that fit together makes the
archive that -o names, the others make NAME.1.parc, NAME.2.parc, ...

The exit code is that of the command. If that is 0, it is 1 if no archive was written, if one could not
be written or has too few methods, or if the report could not be written. If the command is not started
it is 2 for wrong usage, 1 if the archive could not be written, and, as in a shell, 127 or 126 for a
command that cannot be started.

If a JVM adopted an archive (train -- profarc run), only the JVM's own counts are written: merge them with
that archive. See dump --help.

--base writes a layer on another archive, such as one of the JDK and a framework that several programs
share: methods that the base has too, with the same profiles to every count, are left out. Two runs rarely
count the same: see --may-differ in reduce --help. Use both together: profarc run --base.

Where tracing is forbidden, as in some containers, JAVA_TOOL_OPTIONS has each JVM load the agent (see
profarc agent), which stops it when it calls exit. Not read are then JVMs that crash, are killed by
SIGKILL, run on when the command has ended, or run as another user or in another container. If there is
no agent either, the command runs unread, one line says so, and the exit code is the command's; with
--strict it does not start.

Linux only. Under train no debugger, strace or jhsdb can be attached, and setuid programs get no
additional rights. Processes that are not descendants of the command are not seen: do not let the build
tool use its daemon (gradle --no-daemon).`

func Command(a *cli.App) *cobra.Command {
	var o trainOptions
	cmd := &cobra.Command{
		Use:   "train -o ARCHIVE [flags] -- COMMAND [ARGUMENT]...",
		Short: "Run a command and keep the profiles of its JVMs",
		Long:  commandHelp,
		Example: `  profarc train -o app.parc -- java -jar app.jar
  profarc train -o app.parc --base jdk.parc --may-differ 5% -- java -jar app.jar
  profarc train -o build.parc --merge -- mvn -q package
  profarc train -o 'build-%m.parc' --only 'org.example.*' --require 500 -- ./gradlew --no-daemon check
  profarc train -o app.parc --compiled-only --class 'com.example.*' -- ./run.sh <input.txt`,
		Args: cli.Args(1, -1, "the command to run, after --"),
		RunE: a.Run(func(ctx context.Context, args []string) error { return runTrain(ctx, a, args, o) }),
	}
	f := cmd.Flags()
	f.SetInterspersed(false) // flags after the command's name belong to it
	f.StringVarP(&o.out, "output", "o", "", "archive to write; its name ends in "+cli.ArchiveExtension)
	o.filters.AddFlags(f)
	f.StringVar(&o.only, "only", "",
		"only JVMs whose main class or command line contains this, or matches this pattern with * and ?")
	f.IntVar(&o.require, "require", 0,
		"least methods with profiles in an archive: one with fewer is not written, and the exit code is 1")
	f.BoolVar(&o.keepFailed, "keep-failed", false, "write archives even if the command fails")
	f.IntSliceVar(&o.accept, "accept", nil,
		"exit codes of the command that are no failure, beside 0 and those of an interrupt and SIGTERM, 130 and 143")
	o.base.addFlags(f)
	_ = cmd.RegisterFlagCompletionFunc("base", cli.CompleteArchives(-1))
	f.BoolVar(&o.merge, "merge", false, "one archive of all JVMs that fit together")
	f.StringVar(&o.report, "report", "", "file for the summary, in JSON")
	f.BoolVar(&o.strict, "strict", false, "do not start the command if its JVMs cannot be read")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "no summary on stderr, unless something went wrong")
	return cmd
}

// startedIgnoring lists the signals that this process ignored at its start, as under nohup.
var startedIgnoring = func() (ignored []os.Signal) {
	for _, s := range []os.Signal{os.Interrupt, hangup} {
		if signal.Ignored(s) {
			ignored = append(ignored, s)
		}
	}
	return ignored
}()

// StartedIgnoring returns the signals that this process ignored at its start, and that programs it starts must ignore
// too.
func StartedIgnoring() []os.Signal { return slices.Clone(startedIgnoring) }

func runTrain(ctx context.Context, a *cli.App, args []string, o trainOptions) error {
	if err := checkTrainOutput(ctx, args[0], o); err != nil {
		return err
	}
	path, err := exec.LookPath(args[0])
	if err != nil && !errors.Is(err, exec.ErrDot) { // a shell runs it from the current directory too
		return cli.NotStarted(args[0], err)
	}
	o.openBase, err = openBase(a, &o.base, o.out)
	if err != nil {
		return err
	}
	defer o.openBase.closeBase()
	release, err := runfiles.LockOutput(o.out)
	if err != nil {
		return err
	}
	defer release()
	// Signals go to the command, and do not keep its JVMs from being read.
	t := newTraining(context.WithoutCancel(ctx), a, o)
	status, err := t.runCommand(ctx, path, args)
	if err != nil {
		t.discardAll()
		return cli.NotStarted(args[0], err)
	}
	t.publishAll(status)
	return t.reportEnd(ctx, status)
}

func (t *trainingRun) runCommand(ctx context.Context, path string, args []string) (training.Status, error) {
	defer func() {
		if t.listener != nil {
			_ = t.listener.Close()
		}
	}()
	return training.Run(training.Command{
		Path: path, Args: args, Files: [3]*os.File{os.Stdin, os.Stdout, os.Stderr}, Held: t.readHeldJVM,
		Ignored:  startedIgnoring,
		Untraced: func() (*live.Listener, []string, error) { return t.prepareUntraced(ctx, args) },
	})
}

// A First is the training run of a program that starts without an archive.
type First struct {
	Archive string // path to write; the caller holds its lock
	All     bool   // include all JVMs below the command
	Quiet   bool   // print no summary, unless something went wrong
	Base    string // base of the new archive; "" for none
}

// stopCodes are the exit codes of programs that an interrupt or SIGTERM stopped, as is usual for servers.
var stopCodes = []int{128 + 2, 128 + 15}

// Run runs a command, and writes the archive when it ends. path is the executable, and args[0] its name. If the command
// ran, err is a cli.ExitError with its exit code, and otherwise the reason. A command whose JVMs cannot be read does
// not run.
func (f First) Run(ctx context.Context, a *cli.App, path string, args []string) (ran bool, err error) {
	o := trainOptions{out: f.Archive, merge: f.All, quiet: f.Quiet, first: true}
	if err := checkTrainOutput(ctx, args[0], o); err != nil {
		return false, err
	}
	o.openBase, err = openBase(a, &baseOptions{path: f.Base}, f.Archive)
	if err != nil {
		return false, err
	}
	defer o.openBase.closeBase()
	t := newTraining(context.WithoutCancel(ctx), a, o)
	status, err := t.runCommand(ctx, path, args)
	if err != nil {
		t.discardAll()
		return !errors.Is(err, ErrUnread) && !errors.Is(err, errors.ErrUnsupported), cli.NotStarted(args[0], err)
	}
	t.publishAll(status)
	t.printSummary()
	end := &cli.ExitError{Code: status.ExitCode()}
	if len(t.jvms) == 0 {
		end.Err = t.noJVMError()
	}
	return true, end
}
