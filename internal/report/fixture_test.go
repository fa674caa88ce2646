package report_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

// memory is an archive that holds one brief with its snapshots.
type memory struct {
	records map[string]cite.Record
	blobs   map[string][]byte
	briefs  map[string]citewell.Brief
}

func (m memory) Passage(_ context.Context, id string) (cite.Record, error) {
	if r, ok := m.records[id]; ok {
		return r, nil
	}
	return cite.Record{}, &citewell.Error{Code: citewell.CodeNotFound}
}

func (m memory) Blob(_ context.Context, sha string) ([]byte, error) {
	if b, ok := m.blobs[sha]; ok {
		return b, nil
	}
	return nil, &citewell.Error{Code: citewell.CodeNotFound}
}

func (m memory) Brief(_ context.Context, id string) (citewell.Brief, error) {
	if b, ok := m.briefs[id]; ok {
		return b, nil
	}
	return citewell.Brief{}, &citewell.Error{Code: citewell.CodeNotFound}
}

// page is one source of the sample: its passages are blocks of its text, each
// below a heading where it has one ("HEADING | TEXT").
type page struct {
	source   citewell.Source
	passages []string
}

var made = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// sample is a brief of six sources as the pipeline makes them, of realistic size,
// and the archive that it was kept in. It is the same each time.
func sample(t *testing.T) (citewell.Brief, memory) {
	t.Helper()
	kept := memory{map[string]cite.Record{}, map[string][]byte{}, map[string]citewell.Brief{}}
	b := citewell.Brief{
		Schema: citewell.BriefSchema, ID: id(1), Query: "How tall is the Corrin Tower and when was it finished?",
		CreatedAt: made,
		Gaps: []string{"No source that was read covers “who paid for it”.",
			"No passage that was read gives a figure for “visitors a day”."},
		Additional: []citewell.Additional{
			{Title: "Corrin in pictures", URL: "https://pictures.test/corrin", Host: "pictures.test",
				Date: "2025-11-02", Snippet: "Forty photographs of the harbour and its tower, from its first " +
					"rivet to " +
					"the new lamps."},
			{Title: "Iron towers of the coast", URL: "https://library.test/catalogue?id=4711&view=full",
				Host: "library.test", Snippet: "A survey of eleven towers built between 1870 and 1900."},
			{Title: "Tower tickets", URL: "https://tickets.test/corrin", Host: "tickets.test"},
		},
	}
	for i, page := range pages() {
		s := page.source
		s.N, s.FetchedAt = i+1, made
		body := strings.Builder{}
		var passages []citewell.Passage
		for _, text := range page.passages {
			heading, text, found := strings.Cut(text, " | ")
			if !found {
				heading, text = "", heading
			}
			if body.Len() > 0 {
				body.WriteString("\n\n")
			}
			p := citewell.Passage{ID: id(100*s.N + len(passages)), Alias: fmt.Sprintf("S%d.p%d", s.N, len(passages)+1),
				Source: s.N, Start: body.Len(), End: body.Len() + len(text), Heading: heading, Text: text}
			body.WriteString(text)
			passages = append(passages, p)
		}
		raw := []byte("<html>" + body.String())
		s.PageSHA256, s.TextSHA256 = citewell.SHA256(raw), citewell.SHA256([]byte(body.String()))
		s.Extractor = citewell.Extractor{ID: "html", Version: 1}
		kept.blobs[s.PageSHA256], kept.blobs[s.TextSHA256] = raw, []byte(body.String())
		for _, p := range passages {
			kept.records[p.ID] = cite.Record{Brief: b.ID, Source: s, Passage: p}
		}
		b.Sources, b.Passages = append(b.Sources, s), append(b.Passages, passages...)
	}
	quoted := func(topic string, quotes ...citewell.Citation) {
		b.Findings = append(b.Findings, citewell.Finding{Topic: topic, Text: quotes[0].Quote, Citations: quotes})
	}
	height := cites(t, b, 1, "The Corrin Tower is 330 m tall, counted from the quay to the tip of its mast.")
	guide := cites(t, b, 4, "The tower reaches a height of 312 metres.")
	quoted("Height", height, cites(t, b, 2, "The Corrin Tower, at 330 metres, was the tallest building of the coast "+
		"for forty years."))
	quoted("Height", guide)
	quoted("Finished", cites(t, b, 2, "The Corrin Tower was finished on 31 March 1889."),
		cites(t, b, 3, "The Corrin Tower was finished on 31 March 1889, two months late."))
	quoted("Finished", cites(t, b, 6, "Corrin Tower, iron lattice tower, 1889, restored in 1986 and again in 2021."))
	b.Findings[3].Citations[0].Verdict = citewell.VerdictSnippetOnly
	b.Disagreements = []citewell.Disagreement{{
		Text:      "① says “330 m”: “" + height.Quote + "” ④ says “312 metres”: “" + guide.Quote + "”",
		Citations: []citewell.Citation{height, guide},
	}}
	b.Coverage = citewell.Coverage{
		Providers: []citewell.ProviderReport{
			{Name: "duckduckgo", Outcome: citewell.ProviderOK, Results: 10, ElapsedMS: 812},
			{Name: "searxng", Outcome: citewell.ProviderRateLimited, ElapsedMS: 1204,
				Detail: "429, asked again after 1 s"},
			{Name: "local", Outcome: citewell.ProviderEmpty, ElapsedMS: 9},
		},
		Synthesis:  citewell.SynthesisReport{Mode: citewell.SynthesisExtractive, Outcome: "skipped"},
		RawResults: 19, DistinctResults: 12, WallMS: 3456,
	}
	for _, s := range b.Sources {
		b.Coverage.Fetches = append(b.Coverage.Fetches, citewell.FetchReport{
			URL: s.URL, Outcome: s.Outcome, ElapsedMS: int64(100 * s.N)})
	}
	b.Coverage.Fetches[5].Detail = "robots.txt of the site disallows it: line 4"
	kept.briefs[b.ID] = b
	return b, kept
}

