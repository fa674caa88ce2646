//go:build unix

package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent"
)

const filmCaptions = `WEBVTT

00:00:01.000 --> 00:00:08.000
Welcome to the museum of Nether Hale. This film tells how people lived beside the sound before the builders came, and what they did for a living through the long winters of the north, when no boat could leave the harbour.

00:00:08.000 --> 00:01:10.000
Most of them caught eels, which they smoked over alder wood and sold to the inns along the road to the south, as far as the old market of Overdale, where the price was made each autumn.

00:12:05.000 --> 00:12:12.000
The Skarrow barrage was built by 1,400 workers in seven years.
`

// What is said in a recording is quoted with its time, and the source is the page that shows it;
// captions that may not be read are told of, and the page stands for itself.
func TestCaptionsOfARecording(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	var web *httptest.Server
	track := "/film.vtt"
	web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/film":
			fmt.Fprintf(w,
				`<html lang="en"><title>A film of the Skarrow barrage</title><h1>A film of the Skarrow barrage</h1><video src="/film.mp4"><track kind="captions" srclang="en" src="%s"></video><p>How many workers built the Skarrow barrage? The film tells it. The film was made in 1994.</p>`, track)
		case "/film.vtt":
			w.Header().Set("Content-Type", "text/vtt")
			fmt.Fprint(w, filmCaptions)
		case "/search":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w,
				`{"query":"x","results":[{"title":"A film of the Skarrow barrage","url":"%s/film","content":"How many workers built the Skarrow barrage?","engine":"x"}]}`, web.URL)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(web.Close)
	home := t.TempDir()
	config := filepath.Join(home, "citewell.yaml")
	write(t, config, fmt.Sprintf("search: {open: off, providers: {duckduckgo: {enabled: false}, searxng: {base_url: "+
		"%q, rate: 1000}}}\nfetch: {allow_networks: [127.0.0.0/8], archive: {use: off}, cache_ttl: 1s}\n", web.URL))
	const question = "How many workers built the Skarrow barrage?"
	out, stderr, code := here(t, home, "--config", config, "search", "--json", "--fresh", question)
	var b citewell.Brief
	if err := json.Unmarshal([]byte(out), &b); err != nil || code != citewell.ExitOK || len(b.Findings) == 0 {
		t.Fatalf("%v: %s %s", err, out, stderr)
	}
	s, c := b.Sources[0], b.Findings[0].Citations[0]
	if s.URL != web.URL+"/film" || s.FinalURL != web.URL+"/film.vtt" || s.Basis != citewell.BasisCaptions ||
		s.Title != "A film of the Skarrow barrage" || !strings.Contains(s.Warning, "as its captions have it") {
		t.Errorf("%+v", s)
	}
	if c.Quote != "The Skarrow barrage was built by 1,400 workers in seven years." || c.Where != "at 12:05" ||
		c.Unit != citewell.UnitSecond || c.Page != 726 {
		t.Errorf("%+v", c)
	}
	if f := b.Coverage.Fetches[0]; f.Detail != "the captions of its recording were read: "+web.URL+"/film.vtt" {
		t.Errorf("%+v", f)
	}
	out, _, _ = here(t, home, "--config", config, "search", question)
	for _, line := range []string{"[① at 12:05]", "   <" + web.URL + "/film>\n",
		"   read at: <" + web.URL + "/film.vtt>\n"} {
		if !strings.Contains(out, line) {
			t.Errorf("without %q: %s", line, out)
		}
	}
	brief := filepath.Join(home, "brief.md")
	write(t, brief, out)
	if out, stderr, code := here(t, home, "--config", config, "verify", brief); code != citewell.ExitOK {
		t.Errorf("exit code %d: %s %s", code, out, stderr)
	}
	out, stderr, _ = here(t, home, "--config", config, "research", "--agent", "brief", "--json", question)
	var r agent.Result
	if err := json.Unmarshal([]byte(out), &r); err != nil || r.Report == nil ||
		r.Report.Sources[0].Basis != citewell.BasisCaptions || r.Report.Findings[0].Citations[0].Where != "at 12:05" {
		t.Errorf("as a run: %v: %s %s", err, out, stderr)
	}
	captionsOfOnePage(t, home, config, web.URL, question)
	captionsBesideAFile(t, home, config)
	for _, track = range []string{"http://10.0.0.1/film.vtt", "/search", "/gone.vtt"} {
		out, stderr, _ := here(t, t.TempDir(), "--config", config, "search", "--json", question)
		var b citewell.Brief
		if err := json.Unmarshal([]byte(out), &b); err != nil || len(b.Sources) != 1 {
			t.Fatalf("%s: %v: %s %s", track, err, out, stderr)
		}
		if out, _, code := here(t, t.TempDir(), "--config", config, "check", "The barrage was built by 1,400 workers.",
			"--against", web.URL+"/film"); code == citewell.ExitOK ||
			!strings.Contains(out, "the captions of its recording were not read: ") {
			t.Errorf("%s: a check says %d: %s", track, code, out)
		}
		s, f := b.Sources[0], b.Coverage.Fetches[0]
		if s.FinalURL != web.URL+"/film" || s.Basis != "" || strings.Contains(f.Detail,
			"captions of its recording were not read") != (track != "/search") {
			t.Errorf("%s: %+v %+v", track, s, f)
		}
	}
}

