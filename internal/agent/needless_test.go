package agent_test

import (
	"strings"
	"testing"

	"github.com/citewell/citewell/internal/agent"
	"github.com/citewell/citewell/internal/runstore"
)

// answers runs a task whose model looks for nothing and gives one answer, again and again.
func answers(t *testing.T, task, answer string) agent.Result {
	t.Helper()
	m := &script{replies: []reply{words(answer), words(answer), words(answer), words(answer)}}
	r := run(t, agent.Options{Shape: agent.ShapeToolCalling, Model: m, Journal: agent.NewMemoryJournal()}, task)
	if r.Outcome == runstore.RunAnswered && len(m.asked) > 1 {
		t.Errorf("%q, %q: the model was asked %d times", task, answer, len(m.asked))
	}
	return r
}

const (
	gateNote = "The gate of the harbour of Hallvik is 12 metres wide and was painted in 1990 by local volunteers. " +
		"It is closed at night. Ships wait outside."
	summarise  = "Sum this up in a sentence: " + gateNote
	translate  = "Translate into German: The gate of Hallvik is 12 metres wide."
	claimCheck = "Check this claim: the moon is 3 km wide."
)

// What is computed, reworded from the task, or says nothing, is answered without a source.
func TestWhatNeedsNoSource(t *testing.T) {
	for _, test := range []struct{ task, answer string }{
		{"what is 2+2", "4"},
		{"what is 2+2", "2 + 2 = 4."},
		{"What is 17 x 23?", "17 multiplied by 23 is 391."},
		{"Please calculate (3+4)^2 / 7", "(3 + 4)^2 / 7 = 7"},
		{"What is 15% of 80?", "15% of 80 is 12."},
		{"Was ist 15 % von 80?", "12"},
		{"Was ist 2,5 * 4?", "2,5 * 4 = 10."},
		{"1,200 * 3", "3,600"},
		{"10 / 4", "10 / 4 is 2.5."},
		{"1/3", "0.333"},
		{"5 - 9", "-4"},
		{"17 % 5", "2"},
		{"2^10", "1024"},
		{"hi", "Hello! How can I help you today?"},
		{"Hello", "Hello! How can I assist you today?"},
		{"hey there", "Hi there! What can I do for you?"},
		{"thanks!", "You're welcome!"},
		{"Hallo", "Hallo! Wie kann ich Ihnen helfen?"},
		{"bonjour", "Bonjour ! Comment puis-je vous aider ?"},
		{"hola", "¡Hola! ¿En qué puedo ayudarte?"},
		{"привет", "Привет! Чем могу помочь?"},
		{"good morning", "Good morning! How can I help?"},
		{summarise, "The gate of the harbour of Hallvik is 12 metres wide and was painted by volunteers in 1990."},
		{summarise, "Here is a summary:\n\nThe harbour gate of Hallvik is 12 metres wide."},
		{"Rewrite this: " + gateNote, "The gate of the harbour of Hallvik is 12 metres wide. Ships wait outside."},
		{"Rephrase this: " + gateNote, "In 1990 volunteers painted the 12 metres wide gate of the harbour of " +
			"Hallvik. " +
			"At night the gate is shut."},
		{translate, "Das Tor von Hallvik ist 12 Meter breit."},
	} {
		if r := answers(t, test.task, test.answer); r.Outcome != runstore.RunAnswered || r.Report == nil ||
			!r.Report.NeedsNoSource || strings.Contains(r.Answer, "⚠") {
			t.Errorf("%q, %q: %s, %q", test.task, test.answer, r.Outcome, r.Answer)
		}
	}
}