func id(n int) string { return fmt.Sprintf("%032x", n) }

// cites finds a quote in the passages of source n.
func cites(t *testing.T, b citewell.Brief, n int, quote string) citewell.Citation {
	t.Helper()
	for _, p := range b.Passages {
		if at := strings.Index(p.Text, quote); p.Source == n && at >= 0 {
			return citewell.Citation{N: n, Passage: p.ID, Quote: quote, Start: p.Start + at,
				End: p.Start + at + len(quote), Verdict: citewell.VerdictSupported}
		}
	}
	t.Fatalf("source %d does not say %q", n, quote)
	return citewell.Citation{}
}

func pages() []page {
	of := func(host, path, title, class, date string) citewell.Source {
		return citewell.Source{Title: title, URL: "https://" + host + path, FinalURL: "https://" + host + path,
			Host: host, Class: class, Date: date, Outcome: citewell.FetchOK}
	}
	list := []page{
		{of("corrin-tower.test", "/facts", "The tower in figures", "official-docs", "2025-06-01"), []string{
			"Height | The Corrin Tower is 330 m tall, counted from the quay to the tip of its mast. Without the mast " +
				"it is 306 m. The two platforms lie at 57 m and 116 m, and 1,665 steps lead up to the second of them.",
			"Iron | The frame weighs 7,300 t. It is held together by 2.5 million rivets, each of them driven by a " +
				"team of four: one to heat it, one to hold it, one to shape the head and one to beat it with a " +
				"sledgehammer.",
		}},
		{of("en.openlore.test", "/page/Corrin_Tower", "Corrin Tower", "wiki-community", "2026-01-15"), []string{
			"The Corrin Tower, at 330 metres, was the tallest building of the coast for forty years. It stands on " +
				"four masonry piers at the mouth of the old harbour.",
			"History | The Corrin Tower was finished on 31 March 1889. Its builder was Ada Corrin, who had bridged " +
				"the Lea two years before and who paid the masons from her own pocket when the city was late.",
		}},
		{of("courier.test", "/1989/03/a-hundred-years", "A hundred years of iron", "news", "1989-03-31"), []string{
			"The Corrin Tower was finished on 31 March 1889, two months late. On that day Ada Corrin carried a flag " +
				"up all the stairs, because the lifts were not to work until June.",
		}},
		{of("tower-friends.test", "/guide", "A visitor's guide", "unknown", ""), []string{
			"Before you go | This is an unofficial guide. The tower reaches a height of 312 metres. Tickets cost €18 " +
				"and are cheaper after six o'clock.",
			"In winter | The upper platform is closed in strong wind.\n- Take the north stairs.\n- Take a coat.",
		}},
		{of("paper.test", "/t/9_(final)", "", "academic", "2019"), []string{
			"Measured between 2015 and 2018, the top of the tower moves by up to 18 cm away from the sun, since the " +
				"iron on the warm side grows longer than that on the other.",
		}},
		{of("archive.test", "/towers?name=corrin", "Towers: Corrin", "unknown", ""), []string{
			"Corrin Tower, iron lattice tower, 1889, restored in 1986 and again in 2021.",
		}},
	}
	for i := range list[:5] { // pages are longer than what is quoted of them
		for k := range 7 {
			list[i].passages = append(list[i].passages, fmt.Sprintf("Part %d | ", k+1)+strings.Repeat(fmt.Sprintf(
				"Paragraph %d of page %d tells of the painters, who come every seven years and need sixty tonnes of "+
					"paint for the whole of the tower. ", k+1, i+1), 3))
		}
	}
	list[2].source.Outcome = citewell.FetchTruncated
	list[3].source.Warning = "says it is not official: “This is an unofficial guide.”"
	list[5].source.Outcome = citewell.FetchBlockedRobots
	list[5].source.Snippet = list[5].passages[0]
	return list
}

