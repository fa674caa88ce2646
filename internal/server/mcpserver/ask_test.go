package mcpserver_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/tool"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// asker is a toolset with one tool that asks a person for a while, and what it is told.
func asker(wait time.Duration, taken chan<- string) *tool.Toolset {
	return &tool.Toolset{Name: "test", Tools: []*tool.Tool{
		tool.New(tool.Spec{Name: "ask", Title: "Ask", Description: "Asks."},
			func(ctx context.Context, in echoInput) (echoOutput, error) {
				ask := tool.CallerOf(ctx).Ask
				if ask == nil {
					return echoOutput{Said: []string{"nobody to ask"}}, nil
				}
				within, cancel := context.WithTimeout(ctx, wait)
				defer cancel()
				err := ask(within, tool.Inquiry{Key: in.Text, Text: "Which " + in.Text + "?",
					Take: func(_ context.Context, said string) error {
						taken <- said
						return nil
					}})
				switch {
				case err == nil:
					return echoOutput{Said: []string{"answered"}}, nil
				case errors.Is(err, tool.ErrAsking):
					return echoOutput{}, err
				}
				return echoOutput{Said: []string{"not answered"}}, nil
			})}}
}

func askFor(t *testing.T, session *mcp.ClientSession, what string) string {
	t.Helper()
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "ask", Arguments: map[string]any{"text": what}})
	if err != nil {
		t.Fatal(err)
	}
	return text(t, r)
}

func TestAsking(t *testing.T) {
	for name, test := range map[string]struct {
		answer mcp.ElicitResult
		want   string
		taken  string
		again  bool // the next call asks again
	}{
		"answered": {answer: mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": " the deep one "}},
			want: "answered", taken: "the deep one", again: true},
		"declined":  {answer: mcp.ElicitResult{Action: "decline"}, want: "not answered"},
		"dismissed": {answer: mcp.ElicitResult{Action: "cancel"}, want: "not answered"},
		"blank": {answer: mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "  "}},
			want: "not answered"},
	} {
		t.Run(name, func(t *testing.T) {
			taken, asked := make(chan string, 10), make(chan string, 10)
			o := &mcp.ClientOptions{ElicitationHandler: func(_ context.Context,
				r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				asked <- r.Params.Message
				return &test.answer, nil
			}}
			overEach(t, asker(time.Minute, taken), o, func(t *testing.T, session *mcp.ClientSession) {
				for range 2 {
					if got := askFor(t, session, "lake"); got != `{"said":["`+test.want+`"]}` {
						t.Errorf("it says %s", got)
					}
					if test.taken != "" && <-taken != test.taken {
						t.Error("something else was taken")
					}
				}
				if got := <-asked; got != "Which lake?" {
					t.Errorf("the person was asked %q", got)
				}
				if again := len(asked) > 0; again != test.again {
					t.Errorf("asked again: %v", again)
				}
				for len(asked) > 0 {
					<-asked
				}
			})
		})
	}
	overEach(t, asker(time.Minute, nil), nil, func(t *testing.T, session *mcp.ClientSession) {
		if got := askFor(t, session, "lake"); !strings.Contains(got, "nobody to ask") {
			t.Errorf("it says %s", got)
		}
	})
}

// In the protocols before the newest a form may be open longer than the call: nobody is
// shown it twice, and the answer is taken when it comes.
func TestAnsweredLate(t *testing.T) {
	taken, shown, answer := make(chan string, 1), make(chan struct{}, 10), make(chan struct{})
	o := &mcp.ClientOptions{ElicitationHandler: func(ctx context.Context,
		_ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		shown <- struct{}{}
		select {
		case <-answer:
		case <-ctx.Done():
		}
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "the deep one"}}, nil
	}}
	session := connections["http_older"](t, asker(50*time.Millisecond, taken), o)
	for i := range 2 {
		if got := askFor(t, session, "lake"); !strings.Contains(got, "not answered") {
			t.Errorf("it says %s", got)
		}
		if i > 0 {
			continue
		}
		select {
		case <-shown:
		case <-time.After(time.Minute):
			t.Fatal("the form was not shown")
		}
	}
	close(answer)
	select {
	case said := <-taken:
		if said != "the deep one" {
			t.Errorf("it took %q", said)
		}
	case <-time.After(time.Minute):
		t.Error("the answer was lost")
	}
	if len(shown) > 0 {
		t.Error("the form was shown twice")
	}
}
