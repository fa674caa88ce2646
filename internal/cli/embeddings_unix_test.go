//go:build unix

package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/testing/pgtest"
)

// TestClusterEmbeddings has two processes of one database answer the same questions at the same
// time: a text is bought at most once by each, and what one has bought is nobody's to buy later.
func TestClusterEmbeddings(t *testing.T) {
	t.Parallel()
	c := newCluster(t, pgtest.URL(t), nil)
	var mu sync.Mutex
	bought := map[string]int{}
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		type vector struct {
			Embedding []float32 `json:"embedding"`
		}
		var answer struct {
			Data []vector `json:"data"`
		}
		mu.Lock()
		for i, text := range asked.Input {
			bought[text]++
			answer.Data = append(answer.Data, vector{[]float32{float32(len(text)), float32(i + 1), 1}})
		}
		mu.Unlock()
		time.Sleep(100 * time.Millisecond) // as a hosted model takes
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	defer model.Close()
	plain, err := os.ReadFile(filepath.Join(c.home, "citewell.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(c.home, "meant.yaml"), string(plain)+
		fmt.Sprintf("embedding: {base_url: %q, model: m}\n", model.URL))
	const question = "When was Larch 2.0 released?"
	ask := func(times int) (texts, all, bytes int) {
		var together []*child
		for range times {
			together = append(together, startChild(t, c.home, "--config", "meant.yaml", "search", question))
		}
		for _, p := range together {
			if _, stderr, code := p.end(t); code != 0 {
				t.Errorf("exit code %d: %s", code, stderr)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		for text, n := range bought {
			bytes += len(text)
			if all += n; n > 2 {
				t.Errorf("%d times was bought %.40q", n, text)
			}
		}
		return len(bought), all, bytes
	}
	texts, all, bytes := ask(2)
	t.Logf("asked by two at once: %d texts of %d bytes, bought %d times", texts, bytes, all)
	if texts == 0 {
		t.Fatal("nothing was embedded")
	}
	if later, sum, _ := ask(1); later != texts || sum != all {
		t.Errorf("asked again, %d texts were bought again and %d more", sum-all-(later-texts), later-texts)
	}
}
