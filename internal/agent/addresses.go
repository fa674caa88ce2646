package agent

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/citewell/citewell/internal/envelope"
	"github.com/citewell/citewell/internal/notation"
	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/weburl"
)

// prepared is a model's Markdown as it may be shown: without what only a machine sees, HTML, images, and addresses that
// are no cited source. The second value are those addresses.
func (r *run) prepared(content string, marks []int) (string, []string) {
	content = strings.TrimSpace(envelope.Neutralize(strings.ToValidUTF8(content, "")))
	content = remarkForm.ReplaceAllString(content, "")
	content = strings.ReplaceAll(content, gap, "")
	var removed []string
	for range 5 { // what is taken out may bring together what makes another
		next, gone := r.withoutAddresses(content, marks)
		removed = append(removed, gone...)
		next = strings.ReplaceAll(withoutStumps(next), gap, "")
		if next == content {
			break
		}
		content = next
	}
	slices.Sort(removed)
	return inert(strings.TrimSpace(content), nil), slices.Compact(removed)
}

// gap stands where an address was taken out, until it is known what is left of its
// sentence. It is for private use, and taken out of what a model writes.
const gap = "\uE000"

// withoutStumps leaves out the sentences of which an address was all but a word, as
// "See … [3].", and lines of which nothing is left.
func withoutStumps(content string) string {
	var kept []string
	for line := range strings.SplitSeq(content, "\n") {
		if !strings.Contains(line, gap) || strings.HasPrefix(strings.TrimSpace(line), "|") {
			kept = append(kept, line)
			continue
		}
		start := len(itemStart.FindString(line))
		words, rest, at := line[start:], "", 0
		for _, span := range text.Sentences(words) {
			if said := words[span.Start:span.End]; strings.Contains(said, gap) &&
				len(text.Words(notation.WithoutMarks(strings.ReplaceAll(said, gap, " ")))) <= 1 {
				rest, at = strings.TrimRight(rest+words[at:span.Start], " "), span.End
			}
		}
		if rest += words[at:]; strings.Trim(rest, " "+gap) != "" {
			kept = append(kept, line[:start]+strings.TrimLeft(rest, " "))
		}
	}
	return strings.Join(kept, "\n")
}

func (r *run) withoutAddresses(content string, marks []int) (string, []string) {
	var removed []string
	gone := func(address string) { removed = append(removed, strings.Trim(address, "<>")) }
	content = imageForm.ReplaceAllStringFunc(content, func(image string) string {
		gone(image)
		return imageForm.FindStringSubmatch(image)[1]
	})
	content = dotForm.ReplaceAllString(content, "$1.$2")
	content = linkForm.ReplaceAllStringFunc(content, func(link string) string {
		parts := linkForm.FindStringSubmatch(link)
		if r.isCited(parts[2], marks) {
			return link
		}
		gone(parts[2])
		if _, err := strconv.Atoi(parts[1]); err == nil {
			return "[" + parts[1] + "]"
		}
		return parts[1]
	})
	task := strings.ToLower(r.task)
	content = addressForm.ReplaceAllStringFunc(content, func(address string) string {
		closed := strings.TrimRight(address, ".,;:")
		plain := strings.Trim(closed, "<>")
		if !isAddress(plain) || r.isCited(plain, marks) || strings.Contains(task, strings.ToLower(plain)) {
			return address
		}
		gone(plain)
		return gap + address[len(closed):]
	})
	content = identifierForm.ReplaceAllStringFunc(content, func(identifier string) string {
		closed := strings.TrimRight(identifier, ".,;:")
		parts := identifierForm.FindStringSubmatch(closed)
		if parts == nil || r.isKnown(parts[1]+parts[2]+parts[3]) {
			return identifier
		}
		gone(closed)
		return gap + identifier[len(closed):]
	})
	if len(removed) > 0 {
		content = emptyForm.ReplaceAllString(content, "")
	}
	return content, removed
}

// isKnown says whether the task or a source has an identifier, in its address or its text.
func (r *run) isKnown(identifier string) bool {
	whole := regexp.MustCompile(`(?i)(?:^|[^\pL\d.])` + regexp.QuoteMeta(identifier) + `(?:$|[^\pL\d])`)
	return whole.MatchString(r.task) || slices.ContainsFunc(r.sources.list, func(s *source) bool {
		return whole.MatchString(s.URL) || whole.MatchString(s.FinalURL) || whole.MatchString(s.Snippet) ||
			whole.MatchString(s.doc.Text)
	})
}

// isCited says whether an address is that of a cited source, or its host.
func (r *run) isCited(address string, marks []int) bool {
	key, host := weburl.Canonical(address), strings.ToLower(strings.TrimSuffix(address, "."))
	return slices.ContainsFunc(marks, func(n int) bool {
		s := r.sources.number(n)
		switch {
		case s == nil:
			return false
		case strings.Contains(address, "://"):
			return s.key == key || weburl.Canonical(s.FinalURL) == key
		}
		return s.Host == host || weburl.RegisteredDomain(s.Host) == host
	})
}