// No fact passes in such a text.
func TestNoFactPassesAsOneThatNeedsNoSource(t *testing.T) {
	for _, test := range []struct{ task, answer string }{
		{"Shorten: It is not true that the vaccine causes autism in children.",
			"The vaccine causes autism in children."},
		{"Translate to German: The vaccine does not cause autism in 400 children.",
			"Die Impfung verursacht Autismus bei 400 Kindern."},
		{"Shorten: The vaccine causes autism in some children of the town.",
			"The vaccine does not cause autism in children."},
		{"hi", "Hi! By the way, the moon is 3 km wide."},
		{"hi", "Hi! The moon is made of cheese."},
		{"hi", "Hello! Did you know that the moon is made of cheese?"},
		{"hi", "Hello! Did you know the moon is 3 km wide?"},
		{"hi", "Hello! Is Paris the capital of Italy?"},
		{"hi", "Hello! Is Paris burning?"},
		{"hi", "# The moon is cheese\n\nHello!"},
		{"hi", "Hello!\n\n```\nThe moon is made of cheese.\n```"},
		{"hi", "Hello [1]!"},
		{"hi", "Hello! See https://evil.example/x."},
		{"hi", "Paris."},
		{"hi", "The sources do not say it."},
		{"thanks", "You're welcome! Berlin fell in 1999."},
		{"capital of France", "Paris."},
		{"capital of France", "Paris!"},
		{"What is the capital of France?", "Paris!"},
		{"Who was it?", "Napoleon!"},
		{"what is 2+2", "5"},
		{"what is 2+2", "2 + 2 = 5."},
		{"what is 2+2", "2+2 is 4, and Paris has 9 million people."},
		{"what is 2+2", "2+2 is 4, and Paris has nine million people."},
		{"what is 2+2", "It is 4 million."},
		{"what is 2+2", "It is 4 km."},
		{"what is 2+2", "2 + 2 = 4 km."},
		{"what is 2+2", "2 + 2 = 4 million."},
		{"what is 2+2", "4. Paris is the capital of France."},
		{"what is 2+2", "2+2 is 4, as Euler proved in Paris."},
		{"what is 2+2", "The moon was 4."},
		{"what is 10/3", "3"},
		{"Who won the election of 2020-2024?", "Trump: 2020."},
		{"How many people lived in Oslo in 2019-2021?", "2019 people."},
		{summarise, "The gate of the harbour of Hallvik is 14 metres wide."},
		{summarise, "The gate of the harbour of Hallvik is 12 metres wide and was painted by a Norwegian " +
			"king in 1990."},
		{summarise, "The gate of the harbour of Hallvik is not 12 metres wide."},
		{"Rephrase this: " + gateNote, "In 1987 volunteers painted the 12 metres wide gate of the harbour of " +
			"Hallvik. " +
			"At night the gate is shut."},
		{summarise, "The harbour gate of Hallvik is 12 metres wide. The moon is made of cheese."},
		{summarise, "Here is a summary of the war of 1812:\n\nThe harbour gate of Hallvik is 12 metres wide."},
		{translate, "Das Tor von Hallvik ist 12 Meter breit und 40 Meter hoch."},
		{translate, "Das Tor von Hallvik ist 12 Meter breit. Oslo hat 9 Millionen Einwohner."},
		{translate, "Das Tor von Hallvik ist 12 Meter breit. Das Tor hat 12 Meter."},
		{translate, "Der Mond ist aus Käse."},
		{claimCheck, "The moon is 3 km wide."},
		{"Check this claim: the old harbour gate of Hallvik in Norway is 3 metres wide and grey.",
			"It is correct and proven that the old harbour gate of Hallvik in Norway is 3 metres wide."},
		{claimCheck, "The claim is correct: the moon is 3 km wide."},
		{"Is it true that the moon is 3 km wide?", "The moon is 3 km wide."},
		{"Is it true: the moon is 3 km wide and grey?", "The moon is 3 km wide."},
	} {
		if r := answers(t, test.task, test.answer); r.Outcome == runstore.RunAnswered || r.Report != nil &&
			r.Report.NeedsNoSource {
			t.Errorf("%q, %q: %s, %q", test.task, test.answer, r.Outcome, r.Answer)
		}
	}
}

// Who has looked for something answers from it: what a run found is no text of its own.
func TestWhoSearchedNeedsASource(t *testing.T) {
	shelf := newShelf()
	m := &script{replies: []reply{calls(searchFor("herons")), words("Hello! How can I help you today?"),
		words("Hello! How can I help you today?"), words("Hello! How can I help you today?"),
		words("Hello! How can I help you today?")}}
	if r := run(t, agent.Options{Shape: agent.ShapeToolCalling, Model: m, Searcher: shelf, Reader: shelf,
		Journal: agent.NewMemoryJournal()}, "hi"); r.Report != nil && r.Report.NeedsNoSource {
		t.Errorf("%s: %q needs no source", r.Outcome, r.Answer)
	}
}
