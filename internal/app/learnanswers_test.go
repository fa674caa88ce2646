package app

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/internal/bench"
)

var learn = flag.Bool("learn", false, "learn brief/weights.go anew from the odd halves of the sets of questions")

// How the weights are learnt.
const (
	steps  = 400
	rate   = 0.05
	spread = 0.3 // of a weight before anything is known, in standard deviations of its signal
	most   = 150 // questions of each sort of the encyclopedia: as many as of the other set
	folds  = 4   // parts of the questions by their documents, each judged by what the others teach
)

// A lesson is a question with every sentence that was looked at for it.
type lesson struct {
	sort  bench.Sort
	about string // what was read first for it: a site, or an article
	rows  [][]float64
	right []bool
	heavy float64 // how much it counts: all of one sort and set are as heavy as all of another
}

func (l lesson) teaches() bool {
	return len(l.rows) > 0 && (l.sort == bench.Unanswerable || slices.Contains(l.right, true))
}

// TestLearnAnswers learns the weights by which briefs choose their findings, when asked
// to. A question picks one of its sentences or none, each with the odds of its signals;
// the weights are those under which the right sentences, or none, are likeliest. The gate
// that it tells is judged on sites and articles that the weights were not learnt from.
func TestLearnAnswers(t *testing.T) {
	if !*learn {
		t.Skip("learns brief/weights.go with -learn")
	}
	shared := os.Getenv("CITEWELL_SHARED")
	if shared == "" {
		t.Fatal("CITEWELL_SHARED names no folder with data/answers-squad and data/demo-web")
	}
	web := t.TempDir()
	unpack(t, filepath.Join(shared, "data/demo-web/pages.tar.gz"), web)
	manuals := os.Getenv("CITEWELL_MANUALS")
	if manuals == "" {
		t.Fatal("CITEWELL_MANUALS names no folder that scripts/manuals.sh filled")
	}
	sets := [][]lesson{
		lessons(t, filepath.Join(shared, "data/answers-squad"), bench.AnswerOptions{Half: "odd", Limit: most}),
		lessons(t, "../../testdata/bench/answers-demo-web", bench.AnswerOptions{Half: "odd", Docs: web}),
		lessons(t, "../../testdata/bench/answers-manuals", bench.AnswerOptions{Half: "odd", Docs: manuals}),
	}
	judged := unseen(t, sets)
	gate, passing, refused := gateOf(judged)
	t.Logf("gate %.2f, which %.3f without an answer pass and %.3f with one do not", gate, passing, refused)
	if err := os.WriteFile("../../brief/weights.go", source(t, learnt(slices.Concat(sets...))), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A judgement is the chance that a question is answered, by weights that its documents did not teach.
type judgement struct {
	set    int
	sort   bench.Sort
	chance float64
}

// unseen judges each fold by what the others teach.
func unseen(t *testing.T, sets [][]lesson) (list []judgement) {
	var about []string
	for _, l := range slices.Concat(sets...) {
		about = append(about, l.about)
	}
	slices.Sort(about)
	about = slices.Compact(about)
	first := make([]int, len(sets))
	for fold := range folds {
		out := func(l lesson) bool { return slices.Index(about, l.about)%folds == fold }
		weights := learnt(slices.DeleteFunc(slices.Concat(sets...), out))
		for set, lessons := range sets {
			for _, l := range lessons {
				if !out(l) {
					continue
				}
				right, chance := l.best(weights)
				list = append(list, judgement{set, l.sort, chance})
				if right {
					first[set]++
				}
			}
		}
	}
	for set, lessons := range sets {
		t.Logf("of %d questions %d have an answer first, without a gate", len(lessons), first[set])
	}
	return list
}

// gateOf is the chance from which as large a share of the questions without an answer
// passes as of those with one does not, each the mean of the sets.
func gateOf(list []judgement) (gate, passing, refused float64) {
	share := func(sort bench.Sort, gate float64) (mean float64) {
		passed, asked := map[int]float64{}, map[int]float64{}
		for _, j := range list {
			if j.sort == sort {
				asked[j.set]++
				if j.chance >= gate {
					passed[j.set]++
				}
			}
		}
		for set, n := range asked {
			mean += passed[set] / n / float64(len(asked))
		}
		return mean
	}
	for passing = 1; passing > refused; {
		gate += 0.01
		passing, refused = share(bench.Unanswerable, gate), 1-share(bench.Answerable, gate)
	}
	return gate, passing, refused
}

// unpack writes an archive of the project's own data below dir.
func unpack(t *testing.T, archive, dir string) {
	file, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	zipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(zipped); ; {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil || !filepath.IsLocal(head.Name) {
			t.Fatal(head, err)
		}
		if head.Typeflag != tar.TypeReg {
			continue
		}
		body, err := io.ReadAll(r)
		path := filepath.Join(dir, head.Name)
		if err := errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o700),
			os.WriteFile(path, body, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// lessons asks the questions of a set and takes down what is looked at.
func lessons(t *testing.T, dir string, o bench.AnswerOptions) []lesson {
	libraries, err := bench.ReadAnswers(dir, t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	var list []lesson
	for _, l := range libraries {
		var mu sync.Mutex
		var seen []brief.Weighed
		a, err := openAnswerer(t.Context(), l.Docs, func(_ string, w []brief.Weighed) {
			mu.Lock()
			defer mu.Unlock()
			seen = w
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range l.Questions {
			if q.Sort == bench.Twisted {
				continue
			}
			seen = nil
			b, err := a.Brief(t.Context(), q.Text)
			if err != nil {
				t.Fatal(err)
			}
			one := lesson{sort: q.Sort, about: about(b, l.Docs)}
			for _, w := range seen {
				one.rows, one.right = append(one.rows, w.Signals), append(one.right, q.Accepts(w.Text))
			}
			list = append(list, one)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		t.Logf("asked %d questions of %s", len(l.Questions), dir)
	}
	count := map[bench.Sort]float64{}
	for _, l := range list {
		count[l.sort]++
	}
	for i := range list {
		list[i].heavy = 100 / count[list[i].sort]
	}
	return list
}

// about is the folder or file below docs that a brief's first source is from.
func about(b citewell.Brief, docs string) string {
	if len(b.Sources) == 0 {
		return ""
	}
	_, below, _ := strings.Cut(b.Sources[0].URL, filepath.ToSlash(docs)+"/")
	first, _, _ := strings.Cut(below, "/")
	return first
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// best says whether the sentence with the best odds is right, and the chance that any
// sentence is, which is 0 where there is none. A brief also takes back sentences of other aspects
// and those that speak to a model, which are few.
func (l lesson) best(weights []float64) (right bool, chance float64) {
	best, total := 0.0, 0.0
	for i, row := range l.rows {
		odds := math.Exp(dot(weights, row))
		if total += odds; odds > best {
			right, best = l.right[i], odds
		}
	}
	return right, total / (1 + total)
}

// level brings the signals of all lessons to a mean of 0 and a deviation of 1, but for
// the first, which is always 1, and returns what they had. Each lesson counts as much.
func level(all []lesson) (leveled []lesson, mean, scale []float64) {
	mean, scale = make([]float64, len(all[0].rows[0])), make([]float64, len(all[0].rows[0]))
	for _, l := range all {
		each := 1 / float64(len(l.rows)*len(all))
		for _, row := range l.rows {
			for i, v := range row {
				mean[i] += each * v
				scale[i] += each * v * v
			}
		}
	}
	for i := range mean {
		if scale[i] = math.Sqrt(max(0, scale[i]-mean[i]*mean[i])); scale[i] < 1e-6 {
			scale[i] = 1
		}
	}
	mean[0], scale[0] = 0, 1
	for _, l := range all {
		rows := make([][]float64, len(l.rows))
		for k, row := range l.rows {
			rows[k] = make([]float64, len(row))
			for i, v := range row {
				rows[k][i] = (v - mean[i]) / scale[i]
			}
		}
		l.rows = rows
		leveled = append(leveled, l)
	}
	return leveled, mean, scale
}

// learnt climbs to the weights, in steps as long as Adam makes them.
func learnt(lessons []lesson) []float64 {
	all, middle, scale := level(slices.DeleteFunc(slices.Clone(lessons), func(l lesson) bool { return !l.teaches() }))
	weights, mean, square := make([]float64, len(scale)), make([]float64, len(scale)), make([]float64, len(scale))
	heavy := 0.0
	for _, l := range all {
		heavy += l.heavy
	}
	for step := 1.0; step <= steps; step++ {
		slope := make([]float64, len(weights))
		for _, l := range all {
			l.slope(weights, slope)
		}
		for i, g := range slope {
			if i > 0 { // how rare answers are is not held to a spread
				g += weights[i] / (spread * spread)
			}
			g /= heavy
			mean[i], square[i] = 0.9*mean[i]+0.1*g, 0.99*square[i]+0.01*g*g
			weights[i] -= rate * mean[i] / (1 - math.Pow(0.9, step)) / (math.Sqrt(square[i]/(1-math.Pow(0.99, step))) +
				1e-9)
		}
	}
	for i := range weights {
		weights[i] /= scale[i]
		weights[0] -= weights[i] * middle[i]
	}
	return weights
}

// slope adds how the surprise at a question's answer grows with each weight.
func (l lesson) slope(weights, slope []float64) {
	odds := make([]float64, len(l.rows))
	all, right := 1.0, 0.0
	for i, row := range l.rows {
		odds[i] = math.Exp(dot(weights, row))
		all += odds[i]
		if l.right[i] {
			right += odds[i]
		}
	}
	for i, row := range l.rows {
		by := odds[i] / all
		if l.right[i] {
			by -= odds[i] / right
		}
		for k, v := range row {
			slope[k] += l.heavy * by * v
		}
	}
}

func source(t *testing.T, weights []float64) []byte {
	var b strings.Builder
	b.WriteString("// Code generated by go test ./internal/app -run TestLearnAnswers -learn; DO NOT " +
		"EDIT.\n\npackage brief\n\n")
	b.WriteString("// weights are those of the signals in the odds of an answer.\nvar weights = signals{\n")
	for i, w := range weights {
		fmt.Fprintf(&b, "%.3f, // %s\n", w, brief.SignalNames()[i])
	}
	b.WriteString("}\n")
	cmd := exec.Command("gofmt")
	cmd.Stdin = strings.NewReader(b.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}
