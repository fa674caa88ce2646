package imprint

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/goccy/go-yaml"
	"golang.org/x/net/html"

	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/internal/text"
)

// Front is what a source file says of itself before its text: YAML between lines of dashes, or a JSON object in a
// comment.
type Front struct {
	Title string
	Date  string
	By    []string
	Lang  string
}

// Author is who wrote the text, several names parted by commas.
func (f Front) Author() string { return Person(strings.Join(f.By, ", ")) }

// CutFront parts the front matter from the text; a file without any comes back whole.
func CutFront(s string) (Front, string) {
	body := strings.TrimLeft(s, " \t\r\n")
	if rest, found := strings.CutPrefix(body, "---\n"); found {
		if head, after, found := cutLine(rest, "---"); found && len(head) < 64<<10 {
			var values map[string]any
			if yaml.Unmarshal([]byte(head), &values) == nil {
				return frontOf(values), after
			}
		}
		return Front{}, s
	}
	if rest, found := strings.CutPrefix(body, "<!--"); found {
		if head, after, found := strings.Cut(rest, "-->"); found {
			if f, ok := jsonFront(head); ok {
				return f, after
			}
		}
	}
	return Front{}, s
}

// cutLine cuts s at the first line that is exactly mark.
func cutLine(s, mark string) (before, after string, found bool) {
	for at := 0; at < len(s); {
		end := strings.IndexByte(s[at:], '\n')
		if end < 0 {
			end = len(s) - at
		}
		if strings.TrimRight(s[at:at+end], " \t") == mark {
			return s[:at], s[min(at+end+1, len(s)):], true
		}
		at += end + 1
	}
	return s, "", false
}

// FrontComment finds a JSON comment among the first nodes of an HTML page.
func FrontComment(root *html.Node) Front {
	for c := root.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.CommentNode {
			if f, ok := jsonFront(c.Data); ok {
				return f
			}
		}
	}
	return Front{}
}

func jsonFront(s string) (Front, bool) {
	s = strings.TrimSpace(s)
	if !strings.HasPrefix(s, "{") || len(s) > 64<<10 {
		return Front{}, false
	}
	var values map[string]any
	if json.Unmarshal([]byte(s), &values) != nil {
		return Front{}, false
	}
	return frontOf(values), true
}

func frontOf(values map[string]any) Front {
	var f Front
	for key, value := range values {
		switch strings.ToLower(key) {
		case "title":
			f.Title = text.Prefix(plain.OneLine(cmp.Or(Texts(value)...)), 300)
		case "date", "published":
			f.Date = Day(cmp.Or(Texts(value)...))
		case "by", "author", "authors":
			f.By = Names(value)
		case "lang", "language":
			f.Lang = Language(cmp.Or(Texts(value)...))
		}
	}
	return f
}

// Texts are the strings that a value of JSON is, alone or in a list.
func Texts(value any) []string {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		var all []string
		for _, one := range v {
			if s, ok := one.(string); ok {
				all = append(all, s)
			}
		}
		return all
	}
	return nil
}

// Names are the names that a value of JSON is or has, alone or in a list.
func Names(value any) []string {
	switch v := value.(type) {
	case map[string]any:
		return Texts(v["name"])
	case []any:
		var all []string
		for _, one := range v {
			all = append(all, Names(one)...)
		}
		return all
	}
	return Texts(value)
}
