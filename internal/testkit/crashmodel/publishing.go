package crashmodel

import (
	"bytes"
	"fmt"
)

// Publishing has the valid contents of a published file after a crash.
type Publishing struct {
	Target    string
	Old, New  []byte // Old is nil if there was no file
	Succeeded bool   // publishing reported success
}

// Check returns an error if the target has neither the old nor the new content in a state after a crash, or the old
// content after reported success. states is the number of different contents of the target.
func (p Publishing) Check(l *Log) (states int, err error) {
	states = l.eachCrash(p.Target, func() []string { return []string{p.Target} }, func(s State) bool {
		err = p.checkState(s)
		return err == nil
	})
	return states, err
}

func (p Publishing) checkState(s State) error {
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
