// Package lint checks the repository itself. It checks imports, lengths of lines and pages, the wording of comments,
// licences of dependencies, and statements about the code in the documents. It has tests only.
package lint
