package agent

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/agent/internal/door"
	"github.com/citewell/citewell/tool"
)

// permitted refuses what foreign words could have talked the model into, where no person
// allows it. A call that the journal has the end of was permitted when it was made, by the
// rules of that day, and is not judged again.
func (r *run) permitted(ctx context.Context, t *tool.Tool, arguments json.RawMessage) error {
	if isOwn(t) {
		return nil
	}
	why, hint := r.objection(t, arguments)
	if why == (door.Text{}) {
		return nil
	}
	made, err := r.wasMade(ctx, Call{Key: r.key + "/tool", Kind: CallTool, Name: t.Name, Request: arguments})
	if made || err != nil {
		return err
	}
	if r.o.Allow != nil {
		allowed, err := outside(ctx, r, Call{Key: r.key + "/allow", Kind: CallAnswer, Name: t.Name, Request: arguments}, func(ctx context.Context) (bool, error) {
			r.clock.stop()
			defer r.clock.start()
			return r.o.Allow(ctx, tool.Question{Tool: t.Name, Arguments: arguments})
		})
		if allowed || err != nil {
			return err
		}
	}
	return door.Refuse(citewell.CodeConfirmationRequired, door.Ours("%s was not called: %s", door.Name(t.Name), why), hint)
}

// wasMade says whether the journal has the end of a call.
func (r *run) wasMade(ctx context.Context, c Call) (bool, error) {
	_, made, err := r.o.Journal.Lookup(ctx, c)
	if err != nil {
		err = &brokenError{fmt.Errorf("agent: journal: %w", err)}
	}
	return made, err
}

// objection says why a person should decide about a call, and what would allow it: an
// address that is from nowhere, and after foreign words were read, anything that acts or
// chooses where a key or a header goes. It is empty where nothing speaks against it.
func (r *run) objection(t *tool.Tool, arguments json.RawMessage) (why, hint door.Text) {
	hint = door.Ours("go another way; a person would have to allow it")
	tainted := r.door.Tainted(t)
	var fields map[string]json.RawMessage
	if json.Unmarshal(arguments, &fields) == nil {
		for name, value := range fields {
			switch name {
			case "url", "urls":
				for _, u := range stringsIn(value) {
					if !r.mayFetch(u) {
						why = door.Ours("its address is in none of the user's words, search results and pages read")
					}
				}
			case "base_url", "headers":
				if tainted {
					why = door.Ours("%s comes from a run that has read untrusted text", door.Name(name))
				}
			}
		}
	}
	if tainted && !t.Hints.ReadOnly {
		why = door.Ours("the run has read untrusted text, and this acts on something")
		if t.Origin.Foreign {
			hint = door.Ours("go another way; the operator can say which tools of this server change nothing, by %s.read_only or read_only_tools", door.Name(t.Origin.Setting))
		}
	}
	return why, hint
}

// stringsIn are the strings of a JSON string or list.
func stringsIn(value json.RawMessage) []string {
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
