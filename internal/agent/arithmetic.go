package agent

import (
	"math/big"
	"strings"
	"unicode"

	"github.com/citewell/citewell/internal/lazyregexp"
)

// Bounds of what is computed.
const (
	maxExpression = 400  // bytes
	maxPower      = 64   // the highest exponent
	maxBits       = 2000 // of a value
)

var (
	numberForm  = lazyregexp.New(`\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?`)
	timesForm   = lazyregexp.New(`(\d)\s*[xX×·]\s*([\d(])`)
	percentForm = lazyregexp.New(`(\d[\d.,]*)\s*%\s+\p{L}{1,4}\s+(\d)`) // 15 % of 80, in whatever language
	sumForm     = lazyregexp.New(`[\d(−-][\d.,()+*/÷^%−\s-]*[\d)%]`)
)

// computations are the values that the sums in a text come to, and the numbers that stand in these.
func computations(task string) (results, operands []*big.Rat) {
	if len(task) > maxExpression {
		return nil, nil
	}
	task = percentForm.ReplaceAllString(task, "($1/100)*$2")
	for timesForm.MatchString(task) { // 2 x 3 x 4 shares its figures
		task = timesForm.ReplaceAllString(task, "$1*$2")
	}
	for _, written := range sumForm.FindAllString(task, -1) {
		c := calculator{rest: strings.NewReplacer("÷", "/", "−", "-", "**", "^").Replace(written)}
		value := c.sum(0)
		if value == nil || c.skip() != 0 || c.operations == 0 {
			continue
		}
		results, operands = append(results, value), append(operands, c.operands...)
	}
	return results, operands
}

// numberOf reads a number: a comma before three figures groups them, another is a point.
func numberOf(s string) *big.Rat {
	if at := strings.LastIndexByte(s, ','); at >= 0 {
		if len(s)-at == 4 || strings.Contains(s[at:], ".") {
			s = strings.ReplaceAll(s, ",", "")
		} else {
			s = strings.Replace(s, ",", ".", 1)
		}
	}
	value, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil
	}
	return value
}

// A calculator reads one sum by the usual rules: powers first, then products, then sums; a percent sign behind a number
// that no other follows is a hundredth, between two it is the remainder.
type calculator struct {
	rest       string
	operands   []*big.Rat
	operations int
}

// skip passes over white space and is the next byte, 0 at the end.
func (c *calculator) skip() byte {
	c.rest = strings.TrimLeftFunc(c.rest, unicode.IsSpace)
	if c.rest == "" {
		return 0
	}
	return c.rest[0]
}

// maxNesting bounds brackets and signs in one another.
const maxNesting = 50

// sum, product, power and value are nil where there is none of that kind.
func (c *calculator) sum(depth int) *big.Rat {
	return c.chain("+-", depth, c.product, func(left, right *big.Rat, operator byte) *big.Rat {
		if operator == '-' {
			return left.Sub(left, right)
		}
		return left.Add(left, right)
	})
}

func (c *calculator) product(depth int) *big.Rat {
	return c.chain("*/%", depth, c.power, func(left, right *big.Rat, operator byte) *big.Rat {
		switch {
		case operator == '*':
			return left.Mul(left, right)
		case right.Sign() == 0:
			return nil
		case operator == '/':
			return left.Quo(left, right)
		case !left.IsInt() || !right.IsInt():
			return nil
		}
		return left.SetInt(new(big.Int).Mod(left.Num(), right.Num()))
	})
}

// chain joins parts by operators of one rank, from the left.
func (c *calculator) chain(operators string, depth int, part func(int) *big.Rat,
	join func(left, right *big.Rat, operator byte) *big.Rat) *big.Rat {
	left := part(depth)
	for left != nil {
		operator := c.skip()
		if operator == 0 || strings.IndexByte(operators, operator) < 0 {
			break
		}
		c.rest = c.rest[1:]
		right := part(depth)
		if right == nil {
			return nil
		}
		c.operations++
		if left = join(new(big.Rat).Set(left), right, operator); left != nil &&
			left.Num().BitLen()+left.Denom().BitLen() > maxBits {
			return nil
		}
	}
	return left
}

func (c *calculator) power(depth int) *big.Rat {
	base := c.value(depth)
	if base == nil || c.skip() != '^' || depth > maxNesting {
		return base
	}
	c.rest = c.rest[1:]
	exponent := c.power(depth + 1) // 2^3^2 is 2^9
	if exponent == nil || !exponent.IsInt() || exponent.Sign() < 0 || exponent.Cmp(big.NewRat(maxPower, 1)) > 0 {
		return nil
	}
	c.operations++
	result := big.NewRat(1, 1)
	for range exponent.Num().Int64() {
		if result.Mul(result, base); result.Num().BitLen()+result.Denom().BitLen() > maxBits {
			return nil
		}
	}
	return result
}

func (c *calculator) value(depth int) *big.Rat {
	if depth > maxNesting {
		return nil
	}
	var value *big.Rat
	switch next := c.skip(); {
	case next == '-':
		c.rest = c.rest[1:]
		if value = c.power(depth + 1); value != nil {
			return new(big.Rat).Neg(value)
		}
		return nil
	case next == '(':
		c.rest = c.rest[1:]
		if value = c.sum(depth + 1); value == nil || c.skip() != ')' {
			return nil
		}
		c.rest = c.rest[1:]
	default:
		found := numberForm.FindStringIndex(c.rest)
		if found == nil || found[0] != 0 {
			return nil
		}
		if value = numberOf(c.rest[:found[1]]); value == nil {
			return nil
		}
		c.rest = c.rest[found[1]:]
		c.operands = append(c.operands, value)
	}
	if c.skip() == '%' {
		if behind := strings.TrimLeftFunc(c.rest[1:], unicode.IsSpace); behind == "" ||
			!unicode.IsDigit(rune(behind[0])) && behind[0] != '(' {
			c.rest = c.rest[1:]
			c.operations++
			value = new(big.Rat).Quo(value, big.NewRat(100, 1))
		}
	}
	return value
}

// isRounded says whether a number as it is written is a value, or that value to two or more places.
func isRounded(written string, value *big.Rat) bool {
	number := numberOf(written)
	if number == nil {
		return false
	}
	if number.Cmp(value) == 0 {
		return true
	}
	places := 0
	if at := strings.LastIndexAny(written, ".,"); at >= 0 {
		places = len(written) - at - 1
	}
	rounded, ok := new(big.Rat).SetString(new(big.Rat).Abs(value).FloatString(places))
	return ok && places >= 2 && rounded.Cmp(number) == 0
}
