package demo

import (
	"html"
	"regexp"
	"strings"
)

// A body is a page's text, twice: as HTML for readers and as plain text for the
// index.
type body struct {
	html  string
	plain string // blocks separated by a newline
}

// render reads the part of Markdown that the pages use: paragraphs, ## and ###,
// lists, > quotes, | tables, fenced code, **strong**, *emphasis*, `code`, [text](URL).
// A block that begins with < is HTML as it stands, and not indexed. link turns the
// URL of a link into an absolute one.
func render(source string, link func(string) string) body {
	var out, plain strings.Builder
	for _, block := range blocks(source) {
		renderBlock(&out, &plain, block, link)
	}
	return body{html: out.String(), plain: strings.TrimSpace(plain.String())}
}

// blocks splits at empty lines, except inside a fence.
func blocks(source string) [][]string {
	var all [][]string
	var block []string
	fenced := false
	for line := range strings.Lines(source) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if line != "" || fenced {
			block = append(block, line)
			continue
		}
		if block != nil {
			all, block = append(all, block), nil
		}
	}
	if block != nil {
		all = append(all, block)
	}
	return all
}

var numbered = regexp.MustCompile(`^\d+\. `)

func renderBlock(out, plain *strings.Builder, block []string, link func(string) string) {
	first := block[0]
	text := strings.Join(block, " ")
	inlineHTML := func(s string) string { return inline(s, link) }
	switch {
	case strings.HasPrefix(first, "<"):
		out.WriteString(strings.Join(block, "\n") + "\n")
		return
	case strings.HasPrefix(first, "```"):
		code := strings.Join(block[1:len(block)-1], "\n")
		lang := strings.TrimPrefix(first, "```")
		out.WriteString(`<pre><code class="language-` + html.EscapeString(lang) + `">` + html.EscapeString(code) + "\n</code></pre>\n")
		plain.WriteString(code + "\n")
		return
	case strings.HasPrefix(first, "### "):
		out.WriteString("<h3>" + inlineHTML(text[4:]) + "</h3>\n")
		text = text[4:]
	case strings.HasPrefix(first, "## "):
		out.WriteString("<h2>" + inlineHTML(text[3:]) + "</h2>\n")
		text = text[3:]
	case strings.HasPrefix(first, "- "):
		text = renderList(out, "ul", block, func(line string) (string, bool) { return strings.CutPrefix(line, "- ") }, inlineHTML)
	case numbered.MatchString(first):
		text = renderList(out, "ol", block, func(line string) (string, bool) {
			mark := numbered.FindString(line)
			return line[len(mark):], mark != ""
		}, inlineHTML)
	case strings.HasPrefix(first, "> "):
		text = strings.ReplaceAll(strings.TrimPrefix(text, "> "), " > ", " ")
		out.WriteString("<blockquote><p>" + inlineHTML(text) + "</p></blockquote>\n")
	case strings.HasPrefix(first, "|"):
		text = renderTable(out, block, inlineHTML)
	default:
		out.WriteString("<p>" + inlineHTML(text) + "</p>\n")
	}
	plain.WriteString(plainInline(text) + "\n")
}

// renderList joins a line without a mark to the item above it.
func renderList(out *strings.Builder, tag string, block []string, cut func(string) (string, bool), inlineHTML func(string) string) string {
	var items []string
	for _, line := range block {
		if item, ok := cut(line); ok {
			items = append(items, item)
		} else {
			items[len(items)-1] += " " + strings.TrimSpace(line)
		}
	}
	out.WriteString("<" + tag + ">\n")
	for _, item := range items {
		out.WriteString("<li>" + inlineHTML(item) + "</li>\n")
	}
	out.WriteString("</" + tag + ">\n")
	return strings.Join(items, "\n")
}

// renderTable takes the first row as the head and the second as its underline.
func renderTable(out *strings.Builder, block []string, inlineHTML func(string) string) string {
	var lines []string
	out.WriteString("<table>\n")
	for i, line := range block {
		if i == 1 {
			continue
		}
		tag := "td"
		if i == 0 {
			tag = "th"
		}
		cells := strings.Split(strings.Trim(line, "| "), "|")
		out.WriteString("<tr>")
		for j, cell := range cells {
			cells[j] = strings.TrimSpace(cell)
			out.WriteString("<" + tag + ">" + inlineHTML(cells[j]) + "</" + tag + ">")
		}
		out.WriteString("</tr>\n")
		lines = append(lines, strings.Join(cells, " "))
	}
	out.WriteString("</table>\n")
	return strings.Join(lines, "\n")
}

var (
	inlineCode     = regexp.MustCompile("`([^`]+)`")
	inlineLink     = regexp.MustCompile(`\[([^\]]+)\]\(([^)\s]+)\)`)
	inlineStrong   = regexp.MustCompile(`\*\*([^*]+)\*\*`)
	inlineEmphasis = regexp.MustCompile(`\*([^*]+)\*`)
)

func inline(s string, link func(string) string) string {
	return eachInline(s,
		func(code string) string { return "<code>" + html.EscapeString(code) + "</code>" },
		func(text string) string { return inlineText(text, link) })
}

// eachInline hands the inside of each `code`, and the text between them, to the
// function for it. Most texts have no mark in them, which a pattern takes memory to find.
func eachInline(s string, code, text func(string) string) string {
	if !strings.Contains(s, "`") {
		return text(s)
	}
	var out strings.Builder
	end := 0
	for _, m := range inlineCode.FindAllStringSubmatchIndex(s, -1) {
		out.WriteString(text(s[end:m[0]]))
		out.WriteString(code(s[m[2]:m[3]]))
		end = m[1]
	}
	out.WriteString(text(s[end:]))
	return out.String()
}

func inlineText(s string, link func(string) string) string {
	s = html.EscapeString(s)
	if !strings.ContainsAny(s, "[*") {
		return s
	}
	s = inlineLink.ReplaceAllStringFunc(s, func(whole string) string {
		m := inlineLink.FindStringSubmatch(whole)
		return `<a href="` + html.EscapeString(link(html.UnescapeString(m[2]))) + `">` + m[1] + "</a>"
	})
	s = inlineStrong.ReplaceAllString(s, "<strong>$1</strong>")
	return inlineEmphasis.ReplaceAllString(s, "<em>$1</em>")
}

// plainInline is what inline leaves for a reader of plain text.
func plainInline(s string) string {
	return eachInline(s, func(code string) string { return code }, func(text string) string {
		if !strings.ContainsAny(text, "[*") {
			return text
		}
		text = inlineLink.ReplaceAllString(text, "$1")
		text = inlineStrong.ReplaceAllString(text, "$1")
		return inlineEmphasis.ReplaceAllString(text, "$1")
	})
}
