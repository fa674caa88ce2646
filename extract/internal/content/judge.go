// Package content tells the blocks of a web page's own content from those of the site around it. Forests of decision
// trees decide, grown on pages whose content people marked.
//
// Flow: blocks → signals of each block, of its surroundings and of the page → first forests → second forest, which sees
// the first one's answers around each block → similar blocks judged together → blocks that are kept.
// Units: sizes of blocks in bytes; probabilities from 0 to 1.
// Errors: ReadJudge refuses forests that are damaged or were grown for other signals.
// Concurrency: a Judge is safe for many goroutines.
// Why: doc/decision/0010-own-extraction.md
package content

import (
	"slices"

	"github.com/citewell/citewell/extract/internal/block"
	"github.com/citewell/citewell/extract/internal/media"
	"github.com/citewell/citewell/extract/internal/tree"
)

// A Judge says of every block how likely it is content: the first forests, quick and thorough, by the block's own
// signals, the second by what the first say of it and its neighbours.
type Judge struct{ quick, thorough, second *forest }

func (j *Judge) probabilities(o Outlook, rows [][]float32, in []surroundings) []float32 {
	p, doubtful := j.firstValues(rows)
	for k, second := range j.second.values(secondSignals(rows, p, in, doubtful)) {
		i := doubtful[k]
		p[i] = (p[i] + second) / 2
	}
	if o.Kind == media.KindForum {
		judgeTogether(p, in)
	}
	for i, v := range p {
		p[i] = sigmoid(v)
	}
	return p
}

// firstValues are the means of the quick and the thorough forest. Nearly half of the blocks on a page the quick one
// surely rejects: only the doubtful go to the other.
func (j *Judge) firstValues(rows [][]float32) (values []float32, doubtful []int) {
	const unlikely = -5 // one in 150
	values = j.quick.values(rows)
	rest := make([][]float32, 0, len(rows))
	for i, v := range values {
		if v > unlikely {
			doubtful, rest = append(doubtful, i), append(rest, rows[i])
		}
	}
	for k, v := range j.thorough.values(rest) {
		i := doubtful[k]
		values[i] = (values[i] + v) / 2
	}
	return values, doubtful
}

// judgeTogether moves the value of each block half of the way to the mean of those in elements like its own, long
// blocks counting for more: of twenty posts of one thread, none is content alone.
func judgeTogether(values []float32, in []surroundings) {
	const fewest = 3
	type mean struct {
		sum, weight float32
		count       int
	}
	paths := make(map[uint64]mean, len(values))
	for i, v := range values {
		m, w := paths[in[i].path], float32(in[i].size)+10
		paths[in[i].path] = mean{m.sum + v*w, m.weight + w, m.count + 1}
	}
	for i, v := range values {
		if m := paths[in[i].path]; m.count >= fewest {
			values[i] = (v + m.sum/m.weight) / 2
		}
	}
}

// secondSignals adds to the signals of the blocks at places what is thought of their neighbours.
func secondSignals(rows [][]float32, values []float32, in []surroundings, places []int) [][]float32 {
	p := make([]float32, len(values))
	var total, sure, best float32
	for i, v := range values {
		p[i] = sigmoid(v)
		total += float32(in[i].size)
		sure += p[i] * float32(in[i].size)
		best = max(best, p[i])
	}
	type mean struct{ sum, weight float32 }
	paths, elements := map[uint64]mean{}, map[*scope]mean{}
	for i, v := range p {
		w := float32(in[i].size) + 10
		m := paths[in[i].path]
		paths[in[i].path] = mean{m.sum + v*w, m.weight + w}
		for k, c := range in[i].around {
			if k > 0 && c == in[i].around[k-1] {
				break
			}
			m := elements[c]
			elements[c] = mean{m.sum + v*w, m.weight + w}
		}
	}
	first, last := -1, -1
	for i := range p {
		if p[i] >= 0.5 && in[i].size >= 60 {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	at := func(i int) float32 {
		if i < 0 || i >= len(values) {
			return -8
		}
		return values[i]
	}
	standing := standings(p, in)
	out := make([][]float32, len(places))
	for k, i := range places {
		row := append(rows[i], standing[i]...)
		row = append(row, at(i), at(i-3), at(i-2), at(i-1), at(i+1), at(i+2), at(i+3))
		for _, reach := range [...]int{4, 10, 25} {
			for _, side := range [...][2]int{{i - reach, i - 1}, {i + 1, i + reach}} {
				var n, sum, most float32
				for near := max(side[0], 0); near <= min(side[1], len(p)-1); near++ {
					w := float32(in[near].size)
					n, sum = n+w, sum+w*p[near]
					most = max(most, p[near])
				}
				row = append(row, sum/max(n, 1), most)
			}
		}
		row = append(row, sure/max(total, 1), sure, best, float32(i-first), float32(last-i))
		w := float32(in[i].size) + 10
		without := func(m mean) float32 {
			if m.weight-w < 1 {
				return -1
			}
			return (m.sum - p[i]*w) / (m.weight - w)
		}
		row = append(row, without(paths[in[i].path]))
		for _, c := range in[i].around {
			row = append(row, without(elements[c]))
		}
		out[k] = row
	}
	return out
}

// Choose keeps a page's content: of an article the article, of a forum the posts, of a shop its products.
func (j *Judge) Choose(o Outlook, blocks []block.Block) []block.Block {
	rows, in := signalsOf(o, blocks)
	p := j.probabilities(o, rows, in)
	keep := likeliest(p, in)
	if o.Kind == media.KindArticle && o.DeclaredArticle {
		keep = articleOf(p, in, blocks, keep)
	}
	fillBetween(blocks, keep)
	if o.Kind != media.KindArticle {
		dropCopies(blocks, keep)
	}
	chosen := make([]block.Block, 0, len(blocks))
	for i, b := range blocks {
		if keep[i] {
			chosen = append(chosen, b)
		}
	}
	return chosen
}

// articleOf is stricter than likeliest: on an article's page, what is little more than
// half as likely as its surest paragraph is a teaser or a remark. It gives way where
// little is left.
func articleOf(p []float32, in []surroundings, blocks []block.Block, likeliest []bool) []bool {
	const paragraphSize, share = 60, 0.55
	var surest float32
	for i := range p {
		if in[i].size >= paragraphSize {
			surest = max(surest, p[i])
		}
	}
	keep := make([]bool, len(p))
	size, all := 0, 0
	for i := range p {
		if likeliest[i] {
			all += in[i].size
		}
		if keep[i] = p[i] >= share*surest && blocks[i].Boiler != tree.Remarks; keep[i] {
			size += in[i].size
		}
	}
	if size < media.LowYield && all > 2*size {
		return likeliest
	}
	return keep
}

// likeliest keeps the blocks for which the expected agreement with a person's choice (F1 by size) is highest.
func likeliest(p []float32, in []surroundings) []bool {
	order := make([]int, len(p))
	var wanted float32
	for i := range p {
		order[i] = i
		wanted += p[i] * float32(in[i].size)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case p[a] > p[b]:
			return -1
		case p[a] < p[b]:
			return 1
		}
		return 0
	})
	keep := make([]bool, len(p))
	var kept, right, best float32
	count := 0
	for n, i := range order {
		kept += float32(in[i].size)
		right += p[i] * float32(in[i].size)
		if f := 2 * right / (kept + wanted); f > best {
			best, count = f, n+1
		}
	}
	for _, i := range order[:count] {
		keep[i] = true
	}
	return keep
}
