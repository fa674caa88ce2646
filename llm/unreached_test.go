package llm_test

import (
	"net"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/llm"
)

// An endpoint that is not there is named, with the place where its address is set.
func TestUnreached(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := listener.Addr().String()
	listener.Close()
	guard, err := egress.NewGuard(egress.Options{})
	if err != nil {
		t.Fatal(err)
	}
	chat, err := llm.New(llm.Options{BaseURL: "http://" + at + "/v1", Model: "m", Guard: guard})
	if err != nil {
		t.Fatal(err)
	}
	embeddings, err := llm.NewEmbeddings(llm.EmbeddingOptions{
		BaseURL: "http://" + at + "/v1", Model: "m", Guard: guard})
	if err != nil {
		t.Fatal(err)
	}
	_, chatErr := chat.Decode(t.Context(), question, new(sum))
	_, embedErr := embeddings.Embed(t.Context(), []string{"x"})
	for what, err := range map[string]error{"the model's endpoint": chatErr, "the embedding endpoint": embedErr} {
		view := citewell.View(err)
		if view.Code != citewell.CodeConnectFailed || view.Message != what+" at "+at+
			" cannot be reached: no connection to the host" || !strings.Contains(view.Hint, "base_url") {
			t.Errorf("%s: %+v", what, view)
		}
	}
}
