package provider

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/search"
)

// requestOf is what a provider of a name sends for the question.
func requestOf(t *testing.T, d Deps, name string) (asked *http.Request) {
	t.Helper()
	wire := wires[name](t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Clone(t.Context())
		wire.Handler()(w, r)
	}))
	defer server.Close()
	p, err := New(name, withSettings(d, name, keyed(server.URL)))
	if err != nil {
		t.Fatal(err)
	}
	q := question
	if d, _ := Describe(name); d.Sample != (citewell.Identifier{}) {
		q.Identifier = d.Sample
	}
	if _, err := p.Search(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	return asked
}

// A contact goes to those whose Description says so and to nobody else.
func TestContactGoesWhereItIsAskedFor(t *testing.T) {
	const contact = "ops@harbour.example"
	for name := range wires {
		description, _ := Describe(name)
		d := testDeps(t)
		agent := d.UserAgent
		if !slices.Contains(description.Needs, needContact) {
			agent = requestOf(t, d, name).UserAgent()
		}
		d.Contact = contact
		asked := requestOf(t, d, name)
		said := asked.URL.String() + strings.Join(slices.Concat(asked.Header["User-Agent"], asked.Header["From"]), " ")
		if told := strings.Contains(said, contact) || strings.Contains(said,
			"ops%40harbour.example"); told != (description.WithContact != nil) {
			t.Errorf("%s was told of the contact: %t, in %s", name, told, said)
		}
		if want := strings.TrimSuffix(agent, ")") + "; " + contact + ")"; description.WithContact != nil &&
			asked.UserAgent() != want {
			t.Errorf("%s knows its caller as %q, want %q", name, asked.UserAgent(), want)
		}
	}
}

// A page's site is told of a contact where its description says so, and nobody on the way is.
func TestContactOfPages(t *testing.T) {
	d := testDeps(t)
	d.UserAgent, d.Contact = "Citewell/1 (+https://citewell.example)", "ops@harbour.example"
	told := "Citewell/1 (+https://citewell.example; ops@harbour.example)"
	for address, want := range map[string]string{
		"https://www.sec.gov/Archives/edgar/data/1/2/a.htm": told,
		"https://sec.gov/":                     told,
		"https://de.wikipedia.org/wiki/Tide":   told,
		"http://www.sec.gov/":                  "",
		"https://sec.gov.example/":             "",
		"https://www.notsec.gov/":              "",
		"https://harbour.example/?at=sec.gov/": "",
		"https://api.crossref.org/works":       "", // the API asks for it, and no page
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.AgentAt(u); got != want {
			t.Errorf("%s is told %q, want %q", address, got, want)
		}
		if got := testDeps(t).AgentAt(u); got != "" {
			t.Errorf("without a contact %s is told %q", address, got)
		}
	}
}

func TestCheckContact(t *testing.T) {
	for contact, good := range map[string]bool{"": true, "ops@example.org": true, "https://example.org/contact": true,
		"http://example.org":    true,
		"Ops <ops@example.org>": false, "example.org": false, "ops@example.org\r\nX: y": false, "ops": false,
		"ftp://example.org":  false,
		"ops(1)@example.org": false, "a@" + strings.Repeat("b", 200) + ".org": false, "опс@example.org": false,
		"mailto:ops@example.org": false} {
		err := services.CheckContact(contact)
		if (err == nil) != good || err != nil && citewell.CodeOf(err) != citewell.CodeInvalidConfig {
			t.Errorf("%q: %v", contact, err)
		}
	}
}

func TestContactRaises(t *testing.T) {
	if raises := ContactRaises(testDeps(t)); !slices.Contains(raises,
		"crossref from 3 to 8 calls a second, from 1 to 3 at once") {
		t.Errorf("a contact would raise %q", raises)
	}
	d := testDeps(t)
	if before := d.Limits("crossref"); before.Rate != 3 || before.Parallel != 1 {
		t.Errorf("without a contact: %+v", before)
	}
	d.Contact = "ops@example.org"
	if with := d.Limits("crossref"); with.Rate != 8 || with.Parallel != 3 {
		t.Errorf("with a contact: %+v", with)
	}
}

// Where search is closed off an Open provider is there only where its own settings say so.
func TestClosedOff(t *testing.T) {
	for name, test := range map[string]struct {
		closed   bool
		settings Settings
		there    bool
	}{
		"open":                    {false, Settings{}, true},
		"open_but_off":            {false, Settings{Disabled: true}, false},
		"closed":                  {true, Settings{}, false},
		"closed_but_on":           {true, Settings{Enabled: true}, true},
		"closed_with_a_mirror":    {true, Settings{BaseURL: "http://127.0.0.1:1"}, true},
		"closed_and_switched_off": {true, Settings{Disabled: true, BaseURL: "http://127.0.0.1:1"}, false},
	} {
		d := withSettings(testDeps(t), "wikipedia", test.settings)
		d.Closed = test.closed
		_, err := New("wikipedia", d)
		if (err == nil) != test.there || slices.Contains(d.Configured(), "wikipedia") != test.there || err != nil &&
			citewell.CodeOf(err) != citewell.CodeProviderNotConfigured {
			t.Errorf("%s: %v", name, err)
		}
		if name == "closed" && !strings.Contains(citewell.View(err).Hint, "search.open") {
			t.Errorf("the hint is %q", citewell.View(err).Hint)
		}
	}
}

// What is described must be shown: kinds that exist, limits for who asks without a key, and a
// look-up for each scheme.
func TestOpenProvidersAreDescribed(t *testing.T) {
	for _, name := range Names() {
		d, _ := Describe(name)
		for _, kind := range d.Kinds {
			if !slices.Contains(search.Kinds, kind) {
				t.Errorf("%s knows sources of kind %q", name, kind)
			}
		}
		if d.Open && (len(d.Kinds) == 0 || slices.Contains(d.Needs, needKey) || d.Limits.Rate <= 0 ||
			d.Limits.Parallel <= 0 || !d.Limits.Shared) {
			t.Errorf("%s asks the open web and must say its kinds, a rate, how many at once, and that processes share "+
				"them: %+v", name, d)
		}
		if more := d.WithContact; more != nil && (more.Rate < d.Limits.Rate || more.Parallel < d.Limits.Parallel ||
			more.Shared != d.Limits.Shared) {
			t.Errorf("a contact makes %s slower: %+v", name, *more)
		}
		if more := d.WithKey; more != nil && (more.Rate <= d.Limits.Rate || more.Parallel < d.Limits.Parallel ||
			more.PerDay < d.Limits.PerDay || more.Shared != d.Limits.Shared || len(d.Env) == 0) {
			t.Errorf("a key that %s does not need brings nothing: %+v", name, *more)
		}
		wire, ok := wires[name]
		if !ok {
			continue
		}
		var shown []string
		for _, l := range wire(t).Lookups {
			shown = append(shown, l.ID.Scheme)
		}
		if slices.Sort(shown); !slices.Equal(shown, slices.Sorted(slices.Values(d.Lookups))) {
			t.Errorf("%s looks up %v, and its wire shows %v", name, d.Lookups, shown)
		}
	}
}
