package storesuite

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/upkeep"
	"github.com/citewell/citewell/store"
	"github.com/google/go-cmp/cmp"
)

// A DiskBackend is one open store of which what fills the disk is tried.
type DiskBackend struct {
	Tenant func(name string) RunStore
	Disk   upkeep.Disk
	// Elsewhere is a store on another machine's disk: nobody knows what is free there.
	Elsewhere bool
	// Age makes everything that is kept older.
	Age func(t *testing.T, by time.Duration)
	// Check holds what the store keeps against itself and returns what is wrong.
	Check func(t *testing.T) []string
}

const month = 30 * 24 * time.Hour

// RunDisk tries every promise of Disk. Open gives an empty store and sees to it that the
// store is closed when t ends.
func RunDisk(t *testing.T, open func(t *testing.T) DiskBackend) {
	tests := []struct {
		name string
		run  func(t *testing.T, b DiskBackend)
	}{
		{"prune_keeps_what_is_named", pruneKeepsWhatIsNamed},
		{"prune_runs_and_briefs", pruneRunsAndBriefs},
		{"prune_keeps_one_of_a_text", pruneKeepsOneOfAText},
		{"prune_keeps_the_newest_of_a_document", pruneKeepsTheNewestOfADocument},
		{"prune_unfinished_ledgers", pruneUnfinishedLedgers},
		{"prune_keeps_what_is_put_again", pruneKeepsWhatIsPutAgain},
		{"prune_beside_writers", pruneBesideWriters},
		{"prune_refuses_the_young", pruneRefusesTheYoung},
		{"usage_counts", usageCounts},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := open(t)
			test.run(t, b)
			for _, problem := range b.Check(t) {
				t.Errorf("the store's own check says: %s", problem)
			}
		})
	}
}

// putNumbered keeps a snapshot of its own for each name.
func putNumbered(t *testing.T, s Store, name string) (citewell.Page, citewell.Document) {
	t.Helper()
	page, doc := newPage("https://tides.example/"+name, "<p>"+name, "High water, as "+name+" has it.", noon)
	must(t, s.PutSnapshot(t.Context(), page, doc))
	return page, doc
}

// sourceOf is source 1 with one passage, of a snapshot.
func sourceOf(page citewell.Page, doc citewell.Document) (citewell.Source, []citewell.Passage) {
	source, _ := newSource(1, 0)
	source.FinalURL, source.PageSHA256, source.TextSHA256 = page.FinalURL, page.SHA256, doc.TextSHA256
	return source, []citewell.Passage{{ID: citewell.NewID(), Source: 1, End: 4, Text: doc.Text[:4]}}
}

// cite keeps a brief that cites a snapshot.
func cite(t *testing.T, s Store, id string, page citewell.Page, doc citewell.Document) {
	t.Helper()
	source, passages := sourceOf(page, doc)
	must(t, s.AddSource(t.Context(), id, source, passages))
	must(t, s.PutBrief(t.Context(), citewell.Brief{ID: id, CreatedAt: time.Now(), Sources: []citewell.Source{source}}))
}

// wantSnapshot says whether a page and its text are there.
func wantSnapshot(t *testing.T, s Store, what string, page citewell.Page, doc citewell.Document, there bool) {
	t.Helper()
	for hash, want := range map[string]string{page.SHA256: string(page.Body), doc.TextSHA256: doc.Text} {
		got, err := s.Blob(t.Context(), hash)
		switch {
		case there && (err != nil || string(got) != want):
			t.Errorf("%s: a content is lost: %q, %v", what, got, err)
		case !there && citewell.CodeOf(err) != citewell.CodeNotFound:
			t.Errorf("%s: a content stays: %q, %v", what, got, err)
		}
	}
}

// prune lets go of what is older than a month, as a dry run has said before.
func prune(t *testing.T, b DiskBackend, q upkeep.PruneQuery) upkeep.Pruned {
	t.Helper()
	q.OlderThan, q.DryRun = month, true
	said, err := b.Disk.Prune(t.Context(), q)
	must(t, err)
	q.DryRun = false
	did, err := b.Disk.Prune(t.Context(), q)
	must(t, err)
	same := did
	same.DryRun, same.Before, same.DatabaseBytes = true, said.Before, 0
	if diff := cmp.Diff(said, same); diff != "" {
		t.Errorf("a dry run said something else (-said +did):\n%s", diff)
	}
	again, err := b.Disk.Prune(t.Context(), q)
	must(t, err)
	if again.Snapshots+again.Runs+again.Briefs+again.Contents > 0 {
		t.Errorf("there was more to let go of: %+v", again)
	}
	return did
}

