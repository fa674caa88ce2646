package storesuite

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/store"
)

// Everything is all that a backend keeps for one tenant.
type Everything interface {
	RunStore
	store.Vectors
	store.Graph
	runstore.Pace
}

// SuspendedRun is the name of the run that Fill leaves in the middle.
const SuspendedRun = "sgr_agent_6a1de3e5-0000-4000-8000-000000000001"

// Fill keeps something of every kind in an empty store: snapshots, a ledger and briefs, more
// than one text index with words of several scripts, embeddings in two collections, a graph,
// runs that ended, that wait for an answer and that were left in the middle, with bodies of
// calls that are contents, spending, a watch and paces. The larger size is, the more of each.
func Fill(t *testing.T, s Everything, size int) {
	t.Helper()
	ctx := t.Context()
	for i := range size {
		page, doc := newPage(fmt.Sprintf("https://tides.example/%d", i), fmt.Sprintf("<p>body %d\x00", i),
			fmt.Sprintf("Barnacles of harbour %d. 潮汐 %d.", i, i), noon.Add(time.Duration(i)*time.Second))
		must(t, s.PutSnapshot(ctx, page, doc))
		must(t, s.IndexDocument(ctx, doc, fmt.Sprint("stamp ", i)))
		brief := newBrief()
		brief.ID = fmt.Sprintf("brief-%d", i)
		source, passages := newSource(1, 2)
		must(t, s.AddSource(ctx, brief.ID, source, passages))
		must(t, s.PutBrief(ctx, brief))
	}
	again, doc := newPage("https://tides.example/0", "<p>body 0, later", "Barnacles of harbour 0, later.",
		noon.Add(time.Hour))
	must(t, s.PutSnapshot(ctx, again, doc))
	fillTexts(t, s, size)
	fillMeanings(t, s, size)
	fillRuns(t, s, size)
	must(t, s.Spend(ctx, "who\x01\x00ever", noon, runstore.Spent{Tokens: 5, USD: 0.25, Searches: 2}))
	_, err := s.PutWatch(ctx, runstore.Watch{ID: "w\x00", Caller: "who\x00ever",
		Request: json.RawMessage(`{"question":"when\u0000?"}`), Every: 36 * time.Hour})
	must(t, err)
	_, err = s.RoundBegun(ctx, "w\x00", 0)
	must(t, err)
	_, err = s.TakeTurn(ctx, "service", noon, runstore.PaceRule{PerDay: 9, Every: time.Second, AtOnce: 2})
	must(t, err)
}

func fillTexts(t *testing.T, s Everything, size int) {
	t.Helper()
	var docs []store.TextDocument
	for i := range 40 * size {
		docs = append(docs, store.TextDocument{ID: fmt.Sprintf("note \x00\xff %d", i), Title: fmt.Sprint("Note ", i),
			Text:     fmt.Sprintf("The manœuvre of day %d in Tromsø. %s", i, strings.Repeat("tide ", i%7)),
			Metadata: map[string]string{"number": fmt.Sprint(i), "colour": []string{"red", "green"}[i%2]}})
	}
	for i, sample := range Samples {
		docs = append(docs, store.TextDocument{ID: fmt.Sprint("sample ", i), Text: sample.Text, Stamp: "s"})
	}
	must(t, s.IndexDocuments(t.Context(), "notes", docs))
	must(t, s.IndexDocuments(t.Context(), "notes", docs[:5])) // some are there no more, in their segment
	_, err := s.RemoveDocuments(t.Context(), "notes", store.TextSelection{IDs: []string{docs[7].ID}})
	must(t, err)
}

func fillMeanings(t *testing.T, s Everything, size int) {
	t.Helper()
	ctx := t.Context()
	for name, metric := range map[string]store.Metric{"index:notes": store.MetricCosine, "other": store.MetricL2} {
		must(t, s.MakeCollection(ctx, store.VectorCollection{Name: name, Dimension: 24, Metric: metric,
			Model: "m\x001"}))
		var vectors []store.Vector
		for i := range 20 * size {
			values := make([]float32, 24)
			for j := range values {
				values[j] = float32((i*31+j*17)%23) - 11
			}
			vectors = append(vectors, store.Vector{ID: fmt.Sprint("v", i), Values: values, Text: fmt.Sprint("text ", i),
				Metadata: map[string]string{"number": fmt.Sprint(i)}})
		}
		must(t, s.UpsertVectors(ctx, name, vectors))
		_, err := s.RemoveVectors(ctx, name, []string{"v3"})
		must(t, err)
	}
	var nodes []store.GraphNode
	var edges []store.GraphEdge
	for i := range 20 * size {
		nodes = append(nodes, store.GraphNode{ID: fmt.Sprint("n", i), Labels: []string{"port", "潮"},
			Props: map[string]any{"depth": i}})
		edges = append(edges, store.GraphEdge{Src: fmt.Sprint("n", i), Rel: "near\x01", Dst: fmt.Sprint("n", i*i%7),
			Weight: 0.5 + float64(i), Props: map[string]any{"since": "2020"}})
	}
	must(t, s.UpsertNodes(ctx, nodes))
	must(t, s.UpsertEdges(ctx, edges))
}

