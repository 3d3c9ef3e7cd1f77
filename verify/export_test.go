package verify

// WalkOver lets tests compare walks with and without naming of problems.
var WalkOver = walkOver
