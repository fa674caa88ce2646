package content_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/citewell/citewell/extract/internal/content"
)

var grow = flag.Bool("grow", false, "grow forest.bin anew from the development sets, and report on halves that "+
	"were not seen")

// TestGrow grows the forests that the package carries, when asked to. Before that it
// grows them from each half of the pages and reads the other half with them: what
// is to be expected of pages that nobody has seen.
func TestGrow(t *testing.T) {
	if !*grow {
		t.Skip("grows forest.bin with -grow")
	}
	all := samplesOf(t)
	content.BothHalves(func(half int) {
		for i := half; i < len(all); i += 2 {
			all[i].study()
		}
	})
	begun := time.Now()
	var halves [2][]*sample
	for _, s := range all {
		halves[half(s)] = append(halves[half(s)], s)
	}
	var judges [2]*content.Judge
	for h := range judges {
		cached := filepath.Join(os.Getenv("CITEWELL_HALVES"), "half"+string(rune('0'+h))+".bin")
		if raw, err := os.ReadFile(cached); err == nil {
			if judges[h], err = content.ReadJudge(raw); err != nil {
				t.Fatal(err)
			}
			continue
		}
		judges[h] = content.GrowJudge(lessons(halves[h]))
		t.Logf("half grown after %v", time.Since(begun).Round(time.Second))
		if os.Getenv("CITEWELL_HALVES") != "" {
			if err := os.WriteFile(cached, judges[h].Append(nil), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	report(t, "each half judged by the forest grown from the other half", all, func(s *sample) *content.Judge {
		return judges[1-half(s)]
	})
	if os.Getenv("CITEWELL_HALVES_ONLY") != "" {
		return
	}
	j := content.GrowJudge(lessons(all))
	report(t, "read by what was grown from all", all, func(*sample) *content.Judge { return j })
	if err := os.WriteFile("forest.bin", j.Append(nil), 0o644); err != nil {
		t.Fatal(err)
	}
}

func half(s *sample) int {
	if s.even {
		return 0
	}
	return 1
}

func lessons(pages []*sample) []*content.Lesson {
	all := make([]*content.Lesson, len(pages))
	for i, s := range pages {
		all[i] = s.lesson
	}
	return all
}
