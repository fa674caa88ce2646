package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// serviceKey is the key of every service below; it must be seen nowhere.
const serviceKey = "svc-8cE1kQ7-never-to-be-seen"

// services starts a weather service, Tavily and Exa at $SVC/MODE, where MODE is good, a
// status, html or cut, and an API at $API; and writes the ./citewell.yaml that names
// them. A script changes a mode by --set search.providers.tavily.base_url=$SVC/MODE.
func cmdServices(ts *testscript.TestScript, neg bool, args []string) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{mode}/weather", service(weatherKey, func(r *http.Request, _ map[string]any) string {
		q := r.URL.Query()
		if q.Get("q") == "Nowhere" {
			return `404 {"cod":"404","message":"city not found"}`
		}
		name := q.Get("q")
		if q.Get("lat") != "" {
			name = q.Get("lat") + " " + q.Get("lon")
		}
		return fmt.Sprintf(
			`{"coord":{"lon":10.75,"lat":59.91},"weather":[{"id":802,"main":"Clouds","description":"partly cloudy"}],"main":{"temp":22.5,"feels_like":24,"humidity":65,"pressure":1013},
			"visibility":10000,"wind":{"speed":12,"deg":90},"clouds":{"all":40},"dt":1790000000,"sys":{"country":"NO"},"name":%q,"units":%q,"cod":200}`, name, q.Get("units"))
	}))
	mux.HandleFunc("POST /{mode}/extract", service(bearerKey, func(_ *http.Request, body map[string]any) string {
		return pagesOf(body, `{"results":[%s],"failed_results":[%s]}`, `{"url":%q,"raw_content":%q}`,
			`{"url":%q,"error":"Failed to fetch url"}`)
	}))
	mux.HandleFunc("POST /{mode}/contents", service(exaKey, func(_ *http.Request, body map[string]any) string {
		return pagesOf(body, `{"results":[%s],"statuses":[%s]}`,
			`{"id":%[1]q,"url":%[1]q,"title":"A title","text":%[2]q}`,
			`{"id":%q,"status":"error","error":{"tag":"CRAWL_NOT_FOUND","httpStatusCode":404}}`)
	}))
	mux.HandleFunc("POST /{mode}/findSimilar", service(exaKey, func(_ *http.Request, body map[string]any) string {
		if body["url"] == "https://alone.example/" {
			return `{"results":[]}`
		}
		var results []string
		for i := range int(body["numResults"].(float64)) {
			text := ""
			if body["contents"] != nil {
				text = fmt.Sprintf(`,"text":"The %d. page is about tides."`, i+1)
			}
			results = append(results, fmt.Sprintf(
				`{"id":"%[1]d","url":"https://alike.example/%[1]d","title":"Page %[1]d","score":0.12%[1]d%[2]s}`, i+1,
				text))
		}
		return `{"results":[` + strings.Join(results, ",") + `]}`
	}))
	apiRoutes(mux)
	server := httptest.NewServer(mux)
	ts.Defer(server.Close)
	ts.Setenv("SVC", server.URL)
	ts.Setenv("API", server.URL+"/api")
	_, port, _ := strings.Cut(strings.TrimPrefix(server.URL, "http://"), ":")
	ts.Setenv("PORT", port)
	ts.Check(os.WriteFile(ts.MkAbs("citewell.yaml"), fmt.Appendf(nil,
		"weather: {api_key: %[1]s, base_url: %[2]s/good}\nsearch:\n  providers:\n"+
			"    tavily: {api_key: %[1]s, base_url: %[2]s/good}\n    exa: {api_key: %[1]s, base_url: %[2]s/good}\n    "+
			"duckduckgo: {enabled: false}\n"+
			"fetch: {allow_networks: [127.0.0.1/32]}\n", serviceKey, server.URL), 0o600))
}

func weatherKey(r *http.Request) string { return r.URL.Query().Get("appid") }
func exaKey(r *http.Request) string     { return r.Header.Get("X-Api-Key") }
func bearerKey(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

// service answers in the mode of the path; answer is JSON, after a status where that
// is not 200. What a service says of a failure holds the key, as some do.
func service(key func(*http.Request) string, answer func(*http.Request, map[string]any) string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if r.Method == http.MethodPost {
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
		}
		mode := r.PathValue("mode")
		status, isStatus := strconv.Atoi(mode)
		switch {
		case key(r) != serviceKey:
			http.Error(w, `{"cod":401}`, http.StatusUnauthorized)
		case isStatus == nil:
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"cod":"%d","message":"with %s","detail":{"error":"with %[2]s"}}`, status, serviceKey)
		case mode == "html":
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<html><body>Please log in</body></html>")
		case mode == "cut":
			said := answer(r, body)
			io.WriteString(w, said[:len(said)/2])
		default:
			said := answer(r, body)
			if status, rest, ok := strings.Cut(said, " "); ok && !strings.HasPrefix(said, "{") {
				code, _ := strconv.Atoi(status)
				w.WriteHeader(code)
				said = rest
			}
			io.WriteString(w, said)
		}
	}
}

// pagesOf reads pages whose URL has no "gone" in it; those with "long" are long.
func pagesOf(body map[string]any, whole, good, bad string) string {
	var read, failed []string
	for _, u := range body["urls"].([]any) {
		url := u.(string)
		if strings.Contains(url, "gone") {
			failed = append(failed, fmt.Sprintf(bad, url))
			continue
		}
		text := "# A page\n\nThe heron of " + url + " stands on one leg, as the service read it."
		if strings.Contains(url, "long") {
			text = strings.Repeat("A long page. ", 2000)
		}
		read = append([]string{fmt.Sprintf(good, url, text)}, read...) // in another order than asked
	}
	return fmt.Sprintf(whole, strings.Join(read, ","), strings.Join(failed, ","))
}

// apiRoutes are an API below /api, for http_get and http_post.
func apiRoutes(mux *http.ServeMux) {
	mux.HandleFunc("/api/echo", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Set-Cookie", "session=hunter2")
		json.NewEncoder(w).Encode(map[string]string{"method": r.Method, "host": r.Host, "body": string(body),
			"auth": r.Header.Get("Authorization"), "type": r.Header.Get("Content-Type"),
			"forwarded": r.Header.Get("X-Forwarded-For")})
	})
	mux.HandleFunc("/api/page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, goodPage)
	})
	mux.HandleFunc("/api/long", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, strings.Repeat("0123456789 ", 60_000))
	})
	mux.HandleFunc("/api/picture", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		io.WriteString(w, "\x89PNG\r\n\x1a\n\x00\x00")
	})
	mux.HandleFunc("/api/status/{code}", func(w http.ResponseWriter, r *http.Request) {
		code, _ := strconv.Atoi(r.PathValue("code"))
		w.WriteHeader(code)
		fmt.Fprintf(w, "status %d it is", code)
	})
	mux.HandleFunc("/api/redirect/{code}", func(w http.ResponseWriter, r *http.Request) {
		code, _ := strconv.Atoi(r.PathValue("code"))
		w.Header().Set("Location", r.URL.Query().Get("to"))
		w.WriteHeader(code)
	})
}
