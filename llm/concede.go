package llm

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
)

// What an endpoint refuses beside whole fields.
const (
	refusedNamed    = "tool_choice of one tool"
	refusedRequired = "tool_choice required"
)

// concessions are the fields that are left out, or put in another way, for an endpoint that says it does not take them.
// What is asked for stays the same, but for the figures that only steer how.
var concessions = []string{"stream_options", "parallel_tool_calls", "tool_choice", "max_tokens",
	"max_completion_tokens", "temperature", "reasoning_effort"}

// notTaken are words by which an endpoint says that it does not know a field, as against a value out of its range.
var notTaken = []string{"support", "unknown", "unrecognized", "unexpected", "not permitted", "not allowed",
	"extra inputs", "extra fields", "invalid param", "does not accept", "use '"}

// concede says whether the request is worth another try without what the endpoint refuses, and remembers that.
func (c *Client) concede(ctx context.Context, err error, body map[string]any) bool {
	refusal, ok := errors.AsType[statusError](err)
	if !ok || refusal.status != http.StatusBadRequest && refusal.status != http.StatusUnprocessableEntity &&
		refusal.status != http.StatusNotImplemented {
		return false
	}
	said := strings.ToLower(refusal.said)
	for _, field := range concessions {
		value, sent := body[field]
		if !sent || refusal.param != field && !mentions(said, field) {
			continue
		}
		unknown := slices.ContainsFunc(notTaken, func(word string) bool { return strings.Contains(said, word) })
		switch {
		case field != "tool_choice" && !unknown:
			continue
		case field != "tool_choice", value == ToolAuto, value == ToolNone:
		case value == ToolRequired:
			field = refusedRequired
		default:
			field = refusedNamed
		}
		c.known.learn(ctx, func(t *traits) {
			if !slices.Contains(t.Refused, field) {
				t.Refused = append(t.Refused, field)
			}
		})
		return true
	}
	return false
}

// mentions says whether a field's name stands in a text as a whole word.
func mentions(said, field string) bool {
	for {
		before, after, found := strings.Cut(said, field)
		if !found {
			return false
		}
		inWord := func(s string, i int) bool {
			return i >= 0 && i < len(s) && (s[i] == '_' || 'a' <= s[i] && s[i] <= 'z')
		}
		if !inWord(before, len(before)-1) && !inWord(after, 0) {
			return true
		}
		said = after
	}
}
