// Package recipes holds files to copy into other projects: continuous integration, build tools, images and services
// with profarc. README.md describes them. The tests run each with its tool, as far as that is installed.
package recipes
