package crashmodel

import (
	"bytes"
	"fmt"
)

// Publishing is what a file that is published may hold after a crash.
type Publishing struct {
	Target    string
	Old, New  []byte // Old is nil if there was no file
	Succeeded bool   // publishing reported success
}

// Check holds every state that a crash may leave against what publishing promises, and returns how many there are:
// the target is the old file or the new one, whole; once success was reported, it is the new one. States that differ in
// other files only count once.
func (p Publishing) Check(l *Log) (states int, err error) {
	states = l.crashes(p.Target, func() []string { return []string{p.Target} }, func(s State) bool {
		err = p.judge(s)
		return err == nil
	})
	return states, err
}

func (p Publishing) judge(s State) error {
	data, exists := s.Files[p.Target]
	isOld := exists == (p.Old != nil) && bytes.Equal(data, p.Old)
	isNew := exists && bytes.Equal(data, p.New)
	switch {
	case isNew, isOld && !(s.All && p.Succeeded):
		return nil
	case isOld:
		return fmt.Errorf("after success a crash brings the old file back, or none")
	case !exists:
		return fmt.Errorf("after call %d a crash leaves neither file", s.Calls)
	}
	return fmt.Errorf("after call %d a crash leaves %d bytes of %d that are neither file's", s.Calls, len(data),
		len(p.New))
}
