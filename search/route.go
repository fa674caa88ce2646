package search

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/identifier"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/works"
)

// maxCalled bounds the kinds that a question's words call for, beside the web.
const maxCalled = 2

// mostOpen bounds the providers without keys that a question's words ask of one kind. Each is a
// commons with a budget that all questions share, and of a fifth index of papers most of what
// it finds was found by the others.
const mostOpen = 4

// A Profile is what a Router knows of a provider.
type Profile struct {
	Kinds   []Kind   // of sources; the web where none is named
	Lookups []string // schemes of the identifiers that it looks up
	Open    bool     // it takes no key: it is asked for one kind beside few others, unless its kind was asked for
	Place   int      // among those whose first kind is the same: 1 goes before 2, and 0 comes last

	LooksUpAlone bool // it finds nothing by words, and is asked only where it looks the identifier up
}

// comesBefore orders profiles for a kind that both know.
func (p Profile) comesBefore(other Profile, kind Kind) int {
	last := func(place int) int { return cmp.Or(place, math.MaxInt) }
	return cmp.Or(cmp.Compare(slices.Index(p.Kinds, kind), slices.Index(other.Kinds, kind)),
		cmp.Compare(last(p.Place), last(other.Place)))
}

// looksUp says whether the provider looks an identifier up, where kinds are asked for or none is.
func (p Profile) looksUp(id citewell.Identifier, asked []Kind) bool {
	return slices.Contains(p.Lookups, id.Scheme) && (len(asked) == 0 || slices.ContainsFunc(p.Kinds, func(k Kind) bool {
		return slices.Contains(asked, k)
	}))
}

// A Profiled provider says for which questions it is worth asking. One that does not is for all of them.
type Profiled interface{ Profile() Profile }

// A Route is whom a question is put to, and why.
type Route struct {
	Providers []Provider // in the order given
	Query     citewell.Query
	Routing   *citewell.Routing // what is told of it; nil where there was no choice
}

// Choose chooses among providers. Kinds of the scope are never widened; with none, the
// rules of called decide, and the web, or where nobody knows it the encyclopedia, is always
// among them. Of those without a key mostOpen at most are asked for one kind, beside those
// that look an identifier up, unless the kind was asked for by its name. The scope's sites and days
// become the query's, where that has none. The user's own documents are asked whatever a question
// calls for, unless it is kept to kinds without "local" or by itself to sites. Providers that
// were named are all asked, where no kind is.
//
// Where nobody knows what was asked for, that is provider_not_configured.
func Choose(q citewell.Query, scope Scope, providers []Provider) (Route, error) {
	if q.Since == "" && q.Until == "" && q.TimeRange == citewell.AnyTime {
		q.Since, q.Until = scope.Since, scope.Until
	}
	onSites := keepsToSites(q)
	if len(q.Sites) == 0 {
		q.Sites = scope.Sites
	}
	route := Route{Query: q, Providers: providers}
	profiles := make([]Profile, len(providers))
	asked := scope.Kinds
	choice := len(asked) > 0 || scope.Lens != ""
	for i, p := range providers {
		profiles[i] = profileOf(p)
		local := slices.Contains(profiles[i].Kinds, KindLocal)
		choice = choice || local && onSites || !local && !slices.Contains(profiles[i].Kinds, KindWeb)
	}
	if !choice {
		return route, nil
	}
	called, identifier := callFor(q, scope, profiles, !onSites)
	route.Query.Identifier = identifier
	if scope.Named && len(asked) == 0 {
		return route, nil
	}
	route.Providers = nil
	route.Routing = &citewell.Routing{Sources: called, Lens: scope.Lens}
	chosen := make([]bool, len(providers))
	for _, c := range called {
		for _, i := range whoKnows(Kind(c.Kind), profiles, len(asked) == 0 || scope.Lens != "") {
			chosen[i] = true
		}
	}
	for i, p := range providers {
		if chosen[i] || profiles[i].looksUp(identifier, asked) {
			route.Providers = append(route.Providers, p)
		} else {
			route.Routing.NotAsked = append(route.Routing.NotAsked, p.Name())
		}
	}
	if identifier != (citewell.Identifier{}) {
		route.Routing.LookedUp = identifier.String()
	}
	if len(route.Providers) == 0 && len(providers) > 0 {
		kinds := make([]string, len(called))
		for i, c := range called {
			kinds[i] = c.Kind
		}
		hint := "ask for other kinds, or for auto, or name a provider; citewell doctor lists them"
		if slices.Contains(asked, KindLocal) {
			hint = "there are no documents, or search.providers.local.enabled is false; citewell index FOLDER adds some"
		}
		return route, &citewell.Error{Code: citewell.CodeProviderNotConfigured, Op: "search",
			Message: "no provider that is switched on knows sources of kind " + strings.Join(kinds, ", "), Hint: hint}
	}
	return route, nil
}

