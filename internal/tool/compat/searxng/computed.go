package searxng

import (
	"crypto/md5"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"

	"github.com/citewell/citewell/internal/lazyregexp"
	"github.com/citewell/citewell/internal/text"
)

// A computed is an answer in the shape in which SearXNG gives its own.
type computed struct {
	Template string `json:"template"`
	Engine   string `json:"engine"`
	URL      any    `json:"url"` // null: it is from no page
	Answer   string `json:"answer"`
}

// answerHere computes what a query asks for by a keyword: figures of numbers, random data, hashes. A bang means a
// search.
func answerHere(q string) (computed, bool) {
	q = strings.TrimSpace(q)
	keyword, rest, _ := strings.Cut(q, " ")
	keyword, rest = strings.ToLower(keyword), strings.TrimSpace(rest)
	engine, answer := "", ""
	switch {
	case statistics[keyword] != nil:
		engine, answer = "statistics", statistic(keyword, rest)
	case keyword == "random":
		engine, answer = "random", randomData(strings.ToLower(rest))
	case hashes[keyword] != nil && rest != "":
		engine, answer = "hash", fmt.Sprintf("%s hash digest: %s", keyword,
			hex.EncodeToString(hashes[keyword]([]byte(rest))))
	}
	return computed{Template: "answer/legacy.html", Engine: engine, Answer: answer}, answer != ""
}

var hashes = map[string]func([]byte) []byte{
	"md5":    func(b []byte) []byte { sum := md5.Sum(b); return sum[:] },
	"sha1":   func(b []byte) []byte { sum := sha1.Sum(b); return sum[:] },
	"sha224": func(b []byte) []byte { sum := sha256.Sum224(b); return sum[:] },
	"sha256": func(b []byte) []byte { sum := sha256.Sum256(b); return sum[:] },
	"sha384": func(b []byte) []byte { sum := sha512.Sum384(b); return sum[:] },
	"sha512": func(b []byte) []byte { sum := sha512.Sum512(b); return sum[:] },
}

// statistics are over at least one number; big.Rat keeps 0.1 + 0.2 at 0.3.
var statistics = map[string]func([]*big.Rat) *big.Rat{
	"min":  func(ns []*big.Rat) *big.Rat { return extreme(ns, -1) },
	"max":  func(ns []*big.Rat) *big.Rat { return extreme(ns, 1) },
	"sum":  sum,
	"avg":  func(ns []*big.Rat) *big.Rat { return new(big.Rat).Quo(sum(ns), big.NewRat(int64(len(ns)), 1)) },
	"prod": product,
}

func extreme(ns []*big.Rat, sign int) *big.Rat {
	best := ns[0]
	for _, n := range ns[1:] {
		if n.Cmp(best) == sign {
			best = n
		}
	}
	return best
}

func sum(ns []*big.Rat) *big.Rat {
	total := new(big.Rat)
	for _, n := range ns {
		total.Add(total, n)
	}
	return total
}

func product(ns []*big.Rat) *big.Rat {
	total := big.NewRat(1, 1)
	for _, n := range ns {
		total.Mul(total, n)
	}
	return total
}

// decimal is a number that a person writes; the exponent is bounded, since a large one costs memory.
var decimal = lazyregexp.New(`^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,2})?$`)

// statistic is empty where what follows the keyword is not numbers alone: "max planck" is a query.
func statistic(keyword, rest string) string {
	var numbers []*big.Rat
	for field := range strings.FieldsSeq(rest) {
		field = strings.TrimSuffix(field, ",")
		if !decimal.MatchString(field) {
			return ""
		}
		n, ok := new(big.Rat).SetString(field)
		if !ok {
			return ""
		}
		numbers = append(numbers, n)
	}
	if len(numbers) == 0 {
		return ""
	}
	name := map[string]string{"avg": "average", "max": "maximum", "min": "minimum", "sum": "sum",
		"prod": "product"}[keyword]
	return fmt.Sprintf("%s of %s: %s", name, text.Count(len(numbers), "number"), shown(statistics[keyword](numbers)))
}

const (
	exactDigits   = 40 // of a result that is shown as it is
	roundedDigits = 20 // of one that is not
)

// shown is r as a decimal, or rounded with a sign that says so.
func shown(r *big.Rat) string {
	if places, exact := r.FloatPrec(); exact && places <= exactDigits {
		if s := r.FloatString(places); len(s) <= exactDigits+2 {
			return s
		}
	}
	return "about " + new(big.Float).SetPrec(256).SetRat(r).Text('g', roundedDigits)
}

// randomData is empty where what is wanted is not data.
func randomData(kind string) string {
	switch kind {
	case "color", "colour":
		return "#" + hex.EncodeToString(randomBytes(3))
	case "int":
		n := new(big.Int).SetBytes(randomBytes(4))
		return n.Sub(n, big.NewInt(1<<31)).String() // as of 32 bits with a sign
	case "string":
		return rand.Text()
	case "sha256":
		return hex.EncodeToString(randomBytes(sha256.Size))
	case "uuid":
		b := randomBytes(16)
		b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80 // version 4, RFC 9562
		return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	}
	return ""
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return b
}
