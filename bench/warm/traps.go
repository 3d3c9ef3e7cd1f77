package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// countTraps counts the uncommon traps of a program, that is how often compiled code was left
// because it did not expect what came: with nothing, with the best flag alone, and with
// the archive. They take turns, and the medians are printed.
func (m *measurement) countTraps(p program, archive string) error {
	library, err := exec.CommandContext(m.ctx, m.profarc, "agent", "path").Output()
	if err != nil {
		return fmt.Errorf("agent path: %w", err)
	}
	log := m.at("traps.log")
	const unlock = "-XX:+UnlockDiagnosticVMOptions "
	contenders := []struct{ name, flags string }{
		{"plain", unlock},
		{"flag", unlock + "-XX:TieredOldPercentage=1000000 "},
		{"archive", unlock + "-agentpath:" + strings.TrimSpace(string(library)) + "=archive=" + archive + " "},
	}
	counts := map[string][]int{}
	for range m.rounds {
		for _, c := range contenders {
			cmd := exec.CommandContext(m.ctx, p.command[0], p.command[1:]...)
			cmd.Env = append(os.Environ(), "JAVA_TOOL_OPTIONS="+c.flags+"-XX:+LogCompilation -XX:LogFile="+log)
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("%s: %w\n%s", c.name, err, out)
			}
			text, err := os.ReadFile(log)
			if err != nil {
				return err
			}
			counts[c.name] = append(counts[c.name], bytes.Count(text, []byte("<uncommon_trap thread=")))
		}
	}
	f, err := os.Create(filepath.Join(m.out, p.name+"-"+m.release()+".traps"))
	if err != nil {
		return err
	}
	defer f.Close()
	for _, c := range contenders {
		list := counts[c.name]
		slices.Sort(list)
		fmt.Fprintf(f, "%s %s: %d uncommon traps (%d to %d), n = %d\n", p.name, c.name, list[len(list)/2], list[0],
			list[len(list)-1], len(list))
	}
	return nil
}
