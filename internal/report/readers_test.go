package report_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/report"
	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/google/go-cmp/cmp"
)

// A readers runs programs of others that read what is exported: warcio, wacz,
// cdxj-indexer, bibtexparser and citeproc-py, as scripts/test-setup.sh installs them.
type readers struct{ home, scripts string }

// findReaders skips the test where there are none; with CI=true it fails.
func findReaders(t *testing.T) readers {
	t.Helper()
	source, err := realpart.Source()
	r := readers{scripts: filepath.Join(source, "..", "..", "scripts")}
	if err == nil {
		r.home, err = realpart.Home("readers", r.scripts, []string{"export-readers.txt"},
			filepath.Join("bin", "python"))
	}
	realpart.Need(t, "the readers of exported reports", err)
	return r
}

func (r readers) program(name string) string { return filepath.Join(r.home, "bin", name) }

// python runs a module or a script; the folder of an installed environment has been
// renamed, so its programs are not started by name.
func (r readers) python(t *testing.T, args ...string) (stdout string, ok bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), r.program("python"), args...)
	cmd.Env = append(os.Environ(), "PYTHONIOENCODING=utf-8", "HOME="+t.TempDir())
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if errs.Len() > 0 {
		t.Logf("%v: %s", args, errs.String())
	}
	return out.String(), err == nil
}

// indexed reads index lines as a set: key and time, and the fields of each.
func indexed(t *testing.T, lines string) map[string]map[string]any {
	t.Helper()
	all := map[string]map[string]any{}
	scanner := bufio.NewScanner(strings.NewReader(lines))
	for scanner.Scan() {
		parts := strings.SplitN(scanner.Text(), " ", 3)
		var fields map[string]any
		if len(parts) != 3 || json.Unmarshal([]byte(parts[2]), &fields) != nil {
			t.Fatalf("%q is no line of an index", scanner.Text())
		}
		all[parts[0]+" "+parts[1]] = fields
	}
	return all
}

