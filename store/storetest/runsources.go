package storetest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/store"
	"github.com/google/go-cmp/cmp"
)

func runSources(t *testing.T, b RunBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	lease := startRun(t, s)
	source := func(name string) store.RunSource {
		return store.RunSource{Key: name + ".example", URL: "https://www." + name + ".example/?utm_source=x", Title: name}
	}
	number := func(lease store.Lease, names ...string) (numbers []int) {
		t.Helper()
		var sources []store.RunSource
		for _, name := range names {
			sources = append(sources, source(name))
		}
		numbers, err := s.NumberSources(ctx, lease, sources)
		must(t, err)
		return numbers
	}
	for _, test := range []struct {
		names []string
		want  []int
	}{{[]string{"a", "b", "a"}, []int{1, 2, 1}}, {nil, []int{}}, {[]string{"c", "b"}, []int{3, 2}}, {[]string{"a"}, []int{1}}} {
		if got := number(lease, test.names...); !slices.Equal(got, test.want) {
			t.Errorf("sources %v have numbers %v, want %v", test.names, got, test.want)
		}
	}
	other := source("b")
	other.URL, other.Title = "https://b.example/#top", "other"
	if got, err := s.NumberSources(ctx, lease, []store.RunSource{other}); err != nil || got[0] != 2 {
		t.Errorf("another spelling has number %v (%v)", got, err)
	}
	if got := number(startRun(t, s), "z", "a"); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("another run has numbers %v", got)
	}
	s = b.Reopen(t).Tenant("a")
	if got := number(lease, "d", "a", "c"); !slices.Equal(got, []int{4, 1, 3}) {
		t.Errorf("after reopening numbers are %v", got)
	}
	listed, err := s.RunSources(ctx, lease.Run)
	must(t, err)
	var want []store.RunSource
	for i, name := range []string{"a", "b", "c", "d"} {
		kept := source(name)
		kept.N = i + 1
		want = append(want, kept)
	}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("sources differ (-want +got):\n%s", diff)
	}
	for _, bad := range []store.RunSource{{}, {Key: "k"}, {URL: "u"}, {Key: strings.Repeat("k", store.MaxSourceText+1), URL: "u"}} {
		_, err := s.NumberSources(ctx, lease, []store.RunSource{source("new"), bad})
		wantCode(t, err, citewell.CodeInvalidArgument)
	}
	// Many at once: each key has one number, and none is left out.
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := range 20 {
				if _, err := s.NumberSources(ctx, lease, []store.RunSource{source(fmt.Sprint("many", i))}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	listed, err = s.RunSources(ctx, lease.Run)
	must(t, err)
	for i, kept := range listed {
		if kept.N != i+1 || len(listed) != 24 {
			t.Fatalf("source %d of %d has number %d", i, len(listed), kept.N)
		}
	}
}