func fillRuns(t *testing.T, s Everything, size int) {
	t.Helper()
	ctx := t.Context()
	begun := func(id string, priority runstore.RunPriority) runstore.Lease {
		run, err := s.CreateRun(ctx, runstore.NewRun{ID: id, Agent: "sgr_agent", Caller: "who\x00ever",
			Task: "When is high water at " + id + "?", Request: json.RawMessage(`{"query":"when?"}`),
			Budget: json.RawMessage(`{"tokens":9}`), Priority: priority})
		must(t, err)
		lease := acquire(t, s, run.ID)
		must(t, s.ChangeState(ctx, lease, runstore.RunChange{State: runstore.RunResearching},
			[]runstore.RunEvent{{Type: "step", Data: json.RawMessage(`{"n":1}`)}}))
		for i := range 3 {
			call := runstore.Call{Step: i, Kind: runstore.CallModel, Name: "m",
				Input: json.RawMessage(fmt.Sprintf(`{"of":%q}`, id))}
			begin(t, s, lease, call)
			data := json.RawMessage(`{"text":"noon"}`)
			if i == 1 {
				data = json.RawMessage(bigJSON(uint64(size)))
			}
			must(t, FinishCall(ctx, s, lease, call, runstore.CallResult{
				Data: data, Cost: json.RawMessage(`{"tokens":3}`)}))
		}
		return lease
	}
	for i := range size {
		lease := begun(fmt.Sprintf("sgr_agent_6a1de3e5-0000-4000-8000-1000000000%02d", i%100), "")
		must(t, s.NoteAnswer(ctx, lease.Run, citewell.SHA256([]byte(lease.Run))))
		endRun(t, s, lease)
	}
	waits := begun("sgr_agent_6a1de3e5-0000-4000-8000-000000000002", runstore.PriorityLow)
	must(t, s.ChangeState(ctx, waits, runstore.RunChange{State: runstore.RunWaiting, Detail: "which harbour?"}, nil))
	must(t, s.ReleaseLease(ctx, waits))
	must(t, s.SendMessage(ctx, waits.Run, runstore.RunMessage{
		ID: "m1", Kind: "answer", Data: json.RawMessage(`"all"`)}))
	middle := begun(SuspendedRun, runstore.PriorityHigh)
	// in flight for ever
	begin(t, s, middle, runstore.Call{Step: 9, Kind: runstore.CallTool, Name: "t", Input: json.RawMessage(`1`)})
	must(t, s.ReleaseLease(ctx, middle))
}

// Told is all that the contracts say of a store that Fill has filled, in a form that can be
// compared with what another store says.
func Told(t *testing.T, s Everything, size int) map[string]string {
	t.Helper()
	ctx := t.Context()
	told := map[string]string{}
	tell := func(what string, value any, err error) {
		t.Helper()
		if err != nil {
			value = err.Error()
		}
		data, err := json.Marshal(value)
		must(t, err)
		told[what] = string(data)
	}
	for i := range size {
		url := fmt.Sprintf("https://tides.example/%d", i)
		page, doc, err := s.Snapshot(ctx, url)
		tell("snapshot "+url, []any{page, string(page.Body), doc}, err)
		stamp, err := s.Stamp(ctx, url)
		tell("stamp "+url, stamp, err)
		brief, err := s.Brief(ctx, fmt.Sprintf("brief-%d", i))
		tell("brief "+brief.ID, brief, err)
	}
	documents, err := s.Documents(ctx, store.DocumentQuery{})
	tell("documents", documents, err)
	indexes, err := s.ListIndexes(ctx)
	tell("indexes", indexes, err)
	for _, query := range []store.TextQuery{{Text: "barnacles"}, {Text: "harbour 1"}, {Text: "潮汐"},
		{Index: "notes", Text: "manoeuvre tide"},
		{Index: "notes", Text: "tromso", Filters: []store.Filter{
			{Key: "number", Max: "9"}, {Key: "colour", In: []string{"red"}}}},
		{Index: "notes", Text: `"manœuvre of day"`}, {Index: "notes", Text: Samples[2].Text}} {
		hits, err := s.SearchText(ctx, query)
		tell(fmt.Sprint("text ", query), hits, err)
		n, err := s.CountText(ctx, query)
		tell(fmt.Sprint("count ", query), n, err)
	}
	collections, err := s.Collections(ctx)
	tell("collections", collections, err)
	for _, c := range collections {
		values := make([]float32, c.Dimension)
		values[1], values[2] = 3, -1
		hits, err := s.NearestVectors(ctx, store.VectorQuery{Collection: c.Name, Values: values, K: 15,
			Filters: []store.Filter{{Key: "number", Max: "100"}}, WithText: true, WithValues: true})
		tell("near "+c.Name, hits, err)
	}
	nodes, err := s.FindNodes(ctx, "port", store.Window{})
	tell("nodes", nodes, err)
	for _, node := range nodes {
		edges, err := s.Edges(ctx, store.EdgeQuery{Node: node.ID})
		tell("edges "+node.ID, edges, err)
	}
	near, err := s.Neighbors(ctx, store.NeighborQuery{Node: "n5", Depth: 3, Direction: store.BothWays})
	tell("neighbours", near, err)
	tellRuns(t, s, tell)
	watch, err := s.Watch(ctx, "w\x00")
	tell("watch", watch, err)
	spent, err := s.Spent(ctx, "who\x01\x00ever", noon)
	tell("spent", spent, err)
	turns, err := s.TurnsOn(ctx, "service", noon)
	tell("turns", turns, err)
	return told
}

