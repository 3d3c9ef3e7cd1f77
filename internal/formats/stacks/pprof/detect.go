package pprof

import "errors"

// ErrLegacy means that the profile has a format that is older than profile.proto, and is damaged.
var ErrLegacy = errors.New("a profile of a format before profile.proto that cannot be read: take it with a newer runtime")

// validKinds has the set of valid wire types for each field of a profile. Packed numbers have the type bytes.
var validKinds = [...]uint8{
	profileSampleType: 1 << kindBytes, profileSample: 1 << kindBytes, profileMapping: 1 << kindBytes,
	profileLocation: 1 << kindBytes,
	profileFunction: 1 << kindBytes, profileStrings: 1 << kindBytes, profileDropFrames: 1 << kindVarint,
	profileKeepFrames: 1 << kindVarint,
	profileTime:       1 << kindVarint, profileDuration: 1 << kindVarint, profilePeriodType: 1 << kindBytes,
	profilePeriod:  1 << kindVarint,
	profileComment: 1<<kindVarint | 1<<kindBytes, profileDefaultType: 1 << kindVarint, profileDocURL: 1 << kindVarint,
}

// detectProfile reports whether head begins with valid fields of a profile. Since random bytes can look like a field,
// it requires several fields, fewer if one is a sample type.
func detectProfile(head []byte, whole bool) bool {
	fields, types := 0, false
	for len(head) > 0 {
		f, rest, err := nextField(head)
		if err != nil {
			break // cut off by the end of head, or of the file
		}
		if f.number == 0 || f.number >= uint64(len(validKinds)) || validKinds[f.number]>>f.kind&1 == 0 {
			return false
		}
		isMessage := validKinds[f.number] == 1<<kindBytes && f.number != profileStrings
		if isMessage && eachField(f.body, func(field) error { return nil }) != nil {
			return false
		}
		types = types || f.number == profileSampleType && len(f.body) > 0
		if fields++; fields >= 64 {
			break
		}
		head = rest
	}
	return fields >= 4 || types && (whole || fields > 1)
}
