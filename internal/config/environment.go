package config

import (
	"fmt"
	"slices"
	"strings"
)

// known are the names that users of such tools already have, and the keys they
// stand for. Where two stand for one key, the first that is set wins.
var known = []struct{ name, key string }{
	{"OPENAI_API_KEY", "llm.api_key"},
	{"OPENAI_BASE_URL", "llm.base_url"},
	{"SUMMARIZER_FALLBACK_MODEL", "brief.fallback_model"},
	{"CITEWELL_CONTACT", "contact"},
	{"TAVILY_API_KEY", "search.providers.tavily.api_key"},
	{"EXA_API_KEY", "search.providers.exa.api_key"},
	{"OPENALEX_API_KEY", "search.providers.openalex.api_key"},
	{"SEMANTIC_SCHOLAR_API_KEY", "search.providers.semanticscholar.api_key"},
	{"S2_API_KEY", "search.providers.semanticscholar.api_key"},
	{"CORE_API_KEY", "search.providers.core.api_key"},
	{"BRAVE_API_KEY", "search.providers.brave.api_key"},
	{"BRAVE_SEARCH_API_KEY", "search.providers.brave.api_key"},
	{"GOOGLE_API_KEY", "search.providers.google.api_key"},
	{"GOOGLE_CSE_ID", "search.providers.google.cse_id"},
	{"GOOGLE_CX_KEY", "search.providers.google.cse_id"},
	{"SERPAPI_API_KEY", "search.providers.serpapi.api_key"},
	{"MARGINALIA_API_KEY", "search.providers.marginalia.api_key"},
	{"GITHUB_TOKEN", "search.providers.github.api_key"},
	{"STACKEXCHANGE_API_KEY", "search.providers.stackexchange.api_key"},
	{"SEARXNG_URL", "search.providers.searxng.base_url"},
	{"SEARXNG_QUERY_URL", "search.providers.searxng.base_url"},
	{"OPENWEATHER_API_KEY", "weather.api_key"},
	{"OTEL_SDK_DISABLED", "telemetry.disabled"},
	{"OTEL_SERVICE_NAME", "telemetry.service_name"},
	{"OTEL_RESOURCE_ATTRIBUTES", "telemetry.resource"},
	{"OTEL_EXPORTER_OTLP_ENDPOINT", "telemetry.endpoint"},
	{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "telemetry.traces.endpoint"},
	{"OTEL_EXPORTER_OTLP_TRACES_HEADERS", "telemetry.traces.headers"},
	{"OTEL_EXPORTER_OTLP_HEADERS", "telemetry.traces.headers"},
	{"OTEL_TRACES_SAMPLER", "telemetry.traces.sampler"},
	{"OTEL_TRACES_SAMPLER_ARG", "telemetry.traces.sample"},
	{"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "telemetry.traces.content"},
}

const (
	ownPrefix = "CITEWELL__" // CITEWELL__SECTION__KEY, any depth
	sgrPrefix = "SGR__"      // SGR__SECTION__FIELD, weaker than our own names
)

// environment is the process environment over the .env file: what the process was given wins.
type environment struct {
	process, dotenv map[string]string
}

func newEnvironment(environ []string, dotenv map[string]string) environment {
	e := environment{process: map[string]string{}, dotenv: dotenv}
	for _, pair := range environ {
		if name, value, ok := strings.Cut(pair, "="); ok {
			e.process[name] = value
		}
	}
	return e
}

func (e environment) get(name string) string {
	if v, ok := e.process[name]; ok {
		return v
	}
	return e.dotenv[name]
}

func (e environment) origin(name string) string {
	if _, ok := e.process[name]; ok {
		return "env " + name
	}
	return ".env " + name
}

// names lists every name that is set and begins with prefix, in order.
func (e environment) names(prefix string) []string {
	var names []string
	for _, set := range []map[string]string{e.process, e.dotenv} {
		for name := range set {
			if strings.HasPrefix(name, prefix) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// maxSecretFile bounds a file that holds one secret.
const maxSecretFile = 64 << 10

// value gives what a name stands for: its own value, or the content of the file
// that NAME_FILE points to. Both unset or empty is no value.
func (e environment) value(name string) (value, origin string, err error) {
	if v := e.get(name); v != "" {
		return v, e.origin(name), nil
	}
	file := e.get(name + "_FILE")
	if file == "" {
		return "", "", nil
	}
	origin = e.origin(name + "_FILE")
	content, err := readBounded(file, maxSecretFile)
	if err != nil {
		return "", origin, invalid(origin, "cannot read the file it names")
	}
	return strings.TrimSpace(string(content)), origin, nil
}

// tree turns the environment into settings: the names that others use, under SGR's own, under Citewell's.
func (e environment) tree() (root *node, warnings []string, err error) {
	root = section("environment")
	for _, k := range slices.Backward(known) { // the first name is set last and so wins
		value, origin, err := e.value(k.name)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case value == "":
		case meantFor(k.key, value):
			root.set(strings.Split(k.key, "."), &node{value: value, text: true, origin: origin})
		default:
			warnings = append(warnings, fmt.Sprintf("%s: %.60q says nothing for %s, which stays as it is", origin,
				withoutPassword(value), k.key))
		}
	}
	warnings = append(warnings, e.unspoken(root)...)
	for _, prefix := range []string{sgrPrefix, ownPrefix} {
		for _, name := range e.names(prefix) {
			path := strings.Split(strings.ToLower(strings.TrimPrefix(name, prefix)), "__")
			setting := name
			if last := len(path) - 1; strings.HasSuffix(path[last], "_file") {
				if _, own := settingAt(path); !own {
					path[last] = strings.TrimSuffix(path[last], "_file")
					setting = strings.TrimSuffix(name, "_FILE")
				}
			}
			value, origin, err := e.value(setting)
			if err != nil {
				return nil, nil, err
			}
			if value != "" {
				root.set(path, &node{value: value, text: true, origin: origin})
			}
		}
	}
	return root, warnings, nil
}
