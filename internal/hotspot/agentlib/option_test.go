package agentlib_test

import (
	"testing"
	"time"

	"github.com/profarc/profarc/internal/hotspot/agentlib"
)

func TestFlag(t *testing.T) {
	t.Parallel()
	all := agentlib.Options{
		Archive: "/a,b.parc", Base: "/c,d.parc", Weight: "presence", Flags: "keep", Weights: "flat", Policy: "order",
		Budget: "0", Cached: "1251", Warmup: 90 * time.Second, Report: "r,.json",
		Drift: true, Dry: true, Quiet: true,
	}
	for _, test := range []struct {
		options agentlib.Options
		want    string
	}{
		{agentlib.Options{Archive: "app.parc"}, "-agentpath:/x y.so=archive=app.parc"},
		{agentlib.Options{Archive: "app.parc", Alone: true}, "-agentpath:/x y.so=archive=app.parc,base="},
		{all,
			"-agentpath:/x " +
				"y.so=archive=/a,,b.parc,base=/c,,d.parc,weight=presence,weights=flat,flags=keep,policy=order,budget=0,cached=1251,report=r,,.json,warmup=90000,drift,dry,quiet"},
	} {
		if got, err := test.options.AgentPathFlag("/x y.so"); err != nil || got != test.want {
			t.Errorf("Flag of %+v is %q, %v, want %q", test.options, got, err, test.want)
		}
	}
}

func TestFlagRefusesWhatTheAgentDoesNotKnow(t *testing.T) {
	t.Parallel()
	for _, o := range []agentlib.Options{
		{}, {Archive: "a\n"}, {Archive: "a", Base: "b\n"}, {Archive: "a", Weight: "0"}, {Archive: "a", Weight: "1048577"},
		{Archive: "a", Weight: "1,dry"},
		{Archive: "a", Flags: "up"}, {Archive: "a", Weights: "all"}, {Archive: "a", Cached: "presence"},
		{Archive: "a", Policy: "all"}, {Archive: "a", Budget: "101"}, {Archive: "a", Budget: "-1"},
		{Archive: "a", Budget: "+1"}, {Archive: "a", Warmup: time.Microsecond}, {Archive: "a", Warmup: 25 * time.Hour},
	} {
		if flag, err := o.AgentPathFlag("/x.so"); err == nil {
			t.Errorf("Flag of %+v is %q", o, flag)
		}
	}
	if flag, err := (agentlib.Options{Archive: "a"}).AgentPathFlag("/a=b/x.so"); err == nil {
		t.Errorf("a library with = in its name is %q", flag)
	}
}