// namings are the ways in which something that stays may name a snapshot.
var namings = map[string]func(t *testing.T, s RunStore, page citewell.Page, doc citewell.Document){
	"brief": func(t *testing.T, s RunStore, page citewell.Page, doc citewell.Document) { cite(t, s, "b1", page, doc) },
	"request": func(t *testing.T, s RunStore, page citewell.Page, _ citewell.Document) {
		_, err := s.CreateRun(t.Context(), runstore.NewRun{ID: runstore.NewRunID("a"), Agent: "a",
			Request: json.RawMessage(`{"page":"` + page.SHA256 + `"}`)})
		must(t, err)
	},
	"log": func(t *testing.T, s RunStore, page citewell.Page, _ citewell.Document) {
		_, err := s.AppendEvents(t.Context(), startRun(t, s), []runstore.RunEvent{
			{Type: "read", Data: json.RawMessage(`["` + page.SHA256 + `"]`)}})
		must(t, err)
	},
	"ledger of a run": func(t *testing.T, s RunStore, page citewell.Page, doc citewell.Document) {
		source, passages := sourceOf(page, doc)
		must(t, s.AddSource(t.Context(), startRun(t, s).Run, source, passages))
	},
	"journal": func(t *testing.T, s RunStore, _ citewell.Page, doc citewell.Document) {
		journal(t, s, `{"doc":{"text_sha256":"`+doc.TextSHA256+`"}}`)
	},
	"large result": func(t *testing.T, s RunStore, page citewell.Page, _ citewell.Document) {
		journal(t, s, `[`+bigJSON(9)+`,"`+page.SHA256+`"]`)
	},
	"document": func(t *testing.T, s RunStore, _ citewell.Page, doc citewell.Document) {
		must(t, s.IndexDocument(t.Context(), doc, "stamp"))
	},
}

// journal has an ended run whose journal has one result.
func journal(t *testing.T, s RunStore, result string) runstore.Lease {
	t.Helper()
	lease, ctx := startRun(t, s), t.Context()
	call := runstore.Call{Kind: runstore.CallPage, Name: "p", Input: json.RawMessage(`1`)}
	_, err := BeginCall(ctx, s, lease, call)
	must(t, err)
	must(t, FinishCall(ctx, s, lease, call, runstore.CallResult{Data: json.RawMessage(result)}))
	endRun(t, s, lease)
	return lease
}

func pruneKeepsWhatIsNamed(t *testing.T, b DiskBackend) {
	s, theirs := b.Tenant("a"), b.Tenant("b")
	pages, docs := map[string]citewell.Page{}, map[string]citewell.Document{}
	for way, name := range namings {
		pages[way], docs[way] = putNumbered(t, s, way)
		name(t, s, pages[way], docs[way])
	}
	for _, way := range []string{"nothing", "of another tenant", "young"} {
		pages[way], docs[way] = putNumbered(t, s, way)
	}
	putNumbered(t, theirs, "of another tenant")
	cite(t, theirs, "b1", pages["of another tenant"], docs["of another tenant"])
	b.Age(t, month+time.Hour)
	putNumbered(t, s, "young")

	did := prune(t, b, upkeep.PruneQuery{})
	for way := range pages {
		wantSnapshot(t, s, way, pages[way], docs[way], way != "nothing" && way != "of another tenant")
	}
	wantSnapshot(t, theirs, "theirs", pages["of another tenant"], docs["of another tenant"], true)
	// Of what another tenant has too, no file goes.
	if did.Snapshots != 2 || did.Contents != 2 || did.ContentBytes == 0 || did.RecordBytes == 0 ||
		did.Runs+did.Briefs != 0 {
		t.Errorf("it says that it let go of %+v", did)
	}
}

