// Package webtest tests the pages of profarc web in a browser. It is a separate module, since no other package needs a
// browser.
//
//	Browser   a headless Chromium; a Tab shows a page and records its problems
//	Command   a built profarc, which serves archives and writes reports
//	Samples   archives of all domains with normal and hostile names
//	Crawl     finds all kinds of pages of a site by following links
//	Axe       the accessibility checker axe-core, downloaded from npm
//
// The tests find views by links. A new view is tested when a page links to it.
package webtest
