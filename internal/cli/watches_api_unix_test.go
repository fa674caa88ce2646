//go:build unix

package cli

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/watch"
)

// A watchShown is a watch as the API gives it.
type watchShown struct {
	watch.Watch
	Feed string `json:"feed"`
}

// into reads an answer as JSON.
func (c *runsClient) into(v any, a runsAnswer) {
	c.t.Helper()
	if err := json.Unmarshal(a.body, v); err != nil {
		c.t.Fatalf("%d %v %s", a.StatusCode, err, a.body)
	}
}

// watches adds a watch, and waits until its first round is over.
func (c *runsClient) watches(body string, headers ...string) (w watchShown) {
	c.t.Helper()
	a := c.do("POST", "/v1/watches", body, headers...)
	c.into(&w, a)
	if a.StatusCode != http.StatusCreated || a.Header.Get("Location") != "/v1/watches/"+w.ID {
		c.t.Fatalf("%d %s %s", a.StatusCode, a.Header, a.body)
	}
	c.lastRound(w.ID)
	return w
}

// lastRound is what the last round of a watch found, once it is over.
func (c *runsClient) lastRound(id string) watch.News {
	c.t.Helper()
	var said struct{ News []watch.News }
	c.read(&said, "/v1/watches/"+id+"/news?limit=1")
	if len(said.News) != 1 {
		c.t.Fatalf("%d rounds", len(said.News))
	}
	c.whole("/v1/runs/" + said.News[0].Run + "/events")
	c.read(&said, "/v1/watches/"+id+"/news?limit=1")
	return said.News[0]
}

