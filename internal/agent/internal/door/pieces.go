package door

import (
	"strings"

	"github.com/citewell/citewell/internal/text"
)

// Bounds of names that are told in pieces.
const (
	leastPiece = 3    // characters of a piece
	maxTold    = 2000 // words that were told to others and are remembered
)

// Tell notes what others were told. A name that is cut into parts is looked for in these
// words and those of the next call together.
func (l *ledger) Tell(said ...string) {
	if !l.private {
		return
	}
	for _, s := range said {
		for _, w := range text.Words(s) {
			if len(l.told) < maxTold {
				l.told[w.Text] = true
			}
		}
	}
}

// pieces are the words that make up a private name with words that others were told, or with one another.
func (l *ledger) pieces(said string, words []text.Token) []string {
	now := map[string]bool{}
	for _, w := range words {
		if len(w.Text) >= leastPiece {
			now[w.Text] = true
		}
	}
	var found []string
	for _, w := range words {
		if !now[w.Text] {
			continue
		}
		for _, names := range []map[string]bool{l.names, l.files} {
			for name := range names {
				if len(name) >= hiddenIn && len(name) > len(w.Text) && strings.Contains(name, w.Text) &&
					l.isTelling(name) && l.madeOf(name, w.Text, now) {
					found = append(found, said[w.Start:w.End])
					break
				}
			}
		}
	}
	return found
}

// madeOf says whether a name can be put together of words that are told now and were told
// before, one of which is this piece.
func (l *ledger) madeOf(name, piece string, now map[string]bool) bool {
	without, with := make([]bool, len(name)+1), make([]bool, len(name)+1) // up to a byte, with the piece among them
	without[0] = true
	for end := leastPiece; end <= len(name); end++ {
		for start := 0; start+leastPiece <= end; start++ {
			part := name[start:end]
			if !without[start] && !with[start] || len(part) == len(name) || !now[part] && !l.told[part] {
				continue
			}
			without[end] = without[end] || without[start]
			with[end] = with[end] || with[start] || part == piece && without[start]
		}
	}
	return with[len(name)]
}
