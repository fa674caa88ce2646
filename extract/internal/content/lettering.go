package content

import (
	"strings"
	"sync"
	"unicode"

	"github.com/citewell/citewell/internal/text"
)

// A lettering is what the characters of a block say.
type lettering struct {
	words, runes, digits, upper, commas, ends, marks int
	price, copyright, ended, capital, bar, colon     bool
}

func letteringOf(s string) lettering {
	var l lettering
	in := false
	var last rune
	for i, r := range s {
		if r >= 0x80 {
			switch r {
			case '€', '£', '¥', '₹':
				l.price = true
			case '©':
				l.copyright = true
			case '，', '、', '،':
				l.commas++
			case '。', '！', '？', '؟', '।':
				l.ends++
			case '»', '›', '→', '•', '·', '|', '▼', '▾':
				l.marks++
			}
		}
		l.runes++
		letter := unicode.IsLetter(r)
		digit := r >= '0' && r <= '9'
		switch {
		case digit:
			l.digits++
		case letter && unicode.IsUpper(r):
			l.upper++
			if i == 0 {
				l.capital = true
			}
		case r == ',':
			l.commas++
		case r == '.' || r == '!' || r == '?':
			l.ends++
		case r == '$':
			l.price = true
		case r == '|':
			l.bar = true
		case r == ':':
			l.colon = true
		}
		if (letter || digit) && !in {
			l.words++
		}
		in = letter || digit || r == '\'' || r == '’'
		last = r
	}
	l.ended = strings.ContainsRune(".!?。！？…”\"»؟।", last)
	return l
}

// phraseGroups are openings and turns of phrase of parts of a site, in the most common languages of pages.
var phraseGroups = [...][]string{
	{"read more", "see also", "see more", "related", "more:", "more from", "don't miss", "you may also",
		"you might also", "recommended", "also read", "read also", "read:", "learn more", "view all", "show more",
		"load more", "mehr zum thema", "lesen sie auch", "à lire aussi", "lire aussi", "читайте также", "ver más",
		"continue reading", "watch:", "watch now", "up next", "top stories", "most popular", "trending", "what to read",
		"editor's pick", "next article", "previous article"},
	{"subscribe", "newsletter", "sign up", "sign in", "log in", "login", "register", "follow us", "follow @", "follow ",
		"join our", "download", "click here", "get the ", "abonnieren", "anmelden", "s'inscrire", "подпис", "like us",
		"support us", "donate", "support our", "become a member"},
	{"copyright", "all rights reserved", "©", "terms of", "privacy", "cookie", "alle rechte", "tous droits",
		"disclaimer", "impressum", "trademark", "affiliate", "advertisement", "sponsored", "anzeige", "publicité",
		"реклама", "commission"},
	{"photo", "image", "getty", "reuters", "credit", "courtesy", "shutterstock", "afp", "foto", "pictured",
		"illustration", "via ", "source:", "(ap)", "screenshot", "figure", "file -"},
	{"comment", "reply", "replies", "posted by", "share", "tweet", "likes", "report abuse", "permalink", "quote",
		"upvote", "votes", "solution", "kommentar", "views", "joined", "member since", "link to this", "edited"},
	{"by ", "written by", "reporting by", "contributed", "editor", "editing by", "author", "about the", "is a writer",
		"is a reporter", "staff writer", "correspondent", "freelance", "von ", "par ", "contact ", "email"},
	{"add to cart", "add to bag", "buy now", "in stock", "out of stock", "shipping", "price", "sale", "sold out",
		"quantity", "qty", "save ", "from $", "free delivery", "wishlist", "compare", "checkout", "warenkorb",
		"quick view", "add to", "size guide", "returns", "choose options", "select"},
	{"review", "rating", "stars", "out of 5", "verified", "helpful", "rated", "bewertung", "customer"},
	{" ago", "minutes", "min read", "updated", "published", "posted on", "last modified", "am ", "pm ", "gmt",
		"yesterday", "date:"},
	{"sort by", "filter", "results", "showing", "page ", "next", "previous", "prev", "search", "menu", "home",
		"skip to", "back to", "categories", "tags:", "filed under", "topics", "show all", "clear all", "reset", "apply",
		"close", "language", "currency"},
	{"contact us", "get a quote", "request", "book ", "schedule", "free consultation", "get started", "learn how",
		"call us", "call now", "try ", "our team", "our services", "why choose", "how it works", "frequently asked",
		"faq", "testimonial", "start free", "demo"},
}

// A phrase is one of a group.
type phrase struct {
	group int
	text  string
}

// phraseTable finds phrases by their first two bytes: lists[at[first<<8|second]].
type phraseTable struct {
	at    [1 << 16]uint8
	lists [][]phrase // the first is empty
}

var phrasesByBytes = sync.OnceValue(func() *phraseTable {
	table := &phraseTable{lists: make([][]phrase, 1)}
	for g, phrases := range phraseGroups {
		for _, text := range phrases {
			at := &table.at[int(text[0])<<8|int(text[1])]
			if *at == 0 {
				*at = uint8(len(table.lists))
				table.lists = append(table.lists, nil)
			}
			table.lists[*at] = append(table.lists[*at], phrase{g, text})
		}
	}
	return table
})

// phrasesIn tells which groups have a phrase at the start of s, twice as much where s begins with it.
func phrasesIn(s string) [len(phraseGroups)]float32 {
	var found [len(phraseGroups)]float32
	s = strings.ToLower(text.Prefix(s, 160))
	table := phrasesByBytes()
	for at := 0; at+1 < len(s); at++ {
		list := table.at[int(s[at])<<8|int(s[at+1])]
		if list == 0 {
			continue
		}
		for _, p := range table.lists[list] {
			switch {
			case at > 0 && found[p.group] > 0 || !strings.HasPrefix(s[at:], p.text):
			case at == 0:
				found[p.group] = 2
			default:
				found[p.group] = 1
			}
		}
	}
	return found
}

// wordsIn gives a number to each word of s, the same whatever its case, appended to numbers.
func wordsIn(numbers []uint64, s string) []uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
		case r >= 'A' && r <= 'Z':
			r += 'a' - 'A'
		case r >= 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			r = unicode.ToLower(r)
		default:
			if h != offset {
				numbers, h = append(numbers, h), offset
			}
			continue
		}
		h = (h ^ uint64(r)) * prime
	}
	if h != offset {
		numbers = append(numbers, h)
	}
	return numbers
}

// knownShare is the share of words that are known.
func knownShare(known map[uint64]bool, words []uint64) float32 {
	if len(known) == 0 {
		return 0
	}
	found := 0
	for _, w := range words {
		if known[w] {
			found++
		}
	}
	return ratio(found, len(words))
}

// inRow gives a number to three words that follow each other.
func inRow(words []uint64) uint64 {
	const mix = 0x9e3779b97f4a7c15
	return ((words[0]*mix+words[1])*mix + words[2]) * mix
}

// RunsIn are the runs of three words in texts.
func RunsIn(texts []string) map[uint64]bool {
	set := map[uint64]bool{}
	var words []uint64
	for _, s := range texts {
		words = wordsIn(words[:0], s)
		for i := 0; i+3 <= len(words); i++ {
			set[inRow(words[i:])] = true
		}
	}
	return set
}

// shareOf is the share of runs of three words that are in the set, -1 where there is no set to ask.
func shareOf(set map[uint64]bool, words []uint64) float32 {
	if len(set) == 0 {
		return -1
	}
	n, found := 0, 0
	for i := 0; i+3 <= len(words); i++ {
		n++
		if set[inRow(words[i:])] {
			found++
		}
	}
	return ratio(found, n)
}
