package procfs

import (
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// An Identity identifies a process among all processes of all machines.
type Identity struct {
	Boot      [16]byte // boot id of the machine
	Namespace uint64   // PID namespace
	PID       uint64   // process id in that namespace
	Start     uint64   // start time in clock ticks since the machine was booted
}

// startField is the index of the start time in /proc/PID/stat after the program name, which can have any bytes.
const startField = 19

// Identify returns the identity of a process; ok is false if the system does not provide it.
func Identify(pid int) (id Identity, ok bool) {
	boot, err1 := os.ReadFile("/proc/sys/kernel/random/boot_id")
	bytes, err2 := hex.DecodeString(strings.ReplaceAll(strings.TrimSpace(string(boot)), "-", ""))
	stat, err3 := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if err1 != nil || err2 != nil || err3 != nil || len(bytes) != len(id.Boot) || len(fields) <= startField {
		return Identity{}, false
	}
	id.Boot = [16]byte(bytes)
	id.PID = uint64(pid)
	if numbers := strings.Fields(StatusField(pid, "NSpid")); len(numbers) > 0 {
		id.PID, _ = strconv.ParseUint(numbers[len(numbers)-1], 10, 64)
	}
	namespace, _ := os.Readlink(fmt.Sprintf("/proc/%d/ns/pid", pid))
	id.Namespace, _ = strconv.ParseUint(strings.Trim(strings.TrimPrefix(namespace, "pid:"), "[]"), 10, 64)
	id.Start, err1 = strconv.ParseUint(fields[startField], 10, 64)
	return id, err1 == nil
}
