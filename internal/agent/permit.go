package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/agent/internal/door"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/internal/weburl"
)

// permitted refuses what foreign words could have talked the model into, where no person allows it: a call that acts,
// and one that tells others what only private texts say. A call that the journal has the end of was permitted when it
// was made, by the rules of that day, and is not judged again. confirmed says that the user was asked for the word that
// the operator or the tool wants of a person, and gave it.
func (r *run) permitted(ctx context.Context, t *tool.Tool, arguments json.RawMessage) (confirmed bool, err error) {
	told := r.tellsOthers(t, arguments)
	secrets, asks := r.door.Secrets(told...), r.asksToAct(ctx, t, arguments)
	why, hint := r.objection(t, arguments)
	if made, err := r.wasMade(ctx, t, arguments, why != (door.Text{}) || asks || len(secrets) > 0); err != nil {
		return false, err
	} else if !made {
		if err = r.mayAct(ctx, t, arguments, asks, why, hint); err == nil {
			err = r.mayTell(ctx, t, arguments, secrets)
		}
		if err != nil {
			return false, err
		}
	}
	r.door.Tell(told...)
	return asks, nil
}

// asksToAct says whether the user is asked for the word that the operator or the tool itself wants of a person before
// this call: where nobody else can be, and not about a call that cannot be made.
func (r *run) asksToAct(ctx context.Context, t *tool.Tool, arguments json.RawMessage) bool {
	return r.o.Allow == nil && !isOwn(t) && r.extra().Asks(t) && r.mayAsk() && fits(ctx, t, arguments) == nil
}

// mayAsk says whether the user can be asked one thing more.
func (r *run) mayAsk() bool {
	return r.o.Ask != nil && r.clarifications < r.o.Limits.MaxClarifications
}

// mayAct refuses a call that acts where a person should decide about it, for a reason or
// since one asks to, and does not allow it.
func (r *run) mayAct(ctx context.Context, t *tool.Tool, arguments json.RawMessage, asks bool,
	why, hint door.Text) error {
	objects := why != (door.Text{})
	if !objects {
		why, hint = door.Ours("it acts on something, and a person has to allow it"), door.Ours("go another way")
	}
	allowed, err := !objects, error(nil)
	switch {
	case asks:
		allowed, err = r.saysYes(ctx, "/act", t, arguments, why)
	case objects && r.o.Allow != nil:
		allowed, err = r.allowed(ctx, "/allow", t, arguments, why)
	}
	if allowed && err == nil {
		return nil
	}
	r.barred(t.Name, r.actsBy(t))
	return cmp.Or(err, door.Refuse(citewell.CodeConfirmationRequired,
		door.Ours("%s was not called: %s", door.Name(t.Name), why), hint))
}

// mayTell refuses a call that tells others these words of private texts, where no person allows it.
func (r *run) mayTell(ctx context.Context, t *tool.Tool, arguments json.RawMessage, secrets []string) error {
	if len(secrets) == 0 {
		return nil
	}
	why := door.Ours("it would tell others what only private texts say: %s", door.Echo(strings.Join(secrets, ", ")))
	ask := r.o.PrivateWords != tool.Deny
	allowed, err := false, error(nil)
	switch {
	case ask && r.o.Allow != nil:
		allowed, err = r.allowed(ctx, "/tell", t, arguments, why)
	case ask && r.mayAsk():
		allowed, err = r.saysYes(ctx, "/yes", t, arguments, why)
	}
	if allowed || err != nil {
		return err
	}
	r.barred(t.Name, "search.private_words")
	return door.Refuse(citewell.CodeBlockedByPolicy, door.Ours("%s was not called: %s", door.Name(t.Name), why),
		r.wayOut(t))
}

// barred notes by which setting an operator could have let a call be made that was refused; there may be none.
func (r *run) barred(name, setting string) {
	if setting == "" {
		return
	}
	if r.bars == nil {
		r.bars = map[string]string{}
	}
	r.bars[setting] = name
}

// actsBy is the setting by which the operator says that a tool changes nothing, where it
// counts as acting on something in a run that has read untrusted text; empty where that is
// not why it is refused. A server's word is not taken for it, which it may not have given.
func (r *run) actsBy(t *tool.Tool) string {
	switch {
	case !r.door.Tainted(t) || t.Hints.ReadOnly || t.Origin.Setting == "":
		return ""
	case t.Origin.Foreign:
		return t.Origin.Setting + ".read_only_tools"
	}
	return t.Origin.Setting + ".read_only"
}

// wayOut says what helps against words that may not be told.
func (r *run) wayOut(t *tool.Tool) door.Text {
	const otherwise = "use words of the task and of public pages; the operator decides by search.private_words"
	if t.Origin.Setting == "" {
		return door.Ours(otherwise)
	}
	return door.Ours(otherwise+", and by %s.private says of whom this need not be kept", door.Name(t.Origin.Setting))
}