// A claim is held against the captions that lie beside a page on this machine, or below, and against no
// others: who wrote the page may not choose among all files.
func captionsBesideAFile(t *testing.T, home, config string) {
	t.Helper()
	const claim = "The Skarrow barrage was built by 1,400 workers in seven years."
	write(t, filepath.Join(home, "kept.vtt"), filmCaptions)
	write(t, filepath.Join(home, "saved", "a film", "film.vtt"), filmCaptions)
	page, text := filepath.Join(home, "saved", "film.html"), filepath.Join(home, "saved", "text.md")
	write(t, text, claim[:len(claim)-1]+" ([film](film.html)).\n")
	if err := os.Symlink(filepath.Join(home, "kept.vtt"), filepath.Join(home, "saved", "link.vtt")); err != nil {
		t.Fatal(err)
	}
	for track, want := range map[string]string{
		"a%20film/film.vtt": " · at 12:05 · read at file://" + home + "/saved/a%20film/film.vtt\n",
		"../kept.vtt":       "", "%2e%2e/kept.vtt": "", "file://" + home + "/kept.vtt": "",
		"link.vtt":                   "captions of its recording were not read: only files below",
		"http://127.0.0.1:1/far.vtt": "captions of its recording are not read of a file: http://127.0.0.1:1/far.vtt",
	} {
		write(t, page, `<html lang="en"><title>A film</title><h1>A film</h1><video><track kind="captions" src="`+track+
			`"></video><p>How many workers built the barrage? The film tells it.</p>`)
		read := strings.HasSuffix(want, ".vtt\n")
		out, stderr, code := here(t, home, "--config", config, "check", claim, "--against", page)
		if (code == citewell.ExitOK) != read || !strings.Contains(out, want) {
			t.Errorf("%s: %d: %s %s", track, code, out, stderr)
		}
		if out, stderr, code := here(t, home, "--config", config, "check", text); (code == citewell.ExitOK) != read {
			t.Errorf("a text that cites a page with %s: %d: %s %s", track, code, out, stderr)
		}
	}
}

// Who reads the page alone is told where what is said in its recording is, and a claim is held
// against both.
func captionsOfOnePage(t *testing.T, home, config, web, question string) {
	t.Helper()
	out, stderr, _ := here(t, home, "--config", config, "fetch", web+"/film")
	if strings.Contains(out, "1,400 workers") || !strings.Contains(stderr,
		"what is said in its recording is no part of this; it can be fetched: "+web+"/film.vtt\n") {
		t.Errorf("fetch says %q %q", out, stderr)
	}
	for _, args := range [][]string{{"fetch", "--json", web + "/film"},
		{"call", "web_fetch", `{"url": "` + web + `/film"}`}} {
		if out, stderr, _ := here(t, home, append([]string{"--config", config}, args...)...); !strings.Contains(out,
			`"captions": "`+web+`/film.vtt"`) {
			t.Errorf("%q: %s %s", args, out, stderr)
		}
	}
	const claim = "The Skarrow barrage was built by 1,400 workers in seven years."
	out, stderr, code := here(t, home, "--config", config, "check", claim, "--against", web+"/film")
	if want := "  A film of the Skarrow barrage · " + web + "/film · at 12:05 · read at " + web +
		"/film.vtt\n"; code != citewell.ExitOK || !strings.HasPrefix(out, "supported: ") ||
		!strings.HasSuffix(out, want) {
		t.Errorf("%d: %s %s", code, out, stderr)
	}
	if out, _, code := here(t, home, "--config", config, "check", "The film was made in 1994.", "--against",
		web+"/film"); code != citewell.ExitOK || strings.Contains(out, ".vtt") {
		t.Errorf("what the page itself says: %d: %s", code, out)
	}
	if out, stderr, _ := here(t, home, "--config", config, "call", "check_claim",
		`{"claim": "`+claim+`", "url": "`+web+`/film"}`); !strings.Contains(out, `"where": "at 12:05"`) ||
		!strings.Contains(out, `"captions": "`+web+`/film.vtt"`) {
		t.Errorf("check_claim says %s %s", out, stderr)
	}
	for want, args := range map[string][]string{
		"What is said in its recording: ":   {"web_fetch", `{"url": "` + web + `/film"}`},
		"Said in its recording, at 12:05: ": {"check_claim", `{"claim": "` + claim + `", "url": "` + web + `/film"}`},
	} {
		if out, stderr, _ := here(t, home, append([]string{"--config", config, "call", "--text"},
			args...)...); !strings.Contains(out, want+web+"/film.vtt") {
			t.Errorf("a model reads of %q: %s %s", args, out, stderr)
		}
	}
	text := filepath.Join(home, "text.md")
	write(t, text, claim[:len(claim)-1]+" ([film]("+web+"/film)).\n")
	if out, stderr, code := here(t, home, "--config", config, "check", text); code != citewell.ExitOK {
		t.Errorf("a text that cites it: %d: %s %s", code, out, stderr)
	}
	for _, captions := range []string{"http://10.0.0.1/film.vtt", web + "/search"} {
		file := filepath.Join(home, "film.html")
		write(t, file, `<html lang="en"><title>A film</title><video src="/film.mp4"><track kind="captions" src="`+
			captions+`"></video><p>A film of the barrage.</p>`)
		if out, _, code := here(t, home, "--config", config, "check", claim, "--against",
			file); code == citewell.ExitOK || !strings.HasSuffix(out,
			"  the captions of its recording are not read of a file: "+captions+"\n") {
			t.Errorf("of a file: %d: %s", code, out)
		}
	}
}
