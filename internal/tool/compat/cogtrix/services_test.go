package cogtrix

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/services"
	"github.com/citewell/citewell/internal/testing/tooltest"
)

const weatherTestKey = "w-key/never+seen"

// weatherAt is a weather service that always answers so, and what it was asked last.
func weatherAt(t testing.TB, status int, body string) (*OpenWeather, *url.URL) {
	t.Helper()
	asked := &url.URL{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = *r.URL
		w.Header().Set("Retry-After", "3")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	service, err := NewOpenWeather(localGuard(t), citewell.NewSecret(weatherTestKey), server.URL, "Citewell/test")
	if err != nil {
		t.Fatal(err)
	}
	return service, asked
}

func TestWeatherRequests(t *testing.T) {
	service, asked := weatherAt(t, 200, `{"cod":200,"main":{"temp":1}}`)
	tests := []struct{ toolset, location, units, want string }{
		{"web", "Oslo", "", "q=Oslo&units=metric"},
		{"web", " São  Paulo,BR ", "imperial", "q=S%C3%A3o+Paulo%2CBR&units=imperial"},
		{"web", "59.91, 10.75", "kelvin", "lat=59.91&lon=10.75&units=standard"},
		{"web", "-33,-70.5", "standard", "lat=-33&lon=-70.5&units=standard"},
		{"web", "1e1,2", "", "lat=10&lon=2&units=metric"},
		{"web", "12345", "", "q=12345&units=metric"},
		{"web", "Oslo&appid=x", "", "q=Oslo%26appid%3Dx&units=metric"},
		{"cogtrix", "Oslo,NO", "imperial", "q=Oslo%2CNO&units=imperial"},
	}
	for _, test := range tests {
		arguments := map[string]any{"location": test.location}
		if test.units != "" {
			arguments["units"] = test.units
		}
		if _, err := callTool(t, Deps{Weather: service}, test.toolset, "get_weather", arguments); err != nil {
			t.Errorf("%s: %v", test.location, err)
		}
		q := asked.Query()
		if q.Get("appid") != weatherTestKey || len(q["appid"]) != 1 || asked.Path != "/data/2.5/weather" {
			t.Errorf("%s: asked for %s", test.location, asked)
		}
		q.Del("appid")
		if q.Encode() != test.want {
			t.Errorf("%s: asked for %s, want %s", test.location, q.Encode(), test.want)
		}
	}
}

func TestWeatherAnswers(t *testing.T) {
	tests := []struct {
		name   string
		status int
		body   string
		code   citewell.Code // empty: text is the answer
		text   string
	}{
		{"all", 200, `{"weather":[{"description":"light rain"},{"description":"mist"}],"main":{"temp":-0.5,"feels_like":-4,"humidity":93,"pressure":1002},"visibility":4321,"wind":{"speed":3.6},"clouds":{"all":100},"sys":{"country":"NO"},"name":"Oslo","dt":1790000000,"cod":200}`, "",
			"Weather in Oslo, NO:\n\nCondition: light rain, mist\nTemperature: -0.5 °C\nFeels like: -4 °C\nHumidity: " +
				"93%\nPressure: 1002 hPa\nWind: 3.6 m/s\nCloudiness: 100%\nVisibility: 4.3 km\nObserved: " +
				"2026-09-21T14:13:20Z\n"},
		{"little", 200, `{"main":{"temp":"7"},"cod":"200"}`, "", "Weather in Here:\n\nTemperature: 7 °C\n"},
		{"odd_fields", 200,
			`{"main":{"temp":7,"humidity":{}},"wind":[],"weather":null,"visibility":"far","name":5,"cod":200}`, "",
			"Weather in Here:\n\nTemperature: 7 °C\n"},
		{"zero_is_a_temperature", 200, `{"main":{"temp":0}}`, "", "Weather in Here:\n\nTemperature: 0 °C\n"},
		{"unclean", 200,
			"{\"main\":{\"temp\":1},\"name\":\"O\\u001b[31m\\nslo\\u202e\"," +
				"\"weather\":[{\"description\":\"a\\n\\nb\"}]}", "", "Weather in O[31m slo:\n\nCondition: a " +
				"b\nTemperature: 1 °C\n"},
		{"bad_key", 401, `{"cod":401,"message":"Invalid API key w-key/never+seen"}`, citewell.CodeAuth, ""},
		{"no_such_city", 404, `{"cod":"404","message":"city not found"}`, citewell.CodeNotFound, ""},
		{"no_such_city_with_200", 200, `{"cod":"404","message":"city not found"}`, citewell.CodeNotFound, ""},
		{"too_many", 429, `{"cod":429}`, citewell.CodeRateLimited, ""},
		{"too_many_as_a_page", 429, `<html>`, citewell.CodeRateLimited, ""},
		{"nothing_to_geocode", 400, `{"cod":"400","message":"Nothing to geocode"}`, citewell.CodeInvalidArgument, ""},
		{"down", 503, ``, citewell.CodeHTTPStatus, ""},
		{"page", 200, `<html>log in</html>`, citewell.CodeBadResponse, ""},
		{"cut", 200, `{"main":{"temp":`, citewell.CodeBadResponse, ""},
		{"empty", 200, ``, citewell.CodeBadResponse, ""},
		{"list", 200, `[]`, citewell.CodeBadResponse, ""},
		{"nothing_in_it", 200, `{"cod":200}`, citewell.CodeBadResponse, ""},
		{"huge", 200, `{"name":"` + strings.Repeat("x", openWeatherBytes) + `"}`, citewell.CodeResponseTooLarge, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			service, _ := weatherAt(t, test.status, test.body)
			r, err := callTool(t, Deps{Weather: service}, "web", "get_weather", map[string]any{"location": "Here"})
			if citewell.CodeOf(err) != test.code {
				t.Fatalf("%v, want %q", err, test.code)
			}
			if err != nil {
				for e := err; e != nil; {
					if strings.Contains(fmt.Sprint(e, citewell.View(e)), "never") {
						t.Errorf("the key is in %v", e)
					}
					u, ok := e.(interface{ Unwrap() error })
					if !ok {
						break
					}
					e = u.Unwrap()
				}
				return
			}
			if r.Text != test.text {
				t.Errorf("got  %q\nwant %q", r.Text, test.text)
			}
		})
	}
}

