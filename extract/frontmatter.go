package extract

import (
	"encoding/json"
	"strings"

	"github.com/goccy/go-yaml"
	"golang.org/x/net/html"
)

// front is what a source file says of itself before its text: YAML between two
// lines of dashes, or a comment holding a JSON object, as Go's web site has.
type front struct {
	Title string
	Date  string
	By    []string
	Lang  string
}

func (f front) author() string { return personName(strings.Join(f.By, ", ")) }

// cutFront parts the front matter from the text; a file without any comes back
// whole.
func cutFront(s string) (front, string) {
	body := strings.TrimLeft(s, " \t\r\n")
	if rest, found := strings.CutPrefix(body, "---\n"); found {
		if head, after, found := cutLine(rest, "---"); found && len(head) < 64<<10 {
			var values map[string]any
			if yaml.Unmarshal([]byte(head), &values) == nil {
				return frontOf(values), after
			}
		}
		return front{}, s
	}
	if rest, found := strings.CutPrefix(body, "<!--"); found {
		if head, after, found := strings.Cut(rest, "-->"); found {
			if f, ok := jsonFront(head); ok {
				return f, after
			}
		}
	}
	return front{}, s
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

// frontComment finds a JSON comment among the first nodes of an HTML page.
func frontComment(root *html.Node) front {
	for c := root.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.CommentNode {
			if f, ok := jsonFront(c.Data); ok {
				return f
			}
		}
	}
	return front{}
}

func jsonFront(s string) (front, bool) {
	s = strings.TrimSpace(s)
	if !strings.HasPrefix(s, "{") || len(s) > 64<<10 {
		return front{}, false
	}
	var values map[string]any
	if json.Unmarshal([]byte(s), &values) != nil {
		return front{}, false
	}
	return frontOf(values), true
}

func frontOf(values map[string]any) front {
	var f front
	for key, value := range values {
		switch strings.ToLower(key) {
		case "title":
			f.Title = clip(oneLine(firstOf(texts(value)...)), 300)
		case "date", "published":
			f.Date = day(firstOf(texts(value)...))
		case "by", "author", "authors":
			f.By = names(value)
		case "lang", "language":
			f.Lang = languageTag(firstOf(texts(value)...))
		}
	}
	return f
}