// A question is watched over HTTP: added, read, run, told of and removed, by whose it is alone; a
// feed reader with nothing but the address of the feed reads that, as long as the token is there.
func TestWatchesAPI(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	c, _ := l.api(t)
	other := newStander(t, l, c.base, "other")
	other.known()
	const asked = `{"agent": "brief", "question": "When was Larch 2.0 released?", "every_seconds": 43200, "providers": ["searxng"], "budget": {"searches": 9}}`
	w := c.watches(asked, "Idempotency-Key", "larch")
	if again := c.watches(asked, "Idempotency-Key", "larch"); again.ID != w.ID || w.Every() != "12h" || w.Rounds != 1 ||
		w.Budget.Searches != 9 || !w.NextAt.After(time.Now().Add(11*time.Hour)) {
		t.Errorf("added twice it is %+v and %+v", w, again)
	}
	c.refused(409, citewell.CodeRunExists, "a watch was added by that key", "POST", "/v1/watches",
		strings.Replace(asked, "43200", "43201", 1), "Idempotency-Key", "larch")

	first := c.lastRound(w.ID)
	if first.Round != 1 || first.Since != 0 || !first.Answered() || len(first.Sources) == 0 {
		t.Fatalf("the first round found %+v", first)
	}
	var run struct {
		ID      string
		Task    string
		Choices struct{ Providers []string }
	}
	c.into(&run, c.do("POST", "/v1/watches/"+w.ID+"/run", ""))
	if second := c.lastRound(w.ID); second.Run != run.ID || second.Round != 2 || second.Since != 1 || !second.Quiet() ||
		run.Task != w.Question || len(run.Choices.Providers) != 1 {
		t.Errorf("the second, %+v, found %+v", run, second)
	}
	var all struct {
		Watches []watchShown
		News    []watch.News
	}
	if c.read(&all, "/v1/watches"); len(all.Watches) != 1 || all.Watches[0].Feed != w.Feed ||
		all.Watches[0].Rounds != 2 {
		t.Errorf("the list has %+v", all.Watches)
	}
	if c.read(&all, "/v1/watches/"+w.ID+"/news"); len(all.News) != 2 || all.News[1].Run != first.Run {
		t.Errorf("the news are %+v", all.News)
	}

	for body, words := range map[string]string{strings.Replace(asked, "43200", "59", 1): "every_seconds must be",
		strings.Replace(asked, "When was Larch 2.0 released?", "?!", 1): "no words",
		`{"question": "x", "every": "1d"}`: "in place of every there are question, " +
			"every_seconds, ",
		`{"question": "x", "sources": ["medicine", "law-eu"]}`: `"medicine" is a lens, which stands alone`,
		`{"question": "x", "sources": ["auto", "web"]}`:        "and auto, alone"} {
		c.refused(400, citewell.CodeInvalidArgument, words, "POST", "/v1/watches", body)
	}
	c.refused(404, citewell.CodeNotFound, "agents: ", "POST", "/v1/watches", `{"question": "x", "agent": "nobody"}`)
	c.refused(400, citewell.CodeInvalidArgument, "limit must be from 1 to 20", "GET",
		"/v1/watches/"+w.ID+"/news?limit=21", "")
	c.refused(405, citewell.CodeInvalidArgument, "use POST", "GET", "/v1/watches/"+w.ID+"/run", "")
	for _, path := range []string{"/v1/watches/ffffffff", "/v1/watches/..", "/v1/watches/ffffffff/news",
		"/v1/watches/ffffffff/feed"} {
		c.refused(404, citewell.CodeNotFound, "GET /v1/watches lists", "GET",
			strings.Replace(path, "..", "%2e%2e", 1), "")
	}

	for method, path := range map[string]string{"GET": "", "DELETE": "", "POST": "/run"} {
		other.refused(404, citewell.CodeNotFound, "there is no watch", method, "/v1/watches/"+w.ID+path, "")
	}
	if other.read(&all, "/v1/watches"); len(all.Watches) != 0 {
		t.Errorf("another token has %+v", all.Watches)
	}

	reader := *c
	reader.token = ""
	fed := reader.do("GET", w.Feed, "")
	var feed struct {
		ID    string `xml:"id"`
		Links []struct {
			Rel  string `xml:"rel,attr"`
			HRef string `xml:"href,attr"`
		} `xml:"link"`
		Entries []struct {
			ID   string `xml:"id"`
			Link struct {
				HRef string `xml:"href,attr"`
			} `xml:"link"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal(fed.body, &feed); err != nil || fed.StatusCode != http.StatusOK || len(feed.Entries) != 1 ||
		feed.Entries[0].ID != "urn:citewell:watch:"+w.ID+":1" ||
		feed.Entries[0].Link.HRef != "/runs/"+first.Run || len(feed.Links) != 2 || feed.Links[0].HRef != w.Feed ||
		feed.Links[1].HRef != "/watches/"+w.ID || fed.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("%d %v %v %s", fed.StatusCode, err, fed.Header, fed.body)
	}
	plain, _, _ := strings.Cut(w.Feed, "?")
	key, err := url.Parse(w.Feed)
	if err != nil || strings.Contains(w.Feed, c.token) {
		t.Fatalf("the feed is at %s", w.Feed)
	}
	reader.refused(401, citewell.CodeAuth, "", "GET", plain, "")
	for _, path := range []string{"", "/news", "/run"} {
		reader.refused(401, citewell.CodeAuth, "", map[bool]string{true: "POST", false: "GET"}[path == "/run"],
			"/v1/watches/"+w.ID+path+"?"+key.RawQuery, "")
	}
	reader.refused(401, citewell.CodeAuth, "", "GET", "/v1/runs?"+key.RawQuery, "")
	if a := c.do("GET", plain, ""); a.StatusCode != http.StatusOK {
		t.Errorf("with a token the feed is answered with %d", a.StatusCode)
	}

	if _, said, code := here(t, l.home, "token", "revoke", "tester"); code != 0 {
		t.Fatal(said)
	}
	for deadline := time.Now().Add(patience); reader.send(t.Context(), "GET", w.Feed,
		"").StatusCode != http.StatusUnauthorized; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the address of the feed outlives its token")
		}
	}
}

// The page adds a watch, shows what is new, begins a round and removes it, by forms alone; what
// cannot be is said beside what was typed.
func TestWatchesOnThePage(t *testing.T) {
	t.Parallel()
	l := newLab(t, researcher{})
	c, _ := l.api(t)
	sent := func(path, form string) (int, string, string) {
		t.Helper()
		a := c.send(t.Context(), "POST", path, form, "Content-Type", "application/x-www-form-urlencoded")
		body, err := io.ReadAll(a.Body)
		if err != nil {
			t.Fatal(err)
		}
		return a.StatusCode, a.Header.Get("Location"), string(body)
	}
	shown := func(path string) string {
		t.Helper()
		a := c.send(t.Context(), "GET", path, "")
		body, err := io.ReadAll(a.Body)
		if err != nil || a.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %v %s", path, a.StatusCode, err, body)
		}
		return string(body)
	}
	const key, question = "&key=00000000-0000-4000-8000-00000000d401", "When was Larch 2.0 released?"
	for form, words := range map[string]string{"question=%3F+%3F&every=1d&agent=brief&minutes=7": "the question has " +
		"no words", "question=Larch+2&every=soon&agent=brief&minutes=7": "every is &#34;soon&#34;",
		"question=Larch+2&every=5s&agent=brief&minutes=7":  "366d",
		"question=Larch+2&every=1d&agent=brief&minutes=-7": "minutes must be a number"} {
		status, _, page := sent("/watches", form+key)
		typed, err := url.ParseQuery(form)
		if err != nil {
			t.Fatal(err)
		}
		if status != http.StatusUnprocessableEntity || !strings.Contains(page, words) ||
			!strings.Contains(page, ">"+typed.Get("question")+"</textarea>") ||
			!strings.Contains(page, `name="every" value="`+typed.Get("every")+`"`) ||
			!strings.Contains(page, `name="minutes" value="`+typed.Get("minutes")+`"`) ||
			!strings.Contains(page, `<option value="brief" selected>`) {
			t.Errorf("%s is answered with %d: %s", form, status, page)
		}
	}
	status, _, page := sent("/runs", "question=%C2%BF+%E2%80%A6%3F&agent=brief&searches=3"+key)
	if status != http.StatusUnprocessableEntity || !strings.Contains(page, "the question has no words") ||
		!strings.Contains(page, ">¿ …?</textarea>") || !strings.Contains(page, `name="searches" value="3"`) {
		t.Errorf("a question without words is answered with %d: %s", status, page)
	}
	form := url.Values{"question": {question}, "every": {"2w"}, "agent": {"brief"}, "providers": {"searxng"}}.Encode() +
		key
	status, at, page := sent("/watches", form)
	if status != http.StatusSeeOther || !regexp.MustCompile(`^/watches/[0-9a-f]{8}$`).MatchString(at) {
		t.Fatalf("it is added with %d, at %q: %s", status, at, page)
	}
	if _, again, _ := sent("/watches", form); again != at {
		t.Errorf("sent again it is at %s and %s", at, again)
	}
	id := strings.TrimPrefix(at, "/watches/")
	news := c.lastRound(id)
	one := shown(at)
	for _, words := range []string{question, "Every 2w", "only with searxng", "1 round",
		`href="/runs/` + news.Run + `"`, "the first report", "New sources", `type="application/atom+xml"`,
		"It ends with your token"} {
		if !strings.Contains(one, words) {
			t.Errorf("the page of the watch lacks %q: %s", words, one)
		}
	}
	list := shown("/watches")
	for _, words := range []string{`href="` + at + `"`, "the first report", "<td>2w</td>", "only with searxng",
		`action="` + at + `/run"`, `action="` + at + `/delete"`} {
		if !strings.Contains(list, words) {
			t.Errorf("the list lacks %q: %s", words, list)
		}
	}
	if report := shown("/runs/" + news.Run); !strings.Contains(report, `href="/watches?run=`+news.Run+`#new"`) ||
		!strings.Contains(report, "It looked <bdi>only with searxng</bdi>") {
		t.Errorf("the report leads to no watch, or does not say where it looked: %s", report)
	}
	door := shown("/watches?run=" + news.Run)
	if !strings.Contains(door, ">"+question+"</textarea>") ||
		!regexp.MustCompile(`name="providers" value="searxng" checked`).MatchString(door) ||
		!strings.Contains(door, `<option value="brief" selected>`) {
		t.Errorf("who comes from a report finds %s", door)
	}
	if status, run, page := sent(at+"/run", ""); status != http.StatusSeeOther ||
		!strings.HasPrefix(run, "/runs/brief_") || run == "/runs/"+news.Run {
		t.Errorf("run now leads with %d to %q: %s", status, run, page)
	}
	if again := c.lastRound(id); again.Round != 2 || !strings.Contains(shown("/watches"), "nothing new") {
		t.Errorf("the round found %+v", again)
	}
	if status, to, page := sent(at+"/delete", ""); status != http.StatusSeeOther || to != "/watches" {
		t.Errorf("it is removed with %d, to %q: %s", status, to, page)
	}
	if status, _, page := sent(at+"/run", ""); status != http.StatusNotFound ||
		!strings.Contains(page, "there is no such watch") {
		t.Errorf("what was removed is run with %d: %s", status, page)
	}
	if a := c.send(t.Context(), "POST", "/watches", form, "Content-Type", "application/x-www-form-urlencoded",
		"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.test"); a.StatusCode != http.StatusForbidden {
		t.Errorf("a page of another site adds a watch with %d", a.StatusCode)
	}

	// A run says through which lens it looked.
	begun := c.begin(`{"agent": "brief", "task": "` + question + `", "sources": ["web"]}`)
	c.whole("/v1/runs/" + begun + "/events")
	status, at, page = sent("/runs", url.Values{"question": {question}, "agent": {"brief"},
		"sources": {"software"}}.Encode()+"&key=00000000-0000-4000-8000-00000000d402")
	if status != http.StatusSeeOther {
		t.Fatalf("%d %s", status, page)
	}
	lensed := strings.TrimPrefix(at, "/runs/")
	c.whole("/v1/runs/" + lensed + "/events")
	var report citewell.Report
	c.read(&report, "/v1/runs/"+lensed+"/report?format=json")
	for _, text := range []string{shown(at), shown(at + "/log"),
		string(c.do("GET", "/v1/runs/"+lensed+"/report?format=md", "").body),
		string(c.do("GET", "/v1/runs/"+lensed+"/report?format=html", "").body)} {
		if !strings.Contains(text, "through the lens software") {
			t.Errorf("nothing says through which lens it looked: %s", text)
		}
	}
	if report.Lens != "software" || strings.Contains(shown("/runs/"+begun), "lens software") {
		t.Errorf("the report has the lens %q", report.Lens)
	}
	if said, _, _ := here(t, l.home, "runs", "show", lensed); !strings.Contains(said,
		"It looks through the lens software") {
		t.Errorf("runs show says %s", said)
	}
}
