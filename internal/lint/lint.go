// Package lint checks the repository itself: the imports between its folders, the length of its lines and pages, the
// wording of comments, the licences of dependencies, and what the documents say about the code. It has tests only.
package lint
