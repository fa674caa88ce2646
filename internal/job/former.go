package job

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/extract"
	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
	"github.com/citewell/citewell/internal/siteclass"
	"github.com/citewell/citewell/internal/weburl"
)

// maxHistory bounds in bytes what a run that goes on from another takes over of the
// conversation before it; what was said longest ago is left out.
const maxHistory = 48 << 10

// goOn fills in what a Start takes from the run that it goes on from: the conversation, where it is to look, and the
// agent where none is named, or that one. not_found where there is no such run, run_not_ready while it has not ended.
func (d *Desk) goOn(ctx context.Context, s *Start) (Definition, error) {
	run, err := d.runs.Run(ctx, s.From)
	if err != nil {
		return Definition{}, err
	}
	if !run.State.Ended() {
		return Definition{}, &citewell.Error{Code: citewell.CodeRunNotReady, Op: "runs",
			Message: "the run to continue from has not ended: it is " + string(run.State),
			Hint:    "wait for its end; if it asks a question, answer it"}
	}
	q, err := requestOf(run)
	if err != nil {
		return Definition{}, err
	}
	result, err := resultOf(ctx, d.runs, run)
	if err != nil {
		return Definition{}, err
	}
	if s.private = result.Private; s.History == nil {
		s.History = conversation(q, result)
	}
	if s.Choices.IsZero() {
		s.Choices = q.Choices
	}
	definition, err := d.Agent(cmp.Or(s.Agent, d.agentAfter(run)))
	if definition.Name == q.Agent.Name { // what it may search and read is as it was
		definition.Parts = q.Agent.Parts
	}
	return definition, err
}

// AgentFor gives the name of the agent that Start begins a run with: the named one; else, for a
// run that goes on from another, the agent of that one where it can go on; else the default. An
// id that is made of the agent's name is made of this one. Start refuses a name that no agent has,
// and an empty one, which is given where no agent can be used. not_found where there is no such run.
func (d *Desk) AgentFor(ctx context.Context, name, from string) (string, error) {
	if from != "" {
		run, err := d.runs.Run(ctx, from)
		if err != nil {
			return "", err
		}
		name = cmp.Or(name, d.agentAfter(run))
	}
	if agents := d.Agents(); name == "" && len(agents) > 0 {
		name = agents[0].Name
	}
	return name, nil
}

// agentAfter names the agent of a run where it can go on from that run: it is still configured,
// and it has a model, since without one it reads no conversation. Empty is the default agent.
func (d *Desk) agentAfter(run runstore.Run) string {
	if d, err := find(d.agents, run.Agent); err != nil || d.Model == "" {
		return ""
	}
	return run.Agent
}

// conversation is what was said until the end of a run.
func conversation(q request, r agent.Result) []agent.Message {
	said := append(q.History, agent.Message{Role: agent.RoleUser, Content: q.Task},
		agent.Message{Role: agent.RoleAssistant, Content: published(r)})
	size := 0
	for i := len(said) - 1; i >= 0; i-- {
		said[i].Images = nil
		if size += len(said[i].Content); size > maxHistory && i < len(said)-1 {
			return said[i+1:]
		}
	}
	return said
}

// published is what a run came to in words: its report, and the answer where that is another text.
func published(r agent.Result) string {
	if r.Report == nil || r.Report.Content == r.Answer {
		return r.Answer
	}
	return strings.TrimSpace("# " + r.Report.Title + "\n\n" + r.Report.Content + "\n\n" + r.Answer)
}

// known gives the sources that a run has from its beginning, with the texts that they are
// cited by: those of the run that it goes on from, and its files.
func (x *Executor) known(ctx context.Context, run runstore.Run, q request) (list []agent.Former, err error) {
	var sources []citewell.Source
	if q.From != "" {
		if sources, err = x.former(ctx, q.From); err != nil {
			return nil, err
		}
	}
	for _, f := range q.Files {
		if !slices.ContainsFunc(sources, func(s citewell.Source) bool { return s.URL == f.URL }) {
			class, host := siteclass.ClassLocal, weburl.Host(f.URL)
			if host != "" {
				class = siteclass.Class(host)
			}
			sources = append(sources, citewell.Source{N: len(sources) + 1, Title: f.Name, URL: f.URL, FinalURL: f.URL,
				Host: host, Class: class, FetchedAt: run.CreatedAt,
				PageSHA256: f.PageSHA256, TextSHA256: f.TextSHA256, Extractor: f.Extractor, Outcome: citewell.FetchOK})
		}
	}
	list = make([]agent.Former, len(sources))
	for i, s := range sources {
		list[i].Source = s
		if x.o.Kept == nil || s.TextSHA256 == "" {
			continue
		}
		doc, err := x.keptText(ctx, s)
		switch citewell.CodeOf(err) {
		case "":
			list[i].Doc = doc
		case citewell.CodeNotFound: // it is read again when it is wanted
		default:
			return nil, err
		}
	}
	return list, nil
}

// former gives the sources of an ended run.
func (x *Executor) former(ctx context.Context, id string) ([]citewell.Source, error) {
	run, err := x.o.Runs.Run(ctx, id)
	if citewell.CodeOf(err) == citewell.CodeNotFound {
		return nil, &citewell.Error{Code: citewell.CodeNotFound, Op: "runs",
			Message: "the run that this one continues was deleted before it began: " + id,
			Hint:    "ask it as a question of its own"}
	}
	if err != nil {
		return nil, err
	}
	result, err := resultOf(ctx, x.o.Runs, run)
	return result.Sources, err
}

// keptText is the text of a source as it was cited. The newest snapshot of its page has
// more about it, its links and headings, where the text is the same there.
func (x *Executor) keptText(ctx context.Context, s citewell.Source) (citewell.Document, error) {
	_, doc, err := x.o.Kept.Snapshot(ctx, s.FinalURL)
	if err != nil || doc.TextSHA256 != s.TextSHA256 {
		text, err := x.o.Kept.Blob(ctx, s.TextSHA256)
		if err != nil {
			return citewell.Document{}, err
		}
		doc = citewell.Document{URL: s.URL, MediaType: "text/plain", Title: s.Title, Published: s.Date,
			Text: string(text), TextSHA256: s.TextSHA256, Extractor: s.Extractor}
	}
	doc.Passages = extract.Passages(doc)
	return doc, nil
}