// whoKnows are the indexes of the profiles that know a kind; bounded, the first mostOpen of those without a key.
func whoKnows(kind Kind, profiles []Profile, bounded bool) []int {
	var others, open []int
	for i, p := range profiles {
		switch {
		case !slices.Contains(p.Kinds, kind) || p.LooksUpAlone:
		case p.Open && bounded:
			open = append(open, i)
		default:
			others = append(others, i)
		}
	}
	slices.SortStableFunc(open, func(a, b int) int { return profiles[a].comesBefore(profiles[b], kind) })
	return append(others, open[:min(len(open), mostOpen)]...)
}

func profileOf(p Provider) Profile {
	var profile Profile
	if known, ok := p.(Profiled); ok {
		profile = known.Profile()
	}
	if len(profile.Kinds) == 0 {
		profile.Kinds = []Kind{KindWeb}
	}
	return profile
}

// callFor are the kinds of sources for a question, each with why, and the identifier that is
// looked up where somebody can. Documents are called for where they are to be asked.
func callFor(q citewell.Query, scope Scope, profiles []Profile,
	documents bool) (sources []citewell.CalledSource, looked citewell.Identifier) {
	q.Text = text.Prefix(q.Text, MaxQuestion)
	asked, why := scope.Kinds, "asked for"
	if scope.Lens != "" {
		why = "of the lens " + scope.Lens
	}
	add := func(kind Kind, why string) {
		if !slices.ContainsFunc(sources, func(c citewell.CalledSource) bool { return c.Kind == string(kind) }) {
			sources = append(sources, citewell.CalledSource{Kind: string(kind), Why: why})
		}
	}
	knows := func(kind Kind) bool {
		return slices.ContainsFunc(profiles, func(p Profile) bool { return slices.Contains(p.Kinds, kind) })
	}
	for _, id := range identifier.Identifiers(q.Text) {
		if looked == (citewell.Identifier{}) && slices.ContainsFunc(profiles, func(p Profile) bool {
			return p.looksUp(id, asked)
		}) {
			looked = id
		}
	}
	if len(asked) > 0 {
		for _, kind := range asked {
			add(kind, why)
		}
		return sources, looked
	}
	if knows(KindWeb) {
		add(KindWeb, "always")
	} else {
		add(KindEncyclopedia, "always, where nobody searches the web")
	}
	if documents && knows(KindLocal) {
		add(KindLocal, "there are documents of yours")
	}
	for _, c := range called(q) {
		add(Kind(c.Kind), c.Why)
	}
	return sources, looked
}

// keepsToSites reports whether a query asks for pages of some sites alone, by Sites or an operator in its words.
func keepsToSites(q citewell.Query) bool {
	return len(q.Sites) > 0 || slices.ContainsFunc(strings.Fields(q.Text), func(word string) bool {
		site, ok := strings.CutPrefix(strings.ToLower(word), "site:")
		return ok && site != ""
	})
}

// called are the kinds that a question calls for beside the web, at most two of them: by the
// identifiers in it, by its words in the order of the table, and by its days. Definitions,
// persons and places call for the encyclopedia only where nothing else is called for.
func called(q citewell.Query) []citewell.CalledSource {
	var all []citewell.CalledSource
	add := func(kind Kind, why string) {
		if len(all) < maxCalled && !slices.ContainsFunc(all, func(c citewell.CalledSource) bool {
			return c.Kind == string(kind)
		}) {
			all = append(all, citewell.CalledSource{Kind: string(kind), Why: why})
		}
	}
	for _, id := range identifier.Identifiers(q.Text) {
		if kind, ok := kindOfScheme[id.Scheme]; ok {
			add(kind, fmt.Sprintf("it names %s", id))
		}
	}
	if q.TimeRange == citewell.PastDay || q.TimeRange == citewell.PastWeek {
		add(KindNews, "it asks for the last "+string(q.TimeRange))
	}
	for _, c := range callers {
		if c.kind == KindEncyclopedia && len(all) > 0 {
			break
		}
		if word := c.word(q.Text); word != "" {
			add(c.kind, "“"+text.ShortenAtWord(word, 40)+"”")
		}
	}
	if len(all) == 0 && isName(q.Text) {
		add(KindEncyclopedia, "it is a name alone")
	}
	return all
}

// kindOfScheme are the kinds that know more of what an identifier names.
var kindOfScheme = map[string]Kind{citewell.SchemeDOI: KindScholarly, citewell.SchemeArXiv: KindScholarly,
	citewell.SchemePMID: KindScholarly, citewell.SchemePMCID: KindScholarly,
	citewell.SchemeNCT: KindScholarly, citewell.SchemeISBN: KindBooks, citewell.SchemeCVE: KindCode,
	citewell.SchemeRFC: KindCode}

// isName says whether a question is the name of something and no more: few words, which begin with capitals.
func isName(question string) bool {
	words := strings.Fields(question)
	if len(words) == 0 || len(words) > 4 {
		return false
	}
	for i, word := range words {
		first, _ := utf8.DecodeRuneInString(word)
		if !unicode.IsUpper(first) && (i == 0 || i == len(words)-1 || !works.WithinNames[word]) {
			return false
		}
	}
	return true
}
