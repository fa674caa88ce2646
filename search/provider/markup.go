package provider

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/citewell/citewell/internal/text"
)

// The elements of HTML and JATS between whose texts a reader sees a space, and those whose
// text nobody is meant to read. Others, as i, sub and span, stand within words.
var (
	blockElements = text.SetOf(`br p li ul ol dl dt dd div tr td th table h1 h2 h3 h4 h5 h6 pre blockquote section
		jats:p jats:sec jats:title jats:list jats:list-item jats:disp-formula jats:break`)
	hiddenElements = text.SetOf(`script style annotation annotation-xml jats:tex-math tex-math`)
)

// plainText returns what a browser would show of a snippet of HTML or JATS. A heading that says
// no more than "Abstract" is left out.
func plainText(s string) string {
	if !strings.ContainsAny(s, "<&") {
		return s
	}
	var out strings.Builder
	tokens := html.NewTokenizer(strings.NewReader(s))
	heading, hidden := false, 0
	for {
		switch kind := tokens.Next(); kind {
		case html.ErrorToken: // the end
			return out.String()
		case html.TextToken:
			said := string(tokens.Text())
			if hidden == 0 && !(heading && strings.EqualFold(strings.Trim(said, " .:\n\t"), "abstract")) {
				out.WriteString(said)
			}
		case html.SelfClosingTagToken, html.StartTagToken, html.EndTagToken:
			tag, _ := tokens.TagName()
			name := string(tag)
			if blockElements[name] {
				out.WriteByte(' ')
				heading = kind == html.StartTagToken && (name == "jats:title" || len(name) == 2 && name[0] == 'h')
			}
			if !hiddenElements[name] {
				continue
			}
			switch kind {
			case html.StartTagToken:
				hidden++
			case html.EndTagToken:
				hidden = max(0, hidden-1)
			}
		}
	}
}

// plainTwice is plainText of what was escaped once too often.
func plainTwice(s string) string {
	if strings.Contains(s, "&amp;") {
		s = html.UnescapeString(s)
	}
	return plainText(s)
}
