package provider

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/citewell/citewell"
)

// parseBase reads a configured base URL. It is the operator's word, so it may name
// a private host, a port, or a user and password.
func parseBase(name, raw string) (*url.URL, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return nil, &citewell.Error{Code: citewell.CodeInvalidConfig, Op: "search " + name,
			Message: "search.providers." + name + ".base_url is not an http or https URL",
			Hint:    "write it with its scheme, as in https://search.example.org/"}
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// endpoint returns where a provider's API answers: path below its public address, or
// below the configured base URL, whose own path may hold the beginning of path, or
// all of it, already.
func endpoint(name, configured, public, path string) (*url.URL, error) {
	configured = cmp.Or(configured, public)
	base, err := parseBase(name, configured)
	if err != nil {
		return nil, err
	}
	base.Path, base.RawPath = strings.TrimRight(base.Path, "/"), strings.TrimRight(base.RawPath, "/")
	steps := strings.Split(strings.Trim(path, "/"), "/")
	for n := len(steps); n > 0; n-- {
		if strings.HasSuffix(base.Path, "/"+strings.Join(steps[:n], "/")) {
			return base.JoinPath(steps[n:]...), nil
		}
	}
	return base.JoinPath(steps...), nil
}

// with is an address with parameters in place of its own.
func with(u *url.URL, params url.Values) *url.URL {
	at := *u
	at.RawQuery = params.Encode()
	return &at
}

// regionParts reads a region: "ch-de", the readers of German in Switzerland, is
// country CH and language de. The whole world has neither, and what stands for
// several countries has no country. A region is spelled as DuckDuckGo spells its own:
// "uk" is Great Britain, "xl" Latin America, "xa" the Arab countries, "tzh" Chinese in
// traditional characters.
func regionParts(region string) (country, language string) {
	region = strings.ToLower(region)
	country, language, ok := strings.Cut(region, "-")
	if !ok || region == citewell.WholeWorld || language == "" {
		return "", ""
	}
	switch language {
	case "tzh", "szh":
		language = "zh"
	case "jp":
		language = "ja"
	case "kr":
		language = "ko"
	}
	switch country {
	case "xa", "xl":
		country = ""
	case "uk":
		country = "gb"
	case "ct": // Catalonia
		country = "es"
	}
	return strings.ToUpper(country), language
}

// languageTag turns a region into a language tag: "ch-de" is "de-CH".
func languageTag(region string) string {
	country, language := regionParts(region)
	if country == "" {
		return language
	}
	return language + "-" + country
}

// wantsRegion says whether a query asks for one.
func wantsRegion(q citewell.Query) bool {
	return q.Region != "" && !strings.EqualFold(q.Region, citewell.WholeWorld)
}

// onlySites is how engines are told, behind the words of a query, to look at its sites alone.
func onlySites(q citewell.Query) string {
	if len(q.Sites) == 0 {
		return ""
	}
	words := " site:" + strings.Join(q.Sites, " OR site:")
	if len(q.Sites) > 1 {
		words = " (" + words[1:] + ")"
	}
	return words
}

// wanted is how many results to ask for: what the query says, at most the API's own
// limit, and defaultResults where the query leaves it open.
func wanted(q citewell.Query, most int) int {
	if q.Limit <= 0 {
		return min(defaultResults, most)
	}
	return min(q.Limit, most)
}

const defaultResults = 10

// oneOf checks an option whose values an API lists. Empty is its default.
func oneOf(name, option, value string, allowed ...string) error {
	if value == "" || slices.Contains(allowed, value) {
		return nil
	}
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "search " + name,
		Message: name + ": " + option + " must be one of " + strings.Join(allowed, ", ")}
}

// atLeast checks an option that counts. 0 is its default.
func atLeast(name, option string, value, least, most int) error {
	if value == 0 || value >= least && value <= most {
		return nil
	}
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "search " + name,
		Message: fmt.Sprintf("%s: %s must be %d to %d", name, option, least, most)}
}

// A loose is a string where an answer may as well hold a number; anything else than
// either is empty.
type loose string

// UnmarshalJSON never fails: one odd field must not cost the other results.
func (l *loose) UnmarshalJSON(data []byte) error {
	*l = ""
	var s string
	var n json.Number
	if json.Unmarshal(data, &s) == nil {
		*l = loose(s)
	} else if json.Unmarshal(data, &n) == nil {
		*l = loose(n)
	}
	return nil
}

// linkIn returns a string member of an object, and empty where there is none.
func linkIn(object json.RawMessage, member string) string {
	var members map[string]loose
	_ = json.Unmarshal(object, &members) // of another shape: it has no member
	return string(members[member])
}

// orElse returns the first of l and others that holds something.
func (l loose) orElse(others ...loose) string {
	for _, other := range others {
		if strings.TrimSpace(string(l)) != "" {
			break
		}
		l = other
	}
	return string(l)
}

// A looseList is a list where an answer may as well hold one item alone, or null.
type looseList []loose

// UnmarshalJSON never fails, as loose's does not.
func (l *looseList) UnmarshalJSON(data []byte) error {
	*l = nil
	var many []loose
	var one loose
	if json.Unmarshal(data, &many) == nil {
		*l = many
	} else if _ = json.Unmarshal(data, &one); one != "" {
		*l = looseList{one}
	}
	return nil
}

// first is the first item, and empty where there is none.
func (l looseList) first() string {
	if len(l) == 0 {
		return ""
	}
	return string(l[0])
}
