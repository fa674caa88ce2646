package llm_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/testing/modeltest"
	"github.com/citewell/citewell/llm"
)

const fourInJSON = `{"sum":4}`

// An endpoint that refuses a format is asked in the next weaker one; what it takes is
// found once and kept, also by another process.
func TestDecodeFallsBackWhereAFormatIsRefused(t *testing.T) {
	tests := map[string]struct {
		refuses map[string]string
		want    []string
	}{
		"nothing": {nil, []string{"json_schema"}},
		"json_schema": {map[string]string{"response_format": "response_format json_schema is not supported"},
			[]string{"json_schema", "grammar"}},
		"unknown fields": {map[string]string{"response_format": "", "guided_json": "extra inputs are not permitted"},
			[]string{"json_schema", "grammar", "tool"}},
		"tools and those": {map[string]string{"response_format": "", "guided_json": "", "tools": "no tools"},
			[]string{"json_schema", "grammar", "tool", "json_object", "prompt"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := modeltest.Serve(t)
			s.Refuses, s.Script = test.refuses, modeltest.Obeys(fourInJSON, "", test.want[len(test.want)-1])
			cache := &kept{}
			c := ask(t, s, llm.Options{Endpoints: llm.NewEndpoints(llm.EndpointsOptions{Cache: cache})})
			var got sum
			for range 2 {
				if _, err := c.Decode(t.Context(), question, &got); err != nil || got.Sum != 4 {
					t.Fatalf("%+v, %v", got, err)
				}
			}
			last := test.want[len(test.want)-1]
			if want := append(test.want[:len(test.want):len(test.want)], last); !slices.Equal(formats(s), want) {
				t.Errorf("asked in %q, want %q", formats(s), want)
			}
			again := ask(t, s, llm.Options{Endpoints: llm.NewEndpoints(llm.EndpointsOptions{Cache: cache})})
			if again.Format() != last || c.Format() != last {
				t.Errorf("remembered %q and, from the cache, %q, want %q", c.Format(), again.Format(), last)
			}
			if inWords := strings.Contains(s.Asked()[len(s.Asked())-1].Last(), `"sum"`); inWords != (last == "prompt") {
				t.Errorf("the schema in words: %v", inWords)
			}
		})
	}
}

// An endpoint that takes a format and answers as if it were not there is asked
// otherwise, and what helped is remembered.
func TestDecodeFallsBackWhereAFormatIsIgnored(t *testing.T) {
	for _, obeyed := range []string{"tool", "prompt"} {
		s := modeltest.Serve(t)
		s.Script = modeltest.Obeys(fourInJSON, "It is four.", obeyed)
		c := ask(t, s, llm.Options{})
		var got sum
		reply, err := c.Decode(t.Context(), question, &got)
		if err != nil || got.Sum != 4 || c.Format() != obeyed {
			t.Errorf("%s: %+v %v by %s after %q", obeyed, got, err, c.Format(), formats(s))
		}
		if reply.Tries != len(s.Asked()) || reply.OutputTokens != 10*reply.Tries {
			t.Errorf("%s: %d tries with %d tokens, %d requests", obeyed, reply.Tries, reply.OutputTokens,
				len(s.Asked()))
		}
		last := s.Asked()[len(s.Asked())-1]
		if text := asJSON(t, last.Body["messages"]); !strings.Contains(text, "It is four.") ||
			!strings.Contains(text, "no whole JSON") {
			t.Errorf("%s: the model is not shown its answer and what is wrong: %s", obeyed, text)
		}
	}
	s := modeltest.Serve(t, modeltest.Says(""), modeltest.Says(fourInJSON))
	var got sum
	if _, err := ask(t, s, llm.Options{}).Decode(t.Context(), question, &got); err != nil || got.Sum != 4 {
		t.Errorf("after an empty answer: %v", err)
	}
}

func TestDecodeTriesFiveTimesAtMost(t *testing.T) {
	s := modeltest.Serve(t, modeltest.Says("no idea"))
	got := sum{Sum: 7}
	reply, err := ask(t, s, llm.Options{}).Decode(t.Context(), question, &got)
	if !errors.Is(err, llm.ErrSchema) || citewell.CodeOf(err) != citewell.CodeModelFailed ||
		len(s.Asked()) != llm.MaxTries || reply.Tries != llm.MaxTries {
		t.Errorf("%v after %d requests", err, len(s.Asked()))
	}
	if got.Sum != 7 {
		t.Error("an answer that does not fit must not be decoded")
	}
	few := question
	few.Tries = 2
	s = modeltest.Serve(t, modeltest.Says("no idea"))
	if _, err := ask(t, s, llm.Options{}).Decode(t.Context(), few, &got); !errors.Is(err, llm.ErrSchema) ||
		len(s.Asked()) != 2 {
		t.Errorf("%v after %d requests, want 2", err, len(s.Asked()))
	}
	poor := question
	poor.TokenBudget = 60 // one try takes 20; the next would ask some 60 more
	s = modeltest.Serve(t, modeltest.Says("no idea"))
	if reply, err := ask(t, s, llm.Options{}).Decode(t.Context(), poor, &got); !errors.Is(err, llm.ErrSchema) ||
		len(s.Asked()) != 1 || reply.InputTokens+reply.OutputTokens > 60 {
		t.Errorf("%v after %d requests with %d tokens", err, len(s.Asked()), reply.InputTokens+reply.OutputTokens)
	}
}

