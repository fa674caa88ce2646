package agent

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"unicode"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/nearcopy"
	"github.com/citewell/citewell/internal/quantity"
	"github.com/citewell/citewell/internal/text"
)

// Bounds of a text that needs no source, in words that carry meaning.
const (
	maxAsked      = 3   // of a task beside its sum
	maxAside      = 1   // of a sentence that gives the whole sum, and of a greeting
	maxAskedBack  = 2   // of a question to the user
	maxLead       = 3   // of what leads up to a text
	maxOrder      = 15  // words, whatever they carry, that say what to do with a text
	leastMaterial = 4   // words of that text
	mostOwn       = 3   // one in so many of a rewording may be its own
	mostLonger    = 1.6 // times as many words as the text may a translation have
)

// needsNone says whether a text states nothing that a source would have to bear out: what code computes from the task's
// figures, what the task's own words say, or nothing at all. Each sentence must be of that kind, and the run must have
// looked for nothing. What may hide words from this check, as headings and code, is in no such text.
func (r *run) needsNone(content string, list []statement) bool {
	if len(list) == 0 || len(r.made)+r.usage.Searches+r.usage.Fetches > 0 {
		return false
	}
	if slices.ContainsFunc(list, func(s statement) bool { return len(s.marks) > 0 }) {
		return false
	}
	lines := strings.Split(content, "\n")
	for i, code := range text.CodeLines(lines) {
		if code || headingLine.MatchString(lines[i]) {
			return false
		}
	}
	return r.computes(list) || r.rewords(list) || r.greets(list)
}

// terms are the words of a text that carry meaning, without figures, each once.
func terms(s string) []string {
	list := slices.DeleteFunc(text.Terms(s, ""), func(term string) bool {
		return strings.ContainsFunc(term, unicode.IsDigit)
	})
	slices.Sort(list)
	return slices.Compact(list)
}

// beside are the terms of words that known has none of.
func beside(words string, known []string) []string {
	return slices.DeleteFunc(terms(words), func(term string) bool { return slices.Contains(known, term) })
}

// isQuestion says whether a sentence asks.
func isQuestion(s string) bool {
	s = strings.TrimRight(s, " \"”»*")
	return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？")
}

// computes says whether each sentence gives the result of a sum in the task, and no figure
// but those of the sum; a word of its own only beside the whole sum, as "17 times 23 is 391":
// "the moon is 391" is said of the moon.
func (r *run) computes(list []statement) bool {
	results, operands := computations(r.task)
	asked := terms(r.task)
	if len(results) == 0 || len(asked) > maxAsked {
		return false
	}
	known := slices.Concat(results, operands)
	for _, s := range list {
		given, room := false, 0
		figures := numberForm.FindAllString(s.claim, -1)
		if !slices.ContainsFunc(operands, func(value *big.Rat) bool {
			return !slices.ContainsFunc(figures, func(written string) bool { return isRounded(written, value) })
		}) {
			room = maxAside
		}
		for _, written := range figures {
			if !slices.ContainsFunc(known, func(value *big.Rat) bool {
				return isRounded(written, new(big.Rat).Abs(value))
			}) {
				return false
			}
			given = given || slices.ContainsFunc(results, func(value *big.Rat) bool {
				return isRounded(written, new(big.Rat).Abs(value)) && (value.Sign() >= 0 ||
					strings.ContainsAny(s.claim, "-−"))
			})
		}
		if !given || len(beside(s.claim, asked)) > room || !isPlain(s.claim, known) {
			return false
		}
	}
	return true
}

// isPlain says whether all figures of a sentence, also those in words, are of these values
// and of no unit: 4 million and 4 km are no 4.
func isPlain(sentence string, values []*big.Rat) bool {
	return !slices.ContainsFunc(quantity.Figures(text.Read(sentence, text.LikelyLanguage(sentence))),
		func(f quantity.Figure) bool {
			if f.Dimension != quantity.DimensionCount && f.Unit != "%" {
				return true
			}
			return !slices.ContainsFunc(values, func(value *big.Rat) bool {
				exact, _ := value.Float64()
				return math.Abs(math.Abs(exact)-math.Abs(f.Value)) <= 0.005*math.Max(1, math.Abs(exact))
			})
		})
}

