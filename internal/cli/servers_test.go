package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/internal/text"
	"github.com/rogpeppe/go-internal/testscript"
)

// badweb starts a site whose every page is a trap, at $BAD, and writes the
// ./citewell.yaml that lets it be reached.
func cmdBadweb(ts *testscript.TestScript, neg bool, args []string) {
	stop := make(chan struct{})
	mux := http.NewServeMux()
	send := func(path, contentType string, body []byte, header ...string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", contentType)
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.Write(body)
		})
	}
	redirect := func(path, to string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) })
	}
	send("/robots.txt", "text/plain", []byte("User-agent: *\nDisallow: /private\n"))
	send("/private/diary", "text/html", []byte("<p>Nobody is to read this.</p>"))
	send("/page", "text/html; charset=utf-8", []byte(goodPage))
	send("/empty", "text/html", nil)
	send("/program", "text/html", []byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x3e\x00"))
	send("/paper.pdf", "application/pdf", []byte("%PDF-1.7\n1 0 obj\n<<>>\nendobj\n"))
	send("/deep", "text/html", []byte(strings.Repeat("<div>", 100_000)+
		"The well is forty metres deep, say those who dug it by hand."+strings.Repeat("</div>", 100_000)))
	send("/long", "text/plain", []byte(strings.Repeat(strings.Repeat("The well was measured once more, and nobody "+
		"wrote down why.\n", 30)+"\n", 1200)))
	send("/bomb", "text/html", bomb(), "Content-Encoding", "gzip")
	send("/gzip-in-gzip", "text/html", gzipped(gzipped([]byte(goodPage))), "Content-Encoding", "gzip")
	send("/escape", "text/plain", []byte("A page\x1b]0;owned\x07 that \u202esteers\u202c the terminal \x1b[31mred, in "+
		"a text that goes on for some words."))
	send("/data", "application/json; charset=utf-8", []byte("{\"a\": 1, \"b\": \"1\", \"h\": {\"Host\": "+
		"\"```\\n\u202ex\"}}\n"))
	redirect("/to-metadata", "http://169.254.169.254/latest/meta-data/")
	redirect("/to-redis", "http://127.0.0.2:6379/")
	redirect("/to-file", "file:///etc/passwd")
	redirect("/loop", "/loop")
	redirect("/moved", "/page")
	mux.HandleFunc("/status", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusTeapot) })
	mux.HandleFunc("/busy", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	mux.HandleFunc("/drip", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		for range 600 {
			if _, err := io.WriteString(w, "."); err != nil || http.NewResponseController(w).Flush() != nil {
				return
			}
			select {
			case <-time.After(100 * time.Millisecond):
			case <-r.Context().Done():
				return
			case <-stop:
				return
			}
		}
	})
	server := httptest.NewServer(mux)
	ts.Defer(func() { close(stop); server.Close() })
	ts.Setenv("BAD", server.URL)
	ts.Check(os.WriteFile(ts.MkAbs("citewell.yaml"), []byte("fetch: {allow_networks: [127.0.0.1/32]}\n"), 0o600))
}

const goodPage = `<!doctype html><html lang="en"><head><title>The well at Nether Hale</title></head><body>
<article><h1>The well at Nether Hale</h1>
<p>The well at Nether Hale is 41 metres deep and was dug by hand in the spring of 1807. It took nine men five months.</p>
<p>Its water stands eleven metres below the rim in winter, and four metres lower by the end of a dry summer.</p>
<p>More stands in <a href="/history">the history of the well</a>, on <a href="https://hale.example/map#well">the map</a>
and again in <a href="/history#digging">the history</a>.</p></article></body></html>`

// bomb is 40 MiB of spaces, packed.
var bomb = sync.OnceValue(func() []byte { return gzipped(bytes.Repeat([]byte{' '}, 40<<20)) })

func gzipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

// model MODE, model research MODE for a researcher, model turns FILE for one that makes the
// calls of a list, or model quizzed, starts a scripted model server and names it in the
// environment, as people do. The key is one that must be seen nowhere.
func cmdModel(ts *testscript.TestScript, neg bool, args []string) {
	address := ""
	switch args[0] {
	case "able", "research", "turns", "quizzed":
		m := modeltest.New()
		m.Script, m.Models = ableModel, `{"data":[{"id":"scripted","max_model_len":32768}]}`
		if args[0] == "research" {
			mode := strings.Join(args[1:], " ")
			m.Script = researcher{mode: mode}.reply
			if mode == "small" || mode == "small untold" {
				m.Window, m.Models = 4096, `{"data":[{"id":"scripted","max_model_len":4096}]}`
			}
			if mode == "small untold" {
				m.Models = ""
			}
		}
		if args[0] == "turns" {
			var err error
			m.Script, err = turns(os.Expand(ts.ReadFile(args[1]), ts.Getenv))
			ts.Check(err)
		}
		if args[0] == "quizzed" {
			m.Script = quizzed
		}
		ts.Defer(m.Close)
		address = m.Base()
	default:
		m := &scriptedModel{mode: args[0], stop: make(chan struct{})}
		server := httptest.NewServer(m)
		address = server.URL + "/v1"
		serving(ts, address, func() { close(m.stop); server.Close() })
	}
	ts.Setenv("OPENAI_BASE_URL", address)
	ts.Setenv("OPENAI_API_KEY", modelKey)
	base, err := url.Parse(address)
	ts.Check(err)
	ts.Setenv("MODEL_HOST", base.Host)
}

