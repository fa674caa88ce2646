package agent

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/agent/internal/door"
	"github.com/citewell/citewell/internal/notation"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/tool"
)

// What can be wrong with a text as a whole; what can be with a sentence is cite's.
const (
	problemNoSources  = "no_sources"
	problemNoCitation = "no_citation"
)

// maxRejections is how often a report, an answer or one in between is sent back.
const maxRejections = 2

// accept checks a text and gives it as it may be published. One that does not hold is sent back, naming the sentences;
// after that often enough, or where there is no time left, it is published with those marked. One that owes citations
// and has none, though pages were read, is sent back once.
func (r *run) accept(ctx context.Context, kind, content string, owes bool) (verified, error) {
	if len(content) > maxContent {
		return verified{}, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: kind,
			Message: fmt.Sprintf("the text has %d bytes; at most %d are taken", len(content), maxContent)}
	}
	if onlyHeadings(content) {
		return verified{}, saysNothing(kind, "the text has headings and says nothing")
	}
	if r.outside && len(r.sources.list) == 0 {
		return r.unsourced(content), nil
	}
	v, err := r.verify(ctx, kind, content)
	if err != nil {
		return v, err
	}
	if onlyHeadings(v.content) {
		return verified{}, saysNothing(kind, "the text says nothing but numbers and addresses that no source has")
	}
	times, most := kind, maxRejections
	hollow := owes && !v.needsNone && len(v.findings) == 0 && len(v.unverified) == 0 && r.pagesRead() > 0
	if hollow {
		times, most = kind+" "+problemNoCitation, 1
		v.unverified = append(v.unverified, citewell.UnverifiedPhrase{
			Text: tool.Shorten(oneLine(v.content), 80), Problem: problemNoCitation,
			Detail: fmt.Sprintf("the text cites no source, though pages were read: %d. Nothing in it is proven",
				r.pagesRead())})
	}
	last := r.closing != "" || r.iteration >= r.o.Limits.MaxIterations+overtime-1
	if remarked := kind + " remarks"; len(v.unverified) == 0 && len(v.remarks) > 0 &&
		r.rejections[remarked] == 0 && !last {
		r.rejections[remarked]++
		r.rejected = true
		r.tell("rejected", "", kind, "\n"+strings.Join(v.remarks, "\n"))
		return v, &citewell.Error{Code: citewell.CodeInvalidArgument, Op: kind, Message: strings.Join(v.remarks, "; "),
			Hint: "Every sentence holds. Call " + kind + " again with the whole text as it was asked for; it is sent " +
				"back for this once."}
	}
	if len(v.unverified) == 0 || r.rejections[times] >= most || last {
		return v, nil
	}
	r.rejections[times]++
	r.rejected = true
	if hollow {
		r.tell("rejected", "", kind, "\n"+v.unverified[0].Detail)
		return v, &citewell.Error{Code: citewell.CodeCitationsFailed, Op: kind, Message: v.unverified[0].Detail,
			Hint: "Write what the pages say on the task, with [n] in each factual sentence, or that they do not say " +
				"it; then call " + kind + " again with the whole text. It is sent back this once, then published as " +
				"one that proves nothing."}
	}
	var list strings.Builder
	for i, p := range v.unverified[:min(len(v.unverified), maxProblems)] {
		fmt.Fprintf(&list, "\n%d. “%s”: %s", i+1, tool.Shorten(p.Text, 300), p.Detail)
	}
	if more := len(v.unverified) - maxProblems; more > 0 {
		fmt.Fprintf(&list, "\nand %d more", more)
	}
	for _, remark := range v.remarks {
		list.WriteString("\nAlso: " + remark)
		r.rejections[kind+" remarks"]++
	}
	if results, _ := computations(r.task); len(results) > 0 {
		list.WriteString("\nA sum of the task's needs no source where it stands alone with its result.")
	}
	r.tell("rejected", "", kind, list.String())
	return v, door.Refuse(citewell.CodeCitationsFailed,
		door.Ours("%s against the sources:\n%s", door.Echo(failing(len(v.unverified))),
			r.door.Again(door.Ours("what the check found"), strings.TrimPrefix(list.String(), "\n"))),
		door.Ours("Mend each: cite the source that says it, write what the source says, or leave it out; then call %s "+
			"again with the whole text. %s published with these marked.",
			door.Name(kind), door.Echo(backAgain(maxRejections-r.rejections[kind]))))
}

func saysNothing(kind, how string) error {
	return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: kind, Message: how,
		Hint: "write what the sources say on the task, [n] behind each fact; where they say nothing on it, say that"}
}

