package siteclass

import (
	"strings"

	"github.com/citewell/citewell/internal/weburl"
)

// The classes of hosts that Class tells apart.
const (
	ClassEncyclopedia  = "wiki-encyclopedia"
	ClassCommunityWiki = "wiki-community"
	ClassOfficialDocs  = "official-docs"
	ClassNews          = "news"
	ClassForum         = "forum"
	ClassBlog          = "blog"
	ClassAcademic      = "academic"
	ClassSocialMedia   = "social-media"
	ClassECommerce     = "e-commerce"
	ClassLocal         = "local" // a file of the user's own
	ClassUnknown       = "unknown"

	// ClassTool is the class of a tool's answer. Its Host is the tool's MCP server, or else its name; its URL opens
	// nothing.
	ClassTool = "tool"
)

// classes says by which names a host belongs to a class. A domain stands for itself and all hosts below it. A label is
// the first label of a host below a registered domain.
var classes = []struct {
	class     string
	authority float64
	labels    string
	domains   string
}{
	{ClassEncyclopedia, 0.4, "", `wikipedia.org mediawiki.org wikidata.org wiktionary.org wikibooks.org wikiquote.org
		wikisource.org wikinews.org wikiversity.org wikivoyage.org britannica.com`},
	{ClassCommunityWiki, 0, "wiki", `fandom.com wikia.com`},
	{ClassOfficialDocs, 0.5, "docs developer developers dev", `readthedocs.io readthedocs.org developer.mozilla.org
		learn.microsoft.com docs.microsoft.com kubernetes.io rust-lang.org golang.org go.dev python.org docs.rs nodejs.org
		postgresql.org redis.io nginx.org apache.org gnu.org kernel.org debian.org sqlite.org w3.org ietf.org rfc-editor.org`},
	{ClassNews, 0.2, "",
		`nytimes.com bbc.com bbc.co.uk reuters.com theguardian.com ft.com bloomberg.com cnbc.com axios.com
		apnews.com economist.com wsj.com washingtonpost.com npr.org aljazeera.com politico.com politico.eu theverge.com
		arstechnica.com wired.com techcrunch.com dw.com lemonde.fr spiegel.de zeit.de elpais.com`},
	{ClassForum, -0.1, "forum forums discourse discuss community", `reddit.com stackoverflow.com stackexchange.com
		superuser.com serverfault.com askubuntu.com news.ycombinator.com lobste.rs discourse.org discord.com quora.com`},
	{ClassBlog, 0, "blog", `medium.com substack.com dev.to hashnode.dev blogspot.com wordpress.com ghost.io bearblog.dev
		tumblr.com`},
	{ClassAcademic, 0.4, "", `arxiv.org scholar.google.com acm.org ieee.org springer.com sciencedirect.com jstor.org
		mendeley.com pubmed.ncbi.nlm.nih.gov ncbi.nlm.nih.gov nature.com science.org researchgate.net semanticscholar.org
		biorxiv.org medrxiv.org plos.org edu ac.uk ac.jp`},
	{ClassSocialMedia, -0.2, "", `twitter.com x.com linkedin.com facebook.com instagram.com tiktok.com youtube.com
		mastodon.social bsky.app threads.net threads.com pinterest.com`},
	{ClassECommerce, 0, "",
		`amazon.com amazon.co.uk amazon.de amazon.fr amazon.co.jp ebay.com alibaba.com aliexpress.com
		etsy.com walmart.com target.com bestbuy.com costco.com ikea.com homedepot.com lowes.com shopify.com myshopify.com`},
}

var (
	classOfDomain = make(map[string]string)
	classOfLabel  = make(map[string]string)
	authorityOf   = make(map[string]float64)
)

func init() {
	for _, row := range classes {
		authorityOf[row.class] = row.authority
		for _, domain := range strings.Fields(row.domains) {
			classOfDomain[domain] = row.class
		}
		for _, label := range strings.Fields(row.labels) {
			classOfLabel[label] = row.class
		}
	}
}

// Class returns the class of a host. The first label of a sub-domain decides before the domain does, so
// discuss.python.org is a forum, but not where anyone can choose a sub-domain (blogs, shops, social media).
func Class(host string) string {
	host = strings.TrimPrefix(strings.ToLower(strings.TrimSuffix(host, ".")), "www.")
	byDomain := ClassUnknown
	for domain := host; domain != ""; {
		if class, ok := classOfDomain[domain]; ok {
			byDomain = class
			break
		}
		_, domain, _ = strings.Cut(domain, ".")
	}
	label, rest, below := strings.Cut(host, ".")
	byLabel, known := classOfLabel[label]
	if !known || !below || !isBelowDomain(host, rest) {
		return byDomain
	}
	switch byDomain {
	case ClassBlog, ClassSocialMedia, ClassECommerce, ClassCommunityWiki, ClassForum:
		return byDomain
	}
	return byLabel
}

// isBelowDomain reports whether host lies below its registered domain, whose owner chose its first label then.
func isBelowDomain(host, rest string) bool {
	domain := weburl.RegisteredDomain(host)
	return domain != host && (rest == domain || strings.HasSuffix(rest, "."+domain))
}

// Authority is what a class adds to the score of a result.
func Authority(class string) float64 { return authorityOf[class] }
