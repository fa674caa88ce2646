package content_test

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/content"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/webpage"
	"github.com/citewell/citewell/internal/testing/extracttest"
	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/citewell/citewell/internal/testing/score"
)

// A sample is one real page with the text that a person found to be its content.
type sample struct {
	id, set, kind, url, truth string
	even                      bool
	body                      []byte

	texts   []string
	lesson  *content.Lesson
	page    *webpage.Page
	address *url.URL
}

func samplesOf(t *testing.T) []*sample {
	var all []*sample
	folder := realpart.Data(t, "extraction-articles-dev")
	raw, err := os.ReadFile(filepath.Join(folder, "ground-truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	var articles map[string]struct{ ArticleBody, URL string }
	if err := json.Unmarshal(raw, &articles); err != nil {
		t.Fatal(err)
	}
	for id, a := range articles {
		all = append(all, &sample{id: id, set: "articles", kind: "articles-dev", url: a.URL, truth: a.ArticleBody,
			even: strings.ContainsRune("02468ace", rune(id[len(id)-1])),
			body: extracttest.Gunzip(t, filepath.Join(folder, "html", id+".html.gz"))})
	}
	folder = realpart.Data(t, "extraction-webtypes-dev")
	if _, err := exec.LookPath("xz"); err != nil {
		realpart.Lacking(t, "xz, which unpacks what people found in the pages, is not installed: apt-get "+
			"install xz-utils")
	}
	out, err := exec.Command("xz", "-dc", filepath.Join(folder, "ground-truth.tar.xz")).Output()
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewReader(bytes.NewReader(out))
	for {
		h, err := archive.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(h.Name, ".json") {
			continue
		}
		var truth struct {
			URL         string `json:"url"`
			GroundTruth struct {
				MainContent string `json:"main_content"`
			} `json:"ground_truth"`
			Internal struct {
				PageType struct{ Primary string } `json:"page_type"`
			} `json:"_internal"`
		}
		if err := json.NewDecoder(archive).Decode(&truth); err != nil {
			t.Fatal(err)
		}
		id := strings.TrimSuffix(filepath.Base(h.Name), ".json")
		all = append(all, &sample{id: id, set: "webtypes", kind: truth.Internal.PageType.Primary, url: truth.URL,
			truth: truth.GroundTruth.MainContent,
			even:  (id[len(id)-1]-'0')%2 == 0, body: extracttest.Gunzip(t,
				filepath.Join(folder, "html", id+".html.gz"))})
	}
	sort.Slice(all, func(i, j int) bool { return all[i].set+all[i].id < all[j].set+all[j].id })
	content.BothHalves(func(half int) {
		for i := half; i < len(all); i += 2 {
			all[i].scan(t)
		}
	})
	if t.Failed() {
		t.FailNow()
	}
	return all
}

// scan cuts the page into blocks as webpage.Read does.
func (s *sample) scan(t *testing.T) {
	address, err := url.Parse(s.url)
	if err != nil {
		t.Error(err)
		return
	}
	in := media.Input{Text: strings.ToValidUTF8(string(s.body), "\uFFFD"), Base: address}
	page, err := webpage.Scan(context.Background(), in, false)
	if err != nil {
		t.Error(err)
		return
	}
	if block.Size(content.OutsideSite(page.Blocks)) < media.LowYield {
		if other, err := webpage.Scan(context.Background(), in, true); err == nil &&
			block.Size(other.Blocks) > 2*block.Size(page.Blocks) {
			page = other
		}
	}
	s.page, s.address = page, address
}

// study takes from the page what forests are grown from.
func (s *sample) study() {
	s.lesson = content.NewLesson(s.page.Outlook(s.address), s.page.Blocks)
	for _, b := range s.page.Blocks {
		s.texts = append(s.texts, b.Text)
	}
	s.lesson.Kept = strings.TrimSpace(s.truth) != ""
	s.label()
}

// read is the text that j makes of the page.
func (s *sample) read(j *content.Judge) string {
	text, _, _ := block.LayOut(s.page.Content(j, s.address), 2<<20)
	return text
}

var token = regexp.MustCompile(`[\p{L}\p{N}_]+`)

func wordsOf(s string) []string { return token.FindAllString(strings.ToLower(s), -1) }

// label says of each block how much of it the person kept.
func (s *sample) label() {
	const n = 4
	truth := wordsOf(s.truth)
	left := map[string]int{}
	for i := 0; i+n <= len(truth); i++ {
		left[strings.Join(truth[i:i+n], " ")]++
	}
	lines := map[string]int{}
	for line := range strings.SplitSeq(s.truth, "\n") {
		lines[strings.Join(wordsOf(line), " ")]++
	}
	var stream []string
	starts := make([]int, len(s.texts)+1)
	for i, text := range s.texts {
		starts[i] = len(stream)
		stream = append(stream, wordsOf(text)...)
	}
	starts[len(s.texts)] = len(stream)
	covered := make([]bool, len(stream))
	for i := 0; i+n <= len(stream); i++ {
		if left[strings.Join(stream[i:i+n], " ")] > 0 {
			for j := i; j < i+n; j++ {
				covered[j] = true
			}
		}
	}
	rough := make([]float64, len(s.texts)+1)
	for i := range s.texts {
		c := 0.0
		for j := starts[i]; j < starts[i+1]; j++ {
			if covered[j] {
				c++
			}
		}
		rough[i] = c
	}
	company := make([]float64, len(s.texts))
	order := make([]int, len(s.texts))
	for i := range company {
		order[i] = i
		for j := max(0, i-6); j <= min(len(s.texts)-1, i+6); j++ {
			if s.texts[j] != s.texts[i] {
				company[i] += rough[j]
			}
		}
	}
	sort.SliceStable(order, func(a, b int) bool { return company[order[a]] > company[order[b]] })
	s.lesson.Labels = make([]float32, len(s.texts))
	s.lesson.Weights = make([]float32, len(s.texts))
	taken := make([]bool, len(stream))
	for _, i := range order {
		from, to := starts[i], starts[i+1]
		for j := max(0, from-n+1); j < to && j+n <= len(stream); j++ {
			key := strings.Join(stream[j:j+n], " ")
			inside := j >= from && j+n <= to
			if inside && left[key] > 0 {
				left[key]--
				for k := j; k < j+n; k++ {
					taken[k] = true
				}
			} else if !inside && covered[max(j, from)] && to-from < n && left[key] > 0 {
				for k := max(j, from); k < min(j+n, to); k++ {
					taken[k] = true
				}
			}
		}
		line := strings.Join(stream[from:to], " ")
		got := 0
		for k := from; k < to; k++ {
			if taken[k] {
				got++
			}
		}
		if to > from {
			s.lesson.Labels[i] = float32(got) / float32(to-from)
		}
		if to-from < n && lines[line] > 0 && company[i] > 0 {
			s.lesson.Labels[i] = 1
			lines[line]--
		}
		s.lesson.Weights[i] = float32(to-from) + 1
	}
	total := float32(len(truth) + 60)
	if strings.HasPrefix(s.kind, "article") {
		total *= 0.6 // articles are what is cited most
	}
	for i := range s.lesson.Weights {
		s.lesson.Weights[i] = float32(math.Pow(float64(s.lesson.Weights[i]/total), 0.7))
	}
}

// A tally scores some pages in the way of their set: the even half, the odd half, all.
type tally struct {
	articles [3]score.Articles
	words    [3]score.Words
}

func (y *tally) add(s *sample, text string) {
	for _, part := range [...]int{half(s), 2} {
		if s.set == "articles" {
			y.articles[part].Add(s.truth, text)
		} else {
			y.words[part].Add(s.truth, text)
		}
	}
}

func (y *tally) f1(part int) float64 { return max(y.articles[part].F1(), y.words[part].F1()) } // one of them is empty

// report scores what each page's judge makes of it, by kind and by half, and returns
// the figures by kind; "webtypes" is all kinds of that set.
func report(t *testing.T, name string, all []*sample, judgeOf func(*sample) *content.Judge) map[string]float64 {
	t.Helper()
	made := make([]string, len(all))
	content.BothHalves(func(half int) {
		for i := half; i < len(all); i += 2 {
			made[i] = all[i].read(judgeOf(all[i]))
		}
	})
	kinds := map[string]*tally{}
	for i, s := range all {
		names := []string{s.kind}
		if s.set == "webtypes" {
			names = append(names, "webtypes")
		}
		for _, kind := range names {
			if kinds[kind] == nil {
				kinds[kind] = &tally{}
			}
			kinds[kind].add(s, made[i])
		}
	}
	figures := map[string]float64{}
	var lines []string
	for kind, y := range kinds {
		figures[kind] = y.f1(2)
		lines = append(lines, fmt.Sprintf("%-14s %4d pages %.4f, even half %.4f, odd half %.4f",
			kind, y.articles[2].Pages()+y.words[2].Pages(), figures[kind], y.f1(0), y.f1(1)))
	}
	slices.Sort(lines)
	t.Logf("%s\n%s", name, strings.Join(lines, "\n"))
	return figures
}

// TestKindsOfPage holds what was reached on the pages that the forests were grown
// from, so that a change that loses some of it shows. What is to be expected of other
// pages is less: TestGrow says how much.
func TestKindsOfPage(t *testing.T) {
	extracttest.Measured(t)
	figures := report(t, "F1", samplesOf(t), func(*sample) *content.Judge { return content.OwnJudge() })
	floors := map[string]float64{"articles-dev": 0.97, "webtypes": 0.88, "article": 0.95, "documentation": 0.92,
		"forum": 0.87, "listing": 0.83, "collection": 0.73, "product": 0.82, "service": 0.86}
	for kind, floor := range floors {
		if figures[kind] < floor {
			t.Errorf("%s: F1 is %.4f, below %.2f", kind, figures[kind], floor)
		}
	}
}