func failing(sentences int) string {
	if sentences == 1 {
		return "1 sentence does not hold"
	}
	return text.Count(sentences, "sentence") + " do not hold"
}

// backAgain says how often a text comes back yet.
func backAgain(times int) string {
	if times < 1 {
		return "It is not sent back again, but"
	}
	return "It is sent back " + text.Count(times, "more time") + ", then"
}

// pagesRead is how many sources have the text of their pages.
func (r *run) pagesRead() int {
	n := 0
	for _, s := range r.sources.list {
		if s.wasRead() {
			n++
		}
	}
	return n
}

// onlyHeadings says whether a text has no line that says anything.
func onlyHeadings(content string) bool {
	for line := range strings.Lines(content) {
		if line = strings.TrimSpace(line); strings.Trim(line, "-*_= ") != "" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}

// verify checks every sentence of a text against the sources that it cites.
func (r *run) verify(ctx context.Context, kind, content string) (verified, error) {
	if err := r.sync(ctx); err != nil { // checking takes its time: a crash meanwhile must not cost the model's answer
		return verified{}, err
	}
	content = notation.Numbered(content, r.sources.all())
	marks := notation.ParseMarks(content)
	if err := r.readCited(ctx, marks); err != nil {
		return verified{}, err
	}
	v := verified{findings: []citewell.Finding{}, unverified: []citewell.UnverifiedPhrase{}}
	v.content, v.removed = r.prepared(content, marks)
	list := statements(v.content)
	var words strings.Builder
	for _, s := range list {
		words.WriteString(s.claim + "\n")
	}
	v.language = text.Language(words.String())
	v.remarks = r.remarks(kind, v, list)
	cited := map[int][]int{} // by block: what its sentences cite
	for _, s := range list {
		cited[s.block] = append(cited[s.block], s.marks...)
	}
	checking := checking{r, v.language, new(text.Readings)}
	results := checking.checkAll(ctx, list, cited)
	if ctx.Err() != nil {
		return v, fmt.Errorf("agent: %w", ctx.Err())
	}
	if err := r.judge(ctx, results); err != nil {
		return v, err
	}
	v.judge = r.judged.told()
	for i, c := range results {
		// nobody found it in the sources of its paragraph
		if c.open && c.Problem.Code != cite.ProblemContradicted && !sound(c.Citations) {
			results[i].Held = checking.uncited(c.statement)
		}
	}
	if v.needsNone = len(v.removed) == 0 && r.needsNone(v.content, list); v.needsNone {
		v.unverified = []citewell.UnverifiedPhrase{}
		return v, nil
	}
	var remarks []remark
	for _, c := range results {
		place := citewell.Place{Start: c.start, End: c.end, Finding: -1, Problem: c.Problem.Code}
		if len(c.Citations) > 0 {
			place.Finding = len(v.findings)
			v.findings = append(v.findings, citewell.Finding{Topic: c.topic, Text: c.claim, Citations: c.Citations,
				Problem: c.Problem.Code, Unstated: c.Unstated})
		}
		if c.Problem.Code != "" {
			v.unverified = append(v.unverified, citewell.UnverifiedPhrase{
				Text: c.claim, Problem: c.Problem.Code, Detail: c.Problem.Message})
			remarks = append(remarks, remark{c.start, c.end, citewell.Remark(c.Problem.Code)})
		} else if c.bound > 0 {
			remarks = append(remarks, remark{c.start, c.end, notation.Numbers(c.bound)})
		}
		if place.Finding >= 0 || place.Problem != "" {
			v.places = append(v.places, place)
		}
	}
	v.content = r.marked(v.content, remarks, v.places)
	return v, nil
}

// checkAll checks statements on all processors. A statement that was checked before,
// since a text that comes back is mostly the same, is not checked again.
func (r checking) checkAll(ctx context.Context, list []statement, cited map[int][]int) []checked {
	results := make([]checked, len(list))
	keys := make([]string, len(list))
	alone := r.alone(list)
	var work sync.WaitGroup
	places := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, s := range list {
		leans := s.marks
		if len(leans) == 0 {
			leans = cited[s.block]
		}
		settled := !slices.ContainsFunc(leans, func(n int) bool {
			source := r.sources.number(n)
			return source == nil || !source.settled
		})
		if keys[i] = fmt.Sprint(r.lang, len(s.marks), leans, alone[i], s.claim); settled {
			if known, ok := r.checks[keys[i]]; ok {
				results[i] = known
				results[i].statement, results[i].Citations = s, slices.Clone(known.Citations)
				continue
			}
		} else {
			keys[i] = ""
		}
		work.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			if ctx.Err() == nil {
				results[i] = r.checkStatement(s, leans, alone[i])
			}
		})
	}
	work.Wait()
	for i, c := range results {
		if results[i].key = keys[i]; keys[i] != "" && ctx.Err() == nil {
			c.Citations = slices.Clone(c.Citations)
			r.checks[keys[i]] = c
		}
	}
	return results
}

