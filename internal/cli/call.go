package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/tool"
	"github.com/spf13/cobra"
)

// callExample shows how a shell passes JSON on.
const callExample = `citewell call web_search '{"query": "go generics"}'`

func newCall(e *env) *cobra.Command {
	var toolset string
	var text bool
	cmd := &cobra.Command{
		Use:   "call TOOL [JSON]",
		Short: "Call one tool with JSON arguments",
		Long: "Calls one tool and prints its result as JSON; an error is one JSON object on stdout, too. The\n" +
			"arguments are a JSON object, or - to read it from standard input. citewell tools TOOL lists\n" +
			"them.",
		Example: `  citewell call web_search '{"query": "go generics", "depth": 2}'` + "\n" +
			`  citewell call --toolset manifold search_query '{"query": "notes"}'`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usage("tool is missing", "as in: citewell call TOOL [JSON]; citewell tools lists them")
			case len(args) > 2:
				return usage(fmt.Sprintf("a tool and one JSON object only, not %d arguments", len(args)),
					"put the JSON in single quotes, as in "+callExample)
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			e.json = !text
			arguments := "{}"
			if len(args) == 2 {
				arguments = args[1]
			}
			if arguments == "-" {
				data, err := io.ReadAll(io.LimitReader(e.stdin, tool.MaxArguments+1))
				if err != nil {
					return &citewell.Error{Code: citewell.CodeInvalidArgument,
						Message: "standard input cannot be read", Err: err}
				}
				arguments = string(data)
			}
			a, set, err := e.openToolset(cmd.Context(), toolset, "")
			if err != nil {
				return err
			}
			defer a.Close()
			return e.call(cmd.Context(), set, args[0], arguments)
		},
	}
	toolsetFlag(cmd, &toolset)
	cmd.Flags().BoolVar(&text, "text", false, "print the result as a model reads it")
	return cmd
}

// call runs one tool and prints what it gives.
func (e *env) call(ctx context.Context, set *tool.Toolset, name, arguments string) error {
	p := e.newProgress("calling " + name)
	caller := tool.Caller{Progress: func(_, _ float64, message string) { p.set(message) }}
	if isTerminal(e.stdin) && isTerminal(e.stderr.w) {
		caller.Confirm = e.confirm
	}
	r, err := set.Call(tool.WithCaller(ctx, caller), name, []byte(arguments))
	p.end()
	if err != nil {
		return err
	}
	for _, note := range r.Notes {
		fmt.Fprintln(e.stderr, "note:", clean(note))
	}
	switch {
	case !e.json:
		err = e.writeMarkdown(strings.TrimRight(r.Text, "\n") + "\n")
	case r.Structured != nil:
		err = e.writeJSON(r.Structured)
	default:
		err = e.writeJSON(map[string]string{"text": r.Text})
	}
	if err == nil && r.Err != nil {
		return alreadyShown{r.Err}
	}
	return err
}

// typed are the lines that a person types. What is typed ahead answers the next question.
type typed struct {
	asking sync.Mutex // one question at a time
	lines  *bufio.Reader
	next   chan string // the line that is being read; who gives up leaves it to the next
}

// readLine begins to read a line, where nobody has begun.
func (t *typed) readLine(from io.Reader) <-chan string {
	if t.lines == nil {
		t.lines = bufio.NewReader(from)
	}
	if t.next == nil {
		next := make(chan string, 1)
		t.next = next
		go func() {
			line, _ := t.lines.ReadString('\n') // an end without an answer is a no
			next <- line
		}()
	}
	return t.next
}

// confirm asks on the terminal; only a yes is one.
func (e *env) confirm(ctx context.Context, q tool.Question) (bool, error) {
	e.typed.asking.Lock()
	defer e.typed.asking.Unlock()
	if err := ctx.Err(); err != nil {
		return false, err
	}
	ended := false
	e.stderr.ask(fmt.Sprintf("Allow %s %s ? [y/N] ", q.Tool, cleanText(string(q.Arguments))))
	defer func() { e.stderr.answered(ended) }()
	select {
	case line := <-e.typed.readLine(e.stdin):
		e.typed.next = nil
		ended = strings.HasSuffix(line, "\n")
		line = strings.ToLower(strings.TrimSpace(line))
		return line == "y" || line == "yes", nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}
