package trace_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/testing/otlptest"
	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/citewell/citewell/internal/trace"
	"github.com/google/go-cmp/cmp"
)

// What is sent is what the published schema of OTLP would write, field by field.
func TestPublishedSchema(t *testing.T) {
	source, err := realpart.Source()
	scripts, home := filepath.Join(source, "..", "..", "scripts"), ""
	if err == nil {
		home, err = realpart.Home("otlp-schema", scripts, []string{"otlp-schema.txt"}, filepath.Join("bin", "python"))
	}
	realpart.Need(t, "the published schema of OTLP", err)

	c := otlptest.Serve(t)
	r := tracer(t, c.URL+"/v1/traces", nil)
	ctx, server := r.Start(r.Continue(t.Context(), incoming), "GET /x", trace.Server)
	r.Record(ctx, "chat m", trace.Client, time.Minute, "timeout", trace.Attr{Key: "text", Value: "é"},
		trace.Attr{Key: "no", Value: false}, trace.Attr{Key: "n", Value: -7},
		trace.Attr{Key: "f", Value: 0.5}, trace.Attr{Key: "list", Value: []string{"x", "y"}})
	server.End("")
	r.Close(t.Context())

	var in, said bytes.Buffer
	bodies, _, _ := c.Requests()
	for _, body := range bodies {
		fmt.Fprintln(&in, hex.EncodeToString(body))
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(home, "bin", "python"),
		filepath.Join(scripts, "otlp-schema.py"))
	cmd.Stdin, cmd.Stderr = &in, &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, said.String())
	}
	type span struct {
		Trace      string `json:"trace_id"` // bytes stand in base64
		Parent     string `json:"parent_span_id"`
		Name, Kind string
		Flags      uint32
		Began      string `json:"start_time_unix_nano"`
		Attributes []struct {
			Key   string
			Value map[string]any
		}
		Status struct{ Code string }
	}
	read := map[string]span{}
	for _, line := range bytes.Split(bytes.TrimSpace(out), []byte("\n")) {
		var request struct {
			Resources []struct {
				Resource struct{ Attributes []map[string]any }
				Scopes   []struct {
					Scope struct{ Name, Version string }
					Spans []span
				} `json:"scope_spans"`
			} `json:"resource_spans"`
		}
		if err := json.Unmarshal(line, &request); err != nil {
			t.Fatal(err)
		}
		for _, of := range request.Resources {
			if len(of.Resource.Attributes) != 1 || of.Scopes[0].Scope.Name != trace.Scope ||
				of.Scopes[0].Scope.Version != "1.2.3" {
				t.Errorf("told as from %+v", of)
			}
			for _, s := range of.Scopes[0].Spans {
				read[s.Name] = s
			}
		}
	}
	id := func(of string) string {
		raw, err := hex.DecodeString(of)
		if err != nil {
			t.Fatal(err)
		}
		return base64.StdEncoding.EncodeToString(raw)
	}
	chat, request := read["chat m"], read["GET /x"]
	if len(read) != 2 || chat.Trace != id(incoming[3:35]) || request.Trace != chat.Trace ||
		request.Parent != id(incoming[36:52]) {
		t.Fatalf("read as %+v", read)
	}
	if chat.Kind != "SPAN_KIND_CLIENT" || request.Kind != "SPAN_KIND_SERVER" ||
		chat.Status.Code != "STATUS_CODE_ERROR" || request.Status.Code != "" || request.Flags != 0x301 ||
		chat.Began == "" {
		t.Errorf("read as %+v", read)
	}
	attributes := map[string]any{}
	for _, a := range chat.Attributes {
		attributes[a.Key] = a.Value
	}
	text := func(s string) any { return map[string]any{"string_value": s} }
	if diff := cmp.Diff(map[string]any{"text": text("é"), "no": map[string]any{"bool_value": false},
		"n": map[string]any{"int_value": "-7"}, "f": map[string]any{"double_value": 0.5},
		"list":       map[string]any{"array_value": map[string]any{"values": []any{text("x"), text("y")}}},
		"error.type": text("timeout")}, attributes); diff != "" {
		t.Error("attributes, wanted and read:", diff)
	}
}
