package llm

import (
	"context"
	"crypto/sha256"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer/codec"
)

// How a conversation is counted beside its text. Endpoints add a few tokens around each message; an image costs 85 to
// some 1,500 tokens, and is counted as a large one.
const (
	tokensOfMessage = 4
	tokensOfImage   = 1500
)

// Bounds of what is counted with the tokenizer, piece by piece, since its time grows with the square of a text's
// length. A longer text is estimated.
const (
	maxCounted = 256 << 10
	countPiece = 4 << 10
)

// o200k is the tokenizer of OpenAI's models since gpt-4o, read in some 25 ms when the first text is counted. Other
// models' are close to it; how close is learned from what their endpoints report.
var o200k = sync.OnceValue(codec.NewO200kBase)

// CountTokens counts the tokens of a text as OpenAI's models since gpt-4o do.
func CountTokens(text string) int {
	if len(text) > maxCounted {
		return estimateTokens(text)
	}
	n := 0
	for len(text) > 0 {
		end := min(countPiece, len(text))
		for end < len(text) && end > countPiece-utf8.UTFMax && !utf8.RuneStart(text[end]) {
			end--
		}
		n += pieces.count(text[:end])
		text = text[end:]
	}
	return n
}

// maxPieces bounds what is remembered of counts, at some 50 bytes each.
const maxPieces = 1 << 14

// pieces are what was counted lately: every call of a conversation counts again all that was said before.
var pieces = counts{known: map[[sha256.Size]byte]int{}}

// counts remembers how many tokens a piece of text has.
type counts struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]int
}

func (c *counts) count(piece string) int {
	key := sha256.Sum256([]byte(piece))
	c.mu.Lock()
	n, ok := c.known[key]
	c.mu.Unlock()
	if ok {
		return n
	}
	n, err := o200k().Count(piece)
	if err != nil {
		n = estimateTokens(piece)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= maxPieces {
		clear(c.known)
	}
	c.known[key] = n
	return n
}

// estimateTokens counts by the script of the letters: a token is some four Latin
// letters, two of other alphabets, and each of Han, Kana and Hangul is nearly one.
func estimateTokens(text string) int {
	quarters := 0
	for _, r := range text {
		switch {
		case r < 0x250:
			quarters++
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul), !unicode.IsLetter(r):
			quarters += 4
		default:
			quarters += 2
		}
	}
	return (quarters + 3) / 4
}

// tokensOf counts what a request asks: its messages, tools and schema.
func tokensOf(r Request) int {
	n := 3 // what the answer begins with
	for _, m := range r.Messages {
		n += tokensOfMessage + CountTokens(m.Content) + tokensOfImage*len(m.Images)
		for _, call := range m.ToolCalls {
			n += tokensOfMessage + CountTokens(call.Name) + CountTokens(string(call.Arguments))
		}
	}
	for _, t := range r.Tools {
		n += 2*tokensOfMessage + CountTokens(t.Name) + CountTokens(t.Description) + CountTokens(string(t.Parameters))
	}
	return n + CountTokens(string(r.Schema))
}

// Count returns how many tokens the model will read for a request, corrected by how the endpoint counted before.
func (c *Client) Count(ctx context.Context, r Request) int {
	return corrected(tokensOf(r), c.known.traitsNow(ctx).Ratio)
}

func corrected(counted int, ratio float64) int {
	if ratio == 0 {
		return counted
	}
	return int(float64(counted)*ratio + 0.5)
}

// How far an endpoint's count may be from ours to be believed: templates and foreign tokenizers account for a factor of
// two. Short requests say nothing, since a template may be longer than they are.
const (
	ratioLeast   = 1.0 / 3
	ratioMost    = 3.0
	ratioCounted = 200 // tokens
)

// counted completes a reply's usage: what the endpoint did not count, or cannot have
// counted, is counted here. Where it did, it is learned from.
func (c *Client) counted(reply *Reply, asked int, r Request) {
	if reply.Tries == 0 {
		return // there was no answer
	}
	slack := ratioCounted + tokensOfImage*images(r)
	believed := func(said, ours int) bool {
		return said > 0 && float64(said) <= ratioMost*float64(ours)+float64(slack) &&
			float64(said)+float64(slack) >= ratioLeast*float64(ours)
	}
	if !believed(reply.InputTokens, asked) {
		reply.InputTokens, reply.CachedTokens, reply.Estimated = asked, 0, true
	} else if asked >= ratioCounted && images(r) == 0 {
		c.known.learnRatio(min(max(float64(reply.InputTokens)/float64(asked), ratioLeast), ratioMost))
	}
	written := CountTokens(reply.Text) + CountTokens(reply.Thinking)
	for _, call := range reply.ToolCalls {
		written += CountTokens(call.Name) + CountTokens(call.written)
	}
	// Hidden reasoning is paid for and not shown: more than we see is believed, up to what no model writes.
	if reply.OutputTokens < 0 || reply.OutputTokens == 0 && written > 0 || reply.OutputTokens > 1<<20 {
		reply.OutputTokens, reply.ReasoningTokens, reply.Estimated = written, 0, true
	}
	reply.CachedTokens = min(max(reply.CachedTokens, 0), reply.InputTokens)
	reply.ReasoningTokens = min(max(reply.ReasoningTokens, 0), reply.OutputTokens)
}

func images(r Request) (n int) {
	for _, m := range r.Messages {
		n += len(m.Images)
	}
	return n
}