func pruneRunsAndBriefs(t *testing.T, b DiskBackend) {
	s, ctx := b.Tenant("a"), t.Context()
	page, doc := putNumbered(t, s, "brief")
	cite(t, s, "b1", page, doc)
	runPage, runDoc := putNumbered(t, s, "run")
	large := `[` + bigJSON(9) + `,"` + runPage.SHA256 + `"]`
	lease := journal(t, s, large)
	cite(t, s, lease.Run, runPage, runDoc)
	alive := startRun(t, s)
	alivePage, aliveDoc := putNumbered(t, s, "alive")
	cite(t, s, alive.Run, alivePage, aliveDoc)
	b.Age(t, month+time.Hour)
	youngPage, youngDoc := putNumbered(t, s, "young")
	cite(t, s, "b2", youngPage, youngDoc)

	if did := prune(t, b, upkeep.PruneQuery{Briefs: true}); did.Briefs != 1 || did.Runs != 0 || did.Snapshots != 1 ||
		did.Contents != 2 || did.Kept != 2 {
		t.Errorf("of briefs it let go of %+v", did)
	}
	wantSnapshot(t, s, "brief", page, doc, false)
	wantSnapshot(t, s, "run", runPage, runDoc, true)
	if did := prune(t, b, upkeep.PruneQuery{Runs: true}); did.Briefs != 0 || did.Runs != 1 || did.Snapshots != 1 ||
		did.Contents != 3 || did.Kept != 1 {
		t.Errorf("of runs it let go of %+v", did)
	}
	wantSnapshot(t, s, "run", runPage, runDoc, false)
	_, err := s.Blob(ctx, citewell.SHA256([]byte(large)))
	wantCode(t, err, citewell.CodeNotFound)
	for id, code := range map[string]citewell.Code{"b1": citewell.CodeNotFound, lease.Run: citewell.CodeNotFound,
		alive.Run: "", "b2": ""} {
		_, err := s.Brief(ctx, id)
		wantCode(t, err, code)
	}
	wantSnapshot(t, s, "a run that has not ended", alivePage, aliveDoc, true)
	wantSnapshot(t, s, "a young brief", youngPage, youngDoc, true)
}

// pruneKeepsOneOfAText has a page whose bytes differ at each fetch and whose text, which
// is cited, does not.
func pruneKeepsOneOfAText(t *testing.T, b DiskBackend) {
	s := b.Tenant("a")
	var page citewell.Page
	var doc citewell.Document
	for n := range 5 {
		page, doc = newPage("https://tides.example/", fmt.Sprint("<p>", n), "The same text.",
			noon.Add(time.Duration(n)*time.Second))
		must(t, s.PutSnapshot(t.Context(), page, doc))
	}
	source, passages := sourceOf(page, doc)
	source.PageSHA256 = ""
	must(t, s.AddSource(t.Context(), "b1", source, passages))
	must(t, s.PutBrief(t.Context(), citewell.Brief{ID: "b1"}))
	b.Age(t, month+time.Hour)
	if did := prune(t, b, upkeep.PruneQuery{}); did.Snapshots != 4 || did.Contents != 4 || did.Kept != 1 {
		t.Errorf("of five snapshots of one text it let go of %+v", did)
	}
	wantSnapshot(t, s, "newest", page, doc, true)
}

func pruneKeepsTheNewestOfADocument(t *testing.T, b DiskBackend) {
	s := b.Tenant("a")
	older, olderDoc := newPage("file:///a.txt", "older", "older text", noon)
	must(t, s.PutSnapshot(t.Context(), older, olderDoc))
	newest, newestDoc := newPage("file:///a.txt", "newest", "newest text", noon.Add(time.Hour))
	must(t, s.PutSnapshot(t.Context(), newest, newestDoc))
	must(t, s.IndexDocument(t.Context(), newestDoc, "stamp"))
	b.Age(t, month+time.Hour)
	prune(t, b, upkeep.PruneQuery{})
	wantSnapshot(t, s, "older", older, olderDoc, false)
	if page, _, err := s.Snapshot(t.Context(), newest.FinalURL); err != nil || string(page.Body) != "newest" {
		t.Errorf("the document's snapshot is %q, %v", page.Body, err)
	}
	_, err := s.RemoveDocument(t.Context(), newest.FinalURL)
	must(t, err)
	prune(t, b, upkeep.PruneQuery{})
	wantSnapshot(t, s, "of a document that was removed", newest, newestDoc, false)
}

func pruneUnfinishedLedgers(t *testing.T, b DiskBackend) {
	s := b.Tenant("a")
	page, doc := putNumbered(t, s, "unfinished")
	source, passages := sourceOf(page, doc)
	must(t, s.AddSource(t.Context(), "b1", source, passages))
	b.Age(t, month-time.Hour)
	prune(t, b, upkeep.PruneQuery{})
	wantSnapshot(t, s, "a young one", page, doc, true)
	b.Age(t, 2*time.Hour)
	if did := prune(t, b, upkeep.PruneQuery{}); did.Briefs != 1 {
		t.Errorf("it let go of %+v", did)
	}
	wantSnapshot(t, s, "an old one", page, doc, false)
	_, err := s.Passage(t.Context(), passages[0].ID)
	wantCode(t, err, citewell.CodeNotFound)
}