func tellRuns(t *testing.T, s Everything, tell func(what string, value any, err error)) {
	t.Helper()
	ctx := t.Context()
	runs, _, err := s.ListRuns(ctx, runstore.RunQuery{Words: "high water", Caller: "who\x00ever"})
	for i := range runs {
		runs[i].Token = 0 // rises with a copy
		runs[i].Executor, runs[i].LeaseExpires = "", time.Time{}
	}
	tell("runs", runs, err)
	for _, run := range runs {
		events, err := s.Events(ctx, run.ID, 0, 0)
		tell("events "+run.ID, events, err)
		calls, err := s.Calls(ctx, run.ID)
		tell("calls "+run.ID, calls, err)
		for _, call := range calls {
			record, err := s.LookupCall(ctx, run.ID, call.Key)
			tell("call "+run.ID+" "+call.Key, record, err)
		}
		answered, _, err := s.ListRuns(ctx, runstore.RunQuery{Answer: citewell.SHA256([]byte(run.ID))})
		tell("answer "+run.ID, len(answered), err)
		same, _, err := s.ListRuns(ctx, runstore.RunQuery{SameTask: run.ID})
		tell("same "+run.ID, len(same), err)
	}
}

// GoOn has the suspended run of Fill taken up and brought to its end, and the one that waits
// given its answer: each call that was finished is answered from the journal.
func GoOn(t *testing.T, s Everything) {
	t.Helper()
	ctx := t.Context()
	for range 2 {
		lease, ok, err := s.AcquireNext(ctx, "worker", ttl)
		must(t, err)
		if !ok {
			t.Fatal("no run wants an executor")
		}
		for i := range 3 {
			call := runstore.Call{Step: i, Kind: runstore.CallModel, Name: "m",
				Input: json.RawMessage(fmt.Sprintf(`{"of":%q}`, lease.Run))}
			if got := begin(t, s, lease, call); got.State != runstore.CallDone || string(got.Cost) != `{"tokens":3}` {
				t.Errorf("call %d of %s is to be bought again: %s", i, lease.Run, got.State)
			}
		}
		messages, err := s.TakeMessages(ctx, lease)
		must(t, err)
		if want := lease.Run != SuspendedRun; want != (len(messages) == 1) {
			t.Errorf("%s is given %v", lease.Run, messages)
		}
		if lease.Run == SuspendedRun {
			if got := begin(t, s, lease, runstore.Call{Step: 9, Kind: runstore.CallTool, Name: "t",
				Input: json.RawMessage(`1`)}); got.Attempts != 2 {
				t.Errorf("the call in flight is begun for the %d. time", got.Attempts)
			}
		}
		_, err = s.AppendEvents(ctx, lease, []runstore.RunEvent{{Type: "step", Data: json.RawMessage(`{"n":2}`)}})
		must(t, err)
		must(t, s.ChangeState(ctx, lease, runstore.RunChange{State: runstore.RunResearching}, nil))
		endRun(t, s, lease)
		run := getRun(t, s, lease.Run)
		if events, err := s.Events(ctx, lease.Run, 0, 0); err != nil || int64(len(events)) != cmp.Or(run.Seq, -1) {
			t.Errorf("%s has %d events (%v) and says %d", lease.Run, len(events), err, run.Seq)
		}
	}
	created := newRun(t, s)
	all, _, err := s.ListRuns(ctx, runstore.RunQuery{Limit: 1})
	must(t, err)
	if len(all) != 1 || all[0].ID != created.ID {
		t.Errorf("the newest run is %v, want one made a moment ago", all)
	}
}