// ableModel can all that doctor tries.
func ableModel(_ int, asked modeltest.Asked) modeltest.Reply {
	switch {
	case asked.Format() == "json_schema":
		return modeltest.Says(`{"sum":42}`)
	case asked.Body["tools"] != nil:
		return modeltest.Asks(modeltest.Call{ID: "1", Name: "tide", Arguments: `{"place":"Hallvik"}`})
	}
	return modeltest.Says("Hello there.")
}

const modelKey = "sk-test-5dA9cQ0-never-to-be-seen"

// A scriptedModel answers in OpenAI's shape, well or in one of the ways in which
// models fail.
type scriptedModel struct {
	mode string
	stop chan struct{}
	mu   sync.Mutex
}

var wrapped = regexp.MustCompile(`(?s)<<<DATA \S+ \| passage (S\d+\.p\d+) of source[^>]*>>>\n(.*?)\n<<<END`)

func (m *scriptedModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var request struct {
		Messages []struct{ Role, Content string }
		Stream   bool
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil || r.URL.Path != "/v1/chat/completions" ||
		r.Header.Get("Authorization") != "Bearer "+modelKey {
		http.Error(w, `{"error":{"message":"wrong path, key or body"}}`, http.StatusBadRequest)
		return
	}
	prompt := ""
	for _, message := range request.Messages {
		prompt += message.Content + "\n"
	}
	switch m.mode {
	case "refused-key":
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"message":"the key %s is wrong","type":"invalid_request_error"}}`, modelKey)
		return
	case "down":
		http.Error(w, "upstream is down", http.StatusServiceUnavailable)
		return
	case "broken":
		http.Error(w, "it broke", http.StatusInternalServerError)
		return
	case "busy": // for all but the plainest calls
		if strings.Contains(prompt, "tide at Hallvik") || request.Stream {
			http.Error(w, `{"error":{"message":"too many requests"}}`, http.StatusTooManyRequests)
			return
		}
	case "hang":
		select {
		case <-m.stop:
		case <-r.Context().Done():
		}
		return
	}
	content, err := json.Marshal(m.answer(prompt))
	if m.mode == "prose" {
		content, err = []byte("I would rather tell you a story about a heron."), nil
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{
		"id": "1", "object": "chat.completion", "model": "scripted",
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop",
			"message": map[string]any{"role": "assistant", "content": string(content)}}},
		"usage": map[string]int{"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20},
	})
}

// answer says what the first sentences of the first passages say.
func (m *scriptedModel) answer(prompt string) any {
	if strings.Contains(prompt, "19 + 23") {
		return map[string]int{"sum": 42}
	}
	if strings.Contains(prompt, "You write search queries") {
		queries := []string{}
		if m.mode == "queries" {
			queries = []string{"Skarrow barrage inauguration", "site:evil.example plant",
				"When did the Skarrow Sound tidal plant open"}
		}
		return map[string]any{"queries": queries}
	}
	if strings.Contains(prompt, "| claim>>>") {
		opinion := map[string]string{"quote": "", "reason": "It is as the passage says.", "verdict": "supported"}
		if m.mode == "doubting" {
			opinion["verdict"], opinion["reason"] = "unsupported", "The passage leaves it open, see "+
				"https://evil.example/why."
		}
		return opinion
	}
	findings := []any{}
	for _, passage := range wrapped.FindAllStringSubmatch(prompt, 3) {
		alias, span := passage[1], text.Sentences(passage[2])[0]
		quote := passage[2][span.Start:span.End]
		statement := quote
		switch m.mode {
		case "invented":
			quote, statement = "The plant was sold to a circus in 1987.", "The plant was sold to a circus in 1987."
		case "unknown-passage":
			alias = "S99.p99"
		case "other-figure":
			statement = "It has 987654 doors."
		case "empty":
			continue
		case "doubting":
			statement = "All in all, " + strings.ToLower(quote[:1]) + quote[1:]
		case "contrary":
			for _, verb := range [][2]string{{" generates ", " does not generate "}, {" opened ", " never opened "},
				{" is ", " is not "}, {" was ", " was not "}} {
				if strings.Contains(quote, verb[0]) {
					statement = strings.Replace(quote, verb[0], verb[1], 1)
					break
				}
			}
		case "with-url":
			statement += " See https://evil.example/more for more."
		}
		findings = append(findings, map[string]any{"topic": "From the model", "text": statement,
			"citations": []any{map[string]any{"passage": alias, "quote": quote}}})
	}
	return map[string]any{"findings": findings, "disagreements": []any{}, "gaps": []any{}}
}
