// Package pages shows archives as pages: from a local server, or as one self-contained file.
//
// Each kind of page is a view: a function that gathers what the page shows, and a template of the same name in
// templates/. Views do not know where they are shown. They name other pages by view and query, and the linker of the
// server or of the report makes addresses of that, or leaves the link out where a report does not hold the page.
//
//	Site      the archives, and what was computed of them
//	view      one kind of page: overview, methods, method, ...
//	request   one page that is asked for: its query, and how long it may take
//	table     rows that a reader can sort, search, page through and link to
//	server    pages over HTTP, on loopback, below a random path
//	report    chosen pages in one file
//	sides     two archives, each with a site of its own: a page is of one, or of both
//
// # Time
//
// A page of a large archive must come at once. What needs a walk over all methods is computed once, in the
// background, by gather. A page that needs it before it is there says so and loads itself again.
//
// # Trust
//
// Archives are not trusted, nor is anything else in the browser. Names come from others: they pass
// html/template and are shown by bdi elements, with unprintable characters escaped. All pages have a strict
// content security policy: styles and scripts are inline and allowed by their hashes, nothing is loaded, and
// style attributes are forbidden. So heat and widths are classes and attributes of SVG. The server answers
// GET and HEAD only, for one Host, below a path that holds a random token.
package pages
