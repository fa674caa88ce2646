package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/agent/internal/door"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/tool"
)

// What stays as it is when older steps are compacted: the last messages, and lines that number a source.
const (
	keptMessages  = 4
	compactedSize = 400 // bytes of an older result beside its sources
	wrapping      = 400 // bytes that a result may gain when it is wrapped anew
)

// envelopeMark begins or ends foreign words: those that are wrapped anew get others.
var envelopeMark = lazyregexp.New(`<<<(?:DATA|END) [^\n]*>>>`)

var sourceLine = lazyregexp.New(`(?m)^\[\d{1,4}\] .*$`)

// fit brings the conversation within the model's window. Older results are shortened first, oldest first, each with its
// sources; then the descriptions of the tools, once for the rest of the run; then the older calls as well; of the last
// results no more goes than has to: they are what the model is about to write from. A call and its result are never
// parted. With each further try less is kept.
func (r *run) fit(ctx context.Context, q Request, more []Message, try int) {
	window := r.o.Model.Window(ctx)
	if window <= 0 {
		window = defaultWindow
	}
	room := window/(1<<(try-1)) - min(q.MaxTokens, window/4)
	size := func() int {
		q.Messages = append(r.messages(q.weighs), more...)
		return r.size(q)
	}
	if size() <= room {
		return
	}
	before := size()
	tail := r.tail(keptMessages)
	for i := range tail {
		if m := &r.conversation[i]; m.Role == RoleTool && len(m.Content) > compactedSize {
			m.Content = r.compacted(m.Content, 0)
			if size() <= room {
				break
			}
		}
	}
	if size() > room {
		r.system = r.briefly()
	}
	for i := 0; i < tail && size() > room; i++ {
		m := &r.conversation[i]
		if m.Role == RoleTool { // which is short by now
			continue
		}
		m.Content = tool.Shorten(m.Content, max(compactedSize/2,
			len(strings.Join(sourceLine.FindAllString(m.Content, -1), "\n"))+100))
		m.Calls = slices.Clone(m.Calls)
		for k := range m.Calls {
			m.Calls[k].Arguments = []byte(tool.Shorten(string(m.Calls[k].Arguments), compactedSize))
		}
	}
	for i := tail; i < len(r.conversation) && size() > room; i++ {
		if m := &r.conversation[i]; m.Role == RoleTool && len(m.Content) > 4*compactedSize {
			// a token is taken for three bytes
			m.Content = r.compacted(m.Content, len(m.Content)-3*(size()-room)-wrapping)
		}
	}
	if after := size(); after < before {
		r.tell("compacted", "", "", fmt.Sprintf("%d of %d tokens", after, before))
	}
}

// inShort is a conversation in which calls before the message at end have no reasons. With results those before it are
// the numbers of their sources, and where a source is first named its title, and with addresses its address.
func (r *run) inShort(conversation []Message, end int, results, addresses bool) []Message {
	conversation = slices.Clone(conversation)
	listed := map[string]bool{}
	for i := range conversation[:max(end, 0)] {
		m := &conversation[i]
		m.Calls = slices.Clone(m.Calls)
		for k := range m.Calls {
			m.Calls[k].Arguments = without(m.Calls[k].Arguments, "reasoning")
		}
		if !results || m.Role != RoleTool || len(m.Content) <= compactedSize {
			continue
		}
		var known, fresh []string
		for _, line := range sourceLine.FindAllString(m.Content, -1) {
			number, title, _ := strings.Cut(line, " ")
			if known = append(known, number); listed[number] {
				continue
			}
			if at := strings.LastIndex(title, " - "); at >= 0 && !addresses {
				title = title[:at]
			}
			fresh, listed[number] = append(fresh, number+" "+title), true
		}
		if len(known) == 0 {
			fresh = []string{tool.Shorten(strings.TrimSpace(envelopeMark.ReplaceAllString(m.Content, "")),
				compactedSize/2)}
		}
		m.Content = "In short: " + strings.Join(known, " ")
		if len(fresh) > 0 {
			m.Content += "\n" + r.door.Again(door.Ours("in short"), strings.Join(fresh, "\n")).Shown()
		}
	}
	return conversation
}

// compacted is an older result: what it said of its sources, and the beginning of the rest, of at most so many bytes in
// all where the sources leave room. What comes from outside is wrapped anew, since its marks may have been cut.
func (r *run) compacted(content string, most int) string {
	lines := sourceLine.FindAllString(content, -1)
	rest := tool.Shorten(strings.TrimSpace(sourceLine.ReplaceAllString(content, "")),
		max(compactedSize/2, most-len(strings.Join(lines, "\n"))))
	return r.door.Again(door.Ours("an earlier result, compacted; its sources can still be cited"),
		strings.Join(append(lines, rest), "\n")).Shown()
}
