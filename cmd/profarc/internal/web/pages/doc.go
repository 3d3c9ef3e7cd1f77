// Package pages shows archives as HTML pages, served from this machine or written as one self-contained file.
//
// Each kind of page is a view. A view has a function that gathers the data of the page, and a template with the same
// name in templates/. Views are independent of the output. They name other pages by view and query. The linker of the
// server or the report makes addresses from these, and turns a link into plain text if a report does not contain the
// page.
//
//	Site      the archives and the results of background jobs
//	view      one kind of page, such as overview, methods or method
//	request   a request for one page, with its query and patience
//	table     rows that a reader can sort, search, page through and link to
//	server    pages over HTTP, on loopback, below a random path
//	report    selected pages in one file
//	sides     two archives with a site each; a page shows one archive or both
//
// # Time
//
// A page of a large archive must appear at once. Results that need an iteration over all methods are computed once, in
// the background (see resultOf). A page that needs an unfinished result reports that and reloads itself.
//
// # Trust
//
// Archives are untrusted. Their names pass html/template and are shown in bdi elements with unprintable characters
// escaped. All pages have a strict content security policy. Styles and scripts are inline and allowed by their hashes,
// nothing is loaded, and style attributes are forbidden. So heat and widths are classes and attributes of SVG. The
// server answers only GET and HEAD, for one Host, below a path with a random token.
package pages
