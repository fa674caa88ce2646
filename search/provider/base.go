package provider

import (
	"net/url"
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

// languageTag turns a region into a language tag: "ch-de", the readers of German in
// Switzerland, is "de-CH". The whole world has none. A region is spelled as
// DuckDuckGo spells its own: "uk" is Great Britain, "xl" Latin America, "xa" the
// Arab countries, "tzh" Chinese in traditional characters.
func languageTag(region string) string {
	region = strings.ToLower(region)
	country, language, ok := strings.Cut(region, "-")
	if !ok || region == citewell.WholeWorld || language == "" {
		return ""
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
	case "xa", "xl": // no tag stands for several countries
		return language
	case "uk":
		country = "gb"
	case "ct": // Catalonia
		country = "es"
	}
	return language + "-" + strings.ToUpper(country)
}
