package pdf

import (
	"bytes"
	"regexp"

	"github.com/citewell/citewell/internal/lazyregexp"
)

var (
	pdfEncrypt = lazyregexp.New(`/Encrypt\s+(\d{1,7})\s+\d{1,5}\s+R\b`)
	pdfVersion = lazyregexp.New(`/V\s+[45]\b`)
	pdfFilter  = lazyregexp.New(`/StmF\s*/([A-Za-z0-9_.+-]+)`)
)

// unlock opens a file that says it is encrypted, and whose streams are not: their filter is Identity or of the method
// None, which the library decrypts all the same. Title and author may be lost.
func unlock(in []byte) []byte {
	said := pdfEncrypt.FindSubmatch(in)
	if said == nil {
		return in
	}
	o := findObjects(in).object(numberOf(said[1]))
	if !pdfVersion.Match(o) {
		return in
	}
	if filter := pdfFilter.FindSubmatch(o); filter != nil && string(filter[1]) != "Identity" {
		none, err := regexp.Compile(`/` + regexp.QuoteMeta(string(filter[1])) + `\s*<<[^<>]*/CFM\s*/None\b`)
		if err != nil || !none.Match(o) {
			return in
		}
	}
	open := bytes.Clone(in)
	for _, at := range pdfEncrypt.FindAllSubmatchIndex(open, -1) {
		copy(open[at[0]:], "/Unlocked"[:len("/Encrypt")]) // as long as it was, so that all stays where it is
	}
	return open
}
