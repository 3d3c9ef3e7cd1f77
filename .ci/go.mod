module github.com/profarc/profarc/ci

go 1.26.0

require github.com/profarc/profarc v0.0.0

replace github.com/profarc/profarc => ..
