package llm

import (
	"regexp"
	"strings"
)

// windows are those of model families as their makers publish them, for endpoints that
// do not say. The first that fits counts. A local server often gives a model less; it
// is asked first.
var windows = []struct {
	name   *regexp.Regexp
	tokens int
}{
	{regexp.MustCompile(`gpt-4\.1`), 1_047_576},
	{regexp.MustCompile(`gpt-5`), 400_000},
	{regexp.MustCompile(`^(?:openai/)?o[134](?:-|$)`), 200_000},
	{regexp.MustCompile(`gpt-4o|gpt-4-turbo|chatgpt-4o|gpt-oss`), 128_000},
	{regexp.MustCompile(`gpt-4-32k`), 32_768},
	{regexp.MustCompile(`gpt-4`), 8_192},
	{regexp.MustCompile(`gpt-3\.5`), 16_385},
	{regexp.MustCompile(`claude`), 200_000},
	{regexp.MustCompile(`gemini`), 1_048_576},
	{regexp.MustCompile(`deepseek`), 65_536},
	{regexp.MustCompile(`gemma-?2`), 8_192},
	{regexp.MustCompile(`gemma-?3`), 131_072},
	{regexp.MustCompile(`llama-?3\.[1-3]`), 131_072},
	{regexp.MustCompile(`llama-?3`), 8_192},
	{regexp.MustCompile(`qwen-?3`), 32_768},
	{regexp.MustCompile(`qwen-?2\.5`), 32_768},
	{regexp.MustCompile(`mistral-(?:large|medium|small|nemo)`), 131_072},
	{regexp.MustCompile(`mistral|mixtral`), 32_768},
	{regexp.MustCompile(`phi-?4`), 16_384},
}

// windowByName is the window of a known family of models; 0 for others.
func windowByName(model string) int {
	name := strings.ToLower(model)
	for _, family := range windows {
		if family.name.MatchString(name) {
			return family.tokens
		}
	}
	return 0
}