func TestWeatherRefusesAndHides(t *testing.T) {
	service, _ := weatherAt(t, 200, `{"main":{"temp":1}}`)
	for _, location := range []string{"91,0", "0,180.5", "NaN,0", "inf,1", " ", strings.Repeat("x", 201)} {
		if _, err := callTool(t, Deps{Weather: service}, "web", "get_weather",
			map[string]any{"location": location}); citewell.CodeOf(err) != citewell.CodeInvalidArgument {
			t.Errorf("%.20q: %v", location, err)
		}
	}
	// The key goes to its own host alone, and into no error.
	away := httptest.NewServer(http.RedirectHandler("http://127.0.0.2/data", http.StatusFound))
	defer away.Close()
	redirected, err := NewOpenWeather(localGuard(t), citewell.NewSecret(weatherTestKey), away.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = callTool(t, Deps{Weather: redirected}, "web", "get_weather", map[string]any{"location": "x"})
	if citewell.CodeOf(err) != citewell.CodeBlockedRedirect ||
		strings.Contains(fmt.Sprintf("%v %+v", err, citewell.View(err)), "never") {
		t.Errorf("%v", err)
	}
	for _, base := range []string{"ftp://x.example", "x.example", "http://"} {
		if _, err := NewOpenWeather(localGuard(t), citewell.Secret{}, base,
			""); citewell.CodeOf(err) != citewell.CodeInvalidConfig {
			t.Errorf("%s: %v", base, err)
		}
	}
	for _, name := range []string{"get_weather", "tavily_extract", "exa_find_similar", "exa_get_contents"} {
		for _, toolset := range []string{"web", "cogtrix"} {
			_, err := callTool(t, Deps{}, toolset, name, map[string]any{"location": "x"})
			if view := citewell.View(err); view.Code != citewell.CodeToolNotConfigured ||
				!strings.Contains(view.Hint, "_API_KEY") {
				t.Errorf("%s/%s: %+v", toolset, name, view)
			}
		}
	}
}

func FuzzWeather(f *testing.F) {
	f.Add(200, []byte(`{"cod":"404","main":{"temp":1e999,"humidity":"x"},"dt":-1}`))
	f.Add(200, []byte(`{"main":{"temp":1},"dt":1e10,"weather":[{"description":"\u0000"}]}`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		o, err := readWeather(status, http.Header{}, body)
		if err != nil {
			if citewell.CodeOf(err) == citewell.CodeInternal {
				t.Errorf("%v", err)
			}
			return
		}
		if text := weatherText("x", "metric", o); strings.Count(text, "\n") > 10 ||
			strings.ContainsAny(text, "\x00\x1b\r") || len(text) > 2000 {
			t.Errorf("%q", text)
		}
	})
}

// What a service read is paid once.
func TestKeptPages(t *testing.T) {
	service := &tooltest.PageService{Texts: map[string]string{"https://a.example/": strings.Repeat("a", 30_000),
		"https://b.example/": "b"}}
	cache := &memoryCache{kept: map[string][]byte{}}
	d := Deps{Tavily: KeepPages("tavily", service, cache, time.Hour)}
	read := func(start int, urls ...string) pageTextsOutput {
		t.Helper()
		r, err := callTool(t, d, "web", "tavily_extract", map[string]any{"urls": urls, "start_index": start})
		if err != nil {
			t.Fatal(err)
		}
		return r.Structured.(pageTextsOutput)
	}
	first := read(0, "https://a.example/").Pages[0]
	second := read(first.NextIndex, "https://a.example/").Pages[0]
	if len(first.Text)+len(second.Text) != 30_000 || second.NextIndex != 0 || len(service.Asked) != 1 {
		t.Errorf("%d and %d bytes for %d calls", len(first.Text), len(second.Text), len(service.Asked))
	}
	out := read(0, "https://none.example/", "https://a.example/", "https://b.example/")
	if out.Pages[0].OK || !out.Pages[1].OK || out.Pages[2].Text != "b" ||
		!slices.Equal(service.Asked[1], []string{"https://none.example/", "https://b.example/"}) {
		t.Errorf("asked %v: %+v", service.Asked[1], out.Pages)
	}
	read(0, "https://none.example/", "https://b.example/")
	if !slices.Equal(service.Asked[2], []string{"https://none.example/"}) {
		t.Errorf("a page that failed is asked for again, and no other: %v", service.Asked[2])
	}
	cache.fails = true
	if out := read(0, "https://b.example/"); out.Pages[0].Text != "b" || len(service.Asked) != 4 {
		t.Error("a cache that fails stands in the way")
	}
}

type memoryCache struct {
	kept  map[string][]byte
	fails bool
}

func (m *memoryCache) CacheGet(_ context.Context, key string) ([]byte, time.Time, bool, error) {
	if m.fails {
		return nil, time.Time{}, false, &citewell.Error{Code: citewell.CodeStoreFailed}
	}
	return m.kept[key], time.Time{}, m.kept[key] != nil, nil
}

func (m *memoryCache) CachePut(_ context.Context, key string, value []byte, _ time.Duration) error {
	if m.fails {
		return &citewell.Error{Code: citewell.CodeStoreFailed}
	}
	m.kept[key] = value
	return nil
}

// The seed's forms of texts and lists, to the letter.
func TestServiceTexts(t *testing.T) {
	d := Deps{Exa: &tooltest.PageService{Texts: map[string]string{"https://a.example/": strings.Repeat("é", 8001),
		"https://b.example/": "x\x1b[31m\r\ny"}}}
	r, err := callTool(t, d, "cogtrix", "exa_get_contents",
		map[string]any{"urls": []string{"https://a.example/", " https://b.example/", "https://c.example/"}})
	want := "## https://a.example/\n\n" + strings.Repeat("é", 8000) +
		"\n... (truncated)\n\n## https://b.example/\n\nx[31m\ny\n\n**Failed to extract:**\n- https://c.example/: the " +
		"service knows no such page"
	if err != nil || r.Err != nil || r.Text != want {
		t.Errorf("%v %v %q", err, r.Err, strings.ReplaceAll(r.Text, "é", ""))
	}
	none := pagesText([]originalPage{{providerPage: providerPage{
		URL: "https://a.example/", Code: citewell.CodeEmptyBody}}})
	if none != "## https://a.example/\n\n(no content extracted)" {
		t.Errorf("%q", none)
	}
	d.Similar = similarFinder{{Title: "T", URL: "https://a.example/", Text: strings.Repeat("y", 3000)},
		{URL: "https://b.example/", Published: "2026-02-01"}}
	r, err = callTool(t, d, "cogtrix", "exa_find_similar", map[string]any{"url": "https://x.example/"})
	want = "Exa search results for: pages similar to https://x.example/\n\n1. T\n   URL: https://a.example/\n   " +
		strings.Repeat("y", 2000) + "...\n\n2. (no title)\n   URL: https://b.example/"
	if err != nil || r.Text != want {
		t.Errorf("%v %q", err, r.Text)
	}
	r, err = callTool(t, d, "web", "exa_find_similar", map[string]any{"url": "https://x.example/", "max_length": 70})
	if out := r.Structured.(similarPartOutput); err != nil || out.NextIndex != 70 ||
		!strings.Contains(r.Text, "start_index 70") {
		t.Errorf("%v %+v", err, out)
	}
}

type similarFinder []services.SimilarPage

func (f similarFinder) Similar(context.Context, string, int, int) ([]services.SimilarPage, error) {
	return f, nil
}
