// Package services has what only one service behind a search provider takes or gives: its own
// filters, the texts of pages, pages that are like a page, a SearXNG's whole answer.
//
// Flow: tools with another system's arguments fill Options; search/provider opens the provider.
// Errors: invalid_argument, invalid_url and blocked_address for a page that no service is told of.
package services
