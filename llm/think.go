package llm

import "strings"

// thinkMarks stand around what a model thinks aloud.
var thinkMarks = []struct{ open, close string }{{"<think>", "</think>"}, {"<thinking>", "</thinking>"}}

// apart separates what a model thought aloud from its answer.
func apart(content string) (text, thinking string) {
	for _, mark := range thinkMarks {
		open := strings.Index(content, mark.open)
		// Some servers strip the opening mark and leave the closing one.
		if end := strings.Index(content, mark.close); end >= 0 && (open < 0 || end < open) {
			rest, further := apart(content[end+len(mark.close):])
			return strings.TrimSpace(rest), joinThoughts(content[:end], further)
		}
		if open < 0 {
			continue
		}
		before, rest := content[:open], content[open+len(mark.open):]
		thought, after, closed := strings.Cut(rest, mark.close)
		if !closed {
			return strings.TrimSpace(before), strings.TrimSpace(rest)
		}
		after, further := apart(after)
		return strings.TrimSpace(before + after), joinThoughts(thought, further)
	}
	return content, ""
}

func joinThoughts(a, b string) string {
	return strings.TrimSpace(strings.TrimSpace(a) + "\n" + strings.TrimSpace(b))
}

// A splitter does as apart does, piece by piece, and holds back what may begin a mark. A closing mark without an
// opening one is passed over; what came before it has been told already.
type splitter struct {
	held  string
	close string // the mark that ends the thought; empty outside of one
}

func (s *splitter) push(d Delta) Delta {
	if d.Content == "" {
		return d
	}
	text := s.held + d.Content
	s.held, d.Content = "", ""
	for text != "" {
		at, mark, next := len(text), "", ""
		find := func(candidate, then string) {
			if i := strings.Index(text, candidate); i >= 0 && i < at {
				at, mark, next = i, candidate, then
			}
		}
		if s.close != "" {
			find(s.close, "")
		} else {
			for _, m := range thinkMarks {
				find(m.open, m.close)
				find(m.close, "")
			}
		}
		plain := text[:at]
		if mark == "" {
			keep := len(plain) - partial(plain)
			plain, s.held = plain[:keep], plain[keep:]
		}
		if s.close != "" {
			d.Reasoning += plain
		} else {
			d.Content += plain
		}
		if mark == "" {
			break
		}
		s.close, text = next, text[at+len(mark):]
	}
	return d
}

// rest is what was held back when the answer ended.
func (s *splitter) rest() Delta {
	held := s.held
	s.held = ""
	if s.close != "" {
		return Delta{Reasoning: held}
	}
	return Delta{Content: held}
}

// partial is how many bytes at the end of a text may begin a mark.
func partial(text string) int {
	longest := 0
	for _, m := range thinkMarks {
		for _, mark := range []string{m.open, m.close} {
			for n := min(len(mark)-1, len(text)); n > longest; n-- {
				if strings.HasSuffix(text, mark[:n]) {
					longest = n
					break
				}
			}
		}
	}
	return longest
}
