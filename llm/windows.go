package llm

import "strings"

// windows are those of model families as their makers publish them, by a part of the name without hyphens, for
// endpoints that do not say. The first that fits counts.
var windows = []struct {
	part   string
	tokens int
}{
	{"gpt4.1", 1_047_576},
	{"gpt5", 400_000},
	{"gpt4o", 128_000},
	{"gpt4turbo", 128_000},
	{"gptoss", 131_072},
	{"gpt432k", 32_768},
	{"gpt4", 8_192},
	{"gpt3.5", 16_385},
	{"claude", 200_000},
	{"gemini", 1_048_576},
	{"deepseek", 65_536},
	{"gemma2", 8_192},
	{"gemma3", 131_072},
	{"llama3.1", 131_072},
	{"llama3.2", 131_072},
	{"llama3.3", 131_072},
	{"llama3", 8_192},
	{"qwen3", 32_768},
	{"qwen2.5", 32_768},
	{"mistrallarge", 131_072},
	{"mistralsmall", 32_768},
	{"mistralnemo", 131_072},
	{"mistral", 32_768},
	{"mixtral", 32_768},
	{"phi4", 16_384},
}

// reasoningWindow is that of OpenAI's o1, o3 and o4.
const reasoningWindow = 200_000

// windowByName is the window of a known family of models; 0 for others.
func windowByName(model string) int {
	name := strings.ReplaceAll(strings.ToLower(model), "-", "")
	for _, family := range windows {
		if strings.Contains(name, family.part) {
			return family.tokens
		}
	}
	base := name[strings.LastIndexByte(name, '/')+1:]
	for _, o := range []string{"o1", "o3", "o4"} {
		if base == o || strings.HasPrefix(base, o+"mini") || strings.HasPrefix(base, o+"p") {
			return reasoningWindow
		}
	}
	return 0
}
