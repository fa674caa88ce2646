package replay_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/envelope"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/replay"
	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/llm"
)

const key = "sk-3vK8-never-to-be-seen"

func options() replay.Options {
	return replay.Options{Redact: func(s string) string { return citewell.NewSecret(key).Hide(s) },
		IsSecret: httpwire.NamesSecret, Classify: httpwire.Classify, Version: "test"}
}

// A conversation with a model, whole and in pieces, with a tool call, a refusal for the
// moment, a stream that breaks and an error, is the same without the model. The text
// from outside stands in envelopes, whose boundaries are new each time.
func TestAModelIsReplayed(t *testing.T) {
	server := modeltest.Serve(t,
		modeltest.Says("Good day."),
		modeltest.Busy(http.StatusServiceUnavailable, ""), modeltest.Thinks("Let me see.",
			"The barrage is 2.4 km long, say those who built it."),
		modeltest.Asks(modeltest.Call{ID: "c1", Name: "tide", Arguments: `{"place":"Hallvik"}`}),
		modeltest.Cut(modeltest.Says("A story about a heron that never ends, since the line broke."), 900, false),
		modeltest.Fails(http.StatusBadRequest, "this model does not do that"),
	)
	converse := func(guard *egress.Guard, apiKey string) (said []string) {
		c, err := llm.New(llm.Options{BaseURL: server.Base(), Model: "scripted", APIKey: citewell.NewSecret(apiKey),
			Guard: guard})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		tools := []llm.Tool{{Name: "tide", Description: "Says when the tide comes."}}
		for i, stream := range []bool{false, true, true, true, false} {
			foreign := envelope.NewEnvelope()
			r := llm.Request{Messages: []llm.Message{{Role: "system", Content: foreign.Rules()},
				{Role: "user", Content: foreign.Wrap("page", fmt.Sprintf("page %d", i))}}, Tools: tools}
			var pieces strings.Builder
			var reply llm.Reply
			if stream {
				reply, err = c.Stream(t.Context(), r, func(d llm.Delta) { fmt.Fprintf(&pieces, "%+v|", d) })
			} else {
				reply, err = c.Chat(t.Context(), r)
			}
			if reply.Estimated { // a broken answer has no usage, and the boundary's letters count
				reply.InputTokens = 0
			}
			said = append(said, fmt.Sprintf("%+v\n%s\n%s %v", reply, pieces.String(), citewell.CodeOf(err), err))
		}
		return said
	}
	name := filepath.Join(t.TempDir(), "model.jsonl")
	recorder, err := replay.Create(name, options())
	if err != nil {
		t.Fatal(err)
	}
	guard, err := egress.NewGuard(egress.Options{Wrap: recorder.Wrap,
		AllowNetworks: egress.MustParseNetworks("127.0.0.0/8")})
	if err != nil {
		t.Fatal(err)
	}
	want := converse(guard, key)
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	asked := len(server.Asked())
	if asked != 6 || !strings.Contains(want[1], "2.4 km") || !strings.Contains(want[2], "Hallvik") {
		t.Errorf("the model was asked %d times: %q", asked, want)
	}

	player, err := replay.Open(name, options())
	if err != nil {
		t.Fatal(err)
	}
	server.Script = modeltest.InOrder(modeltest.Says("Nobody may ask me."))
	if guard, err = egress.NewGuard(egress.Options{Wrap: player.Wrap, Offline: true}); err != nil {
		t.Fatal(err)
	}
	for i, got := range converse(guard, "the-key-of-somebody-else") {
		if got != want[i] {
			t.Errorf("replayed %s\nrecorded %s", got, want[i])
		}
	}
	if err := player.Err(); err != nil || player.Rest() != 0 || len(server.Asked()) != asked {
		t.Errorf("after the replay: %v, %d left, the model was asked %d times more", err, player.Rest(),
			len(server.Asked())-asked)
	}

	c, err := llm.New(llm.Options{BaseURL: server.Base(), Model: "scripted", Guard: guard})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Chat(context.Background(), llm.Request{Messages: []llm.Message{
		{Role: "user", Content: "Something else."}}})
	if citewell.CodeOf(err) != citewell.CodeNotRecorded || !strings.Contains(err.Error(),
		"whose body differs from byte") {
		t.Errorf("another question: %v", err)
	}
}
