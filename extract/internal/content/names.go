package content

import (
	"strings"
)

// A nameGroup is what a class name, an id or an itemprop says an element is for.
type nameGroup uint8

const (
	groupComment nameGroup = iota
	groupPost
	groupShare
	groupRelated
	groupNavigation
	groupFooter
	groupHeader
	groupSide
	groupAdvert
	groupConsent
	groupAuthor
	groupMeta
	groupImage
	groupContent
	groupArticle
	groupProduct
	groupDescription
	groupPrice
	groupReview
	groupCard
	groupTitle
	groupIntro
	groupForm
	groupQuestion
	groupText
	groupNote
	groupCount
)

// groupWords are the words that put an element in a group.
var groupWords = groupsOf([groupCount]string{
	groupComment: "comment comments commentlist response responses respond disqus discussion remark remarks",
	groupPost: "post posts message messages thread topic topics answer answers reply replies forum " +
		"postbody bbcode",
	groupShare: "share sharing sharebar social socials addthis facebook twitter follow sharedaddy whatsapp " +
		"linkedin pinterest",
	groupRelated: "related recommended recommendation recommendations recommend more readmore similar also " +
		"trending popular latest recent upsell upsells crosssell recirc recirculation teaser teasers outbrain " +
		"taboola next",
	groupNavigation: "nav navigation navbar menu menus submenu breadcrumb breadcrumbs pagination pager tabs tab toc " +
		"links sitemap skip toolbar",
	groupFooter: "footer foot colophon bottom copyright legal disclaimer footnote",
	groupHeader: "header head masthead topbar banner hero top",
	groupSide:   "sidebar side aside widget widgets rail right left column secondary",
	groupAdvert: "ad ads advert advertisement adsbygoogle promo promos promotion promotions sponsored sponsor " +
		"cta offer offers marketing",
	groupConsent: "cookie cookies consent gdpr modal popup overlay newsletter subscribe subscription signup login " +
		"register paywall alert notice lightbox",
	groupAuthor: "author authors byline bio profile avatar user username member vcard contributor",
	groupMeta: "meta date time timestamp published updated tags tag category categories label labels info " +
		"posted stats count counts votes",
	groupImage: "caption figcaption credit credits image images img photo photos gallery media video slider " +
		"carousel swiper slide thumb thumbnail",
	groupContent: "content contents body main page primary container maincontent",
	groupArticle: "article articles entry story articlebody postcontent entrycontent storybody blog news",
	groupProduct: "product products pdp shop store woocommerce variant variation",
	groupDescription: "description desc descriptions detail details overview about features feature specification " +
		"specifications specs spec benefits ingredients",
	groupPrice:  "price prices pricing cart buy sku stock qty quantity shipping delivery checkout amount wishlist",
	groupReview: "review reviews rating ratings testimonial testimonials stars reviewbody",
	groupCard: "card cards item items tile tiles grid list listing listings result results collection " +
		"collections row",
	groupTitle:    "title titles headline heading subtitle name caption1 h1 h2 h3",
	groupIntro:    "lead intro introduction summary excerpt abstract dek standfirst deck lede preview",
	groupForm:     "form search filter filters sort facet facets select input dropdown options option",
	groupQuestion: "faq faqs accordion question questions qa collapse panel",
	groupText: "text txt rte richtext wysiwyg prose markdown md copy paragraph description1 editor block " +
		"wp elementor",
	groupNote: "note notes tip warning tweet embed instagram quote blockquote signature sig edit action " +
		"actions button buttons btn",
})

func groupsOf(lists [groupCount]string) map[string]nameGroup {
	groups := map[string]nameGroup{}
	for group, words := range lists {
		for word := range strings.FieldsSeq(words) {
			groups[word] = nameGroup(group)
		}
	}
	return groups
}
