package quantity

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/text"
	"github.com/citewell/citewell/internal/text/lang"
)

// hanDigits are the digits of Chinese and Japanese, and of Korean in words.
var hanDigits = map[rune]float64{'〇': 0, '零': 0, '一': 1, '二': 2, '两': 2, '兩': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7,
	'八': 8, '九': 9,
	'일': 1, '이': 2, '삼': 3, '사': 4, '오': 5, '육': 6, '칠': 7, '팔': 8, '구': 9}

// A hanNumeral is a number in Chinese characters.
type hanNumeral struct {
	end        int
	value      float64
	step       float64 // half a unit of the last place
	characters int
	positional bool // digits one after the other, as in 二〇二四
	scaled     bool // with 十, 百, 千, 万 and so on
}

// parseHan reads the number in Chinese characters at s[i]: 三百五十, 一亿二千万,
// 二〇二四, 十二点五.
func parseHan(s string, i int) (n hanNumeral, ok bool) {
	const longest = 24 // characters; no number is longer
	total, section, digit, pending := 0.0, 0.0, 0.0, false
	last := math.Inf(1) // the multiplier before, within 万
	digits, positional := 0, 0.0
	n.end, n.step = i, 0.5
	for n.characters < longest {
		r, size := utf8.DecodeRuneInString(s[n.end:])
		if d, isDigit := hanDigits[r]; isDigit {
			if pending && digits < n.characters { // 三百五六: about that many
				return n, false
			}
			positional, digit, pending = positional*10+d, d, d != 0
			digits++
		} else if scale := cjkScales[r]; r != '兆' && scale >= 1e4 {
			switch {
			case section+digit > 0:
				total += (section + digit) * scale
			case total > 0: // 三万亿
				total *= scale
			default:
				return n, false
			}
			section, digit, pending, n.scaled, last = 0, 0, false, true, math.Inf(1)
		} else if scale != 0 {
			if scale >= last || pending && digits > 1 && !n.scaled && digits == n.characters {
				return n, false
			}
			if !pending {
				digit = 1
			}
			section, digit, pending, n.scaled, last = section+digit*scale, 0, false, true, scale
		} else {
			break
		}
		n.end += size
		n.characters++
	}
	n.positional = digits == n.characters
	n.value = total + section + digit
	if n.positional && digits > 1 {
		n.value = positional
	}
	n.readFraction(s)
	return n, n.characters > 0
}

// readFraction reads the 点五 of 十二点五.
func (n *hanNumeral) readFraction(s string) {
	rest, ok := strings.CutPrefix(s[n.end:], "点")
	if !ok {
		if rest, ok = strings.CutPrefix(s[n.end:], "點"); !ok {
			return
		}
	}
	place, at := 0.1, len(s)-len(rest)
	for at < len(s) {
		r, size := utf8.DecodeRuneInString(s[at:])
		d, isDigit := hanDigits[r]
		if !isDigit {
			break
		}
		n.value += d * place
		n.step = place / 2
		place /= 10
		at += size
		n.end = at
	}
}

// counters are words that stand between a number and what it counts; a number of one
// character is one only before them or before a unit.
var counters = strings.Fields("人 名 位 个 個 只 隻 头 頭 台 臺 辆 輛 座 家 间 間 所 条 條 张 張 本 册 部 件 次 回 届 屆 种 種 项 項 场 場 层 層 岁 歳 才 名 户 " +
	"戶 支 棵 艘 架 匹 軒 枚 冊 か国 カ国 ヶ国 国 社 校 点 セット つ 명 개 곳 건 대 마리 회 가구 권 살 세")

// vagueHan stand around characters that are no number for sure: 数百万, 十几, 三分之一.
const vagueHan = "数數几幾多第初每毎星期周週礼"

// han reads a number in Chinese characters at s[i], keeps it if it is a figure and
// returns where to go on, or i.
func (p *figureParser) han(i int) int {
	if !p.lang.Is(lang.HanNumbers) {
		return i
	}
	if end := p.hanPercent(i); end > i {
		return end
	}
	n, ok := parseHan(p.s, i)
	if n.end == i {
		return i
	}
	before, size := utf8.DecodeLastRuneInString(p.s[:i])
	after, _ := utf8.DecodeRuneInString(p.s[n.end:])
	vague := size > 0 && strings.ContainsRune(vagueHan, before) || strings.ContainsRune("数數几幾", after)
	if !ok || vague || strings.HasPrefix(p.s[n.end:], "分之") || strings.HasPrefix(p.s[n.end:], "分の") || n.positional &&
		n.characters > 1 {
		return n.end
	}
	_, _, measured := p.unitAfter(i, n.end, n.scaled)
	counted := false
	for _, counter := range counters {
		counted = counted || strings.HasPrefix(p.s[n.end:], counter)
	}
	first, _ := utf8.DecodeRuneInString(p.s[i:])
	switch {
	case n.characters == 1 && (first == '一' || cjkScales[first] != 0 || !measured && !counted): // 一人, 千葉, 三重
		return n.end
	case !measured && !counted && !(n.scaled && n.characters >= 3), hanDigits[first] == 0 && !measured && !counted:
		return n.end
	case p.ordinalCounter(n.end):
		return n.end
	}
	p.keep(i, n.end, quantity{value: n.value, step: n.step, coarse: n.step})
	return max(n.end, p.lastEnd())
}

// hangul reads a number in Korean words at s[i], such as 삼백이십원, with its unit or counter, and returns where to go
// on, or i. Most of its syllables are also parts of other words.
func (p *figureParser) hangul(i int) int {
	before, _ := utf8.DecodeLastRuneInString(p.s[:i])
	first, _ := utf8.DecodeRuneInString(p.s[i:])
	if !p.lang.Is(lang.Counters) || !unicode.Is(unicode.Hangul, first) || unicode.IsLetter(before) {
		return i
	}
	n, ok := parseHan(p.s, i)
	if !ok || !n.scaled || n.characters < 2 {
		return i
	}
	_, _, measured := p.unitAfter(i, n.end, true)
	rest := p.s[blankAt(p.s, n.end):]
	counted := slices.ContainsFunc(counters, func(counter string) bool { return strings.HasPrefix(rest, counter) })
	if !measured && !counted {
		return i
	}
	p.keep(i, n.end, quantity{value: n.value, step: n.step, coarse: n.step})
	return max(n.end, p.lastEnd())
}

// hanPercent reads 百分之五, 百分之12.5 and 千分之三.
func (p *figureParser) hanPercent(i int) int {
	factor := 1.0
	rest, ok := strings.CutPrefix(p.s[i:], "百分之")
	if !ok {
		if rest, ok = strings.CutPrefix(p.s[i:], "千分之"); !ok {
			return i
		}
		factor = 0.1
	}
	at := len(p.s) - len(rest)
	n, read := parseHan(p.s, at)
	if _, _, digit := text.DigitAt(p.s, at); digit {
		in := parseNumeral(p.s, at, p.lang)
		n.end, n.value, n.step, read = in.end, in.value, in.step, in.readable
	}
	if !read {
		return max(at, n.end)
	}
	q := quantity{value: n.value * factor, step: n.step * factor, coarse: n.step * factor}
	p.add(i, n.end, q, 1, unit{dimension: DimensionPercent, factor: 1}, false)
	return p.lastEnd()
}
