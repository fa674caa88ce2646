package page

import (
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/library"
)

//go:embed tmpl
var sources embed.FS

var glyphs = sync.OnceValue(report.Glyphs)

// templates are parsed when the first page is asked for: most programs show none.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"count": text.Count, "took": took, "bytes": bytesOf, "money": money, "thousands": thousands, "day": day,
		"instant": instant, "machine": machine,
		"glyph": func(v citewell.Verdict) template.HTML { return template.HTML(report.Glyph(v)) }, "said": report.Said,
		"stateWord": stateWord, "shown": shown,
		"class": class, "nodeLink": nodeLink, "size": func(n int64) string {
			return bytesOf(int(n))
		}, "stateOf": indexedWord, "partWord": partWord,
		"glyphOf": func(class string) template.HTML { return template.HTML(report.Glyph(citewell.Verdict(class))) },
		"lang":    text.Language, "wasRead": report.WasRead, "publication": report.Publication,
		"address": report.WebAddress, "quote": func(c citewell.Citation) []report.Piece {
			return shownPieces(report.QuotePieces(c))
		},
	}).ParseFS(sources, "tmpl/*.html"))
})

const thin = "\u202f" // between groups of digits

// thousands groups the digits of a number.
func thousands(n int) string {
	digits := fmt.Sprint(n)
	var w strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			w.WriteString(thin)
		}
		w.WriteRune(d)
	}
	return w.String()
}

// took is a duration in milliseconds as people say it.
func took(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch s := int64(d.Round(time.Second) / time.Second); {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f\u00a0s", d.Seconds())
	case s < 60:
		return fmt.Sprintf("%d\u00a0s", s)
	case s < 3600:
		return fmt.Sprintf("%d\u00a0min %d\u00a0s", s/60, s%60)
	default:
		return fmt.Sprintf("%d\u00a0h %d\u00a0min", s/3600, s%3600/60)
	}
}

func bytesOf(n int) string {
	switch {
	case n < 1000:
		return text.Count(n, "byte")
	case n < 1_000_000:
		return fmt.Sprintf("%.1f\u00a0kB", float64(n)/1000)
	}
	if n < 1_000_000_000 {
		return fmt.Sprintf("%.1f\u00a0MB", float64(n)/1_000_000)
	}
	return fmt.Sprintf("%.1f\u00a0GB", float64(n)/1_000_000_000)
}

// indexedWord says what became of a file that was sent.
func indexedWord(s library.State) string {
	switch s {
	case library.Indexed:
		return "added"
	case library.Unchanged:
		return "was there already"
	}
	return "not added"
}

// partWord is the heading of what doctor found of a part.
func partWord(part string) string {
	switch part {
	case "mcp":
		return "MCP servers"
	case "contact":
		return "Contact"
	}
	return strings.ToUpper(part[:1]) + part[1:]
}

// money says what something cost; nothing where no price is known.
func money(usd float64) string {
	switch {
	case usd <= 0:
		return ""
	case usd < 0.01:
		return "< $0.01"
	}
	return fmt.Sprintf("$%.2f", usd)
}

// class is the class of a source in words; nothing where none is known.
func class(of string) string {
	if of == "unknown" {
		return ""
	}
	return shown(strings.ReplaceAll(of, "-", " "))
}

func day(t time.Time) string     { return t.UTC().Format("2 Jan 2006, 15:04") }
func instant(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04:05 UTC") }
func machine(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// shown are foreign words without what only a machine would see: a picture of it stands in its place.
func shown(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < 0x20:
			return 0x2400 + r
		case r == 0x7f:
			return 0x2421
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return 0xfffd
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

func shownPieces(pieces []report.Piece) []report.Piece {
	for i := range pieces {
		pieces[i].Text = shown(pieces[i].Text)
	}
	return pieces
}

// stateWord says how a run stands.
func stateWord(state runstore.RunState, outcome runstore.RunOutcome) string {
	switch state {
	case runstore.RunInited:
		return "Waiting for its turn"
	case runstore.RunResearching:
		return "Researching"
	case runstore.RunWaiting:
		return "Waiting for your answer"
	case runstore.RunCancelled:
		return "Cancelled"
	case runstore.RunError:
		return "Failed"
	}
	return cmp.Or(map[runstore.RunOutcome]string{runstore.RunAnswered: "Answered",
		runstore.RunPartial: "Answered in part", runstore.RunOverBudget: "Ended at its limit",
		runstore.RunNoSources: "No source answers it", runstore.RunModelFailed: "The model failed",
		runstore.RunOutcomeCancelled: "Cancelled"}[outcome], "Ended")
}
