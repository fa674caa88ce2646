package pdf

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/citewell/citewell/internal/lazyregexp"
)

var (
	pdfObject  = lazyregexp.New(`(?:^|[\r\n\s])(\d{1,7}) (\d{1,5}) obj\b`)
	pdfCatalog = lazyregexp.New(`/Type\s*/Catalog\b`)
)

// repair gives a file whose end is missing or wrong a new table of its objects,
// found by their marks, after the last whole one; nil when no catalog is among
// them. What is packed into object streams is not found in this way.
func repair(in []byte) []byte {
	end := bytes.LastIndex(in, []byte("endobj"))
	if end < 0 {
		return nil
	}
	body := in[:end+len("endobj")]
	places := map[int]int{}
	root, highest := 0, 0
	for _, m := range pdfObject.FindAllSubmatchIndex(body, maxPDFObjects) {
		number, err := strconv.Atoi(string(body[m[2]:m[3]]))
		if err != nil || number == 0 || number > maxPDFObjects || string(body[m[4]:m[5]]) != "0" {
			continue
		}
		places[number] = m[2]
		highest = max(highest, number)
		if stop := bytes.Index(body[m[2]:], []byte("endobj")); stop >= 0 && pdfCatalog.Match(body[m[2]:m[2]+min(stop, 1<<16)]) {
			root = number
		}
	}
	if root == 0 {
		return nil
	}
	var b bytes.Buffer
	b.Write(body)
	start := b.Len() + 1
	fmt.Fprintf(&b, "\nxref\n0 %d\n0000000000 65535 f \n", highest+1)
	for n := 1; n <= highest; n++ {
		if place, found := places[n]; found {
			fmt.Fprintf(&b, "%010d 00000 n \n", place)
		} else {
			b.WriteString("0000000000 65535 f \n")
		}
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root %d 0 R>>\nstartxref\n%d\n%%%%EOF\n", highest+1, root, start)
	return b.Bytes()
}