// A remark is what is put to a sentence: why it does not hold, or the number of the source that was found for it.
type remark struct {
	start, end int
	note       string
}

// marked writes the remarks into the text, takes numbers out that name no source, and
// moves the places with what stands at them.
func (r *run) marked(content string, remarks []remark, places []citewell.Place) string {
	type edit struct {
		start, end int
		instead    string
	}
	var edits []edit
	for _, m := range remarks {
		sentence, note := content[m.start:m.end], " "+m.note
		words := strings.TrimRight(sentence, ".!。！") // where a number stands
		if row := strings.TrimRight(sentence, " "); strings.HasSuffix(row, "|") {
			edits = append(edits, edit{m.start + len(strings.TrimRight(strings.TrimSuffix(row, "|"), " ")), m.end,
				note + " |"})
		} else if strings.HasPrefix(m.note, "[") && len(sentence)-len(words) <= len("。") {
			edits = append(edits, edit{m.start + len(words), m.start + len(words), note})
		} else {
			edits = append(edits, edit{m.end, m.end, note})
		}
	}
	for _, mark := range notation.References(content) {
		known := slices.DeleteFunc(slices.Clone(mark.Numbers), func(n int) bool { return r.sources.number(n) == nil })
		switch len(known) {
		case 0:
			edits = append(edits, edit{len(strings.TrimRightFunc(content[:mark.Start], unicode.IsSpace)), mark.End, ""})
		case len(mark.Numbers):
		default:
			edits = append(edits, edit{mark.Start, mark.End, notation.Numbers(known...)})
		}
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Or(a.start-b.start, a.end-b.end) })
	var out strings.Builder
	at := 0
	for _, e := range edits {
		out.WriteString(content[at:max(at, e.start)] + e.instead)
		at = max(at, e.end)
	}
	out.WriteString(content[at:])
	moved := func(offset int) int {
		to := offset
		for _, e := range edits {
			if e.start >= offset && e.end > offset {
				break
			}
			to += len(e.instead) - (min(e.end, offset) - e.start)
		}
		return to
	}
	for i, p := range places {
		places[i].Start, places[i].End = moved(p.Start), moved(p.End)
	}
	return inert(out.String(), places) // a mark that went may have kept a line from being what it is now
}

// readCited reads the cited sources that were never read; of one that cannot be, the provider's words are kept.
func (r *run) readCited(ctx context.Context, marks []int) error {
	var reads []*pageRead
	var cited []*source
	for _, n := range marks {
		s := r.sources.number(n)
		if s == nil || s.settled {
			continue
		}
		cited = append(cited, s)
		if s.failed == "" && r.o.Reader != nil && r.usage.Fetches < r.o.Budget.Fetches {
			r.usage.Fetches++
			reads = append(reads, &pageRead{key: fmt.Sprintf("%s/cited%d", r.key, n), url: s.URL, copied: s.Work})
		}
	}
	fetchAll(ctx, r, reads)
	for _, p := range reads {
		if _, err := r.took(ctx, p); isBroken(err) || ctx.Err() != nil {
			return orDone(ctx, err)
		}
	}
	for _, s := range cited {
		settle := r.settleSnippet
		if s.former != nil {
			settle = r.settleFormer
		}
		if err := settle(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// unsourced is what a text comes to where nothing was searched or read that it could be checked against: without
// numbers and addresses, which would name nothing, and said to be unchecked.
func (r *run) unsourced(content string) verified {
	v := verified{findings: []citewell.Finding{}}
	v.content, v.removed = r.prepared(content, nil)
	v.content = strings.TrimSpace(r.marked(v.content, nil, nil))
	v.unverified = []citewell.UnverifiedPhrase{{Text: tool.Shorten(oneLine(v.content), 80), Problem: problemNoSources,
		Detail: "nothing was verified: this session has searched and read nothing with web_search_tool or " +
			"extract_page_content_tool, and numbers and addresses in the text were removed"}}
	return v
}