// tellsOthers is what a call tells others, unless anybody may hear it. An address that is known is known as a whole.
func (r *run) tellsOthers(t *tool.Tool, arguments json.RawMessage) []string {
	tells := t.TellsOthers() || len(stringsOf(arguments, "base_url")) > 0
	if isOwn(t) {
		tells = t.Name == WebSearchTool && !r.o.SearchesHere
		arguments = without(arguments, "reasoning") // which stays here; another's tool is sent it
	}
	if !tells || r.o.PrivateWords == tool.Allow {
		return nil
	}
	var told []string
	for _, s := range textsIn(arguments) {
		if !r.seen[weburl.Canonical(s)] {
			told = append(told, s)
		}
	}
	return told
}

// allowed asks a person about a call, once for each phase of it: a yes to the one question is none to the other.
func (r *run) allowed(ctx context.Context, phase string, t *tool.Tool, arguments json.RawMessage,
	why door.Text) (bool, error) {
	return outside(ctx, r, Call{Key: r.key + phase, Kind: CallAnswer, Name: t.Name, Request: arguments},
		func(ctx context.Context) (bool, error) {
			r.clock.stop()
			defer r.clock.start()
			return r.o.Allow(ctx, tool.Question{Tool: t.Name, Arguments: arguments, Why: why.Told()})
		})
}

// maxToldOf bounds how much of a call's arguments a question shows, in bytes.
const maxToldOf = 2000

// saysYes asks the user in words about a call, where answers are words: for each phase of it a question of its own.
func (r *run) saysYes(ctx context.Context, phase string, t *tool.Tool, arguments json.RawMessage,
	why door.Text) (bool, error) {
	r.clarifications++
	q := Question{Run: r.id, Number: r.clarifications, Kind: QuestionConfirmation, Tool: t.Name,
		Arguments: json.RawMessage(tool.Shorten(string(arguments), maxToldOf)), Why: why.Told()}
	if phase != "/yes" { // which has the call's own key
		q.Key = r.key + phase
	}
	q.Text = fmt.Sprintf("May I call %s with %s? %s. Say yes, or anything else for no.", t.Name,
		tool.Shorten(oneLine(string(arguments)), maxToldOf), why.Told())
	q.Questions = []string{q.Text}
	said, err := r.hears(ctx, r.key+phase, q)
	return err == nil && strings.EqualFold(strings.TrimSpace(said.Text), "yes"), err
}

// wasMade says whether the journal has the end of a call that would be judged, and counts
// the questions that the user was asked about it.
func (r *run) wasMade(ctx context.Context, t *tool.Tool, arguments json.RawMessage, judged bool) (bool, error) {
	if !judged {
		return false, nil
	}
	known := map[string]bool{}
	for _, phase := range []string{"/tool", "/search", "/act", "/yes"} {
		_, has, err := r.o.Journal.Lookup(ctx, Call{Key: r.key + phase, Name: t.Name, Request: arguments})
		if err != nil {
			return false, &brokenError{fmt.Errorf("agent: journal: %w", err)}
		}
		known[phase] = has
	}
	made := known["/tool"] || known["/search"]
	for _, phase := range []string{"/act", "/yes"} {
		if made && known[phase] {
			r.clarifications++
		}
	}
	return made, nil
}

// AnotherWay begins the hint to a refused call whose rest is for the operator.
const AnotherWay = "go another way; "

// objection says why a person should decide about a call, and what would allow it: an
// address that is from nowhere, and after foreign words were read, anything that acts or
// chooses where a key or a header goes. It is empty where nothing speaks against it.
func (r *run) objection(t *tool.Tool, arguments json.RawMessage) (why, hint door.Text) {
	if isOwn(t) {
		return door.Text{}, door.Text{}
	}
	hint = door.Ours("go another way; a person would have to allow it")
	tainted := r.door.Tainted(t)
	for _, u := range append(stringsOf(arguments, "url"), stringsOf(arguments, "urls")...) {
		if !r.mayFetch(u) {
			why = door.Ours("its address is in none of the user's words, search results and pages read")
		}
	}
	for _, name := range []string{"base_url", "headers"} {
		if tainted && len(stringsOf(arguments, name)) > 0 {
			why = door.Ours("%s comes from a run that has read untrusted text", door.Name(name))
		}
	}
	if tainted && !t.Hints.ReadOnly {
		why = door.Ours("the run has read untrusted text, and this acts on something")
		if setting := r.actsBy(t); setting != "" {
			hint = door.Ours(AnotherWay+"the operator can say that it changes nothing, by %s", door.Name(setting))
		}
	}
	return why, hint
}

// textsIn are all strings of a JSON value, names of fields too, and its numbers.
func textsIn(value json.RawMessage) []string {
	var all []string
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return all
		}
		switch v := token.(type) {
		case string:
			all = append(all, v)
		case json.Number:
			all = append(all, v.String())
		}
	}
}

// stringsOf are the strings of one argument, a string or a list; of any other value it is the JSON.
func stringsOf(arguments json.RawMessage, name string) []string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(arguments, &fields) != nil || fields[name] == nil {
		return nil
	}
	value := fields[name]
	var one string
	if json.Unmarshal(value, &one) == nil {
		return []string{one}
	}
	var many []string
	if json.Unmarshal(value, &many) == nil {
		return many
	}
	return []string{string(value)}
}
