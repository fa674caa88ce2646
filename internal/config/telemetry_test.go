package config

import (
	"strings"
	"testing"

	"github.com/citewell/citewell"
)

// OpenTelemetry's variables are read; what they say to other programs is told of and
// keeps nobody from working.
func TestTelemetryOfTheEnvironment(t *testing.T) {
	load := func(pairs ...string) Loaded {
		t.Helper()
		l, err := Load(Options{Dir: t.TempDir(), Environ: environ(t, pairs...)})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	l := load("OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318",
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=https://other.example/x", "OTEL_EXPORTER_OTLP_HEADERS=a=b",
		"OTEL_SERVICE_NAME=desk",
		"OTEL_RESOURCE_ATTRIBUTES=team=news", "OTEL_TRACES_SAMPLER=traceidratio", "OTEL_TRACES_SAMPLER_ARG=0.25",
		"OTEL_SDK_DISABLED=TRUE",
		"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY", "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
		"OTEL_TRACES_EXPORTER=otlp")
	want := Telemetry{Disabled: true, ServiceName: "desk", Resource: "team=news", Endpoint: "http://collector:4318",
		Traces: Traces{Endpoint: "https://other.example/x", Headers: citewell.NewSecret("a=b"), Sampler: "traceidratio",
			Sample: 0.25, Content: true}}
	had := l.Config.Telemetry
	if equal := had.Traces.Headers.Equal(want.Traces.Headers); !equal {
		t.Error("the headers did not arrive")
	}
	if had.Traces.Headers = want.Traces.Headers; had != want || len(l.Warnings) > 0 {
		t.Errorf("read %+v, warnings %q", had, l.Warnings)
	}
	for pair, word := range map[string]string{
		"OTEL_TRACES_SAMPLER=xray":                                     "telemetry.traces.sampler",
		"OTEL_TRACES_SAMPLER_ARG=endpoint=http://x":                    "telemetry.traces.sample",
		"OTEL_TRACES_SAMPLER_ARG=2":                                    "telemetry.traces.sample",
		"OTEL_SDK_DISABLED=perhaps":                                    "telemetry.disabled",
		"OTEL_EXPORTER_OTLP_ENDPOINT=localhost:4317":                   "telemetry.endpoint",
		"OTEL_EXPORTER_OTLP_PROTOCOL=grpc":                             "sent as http/protobuf",
		"OTEL_TRACES_EXPORTER=zipkin":                                  "no traces are told",
		"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=sometimes": "telemetry.traces.content",
	} {
		l := load(pair)
		off := strings.Contains(pair, "EXPORTER=")
		want := Default().Telemetry
		want.Disabled = Switch(off)
		name, _, _ := strings.Cut(pair, "=")
		if l.Config.Telemetry != want || len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0], word) ||
			!strings.Contains(l.Warnings[0], "env "+name) {
			t.Errorf("%s: %+v, warnings %q", pair, l.Config.Telemetry, l.Warnings)
		}
	}
	if l := load("OTEL_TRACES_EXPORTER=none"); !l.Config.Telemetry.Disabled || len(l.Warnings) > 0 {
		t.Errorf("exporter none: %+v, warnings %q", l.Config.Telemetry, l.Warnings)
	}
}

// The same mistakes in a file are mistakes.
func TestTelemetryOfAFile(t *testing.T) {
	_, err := Load(Options{Dir: workdir(t, map[string]string{
		LocalFile: "telemetry:\n  traces:\n    sampler: xray\n    sample: 2\n    content: sometimes\n"}),
		Environ: environ(t)})
	if err == nil {
		t.Fatal("it was taken")
	}
	for _, said := range []string{"telemetry.traces.sampler is \"xray\"",
		"telemetry.traces.sample is 2; it must be 0 to 1", "telemetry.traces.content must be a switch"} {
		if !strings.Contains(err.Error(), said) {
			t.Errorf("it does not say %q: %v", said, err)
		}
	}
}
