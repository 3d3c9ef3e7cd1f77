// Package webtest looks at the pages of profarc web in a browser, as their readers do. It
// is a module of its own, since nothing else needs a browser.
//
//	Browser   a Chromium without a window; Tab is one page in it, with what went wrong there
//	Command   the built profarc, which serves archives and writes reports
//	Samples   archives of every domain, with ordinary and with hostile names
//	Crawl     all kinds of pages of a site: views are found by following links
//	Axe       the accessibility checker axe-core, fetched from npm and not part of this module
//
// The tests find views by their links. A new view is tested as soon as a page leads to it.
package webtest
