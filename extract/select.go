package extract

import (
	"hash/fnv"
	"slices"
	"strings"
	"unicode"

	"github.com/markusmobius/go-trafilatura"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxElements is the size of a tree beyond which the article extractor, whose work
// can grow faster than its input, is not asked.
const maxElements = 60_000

// choose keeps the article of a page that has one, and everything that is no part
// of the site around it where the article would be a small rest of that.
func choose(root *html.Node, blocks []block, kind string) []block {
	if kind == kindForum {
		blocks = slices.Clone(blocks)
		for i := range blocks {
			if blocks[i].boiler == remarks {
				blocks[i].boiler = ""
			}
		}
	}
	whole := chooseContent(blocks)
	if kind == kindPage && proseOf(whole) >= lowYield {
		return whole
	}
	article, found := chooseArticle(root, blocks)
	prose := proseOf(article)
	switch {
	case !found:
		return whole
	case kind == kindArticle && prose >= surelyArticle:
		return article
	case float64(prose) < leastShare[kind]*float64(proseOf(whole)):
		return whole
	}
	return article
}

// leastShare is the share of a page's prose below which an article is taken for a
// wrong guess: a teaser, a first post. An article of surelyArticle bytes is none,
// however much else stands around it. Both were set on the development sets.
var leastShare = map[string]float64{kindArticle: 0.3, kindForum: 0.85}

const surelyArticle = 2500

// proseOf is the size of the blocks that are more than labels and links.
func proseOf(blocks []block) int {
	n := 0
	for _, b := range blocks {
		if b.linked*2 < len(b.text) && len(b.text) >= 80 {
			n += len(b.text)
		}
	}
	return n
}

// chooseArticle keeps the blocks that go-trafilatura takes for the article, and
// what it loses between them: headings, code, tables. It reports false when the
// library found nothing that can be found again in the page.
func chooseArticle(root *html.Node, blocks []block) ([]block, bool) {
	result, err := trafilatura.ExtractDocument(root, trafilatura.Options{
		Focus: trafilatura.FavorRecall, ExcludeComments: true, HtmlDateMode: trafilatura.Disabled,
	})
	if err != nil || result.ContentNode == nil {
		return nil, false
	}
	found := indexWords(result.ContentNode)
	keep, size := found.match(blocks, true)
	if cautious, rest := found.match(blocks, false); rest*10 >= size*8 {
		keep, size = cautious, rest // what the extract has of the site around it goes
	}
	if size*10 < found.size*6 {
		return nil, false
	}
	fillBetween(blocks, keep)
	var chosen []block
	for i, b := range blocks {
		if keep[i] {
			chosen = append(chosen, b)
		}
	}
	return chosen, true
}

// fillBetween keeps what stands between two kept blocks and is plainly content.
func fillBetween(blocks []block, keep []bool) {
	first, last := slices.Index(keep, true), lastKept(keep)
	lists := map[int]bool{}
	for i, b := range blocks {
		if keep[i] && b.kind == item {
			lists[b.list] = true
		}
	}
	for i, b := range blocks {
		if keep[i] || b.boiler != "" {
			continue
		}
		if b.kind == item && lists[b.list] {
			keep[i] = true // a list is whole or not at all
		}
		if i < first || i > last {
			continue
		}
		if b.element.DataAtom == atom.Caption {
			keep[i] = true
		}
		switch b.kind {
		case heading, code, grid:
			keep[i] = b.linked*2 < len(b.text)
		}
	}
}

func lastKept(keep []bool) int {
	for i := len(keep) - 1; i >= 0; i-- {
		if keep[i] {
			return i
		}
	}
	return -1
}

// chooseContent keeps every block that is no part of the site around the page.
// When nearly everything is a list of links, the links are the content.
func chooseContent(blocks []block) []block {
	var strict, lenient []block
	var strictSize, lenientSize int
	for _, b := range blocks {
		switch b.boiler {
		case "":
			strict = append(strict, b)
			strictSize += len(b.text)
			fallthrough
		case linkList, contents:
			lenient = append(lenient, b)
			lenientSize += len(b.text)
		}
	}
	if strictSize < 400 && lenientSize > 2*strictSize || strictSize*8 < lenientSize {
		return lenient
	}
	return strict
}

// dropEmptyHeadings removes headings under which nothing was kept, but for the
// first block, which is the title.
func dropEmptyHeadings(blocks []block) []block {
	kept := make([]block, 0, len(blocks))
	// From the end: content belongs to every heading above it up to one of its
	// level or higher, so it can be seen from levels below reach.
	reach := 0
	for i, b := range slices.Backward(blocks) {
		if b.kind != heading {
			reach = 7
		} else {
			empty := b.level >= reach
			reach = min(reach, b.level)
			if empty && (i > 0 || len(blocks) == 1) {
				continue
			}
		}
		kept = append(kept, b)
	}
	slices.Reverse(kept)
	return kept
}

// words is what an extracted tree holds, made to be asked for blocks: runs of
// shingle words for long ones, whole lines for short ones.
type words struct {
	shingles map[uint64]bool
	lines    map[string]int // and how often each occurs
	size     int
}

const shingle = 4

func indexWords(root *html.Node) words {
	w := words{shingles: map[uint64]bool{}, lines: map[string]int{}}
	for _, b := range render(root) {
		parts := folded(b.text[b.marker:])
		w.size += len(b.text)
		for line := range strings.SplitSeq(b.text[b.marker:], "\n") {
			w.lines[strings.Join(folded(line), " ")]++
		}
		if strings.Contains(b.text, "\n") {
			w.lines[strings.Join(parts, " ")]++
		}
		for i := 0; i+shingle <= len(parts); i++ {
			w.shingles[hashOf(parts[i:i+shingle])] = true
		}
	}
	return w
}

// match finds the blocks again that were extracted, and how many bytes they hold.
// With trusting, blocks that look like parts of the site count too: names of
// classes lie. What is too short to be told apart counts only between long ones, and whatever
// stands in the page more often than in the extract counts where the article is.
func (w words) match(blocks []block, trusting bool) (keep []bool, size int) {
	keep = make([]bool, len(blocks))
	texts := make([]string, len(blocks))
	for i, b := range blocks {
		parts := folded(b.text[b.marker:])
		texts[i] = strings.Join(parts, " ")
		keep[i] = (b.boiler == "" || trusting) && len(parts) > shingle && w.holds(parts)
	}
	first, last := slices.Index(keep, true), lastKept(keep)
	if first < 0 {
		first, last = 0, len(blocks)-1
	}
	for i := max(first-2, 0); i <= min(last+2, len(blocks)-1); i++ {
		if !keep[i] && texts[i] != "" && w.lines[texts[i]] > 0 && blocks[i].boiler == "" {
			keep[i] = true
		}
	}
	w.dropCopies(blocks, texts, keep)
	for i, b := range blocks {
		if keep[i] {
			size += len(b.text)
		}
	}
	return keep, size
}

// dropCopies drops teasers that repeat the article's words elsewhere in the page:
// of blocks with the same text, as many stay as the extract has, those first whose
// neighbours are kept.
func (w words) dropCopies(blocks []block, texts []string, keep []bool) {
	copies := map[string][]int{}
	for i := range blocks {
		if keep[i] {
			copies[texts[i]] = append(copies[texts[i]], i)
		}
	}
	company := func(i int) int {
		n := 0
		for j := max(i-3, 0); j <= min(i+3, len(blocks)-1); j++ {
			if keep[j] && len(copies[texts[j]]) == 1 {
				n += len(texts[j])
			}
		}
		return n
	}
	for text, places := range copies {
		allowed := max(w.lines[text], 1)
		if len(places) <= allowed {
			continue
		}
		slices.SortStableFunc(places, func(a, b int) int { return company(b) - company(a) })
		for _, i := range places[allowed:] {
			keep[i] = false
		}
	}
}

// holds reports whether at least half of the words are there.
func (w words) holds(parts []string) bool {
	found := 0
	for i := 0; i+shingle <= len(parts); i++ {
		if w.shingles[hashOf(parts[i:i+shingle])] {
			found++
		}
	}
	return found*2 >= len(parts)-shingle+1
}

func folded(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func hashOf(parts []string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return h.Sum64()
}
