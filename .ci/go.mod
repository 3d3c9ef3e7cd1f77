module github.com/profarc/profarc/ci

go 1.26.0

replace github.com/profarc/profarc => ..