// pruneKeepsWhatIsPutAgain puts what was let go of, before and after its file went.
func pruneKeepsWhatIsPutAgain(t *testing.T, b DiskBackend) {
	s := b.Tenant("a")
	page, doc := putNumbered(t, s, "one")
	b.Age(t, month+time.Hour)
	old := page
	old.FetchedAt = noon.Add(-time.Hour) // of a cache, older than the one that is kept
	must(t, s.PutSnapshot(t.Context(), old, doc))
	prune(t, b, upkeep.PruneQuery{})
	wantSnapshot(t, s, "put again", page, doc, true)
	for range 2 {
		b.Age(t, month+time.Hour) // its file goes at the second prune
		prune(t, b, upkeep.PruneQuery{})
	}
	wantSnapshot(t, s, "pruned", page, doc, false)
	putNumbered(t, s, "one")
	wantSnapshot(t, s, "put after its file went", page, doc, true)
}

// pruneBesideWriters puts and cites every second old snapshot again while they are
// pruned: what a brief cites is there, and nothing else.
func pruneBesideWriters(t *testing.T, b DiskBackend) {
	s := b.Tenant("a")
	const snapshots = 120
	pages, docs := make([]citewell.Page, snapshots), make([]citewell.Document, snapshots)
	for n := range snapshots {
		pages[n], docs[n] = newPage(fmt.Sprint("https://tides.example/", n), fmt.Sprint("<p>", n),
			fmt.Sprint("Text ", n), noon)
	}
	var putting sync.WaitGroup
	for n := range snapshots {
		putting.Go(func() { must(t, s.PutSnapshot(t.Context(), pages[n], docs[n])) })
	}
	putting.Wait()
	b.Age(t, month+time.Hour)
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for n := 2 * worker; n < snapshots; n += 8 {
				if err := s.PutSnapshot(t.Context(), pages[n], docs[n]); err != nil {
					t.Error(err)
					return
				}
				cite(t, s, fmt.Sprint("b", n), pages[n], docs[n])
			}
		})
	}
	for range 5 {
		_, err := b.Disk.Prune(t.Context(), upkeep.PruneQuery{OlderThan: month})
		must(t, err)
	}
	group.Wait()
	for n := range snapshots {
		wantSnapshot(t, s, fmt.Sprint("snapshot ", n), pages[n], docs[n], n%2 == 0)
	}
}

func pruneRefusesTheYoung(t *testing.T, b DiskBackend) {
	s := b.Tenant("a")
	page, doc := putNumbered(t, s, "one")
	for _, age := range []time.Duration{0, -month, upkeep.MinPruneAge - 1} {
		_, err := b.Disk.Prune(t.Context(), upkeep.PruneQuery{OlderThan: age})
		wantCode(t, err, citewell.CodeInvalidArgument)
	}
	wantSnapshot(t, s, "one", page, doc, true)
}

func usageCounts(t *testing.T, b DiskBackend) {
	before, err := b.Disk.Usage(t.Context())
	must(t, err)
	if !before.Snapshots.Oldest.IsZero() || before.Snapshots.Count+before.Runs+before.Briefs > 0 ||
		(before.FreeBytes > 0) == b.Elsewhere {
		t.Errorf("an empty store has %+v", before)
	}
	s := b.Tenant("a")
	began := time.Now().Add(-time.Millisecond)
	page, doc := putNumbered(t, s, "one")
	cite(t, s, "b1", page, doc)
	must(t, s.IndexDocument(t.Context(), doc, "stamp"))
	journal(t, s, bigJSON(9))
	after, err := b.Disk.Usage(t.Context())
	must(t, err)
	if after.Snapshots.Count != 1 || after.Runs != 1 || after.Briefs != 1 || after.Snapshots.Oldest.Before(began) ||
		after.Snapshots.Newest.Before(after.Snapshots.Oldest) {
		t.Errorf("the store has %+v", after)
	}
	if len(after.Indexes) != 1 || after.Indexes[0].Name != store.Library || after.Indexes[0].Items != 1 ||
		after.Indexes[0].Bytes < 1 {
		t.Errorf("indexes: %+v", after.Indexes)
	}
	sum, grown := int64(0), after.Bytes-before.Bytes
	for _, part := range after.Parts {
		sum += part.Bytes
		if part.Bytes < 0 {
			t.Errorf("%s, %s: %d bytes", part.In, part.Part, part.Bytes)
		}
	}
	if sum != after.Bytes || grown < 150<<10 { // what the call came to is 300 KiB of hexadecimal
		t.Errorf("the parts have %d bytes and all %d, %d more than before", sum, after.Bytes, grown)
	}
}
