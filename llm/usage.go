package llm

import "encoding/json"

// usage is what the endpoint counted.
type usage struct{ input, output, cached, reasoning int }

// read takes what is given; servers that count as they write give more than once.
func (u *usage) read(raw json.RawMessage) {
	var given struct {
		Prompt        float64 `json:"prompt_tokens"`
		Completion    float64 `json:"completion_tokens"`
		CacheHit      float64 `json:"prompt_cache_hit_tokens"` // DeepSeek's
		PromptDetails *struct {
			Cached float64 `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		CompletionDetails *struct {
			Reasoning float64 `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	}
	if !said(raw) || json.Unmarshal(raw, &given) != nil {
		return
	}
	if given.PromptDetails != nil {
		given.CacheHit = max(given.CacheHit, given.PromptDetails.Cached)
	}
	reasoning := 0.0
	if given.CompletionDetails != nil {
		reasoning = given.CompletionDetails.Reasoning
	}
	whole := func(v float64) int { return int(min(max(v, -1), 1<<40)) }
	*u = usage{whole(given.Prompt), whole(given.Completion), whole(given.CacheHit), whole(reasoning)}
}
