package report

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/citewell/citewell"
)

// A span is the bytes [start, end) of a text.
type span struct{ start, end int }

// A Piece is words of a text. Bold are the figures and dates that decided that a citation is contradicted.
type Piece struct {
	Text string
	Bold bool
}

// Pieces takes a text apart at the figures that citations found in a source. offset is where the text begins in the
// source's. Figures that are not in it, or would cut a character, are passed over.
func Pieces(text string, offset int, citations ...citewell.Citation) []Piece {
	var spans []span
	for _, c := range citations {
		for _, o := range c.OtherFigures {
			spans = append(spans, span{o.Start - offset, o.End - offset})
		}
	}
	var pieces []Piece
	at := 0
	for _, s := range inOrder(spans) {
		if s.start < at || !cuts(text, s) {
			continue
		}
		if s.start > at {
			pieces = append(pieces, Piece{Text: text[at:s.start]})
		}
		pieces = append(pieces, Piece{text[s.start:s.end], true})
		at = s.end
	}
	if at < len(text) {
		pieces = append(pieces, Piece{Text: text[at:]})
	}
	return pieces
}

// QuotePieces are those of a citation's quote.
func QuotePieces(c citewell.Citation) []Piece { return Pieces(c.Quote, c.Start, c) }

// saidFigures are where a report's content says the figures that its sources have others
// for. A figure is a span of its statement; the sentence of the content has markup and marks
// besides, so it is the same words there, counted among what is alike.
func saidFigures(r citewell.Report, places []citewell.Place, content string) []span {
	var spans []span
	for _, p := range places {
		if p.Finding < 0 {
			continue
		}
		sentence, statement := content[p.Start:p.End], r.Findings[p.Finding].Text
		for _, c := range r.Findings[p.Finding].Citations {
			for _, o := range c.OtherFigures {
				if !cuts(statement, span{o.SaidStart, o.SaidEnd}) {
					continue
				}
				figure := statement[o.SaidStart:o.SaidEnd]
				if at := nth(sentence, figure, strings.Count(statement[:o.SaidStart], figure)); at >= 0 {
					spans = append(spans, span{p.Start + at, p.Start + at + len(figure)})
				}
			}
		}
	}
	end := 0
	return slices.DeleteFunc(inOrder(spans), func(s span) bool {
		overlaps := s.start < end
		end = max(end, s.end)
		return overlaps
	})
}

// nth is where words stand in s behind so many that are the same; -1 where they do not.
func nth(s, words string, before int) int {
	for at := 0; ; at += len(words) {
		found := strings.Index(s[at:], words)
		if found < 0 {
			return -1
		}
		if at += found; before == 0 {
			return at
		}
		before--
	}
}

func inOrder(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start),
			cmp.Compare(a.end, b.end))
	})
	return spans
}

// cuts says whether a span is one of s and cuts no character.
func cuts(s string, part span) bool {
	return 0 <= part.start && part.start < part.end && part.end <= len(s) &&
		utf8.RuneStart(s[part.start]) && (part.end == len(s) || utf8.RuneStart(s[part.end]))
}
