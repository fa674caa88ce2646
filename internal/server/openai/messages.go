package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
)

// Bounds of a conversation.
const (
	maxMessages     = 1000
	maxInstructions = 16 << 10 // bytes of system and developer messages together
	maxHistory      = 48 << 10 // bytes before the task; older messages are left out
	maxToolText     = 8 << 10  // bytes of a tool's result in it
)

// A message is one of a request.
type message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"tool_call_id"`
}

// A part is one of a message's content.
type part struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Refusal  string          `json:"refusal"`
	ImageURL json.RawMessage `json:"image_url"`
	File     *struct {
		Name string `json:"filename"`
		Data string `json:"file_data"`
		ID   string `json:"file_id"`
	} `json:"file"`
}

// A turn is a message as it was read: its words, its images as they were named, and its files.
type turn struct {
	role   string
	text   string
	images []image
	files  []intake.Sent
}

// An image is one as a message names it.
type image struct {
	url, detail, param string
}

// ourBlocks are what a stream in the form of AsDetails showed of a run: nothing of it is what the assistant said.
var ourBlocks = lazyregexp.New(`(?s)<details type="reasoning"[^>]*>.*?</details>\s*`)

// turnsOf reads the messages of a request.
func turnsOf(messages []message) ([]turn, error) {
	if len(messages) > maxMessages {
		return nil, wrong("messages", fmt.Sprintf("there are %d messages; at most %d are taken", len(messages),
			maxMessages), "")
	}
	var all []turn
	for i, m := range messages {
		at := fmt.Sprintf("messages[%d]", i)
		t := turn{role: m.Role}
		switch m.Role {
		case "system", "developer", "user", "assistant", "tool", "function":
		default:
			return nil, wrong(at+".role", at+".role is "+quoted(m.Role),
				"it must be system, developer, user, assistant or tool")
		}
		if err := t.readContent(at+".content", m.Content); err != nil {
			return nil, err
		}
		if len(t.images)+len(t.files) > 0 && m.Role != "user" {
			return nil, wrong(at+".content", "only a user's message may show images and files", "")
		}
		if m.Role == "tool" && m.ToolCallID != "" {
			t.text = "Result of the call " + text.Prefix(m.ToolCallID, 80) + ":\n" + t.text
		}
		all = append(all, t)
	}
	return all, nil
}

// readContent takes the content of a message: a text, parts, or nothing.
func (t *turn) readContent(at string, content json.RawMessage) error {
	content = bytes.TrimSpace(content)
	if len(content) == 0 || string(content) == "null" {
		return nil
	}
	if content[0] == '"' {
		return json.Unmarshal(content, &t.text)
	}
	var parts []part
	if json.Unmarshal(content, &parts) != nil {
		return wrong(at, at+" must be a string or a list of parts", `as in [{"type": "text", "text": "..."}]`)
	}
	var words []string
	for i, p := range parts {
		here := fmt.Sprintf("%s[%d]", at, i)
		switch p.Type {
		case "text":
			words = append(words, p.Text)
		case "refusal":
			words = append(words, p.Refusal)
		case "image_url":
			shown := struct{ URL, Detail string }{}
			if json.Unmarshal(p.ImageURL, &shown.URL) != nil && json.Unmarshal(p.ImageURL, &shown) != nil ||
				shown.URL == "" {
				return wrong(here+".image_url", here+" has no image_url.url",
					"an https URL, or data:image/png;base64,...")
			}
			switch shown.Detail {
			case "", "auto", "low", "high":
			default:
				return wrong(here+".image_url.detail", "detail is "+quoted(shown.Detail),
					"it must be auto, low or high")
			}
			t.images = append(t.images, image{shown.URL, shown.Detail, here + ".image_url"})
		case "file":
			f, err := fileOf(p, here+".file")
			if err != nil {
				return err
			}
			t.files = append(t.files, f)
		default:
			return wrong(here+".type", "a part of the type "+quoted(p.Type)+" is not taken",
				"text, image_url and file are")
		}
	}
	t.text = strings.Join(words, "\n")
	return nil
}

// A conversation is what a run is begun with: the last words of the user, and what was said before them.
type conversation struct {
	task    turn
	history []turn
	files   []intake.Sent // of all messages, in their order
}

// converse finds the task. What stands behind it is left out: it answers nothing.
func converse(all []turn) (conversation, error) {
	last := -1
	for i, t := range all {
		if t.role == "user" && (strings.TrimSpace(t.text) != "" || len(t.images) > 0) {
			last = i
		}
	}
	if last < 0 {
		return conversation{}, wrong("messages", "there is no message of the user with words in it",
			"the last one is the task")
	}
	c := conversation{task: all[last]}
	for _, t := range all[:last+1] {
		c.files = append(c.files, t.files...)
	}
	if strings.TrimSpace(c.task.text) == "" {
		return conversation{}, wrong("messages", "the last message of the user has no words",
			"say what to find out about the image")
	}
	instructions := 0
	for _, t := range all[:last] {
		if t.role == "system" || t.role == "developer" {
			instructions += len(t.text)
		}
		if t.role == "assistant" {
			t.text = ourBlocks.ReplaceAllString(t.text, "")
		}
		if strings.TrimSpace(t.text) != "" || len(t.images) > 0 {
			c.history = append(c.history, t)
		}
	}
	if instructions > maxInstructions {
		return conversation{}, wrong("messages", fmt.Sprintf("the system messages have %d bytes; at most %d are taken",
			instructions, maxInstructions), "")
	}
	c.bound()
	return c, nil
}

// bound leaves out what was said longest ago, instructions excepted.
func (c *conversation) bound() {
	size := 0
	for i := len(c.history) - 1; i >= 0; i-- {
		t := &c.history[i]
		if t.role == "system" || t.role == "developer" {
			continue
		}
		if t.role == "tool" || t.role == "function" {
			t.text = tool.Shorten(t.text, maxToolText)
		}
		if size += len(t.text); size > maxHistory {
			*t = turn{role: t.role}
		}
	}
	kept := c.history[:0]
	for _, t := range c.history {
		if t.text != "" || len(t.images) > 0 {
			kept = append(kept, t)
		}
	}
	c.history = kept
}

// said gives a turn as the agent reads it. Instructions are the caller's words: what
// the agent itself is told stands above them. Results of a caller's own tools are no
// words of the user's, since what they name could then be fetched without asking.
func (t turn) said() agent.Message {
	switch t.role {
	case "system", "developer":
		return agent.Message{Role: agent.RoleUser, Content: "For this conversation:\n" + t.text}
	case "tool", "function", "assistant":
		return agent.Message{Role: agent.RoleAssistant, Content: t.text}
	}
	return agent.Message{Role: agent.RoleUser, Content: t.text}
}

func quoted(s string) string { return strconv.Quote(text.Prefix(s, 80)) }
