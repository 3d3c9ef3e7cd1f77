package warm

import (
	"context"
	"errors"
	"os/exec"
	"regexp"
	"strconv"
	"time"

	"github.com/profarc/profarc/internal/cli"
)

type jvm struct {
	feature int // 17, 21, 25; 0 if unknown
	text    string
}

var (
	versionLine = regexp.MustCompile(`version "(?:1\.)?(\d+)[^"]*"`)
	buildText   = regexp.MustCompile(`\(build ([0-9][^),]*)`)
)

// findJVM asks java for its version. java can be "".
func findJVM(ctx context.Context, java string) (jvm, error) {
	if java == "" {
		return jvm{text: "not known"}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	asked := exec.CommandContext(ctx, java, "-version")
	asked.WaitDelay = time.Second
	out, err := asked.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return jvm{}, cli.NotStarted(java, err)
	}
	v := jvm{text: "not known"}
	if m := versionLine.FindSubmatch(out); m != nil {
		v.feature, _ = strconv.Atoi(string(m[1])) // digits
		v.text = "JDK " + string(m[1])
	}
	if m := buildText.FindSubmatch(out); m != nil {
		v.text = "JDK " + string(m[1])
	}
	return v, nil
}
