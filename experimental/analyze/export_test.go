package analyze

import "github.com/profarc/profarc/layout"

// About returns the description of points with entries of a tag, see Point.About.
func About(tag layout.Tag) string { return pointKinds[tag].about }
