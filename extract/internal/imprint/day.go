// Package imprint reads what documents declare about themselves: title, names, days, languages, front matter.
//
// Units: a day is YYYY-MM-DD, a language the two or three letters of its tag.
// Errors: none; an uncertain value is empty.
package imprint

import (
	"strings"
	"time"

	"github.com/citewell/citewell/extract/internal/plain"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
)

var (
	isoDay    = lazyregexp.New(`^\s*(\d{4})-(\d{2})-(\d{2})(?:[T ]|\s*$)`)
	pathDay   = lazyregexp.New(`/((?:19|20)\d{2})[/-](\d{1,2})[/-](\d{1,2})(?:/|-|$)`)
	otherDays = []string{time.RFC1123, time.RFC1123Z, time.RFC850, "20060102", "2006/01/02", "2006/1/2",
		"January 2, 2006", "Jan 2, 2006", "2 January 2006", "2 Jan 2006", "2006-1-2"}
)

// Day reads a date that stands for nothing else; "" when it is not sure, so that 03/04/2025 is no date.
func Day(s string) string {
	s = strings.TrimSpace(text.Prefix(s, 64))
	if found := isoDay.FindStringSubmatch(s + " "); found != nil {
		return ValidDay(found[1] + "-" + found[2] + "-" + found[3])
	}
	for _, layout := range otherDays {
		if t, err := time.Parse(layout, s); err == nil {
			return ValidDay(t.Format(time.DateOnly))
		}
	}
	return ""
}

// DayInPath is the day that the path of an address names; empty where it names none.
func DayInPath(path string) string {
	found := pathDay.FindStringSubmatch(path)
	if found == nil {
		return ""
	}
	t, err := time.Parse("2006-1-2", found[1]+"-"+found[2]+"-"+found[3])
	if err != nil {
		return ""
	}
	return ValidDay(t.Format(time.DateOnly))
}

// ValidDay refuses days that no web page was published on.
func ValidDay(s string) string {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil || t.Year() < 1990 || t.Year() > 2100 {
		return ""
	}
	return s
}

var tag = lazyregexp.New(`^[A-Za-z]{2,3}(?:[-_].*)?$`)

// Language gives the language of a tag such as "en-GB", lower-case.
func Language(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), ",")
	if !tag.MatchString(s) {
		return ""
	}
	s, _, _ = strings.Cut(s, "-")
	s, _, _ = strings.Cut(s, "_")
	if s = strings.ToLower(s); s == "und" || s == "mul" {
		return ""
	}
	return s
}

// Person drops what is an address or a slogan rather than a name.
func Person(s string) string {
	s = strings.TrimPrefix(strings.TrimPrefix(plain.OneLine(s), "By "), "by ")
	if s == "" || len(s) > 120 || strings.Contains(s, "://") {
		return ""
	}
	return s
}
