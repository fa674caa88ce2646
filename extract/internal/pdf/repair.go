package pdf

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/citewell/citewell/internal/lazyregexp"
)

var (
	pdfCatalog = lazyregexp.New(`/Type\s*/Catalog\b`)
	pdfNode    = lazyregexp.New(`/Type\s*/Pages?\b|/Kids\b`)
	pdfKids    = lazyregexp.New(`/Kids\s*(?:\[([^\]]*)\]|(\d{1,7})\s+\d{1,5}\s+R\b)`)
	pdfTree    = lazyregexp.New(`/Pages\s+(\d{1,7})\s+\d{1,5}\s+R\b`)
	pdfRef     = lazyregexp.New(`(\d{1,7})\s+\d{1,5}\s+R\b`)
)

// marked are the objects of a file outside of object streams: where each begins, and the catalog's number, 0 without
// one.
type marked struct {
	body   []byte
	places map[int]int
	root   int
}

func findObjects(body []byte) marked {
	m := marked{body: body, places: map[int]int{}}
	for at := 0; len(m.places) < maxPDFObjects; {
		i := bytes.Index(body[at:], []byte(" obj"))
		if i < 0 {
			break
		}
		at += i + len(" obj")
		number, start := beforeMark(body[:at-len(" obj")])
		if number == 0 || number > maxPDFObjects || at < len(body) && !pdfSpace(body[at]) && !pdfDelimiter(body[at]) {
			continue
		}
		m.places[number] = start
		if o := m.object(number); pdfCatalog.Match(o[:min(len(o), 1<<16)]) {
			m.root = number
		}
	}
	return m
}

// beforeMark reads the number of an object of generation 0 and where it stands; 0 is none.
func beforeMark(before []byte) (number, start int) {
	before, zero := bytes.CutSuffix(before, []byte(" 0"))
	start = len(before)
	for start > 0 && len(before)-start < 7 && before[start-1] >= '0' && before[start-1] <= '9' {
		start--
	}
	if number, err := strconv.Atoi(string(before[start:])); zero && err == nil &&
		(start == 0 || pdfSpace(before[start-1])) {
		return number, start
	}
	return 0, 0
}

// maxInTheOpen bounds what an object says outside of streams: a list of a million pages is said in less.
const maxInTheOpen = 16 << 20

// object is what is said of an object in the open: up to its stream or its end.
func (m marked) object(number int) []byte {
	start, ok := m.places[number]
	if !ok {
		return nil
	}
	o := m.body[start:min(len(m.body), start+maxInTheOpen)]
	for _, end := range []string{"endobj", "stream"} {
		if i := bytes.Index(o, []byte(end)); i >= 0 {
			o = o[:i]
		}
	}
	return o
}

// file is the body with a table of those of its objects that which says, nil for all; nil without a catalog.
func (m marked) file(which map[int]bool) []byte {
	if m.root == 0 {
		return nil
	}
	highest := 0
	for number := range m.places {
		if which == nil || which[number] {
			highest = max(highest, number)
		}
	}
	var b bytes.Buffer
	b.Write(m.body)
	start := b.Len() + 1
	fmt.Fprintf(&b, "\nxref\n0 %d\n0000000000 65535 f \n", highest+1)
	for n := 1; n <= highest; n++ {
		if place, found := m.places[n]; found && (which == nil || which[n]) {
			fmt.Fprintf(&b, "%010d 00000 n \n", place)
		} else {
			b.WriteString("0000000000 65535 f \n")
		}
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root %d 0 R>>\nstartxref\n%d\n%%%%EOF\n", highest+1, m.root, start)
	return b.Bytes()
}

// repair gives a file whose end is missing or wrong a new table of its objects, after the last whole one; nil without a
// catalog. It does not find what object streams hold.
func repair(in []byte) []byte {
	end := bytes.LastIndex(in, []byte("endobj"))
	if end < 0 {
		return nil
	}
	return findObjects(in[:end+len("endobj")]).file(nil)
}

// manyObjects is from when on the library, which reads every object first, is shown only those that pages to read need.
const manyObjects = 40_000

// beginning gives a file of very many objects a table of those that its first pages need, at most most; nil for any
// other, an encrypted one, or where they are not found.
func beginning(in []byte, most int) []byte {
	end := bytes.LastIndex(in, []byte("endobj"))
	if end < 0 || bytes.Count(in, []byte("endobj")) < manyObjects || bytes.Contains(in, []byte("/Encrypt")) {
		return nil
	}
	m := findObjects(in[:end+len("endobj")])
	tree := pdfTree.FindSubmatch(m.object(m.root))
	if tree == nil {
		return nil
	}
	needed, left := map[int]bool{m.root: true}, most
	m.walk(numberOf(tree[1]), needed, &left, 0)
	if left == most {
		return nil
	}
	return m.file(needed)
}

func numberOf(digits []byte) int {
	n, _ := strconv.Atoi(string(digits)) // it is digits
	return n
}

// walk marks what a node of the page tree needs, until there are enough pages.
func (m marked) walk(number int, needed map[int]bool, left *int, depth int) {
	o := m.object(number)
	if o == nil || needed[number] || depth > maxPDFDepth {
		return
	}
	needed[number] = true
	found := pdfKids.FindAllSubmatchIndex(o, 1)
	if len(found) == 0 {
		*left--
		m.follow(o, needed)
		return
	}
	kids := found[0]
	var list []byte
	if kids[2] >= 0 {
		list = o[kids[2]:kids[3]]
	} else {
		array := numberOf(o[kids[4]:kids[5]])
		needed[array], list = true, m.object(array)
	}
	m.follow(append(bytes.Clone(o[:kids[0]]), o[kids[1]:]...), needed) // what pages inherit
	for _, ref := range pdfRef.FindAllSubmatch(list, -1) {
		if *left == 0 {
			return
		}
		m.walk(numberOf(ref[1]), needed, left, depth+1)
	}
}

// follow marks what an object leads to, but for nodes of the page tree.
func (m marked) follow(o []byte, needed map[int]bool) {
	for open := [][]byte{o}; len(open) > 0 && len(needed) < manyObjects; {
		last := open[len(open)-1]
		open = open[:len(open)-1]
		for _, ref := range pdfRef.FindAllSubmatch(last, -1) {
			number := numberOf(ref[1])
			if next := m.object(number); next != nil && !needed[number] && !pdfNode.Match(next) {
				needed[number] = true
				open = append(open, next)
			}
		}
	}
}
