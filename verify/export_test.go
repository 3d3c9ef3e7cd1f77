package verify

// WalkOver is for tests that compare a walk that only looks with one that names problems.
var WalkOver = walkOver
