package config

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/citewell/citewell"
)

// Telemetry is what is told to a collector of OpenTelemetry; nothing without an endpoint.
type Telemetry struct {
	Disabled    Switch `yaml:"disabled"`
	ServiceName string `yaml:"service_name"`
	Resource    string `yaml:"resource"` // name=value, of what the process is, between commas; values as in URLs
	Endpoint    string `yaml:"endpoint"` // a collector's base URL, to which /v1/traces is added
	Traces      Traces `yaml:"traces"`
}

// Traces are the spans that are told.
type Traces struct {
	Endpoint string          `yaml:"endpoint"` // the whole URL; goes before telemetry.endpoint
	Headers  citewell.Secret `yaml:"headers"`  // name=value between commas, values as in URLs
	Sampler  string          `yaml:"sampler" oneof:"always_on always_off traceidratio parentbased_always_on parentbased_always_off parentbased_traceidratio"`
	Sample   float64         `yaml:"sample"`  // of traces, 0 to 1, for the samplers that end in traceidratio
	Content  Switch          `yaml:"content"` // tell queries and whole URLs
}

// A Switch is true or false, also in the words that OpenTelemetry's variables have.
type Switch bool

// UnmarshalText reads true, false or what stands for them.
func (s *Switch) UnmarshalText(b []byte) error {
	switch strings.ToLower(string(b)) {
	case "true", "span_only", "span_and_event":
		*s = true
	case "false", "no_content", "event_only":
		*s = false
	default:
		return fmt.Errorf("%.60q is neither true nor false", b)
	}
	return nil
}

// meantFor says whether a value of one of OpenTelemetry's variables is one that Citewell knows. The variables are those
// of every program on a machine: what others are told in them keeps nobody from working.
func meantFor(key, value string) bool {
	switch key {
	case "telemetry.disabled", "telemetry.traces.content":
		return new(Switch).UnmarshalText([]byte(value)) == nil
	case "telemetry.traces.sampler":
		f, _ := fieldOf(reflect.TypeFor[Traces](), "sampler")
		return slices.Contains(strings.Fields(f.Tag.Get("oneof")), value)
	case "telemetry.traces.sample":
		ratio, err := strconv.ParseFloat(value, 64)
		return err == nil && ratio >= 0 && ratio <= 1
	case "telemetry.endpoint", "telemetry.traces.endpoint":
		u, err := url.Parse(value)
		return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
	}
	return true
}

// unspoken says which exporter or protocol the environment wants that there is none of.
// Where it wants no exporter of ours, nothing is told.
func (e environment) unspoken(root *node) (warnings []string) {
	const exporter = "OTEL_TRACES_EXPORTER"
	if v := e.get(exporter); v != "" && !slices.Contains(strings.Split(v, ","), "otlp") {
		root.set([]string{"telemetry", "disabled"}, &node{value: "true", text: true, origin: e.origin(exporter)})
		if v != "none" {
			warnings = append(warnings, fmt.Sprintf("%s: there is no exporter %.40q; no traces are told (otlp "+
				"tells them)", e.origin(exporter), v))
		}
		return warnings
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if v := e.get(name); v != "" {
			if v != "http/protobuf" {
				warnings = append(warnings, fmt.Sprintf("%s: %.40q is not spoken; traces are sent as http/protobuf",
					e.origin(name), v))
			}
			return warnings
		}
	}
	return warnings
}

// EachPair reads name=value,name=value with values as they stand in URLs.
func EachPair(s string, f func(name, value string)) error {
	for pair := range strings.SplitSeq(s, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || name == "" || err != nil {
			return fmt.Errorf("config: no pair of a name and a value")
		}
		f(name, value)
	}
	return nil
}