func TestDecodeOfAnAnswerThatIsCut(t *testing.T) {
	cut := modeltest.Stops(`{"sum":`, "length")
	s := modeltest.Serve(t, cut, cut, modeltest.Says(fourInJSON))
	r := question
	r.MaxTokens, r.GrowTo = 100, 300
	var got sum
	reply, err := ask(t, s, llm.Options{MaxTokens: 8000}).Decode(t.Context(), r, &got)
	if err != nil || got.Sum != 4 || reply.Tries != 3 {
		t.Fatalf("%+v %+v %v", got, reply, err)
	}
	for i, want := range []float64{100, 200, 300} {
		if limit := s.Asked()[i].Body["max_tokens"]; limit != want {
			t.Errorf("try %d may take %v tokens, want %v", i+1, limit, want)
		}
	}
	s = modeltest.Serve(t, cut)
	if _, err := ask(t, s, llm.Options{}).Decode(t.Context(), question, &got); !errors.Is(err, llm.ErrLength) ||
		len(s.Asked()) != 1 {
		t.Errorf("without leave to grow: %v after %d requests", err, len(s.Asked()))
	}
	s = modeltest.Serve(t, modeltest.Stops(strings.Repeat("\n\t", 9000), "length"))
	if _, err := ask(t, s, llm.Options{MaxTokens: 8000}).Decode(t.Context(), r, &got); !errors.Is(err,
		llm.ErrRepetition) || len(s.Asked()) != 1 {
		t.Errorf("endless white space: %v after %d requests", err, len(s.Asked()))
	}
}

// step is a schema as an agent's: bounds that servers do not enforce, and a choice of
// variants told apart by a constant.
const step = `{"type":"object","additionalProperties":false,"required":["why","steps","act"],"properties":{
 "why":{"type":"string","minLength":3,"maxLength":40},
 "steps":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string"}},
 "mood":{"type":"string","enum":["calm","bold"]},
 "sure":{"type":"number","minimum":0,"maximum":1},
 "act":{"anyOf":[{"$ref":"#/$defs/search"},{"$ref":"#/$defs/finish"}]}},
 "$defs":{
  "search":{"type":"object","additionalProperties":false,"required":["tool","query"],"properties":{"tool":{"const":"search"},"query":{"type":"string","pattern":"\\S"}}},
  "finish":{"type":"object","additionalProperties":false,"required":["tool","answer"],"properties":{"tool":{"const":"finish"},"answer":{"type":"string"}}}}}`

func TestDecodeSaysAllThatIsWrong(t *testing.T) {
	good := `{"why":"because","steps":["a"],"act":{"tool":"search","query":"q"}}`
	tests := map[string]struct {
		answer string
		want   []string
	}{
		"lengths and counts": {`{"why":"x","steps":[],"act":{"tool":"search","query":"q"}}`,
			[]string{"why must have 3 to 40 characters; it has 1", "steps must have 1 to 2 items; it has 0"}},
		"too much": {`{"why":"` + strings.Repeat("x", 41) +
			`","steps":["a","b","c"],"sure":1.5,"act":{"tool":"search","query":"q"}}`,
			[]string{"it has 41", "steps must have 1 to 2 items; it has 3", "sure must be from 0 to 1; it is 1.5"}},
		"enum": {`{"why":"because","steps":["a"],"mood":"sad","act":{"tool":"search","query":"q"}}`,
			[]string{`mood must be one of calm, bold; it is "sad"`}},
		"missing and more": {`{"why":"because","act":{"tool":"search","query":"q"},"plan":1}`,
			[]string{"steps is required", "plan is unknown"}},
		"the variant meant": {`{"why":"because","steps":["a"],"act":{"tool":"finish","query":"q"}}`,
			[]string{"act.answer is required", "act.query is unknown"}},
		"items": {`{"why":"because","steps":["a",2],"act":{"tool":"search","query":"q"}}`,
			[]string{"steps[1] must be a string, not the number 2"}},
		"a blank": {`{"why":"because","steps":["a"],"act":{"tool":"search","query":" "}}`,
			[]string{"act.query is required and may not be blank"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := modeltest.Serve(t, modeltest.Says(test.answer), modeltest.Says(good))
			var got struct{ Why string }
			r := user("next?")
			r.Schema = json.RawMessage(step)
			if _, err := ask(t, s, llm.Options{}).Decode(t.Context(), r, &got); err != nil || got.Why != "because" ||
				len(s.Asked()) != 2 {
				t.Fatalf("%+v %v after %d requests", got, err, len(s.Asked()))
			}
			for _, want := range test.want {
				if said := s.Asked()[1].Last(); !strings.Contains(said, want) {
					t.Errorf("the repair says %q, want %q", said, want)
				}
			}
		})
	}
}

