package fit

import "strings"

// eachClass calls yield with the text of a descriptor in pieces: names of classes,
// and what stands between them. The pieces together are the descriptor.
func eachClass(descriptor string, yield func(piece string, class bool)) {
	for descriptor != "" {
		before, rest, found := strings.Cut(descriptor, "L")
		class, rest, ended := strings.Cut(rest, ";")
		if !found || !ended {
			yield(descriptor, false)
			return
		}
		yield(before+"L", false)
		yield(class, true)
		yield(";", false)
		descriptor = rest
	}
}

// mapClasses puts other classes in the place of those in a descriptor.
func mapClasses(descriptor string, to func(class string) string) string {
	var b strings.Builder
	eachClass(descriptor, func(piece string, class bool) {
		if class {
			piece = to(piece)
		}
		b.WriteString(piece)
	})
	return b.String()
}

// sameShape reports whether two descriptors differ in nothing but classes, and
// calls yield with those at the same place that differ.
func sameShape(a, b string, yield func(a, b string)) bool {
	if a == b {
		return true
	}
	type piece struct {
		text  string
		class bool
	}
	var of [2][]piece
	for i, descriptor := range []string{a, b} {
		eachClass(descriptor, func(text string, class bool) { of[i] = append(of[i], piece{text, class}) })
	}
	if len(of[0]) != len(of[1]) {
		return false
	}
	for i, p := range of[0] {
		if q := of[1][i]; p.class != q.class || !p.class && p.text != q.text {
			return false
		}
	}
	for i, p := range of[0] {
		if q := of[1][i]; p.text != q.text {
			yield(p.text, q.text)
		}
	}
	return true
}