func TestWACZByItsReaders(t *testing.T) {
	tools := findReaders(t)
	r, kept := exported(t)
	for _, more := range []string{ // addresses of every kind, each as a page of its own
		"https://www.Example.test:443/A/B/?b=2&a=1&A=3", "http://example.test:8080/x/", "https://example.test",
		"https://example.test/?", "https://user.test/ü?q=漢字", "http://192.0.2.1/x",
		"https://www2.example.test/%7Ex/%41", "https://example.test/a//b/../c", "https://example.test/x#part",
		"file:///home/me/notes.md", "https://example.test/?a=b&&c", "https://example.test/x?",
		"https://example.test/b/./b//c/", "https://example.test/a%20b%25%2F%3f%23",
		"https://example.test/?sid=1&q=%2B+a%20b%2541", "https://[2001:db8::1]:8443/x", "https://example.test./y",
		"https://example.test//z//", "https://example.test/x?a=1&a=",
	} {
		s := r.Sources[0]
		body := []byte("page of " + more)
		s.N, s.URL, s.FinalURL, s.PageSHA256 = len(r.Sources)+10, more, more, citewell.SHA256(body)
		kept.blobs[s.PageSHA256] = body
		kept.pages[more] = citewell.Page{FinalURL: more, Status: 200, ContentType: "text/plain", Body: body,
			SHA256: s.PageSHA256}
		r.Sources = append(r.Sources, s)
	}
	data := export(t, report.FormatWACZ, r, kept)
	files := unzipped(t, data)
	dir := t.TempDir()
	whole, warc := filepath.Join(dir, "run.wacz"), filepath.Join(dir, "data.warc.gz")
	for name, content := range map[string][]byte{whole: data, warc: files["archive/data.warc.gz"]} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, ok := tools.python(t, "-m", "wacz", "validate", "-f", whole); !ok ||
		!strings.Contains(out, "Version detected as 1.1.1") || !strings.Contains(out, "the passed WACZ is valid") {
		t.Errorf("wacz validate: %v %s", ok, out)
	}
	out, ok := tools.python(t, "-m", "warcio.cli", "check", "-v", warc)
	if passed := strings.Count(out, "digest pass"); !ok || passed != strings.Count(out, "WARC-Record-ID") ||
		passed < 20 {
		t.Errorf("warcio check: %v, %d digests pass\n%s", ok, passed, out)
	}
	ours := indexed(t, string(files["indexes/index.cdxj"]))
	theirs, ok := tools.python(t, "-m", "cdxj_indexer.main", warc)
	if diff := cmp.Diff(indexed(t, theirs), ours); !ok || diff != "" {
		t.Errorf("the index is not that of cdxj-indexer (-theirs +ours): %v %s", ok, diff)
	}
	s := r.Sources[1]
	fields := ours["test,openlore,en)/page/corrin_tower 20260304050607"]
	if payload, ok := tools.python(t, "-m", "warcio.cli", "extract", "--payload", warc,
		fields["offset"].(string)); !ok || citewell.SHA256([]byte(payload)) != s.PageSHA256 {
		t.Errorf("the page of source %d comes back as %q", s.N, payload)
	}
	headers, _ := tools.python(t, "-m", "warcio.cli", "extract", "--headers", warc, fields["offset"].(string))
	for _, want := range []string{"HTTP/1.1 200 OK", "Last-Modified: Thu, 15 Jan 2026 08:00:00 GMT",
		"WARC-Date: 2026-03-04T05:06:07Z"} {
		if !strings.Contains(headers, want) {
			t.Errorf("no %q in %s", want, headers)
		}
	}
	// One letter of the index, in a zip file that is whole.
	files["indexes/index.cdxj"] = bytes.Replace(files["indexes/index.cdxj"], []byte("corrin-tower"),
		[]byte("corrin-power"), 1)
	if err := os.WriteFile(whole, zipped(t, files), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _ := tools.python(t, "-m", "wacz", "validate", "-f", whole); !strings.Contains(out,
		"the passed WACZ is invalid") {
		t.Errorf("a changed index is valid: %s", out)
	}
}

// Words and addresses that would be more than that are words and addresses in an
// archive too.
func TestHostileWACZByItsReaders(t *testing.T) {
	tools := findReaders(t)
	r, kept := exported(t)
	r.ID, r.Title, r.Sources = "../x y\r\nWARC-Type: response", "x\r\nWARC-Type: response", nil
	for i, url := range append(slices.Clone(hostileURLs), "https://a.test/\r\nWARC-Type: resource\r\n\r\n") {
		words := hostile[i%len(hostile)]
		body := fmt.Appendf(nil, "WARC/1.1\r\nWARC-Type: response\r\n\r\n%s%d", words, i)
		s := citewell.Source{N: i + 1, Title: words, URL: url, FinalURL: url, PageSHA256: citewell.SHA256(body),
			FetchedAt: made.AddDate(0, 0, i)}
		kept.blobs[s.PageSHA256] = body
		kept.pages[url] = citewell.Page{FinalURL: url, Status: 200,
			ContentType: "text/html; x=\"" + words + "\"\r\nSet-Cookie: a=b\r\n\r\n<script>", Body: body,
			SHA256: s.PageSHA256}
		r.Sources = append(r.Sources, s)
	}
	data := export(t, report.FormatWACZ, r, kept)
	files := unzipped(t, data)
	dir := t.TempDir()
	whole, warc := filepath.Join(dir, "run.wacz"), filepath.Join(dir, "data.warc.gz")
	for name, content := range map[string][]byte{whole: data, warc: files["archive/data.warc.gz"]} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, ok := tools.python(t, "-m", "wacz", "validate", "-f", whole); !ok ||
		!strings.Contains(out, "the passed WACZ is valid") {
		t.Errorf("wacz validate: %v %s", ok, out)
	}
	out, ok := tools.python(t, "-m", "warcio.cli", "check", "-v", warc)
	if passed := strings.Count(out, "digest pass"); !ok || passed != len(r.Sources)+3 ||
		passed != strings.Count(out, "WARC-Record-ID") {
		t.Errorf("warcio check: %v, %d digests pass of %d\n%s", ok, passed, len(r.Sources)+3, out)
	}
	ours := indexed(t, string(files["indexes/index.cdxj"]))
	if len(ours) != len(r.Sources)+2 {
		t.Errorf("%d lines for %d sources", len(ours), len(r.Sources))
	}
	for line, fields := range ours {
		if strings.HasPrefix(line, "test,a)/x ") {
			if headers, _ := tools.python(t, "-m", "warcio.cli", "extract", "--headers", warc,
				fields["offset"].(string)); strings.Contains(headers, "\nSet-Cookie") {
				t.Errorf("a header was brought in: %s", headers)
			}
		}
	}
}

func zipped(t *testing.T, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, data := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestBibliographyByItsReaders(t *testing.T) {
	tools := findReaders(t)
	r, kept := exported(t)
	for i, words := range hostile {
		if shown(words) != "" {
			r.Sources = append(r.Sources, citewell.Source{N: 10 + i, Title: words, URL: hostileURLs[i%len(hostileURLs)],
				Host: "h.test", Date: "2020-02-29"})
		}
	}
	dir := t.TempDir()
	bib, csl := filepath.Join(dir, "run.bib"), filepath.Join(dir, "run.csl.json")
	for name, format := range map[string]string{bib: report.FormatBibTeX, csl: report.FormatCSLJSON} {
		if err := os.WriteFile(name, export(t, format, r, kept), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, ok := tools.python(t, filepath.Join(tools.scripts, "export-readers.py"), bib, csl)
	var read struct {
		Entries []map[string]string
		Failed  int
		Items   map[string]struct{ Type, Title string }
		Set     []string
	}
	if err := json.Unmarshal([]byte(out), &read); err != nil || !ok {
		t.Fatalf("%v %s", err, out)
	}
	if read.Failed != 0 || len(read.Entries) != len(r.Sources) || len(read.Items) != len(r.Sources) ||
		len(read.Set) != len(r.Sources) {
		t.Fatalf("of %d sources: %d entries, %d that could not be read, %d items, %d set", len(r.Sources),
			len(read.Entries), read.Failed, len(read.Items), len(read.Set))
	}
	// bibtexparser takes every brace off and reads ^ as another accent.
	readable := strings.NewReplacer("{", "", "}", "", "^", "ˆ")
	for i, e := range read.Entries {
		title := shown(r.Sources[i].Title)
		if title == "" {
			continue
		}
		if got := strings.Join(strings.Fields(e["title"]), " "); e["type"] != "online" ||
			got != strings.Join(strings.Fields(readable.Replace(title)), " ") {
			t.Errorf("%s: the title %q is read as %q", e["key"], title, got)
		}
		if item := read.Items[e["key"]]; item.Type != "webpage" || item.Title != title {
			t.Errorf("%s: the title %q is read as %+v", e["key"], title, item)
		}
	}
	if first := read.Entries[0]; first["date"] != "2025-06-01" || first["urldate"] != "2026-03-04" ||
		first["url"] != "https://corrin-tower.test/facts" || !strings.Contains(first["note"], r.Sources[0].PageSHA256) {
		t.Errorf("%v", first)
	}
	if !strings.Contains(read.Set[1], "Ada {Corrin} & Söhne_100% (2026) Corrin Tower, en.openlore.test. Available at: "+
		"https://en.openlore.test/page/Corrin_Tower (Accessed: March 4, 2026)") {
		t.Errorf("%q", read.Set[1])
	}
}

// cslFields are those of the CSL data schema (version 1.0.2) that are used here; it
// allows no others than it names.
var cslFields = []string{"id", "type", "title", "author", "container-title", "issued", "accessed", "URL", "note"}

func TestCSLJSONFitsItsSchema(t *testing.T) {
	r, kept := exported(t)
	for i, date := range []string{"", "2020", "2020-12", "2020-02-30", "soon", "0000", "2020-1-1"} {
		r.Sources = append(r.Sources, citewell.Source{N: 10 + i, Title: "x", URL: "https://a.test/", Date: date})
	}
	var items []map[string]any
	if err := json.Unmarshal(export(t, report.FormatCSLJSON, r, kept), &items); err != nil ||
		len(items) != len(r.Sources) {
		t.Fatal(err)
	}
	for _, item := range items {
		for field, value := range item {
			switch field {
			case "author":
				for _, name := range value.([]any) {
					if name := name.(map[string]any); len(name) != 1 || name["literal"] == "" {
						t.Errorf("%v", name)
					}
				}
			case "issued", "accessed":
				parts := value.(map[string]any)["date-parts"].([]any)
				date := parts[0].([]any)
				if len(value.(map[string]any)) != 1 || len(parts) != 1 || len(date) < 1 || len(date) > 3 {
					t.Errorf("%v", value)
				}
				for _, part := range date {
					if n, ok := part.(float64); !ok || n < 1 {
						t.Errorf("%v", value)
					}
				}
			default:
				if text, ok := value.(string); !ok || text == "" || !slices.Contains(cslFields, field) {
					t.Errorf("%s: %v", field, value)
				}
			}
		}
		if item["type"] != "webpage" || item["id"] == nil {
			t.Errorf("%v", item)
		}
	}
}