// A schema that leads back to itself, as a stranger's tool may have one, is told of and does
// not end the process.
func TestDecodeOfAnEndlessSchema(t *testing.T) {
	s := modeltest.Serve(t, modeltest.Says(`{"a":1}`))
	r := user("?")
	r.Tries, r.Schema = 1, json.RawMessage(
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"allOf":[{"$ref":"#/$defs/a"}]}}}`)
	var got map[string]any
	if _, err := ask(t, s, llm.Options{}).Decode(t.Context(), r, &got); !errors.Is(err, llm.ErrSchema) ||
		!strings.Contains(err.Error(), "a cannot be checked") {
		t.Errorf("%v, %v", got, err)
	}
}

// A list that is said to be null is empty, and what need not be there may be null.
func TestDecodeTakesNullForNothing(t *testing.T) {
	s := modeltest.Serve(t, modeltest.Says(`{"list":null,"note":null,"big":12345678901234567890}`))
	var got struct {
		List []string
		Note *string
		Big  json.Number
	}
	r := user("?")
	r.Schema = json.RawMessage(
		`{"type":"object","required":["list"],"properties":{"list":{"type":"array","items":{"type":"string"}},"note":{"type":"string"},"big":{"type":"number"}}}`)
	if _, err := ask(t, s, llm.Options{}).Decode(t.Context(), r, &got); err != nil || got.List == nil ||
		got.Note != nil {
		t.Errorf("%+v %v", got, err)
	}
}

func TestDecodeReadsWhatModelsWrite(t *testing.T) {
	for name, written := range map[string]string{
		"fenced":             "Sure:\n```json\n{\"sum\": 4}\n```\nDone.",
		"among words":        `The answer is {"sum": 4}, as {you} see.`,
		"after another":      `Given {"a": 1} we get {"sum": 4}`,
		"trailing comma":     `{"sum": 4,}`,
		"single quotes":      `{'sum': 4}`,
		"no quotes":          `{sum: 4}`,
		"comment":            "{\"sum\": 4 // two and two\n}",
		"in a string":        `"{\"sum\": 4}"`,
		"byte order mark":    "\ufeff{\"sum\":4}",
		"thoughts":           "<think>{\"sum\": 5}</think>{\"sum\": 4}",
		"thoughts unopened":  "it is {\"sum\": 5}</think>\n{\"sum\": 4}",
		"thinking":           "<thinking>hm</thinking>{\"sum\": 4}",
		"curly quotes":       `{“sum”: 4}`,
		"fence without end":  "```json\n{\"sum\": 4}",
		"spaces around":      "\n\n  {\n\t\"sum\" : 4 }  ",
		"float without rest": `{"sum": 4.0}`,
	} {
		s := modeltest.Serve(t, modeltest.Says(written))
		got := struct{ Sum float64 }{}
		if _, err := ask(t, s, llm.Options{}).Decode(t.Context(), question, &got); err != nil || got.Sum != 4 ||
			len(s.Asked()) != 1 {
			t.Errorf("%s: %+v %v after %d requests", name, got, err, len(s.Asked()))
		}
	}
	for name, written := range map[string]string{
		"cut":                `{"sum": 4`,
		"cut in a string":    `{"a": "b`,
		"a list":             `[{"a": 4}]`,
		"another name":       `{"total": 4}`,
		"words":              "four",
		"deep":               strings.Repeat(`{"a":`, 5000),
		"many braces":        strings.Repeat("{", 100_000),
		"quotes that do not": `{'sum: 4}`,
	} {
		s := modeltest.Serve(t, modeltest.Says(written))
		r := question
		r.Tries = 1
		var got sum
		if _, err := ask(t, s, llm.Options{}).Decode(t.Context(), r, &got); !errors.Is(err, llm.ErrSchema) {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
}

// Who wants to hear of the writing gets the same JSON, asked for as a stream.
func TestDecodeTellsOfTheWriting(t *testing.T) {
	for name, refuses := range map[string]map[string]string{"streams": nil, "no usage": {"stream_options": ""}} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.Serve(t)
			s.Refuses, s.Script = refuses, modeltest.Obeys(fourInJSON, "", "json_schema")
			heard := 0
			q := question
			q.Writing = func() { heard++ }
			var got sum
			if _, err := ask(t, s, llm.Options{}).Decode(t.Context(), q, &got); err != nil || got.Sum != 4 ||
				heard == 0 {
				t.Errorf("%+v, heard %d times: %v", got, heard, err)
			}
			if asked := s.Asked(); !asked[len(asked)-1].Streams() {
				t.Error("it was not asked as a stream")
			}
			heard = 0
			if _, err := ask(t, s, llm.Options{}).Decode(t.Context(), question, &got); err != nil || heard != 0 ||
				s.Asked()[len(s.Asked())-1].Streams() {
				t.Errorf("without: heard %d times, %v", heard, err)
			}
		})
	}
}
