package procfs

import (
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// An Identity tells a process from all others, of all machines.
type Identity struct {
	Boot      [16]byte // boot id of the machine
	Namespace uint64   // of process numbers
	PID       uint64   // in that namespace, from wherever it is seen
	Start     uint64   // in clock ticks since the machine was booted
}

// startField is the place of the start time behind the name of the program in
// /proc/PID/stat, which may have any bytes.
const startField = 19

// Identify returns the identity of a process; ok is false if the system does not tell.
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
	if numbers := strings.Fields(Status(pid, "NSpid")); len(numbers) > 0 {
		id.PID, _ = strconv.ParseUint(numbers[len(numbers)-1], 10, 64)
	}
	namespace, _ := os.Readlink(fmt.Sprintf("/proc/%d/ns/pid", pid))
	id.Namespace, _ = strconv.ParseUint(strings.Trim(strings.TrimPrefix(namespace, "pid:"), "[]"), 10, 64)
	id.Start, err1 = strconv.ParseUint(fields[startField], 10, 64)
	return id, err1 == nil
}
