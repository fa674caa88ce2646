// Package demo serves a small web of our own on one loopback listener: sites with
// articles to find, a search engine to find them with, and the faults that real
// webs have. It is what `citewell demo` asks its question of, with no network and
// no keys.
//
// # How the pages are laid out
//
// Each folder of web/ is one site, named for its host: web/harbour-courier/ is
// http://harbour-courier.localhost:PORT/. In it are
//
//	site.conf     name, tagline, language, nav, redirects; "key: value" lines
//	layout.html   the html/template around every page of the site
//	robots.txt    served as it stands; a site without one answers 404
//	PATH.md       the page at /PATH, and index.md the one at /
//
// A page is a head of "key: value" lines, an empty line, and a body in the small
// part of Markdown that markup.go reads. Keys of a page:
//
//	title, description, author, lang
//	date, modified   YYYY-MM-DD; shown, and put into the metadata the layout has
//	listed-date      "no" keeps the date out of search results
//	slow             answer only after Options.SlowPage
//	copy             SITE/PATH of the page whose body this one repeats (a mirror)
//
// Keys of site.conf that can come many times:
//
//	nav       PATH LABEL
//	redirect  STATUS PATH TARGET
//	listed    PATH | TITLE | TEXT: a search result that is no page of the site, so
//	          that engines list moved and deleted pages here as they do elsewhere
//
// A link to another site is written site:HOST/PATH, without .localhost, since the
// port is only known when the web starts. web/shared.html has the metadata blocks
// and listings that several layouts use.
//
// # The hosts that are no site
//
// search.localhost speaks SearXNG's JSON at /search and a page for people;
// duckduckgo.localhost speaks the DuckDuckGo HTML shape at /html/; localhost and
// the address itself list the sites. Any other host is 421. POST
// /_demo/fail?endpoint=searxng&mode=429 on localhost or an engine's host switches
// a failure on, mode=ok switches it off, and GET tells what is on.
//
// Flow: web/ → sites → pages rendered once → word index → one http.Server.
// Units: times UTC; sizes in bytes. Zero Options means a free port of 127.0.0.1
// and a slow page of 700 ms.
// Errors: invalid_argument for an address that is no free loopback one and for an
// unknown endpoint or mode.
// Concurrency: a Web is safe for many goroutines; Close ends its goroutines and
// every answer in flight, hanging ones too. Nothing is written to disk.
// Source: everything in web/ was written for this package. People, places, birds,
// plants and formats in it are invented. RFC 6761 for *.localhost.
package demo
