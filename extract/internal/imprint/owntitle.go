package imprint

import (
	"slices"
	"strings"

	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
)

// formTitle is a title that a program gave: "Untitled-1", "(anonymous)", "Microsoft Word - report", "Slide 1",
// "PowerPoint Presentation", "Document2".
var formTitle = lazyregexp.New(
	`^(?:untitled(?:[ _-]?(?:document|presentation|spreadsheet|file))?[ _-]?\d*|ohne titel[ _-]?\d*|sans titre[ _-]?\d*` +
		`|anonymous|unspecified|unknown|none|null|no title|title|titel|document ?\d*|dokument ?\d+|presentation ?\d*|präsentation ?\d+|book ?\d+|mappe ?\d+|workbook ?\d*` +
		`|slide ?\d*|folie ?\d+|diapositive ?\d+|slides|powerpoint presentation|powerpoint-präsentation|présentation powerpoint|presentación de powerpoint` +
		`|microsoft (?:word|powerpoint|excel)(?: -.*| document)?|print|layout ?\d*|\d+)$`)

// fileEnds end the titles that are the name of a file.
var fileEnds = []string{".doc", ".docx", ".odt", ".pdf", ".tex", ".dvi", ".ps", ".indd", ".qxd", ".rtf", ".ppt",
	".pptx", ".odp", ".xls", ".xlsx", ".html", ".htm"}

// Title is the title that a document gives itself; empty where it is the name of a file or of a program's form.
func Title(s string) string {
	s = text.Prefix(plain.CleanLine(s), 300)
	lower := strings.ToLower(s)
	if slices.ContainsFunc(fileEnds, func(end string) bool { return strings.HasSuffix(lower, end) }) {
		return ""
	}
	if formTitle.MatchString(strings.Trim(lower, "()[]<>\"'*-. ")) {
		return ""
	}
	return s
}
