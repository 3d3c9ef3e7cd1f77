package train

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/profarc/profarc/cmd/profarc/internal/agentcmd"
	"github.com/profarc/profarc/cmd/profarc/internal/app"
	"github.com/profarc/profarc/cmd/profarc/internal/javacommand"
	"github.com/profarc/profarc/internal/hotspot/agentlib"
	"github.com/profarc/profarc/internal/hotspot/live"
)

// ErrUnread is the error if a command was not started because its JVMs cannot be read.
var ErrUnread = errors.New("tracing is forbidden (in a container add --cap-add=SYS_PTRACE), and the agent cannot be " +
	"used instead")

// prepareUntraced prepares a run where tracing is forbidden. If the agent cannot be used either, the command runs
// unread, but not with --strict or in profarc run.
func (t *trainingRun) prepareUntraced(ctx context.Context, args []string) (*live.Listener, []string, error) {
	l, env, err := t.listenForJVMs(ctx, args)
	switch {
	case err == nil:
		t.listener = l
		return l, env, nil
	case t.o.strict || t.o.first || ctx.Err() != nil:
		return nil, nil, fmt.Errorf("%w: %s", ErrUnread, app.Message(err))
	}
	t.unread = app.Message(err)
	return nil, os.Environ(), nil
}

// listenForJVMs returns an environment in which each JVM loads the agent and connects to the listener at its exit.
func (t *trainingRun) listenForJVMs(ctx context.Context, args []string) (*live.Listener, []string, error) {
	p, err := javacommand.FindCommand(args, false)
	if err != nil {
		return nil, nil, err
	}
	library, err := agentcmd.LibraryBuilder(t.a, t.o.quiet).Find(ctx, "")
	if err == nil {
		err = agentlib.CheckLoads(ctx, library, p.JavaPath())
	}
	if err != nil {
		return nil, nil, err
	}
	l, err := live.Listen()
	if err != nil {
		return nil, nil, err
	}
	flag, err := agentlib.Options{Serve: l.Addr().String()}.AgentPathFlag(library)
	if err == nil {
		p.Way = javacommand.WayInherit
		var s javacommand.Start
		s, err = p.WithFlags(flag)
		if err == nil {
			return l, s.Environment(), nil
		}
	}
	_ = l.Close()
	return nil, nil, err
}