// clone copies what tests change.
func clone(b citewell.Brief) citewell.Brief {
	b.Findings, b.Disagreements, b.Sources = slices.Clone(b.Findings), slices.Clone(b.Disagreements),
		slices.Clone(b.Sources)
	for i := range b.Findings {
		b.Findings[i].Citations = slices.Clone(b.Findings[i].Citations)
	}
	for i := range b.Disagreements {
		b.Disagreements[i].Citations = slices.Clone(b.Disagreements[i].Citations)
	}
	b.Coverage.Providers = slices.Clone(b.Coverage.Providers)
	return b
}

// oneSource makes a brief of one source that says one thing, and its archive.
func oneSource(said, url string) (citewell.Brief, memory) {
	s := citewell.Source{N: 1, Title: said, URL: url, FinalURL: url, Host: "a.test", Outcome: citewell.FetchOK,
		PageSHA256: citewell.SHA256([]byte("page")), TextSHA256: citewell.SHA256([]byte(said))}
	p := citewell.Passage{ID: id(1), Source: 1, End: len(said), Text: said}
	c := citewell.Citation{N: 1, Passage: p.ID, Quote: said, End: len(said), Verdict: citewell.VerdictSupported}
	b := citewell.Brief{Schema: citewell.BriefSchema, ID: id(9), Query: said, CreatedAt: made,
		Sources: []citewell.Source{s}, Passages: []citewell.Passage{p},
		Findings: []citewell.Finding{{Topic: said, Text: said, Citations: []citewell.Citation{c}}}}
	return b, memory{
		records: map[string]cite.Record{p.ID: {Brief: b.ID, Source: s, Passage: p}},
		blobs:   map[string][]byte{s.PageSHA256: []byte("page"), s.TextSHA256: []byte(said)},
		briefs:  map[string]citewell.Brief{b.ID: b},
	}
}