// greets says whether neither the task nor the text says anything: a word or two that
// nobody could look up, called out or asked.
func (r *run) greets(list []statement) bool {
	asked := terms(r.task)
	room := 0
	if len(asked) <= maxAside {
		room = maxAside
	}
	if len(asked) > maxAskedBack || isQuestion(r.task) || strings.ContainsFunc(r.task, unicode.IsDigit) {
		return false
	}
	for _, s := range list {
		own := beside(s.claim, asked)
		switch end := strings.TrimRight(s.claim, " "); {
		case strings.ContainsFunc(s.claim, unicode.IsDigit), hasName(s.claim):
			return false
		case isQuestion(end) && len(own) <= maxAskedBack:
		case (strings.HasSuffix(end, "!") || strings.HasSuffix(end, "！")) && len(own) <= room:
		default:
			return false
		}
	}
	return true
}

var (
	orderEnd   = lazyregexp.New(`[:：](?:\s|["“„«])|\n`)
	quotedForm = lazyregexp.New(`["“„«]([^"“”„«»]{10,})["”“»]`)
)

// material is the text that a task brings along, to be reworded, translated or summed up:
// what stands behind a few words and a colon or a line's end, or in quotation marks. Its
// questions are not among it. A task that asks has none.
func material(task string) string {
	task = strings.TrimSpace(task)
	order, brought := "", ""
	if at := orderEnd.FindStringIndex(task); at != nil {
		order, brought = task[:at[0]], task[at[0]+1:]
	} else if at := quotedForm.FindStringSubmatchIndex(task); at != nil {
		order, brought = task[:at[0]]+task[at[1]:], task[at[2]:at[3]]
	}
	brought = strings.Trim(brought, " \n\"“”„«»")
	if len(text.Words(order)) > maxOrder || strings.ContainsAny(order, "?？") ||
		len(text.Words(brought)) < leastMaterial {
		return ""
	}
	var said []string
	for _, span := range text.Sentences(brought) {
		if sentence := brought[span.Start:span.End]; !isQuestion(sentence) {
			said = append(said, sentence)
		}
	}
	return strings.Join(said, "\n")
}

// sharesWith reports whether a sentence in another language has a figure or a name of the text.
func sharesWith(sentence, said string) bool {
	return strings.ContainsFunc(sentence, unicode.IsDigit) || len(beside(sentence, terms(said))) < len(terms(sentence))
}

// namesAnew reports whether a sentence has a name that the text has not.
func namesAnew(sentence, said string) bool {
	known := terms(said)
	for i, word := range text.Words(sentence) {
		written := sentence[word.Start:word.End]
		if first := []rune(written)[0]; i > 0 && unicode.IsUpper(first) && len(beside(written, known)) > 0 {
			return true
		}
	}
	return false
}

// rewords says whether the task's own text bears each sentence out. Words of its own stand in the place of others, of
// which there are as many at the least: what has all that the text has and more, or no less, says that it is so, and
// that is a statement of its own. Where one of them denies, both do. A translation shares but figures and names, and is
// no longer than the text.
func (r *run) rewords(list []statement) bool {
	said := material(r.task)
	if said == "" || len(said) > maxContent {
		return false
	}
	lead := strings.TrimSpace(list[0].claim)
	if strings.HasSuffix(lead, ":") && len(list) > 1 && !strings.ContainsFunc(lead, unicode.IsDigit) &&
		len(beside(lead, terms(r.task))) <= maxLead {
		list = list[1:]
	}
	evidence := []cite.Evidence{{Text: said, Passages: []citewell.Passage{
		{ID: "task", Source: 1, End: len(said), Text: said}}}}
	var words strings.Builder
	foreign := false
	for _, s := range list {
		held := cite.Hold(cite.Claim{Text: s.claim, Evidence: evidence})
		foreign = foreign || held.Foreign
		if held.Problem.Code != "" || len(held.Missing) > 0 || held.Foreign && !sharesWith(s.claim, said) ||
			!held.Foreign && namesAnew(s.claim, said) {
			return false
		}
		words.WriteString(s.claim + "\n")
	}
	if nearcopy.Denies(text.Read(said, "")) != nearcopy.Denies(text.Read(words.String(), "")) {
		return false
	}
	if foreign {
		return len(list) <= len(text.Sentences(said)) && float64(len(text.Words(words.String()))) <= mostLonger*float64(
			len(text.Words(said)))
	}
	own, given := beside(words.String(), terms(said)), terms(words.String())
	omitted := beside(said, given)
	return len(omitted) > 0 && len(own) <= len(omitted) && len(own)*mostOwn <= len(given)
}
