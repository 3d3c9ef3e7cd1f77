package turns

import (
	"bytes"
	"fmt"
	"os/exec"
	"time"
)

// Child runs a program to its end and gives its cost. Its output is part of the
// error if it fails, and otherwise dropped.
//
// The kernel counts the memory of whoever starts a program as that program's
// until it runs, so a peak is never below that of the process which calls Child.
func Child(name string, args ...string) (Cost, error) {
	cmd := exec.Command(name, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	begin := time.Now()
	err := cmd.Run()
	wall := time.Since(begin)
	if err != nil {
		return Cost{}, fmt.Errorf("%s: %w\n%s", name, err, out.Bytes())
	}
	return Cost{Wall: wall, User: cmd.ProcessState.UserTime(), Peak: peak(cmd.ProcessState)}, nil
}
