package content

import (
	"cmp"
	"slices"
)

// standings say where each block stands against what the first forest is sure of, for an article lies in one piece.
func standings(p []float32, in []surroundings) [][]float32 {
	const width = 30
	rows, room := make([][]float32, len(p)), make([]float32, len(p)*width)
	for i := range rows {
		rows[i] = room[i*width : i*width : (i+1)*width]
	}
	addCores(rows, p, in)
	for _, sure := range [...]float32{0.8, 0.93} {
		addDistances(rows, p, in, sure)
	}
	addRanks(rows, p, in)
	addSections(rows, p, in)
	return rows
}

// addCores compares each block with the innermost elements that hold half, most and nearly all of what is likely.
func addCores(rows [][]float32, p []float32, in []surroundings) {
	const likely = 0.6
	held := map[*scope]float32{}
	var total float32
	for i, v := range p {
		if v < likely {
			continue
		}
		w := v * float32(in[i].size)
		total += w
		for c := in[i].around[0]; c != nil; c = c.parent {
			held[c] += w
		}
	}
	for _, share := range [...]float32{0.5, 0.8, 0.95} {
		var core *scope
		for i, v := range p {
			if v < likely {
				continue
			}
			c := in[i].around[0]
			for c != nil && held[c] < share*total {
				c = c.parent
			}
			if c != nil && (core == nil || c.depth > core.depth || c.depth == core.depth && held[c] > held[core]) {
				core = c
			}
		}
		for i := range rows {
			if core == nil {
				rows[i] = append(rows[i], -1, -99, -99, -999, -999)
				continue
			}
			c := in[i].around[0]
			common := commonDepth(core, c)
			rows[i] = append(rows[i], truth(holds(core, c)), float32(common-core.depth), float32(c.depth-common),
				float32(i-core.first), float32(core.last-i))
		}
	}
}

// addDistances says how far the nearest sure block above is, in blocks and in text, and the first and last sure ones.
func addDistances(rows [][]float32, p []float32, in []surroundings, sure float32) {
	isSure := func(i int) bool { return p[i] >= sure && in[i].size >= 60 }
	first, last := -1, -1
	for i := range p {
		if isSure(i) {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	above, text := -1, 0
	for i := range rows {
		if isSure(i) {
			above, text = i, 0
		}
		if above < 0 {
			rows[i] = append(rows[i], -1, -1)
		} else {
			rows[i] = append(rows[i], float32(i-above), logSize(text))
		}
		if i != above {
			text += in[i].size
		}
		if first < 0 {
			rows[i] = append(rows[i], -999, -999)
		} else {
			rows[i] = append(rows[i], float32(i-first), float32(last-i))
		}
	}
}

// addRanks says how much of the page is at least as likely, and how far a block is
// above the limit that likeliest would set, with the agreement it would expect.
func addRanks(rows [][]float32, p []float32, in []surroundings) {
	order := make([]int, len(p))
	var wanted, text float32
	for i := range p {
		order[i] = i
		wanted += p[i] * float32(in[i].size)
		text += float32(in[i].size)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[b], p[a]) })
	var kept, right, best float32
	for _, i := range order {
		kept += float32(in[i].size)
		right += p[i] * float32(in[i].size)
		best = max(best, 2*right/(kept+wanted+1))
		rows[i] = append(rows[i], kept/max(text, 1), right/max(wanted, 1))
	}
	for i := range rows {
		rows[i] = append(rows[i], p[i]-best/2, best)
	}
}

// addSections says how likely the heading above a block is, and what stands between that heading and the next.
func addSections(rows [][]float32, p []float32, in []surroundings) {
	for from := 0; from < len(p); {
		to := from + 1
		for to < len(p) && !in[to].heading {
			to++
		}
		head, body := float32(-1), from
		if in[from].heading {
			head, body = p[from], from+1
		}
		var size, sum, most float32
		for k := body; k < to; k++ {
			w := float32(in[k].size)
			size, sum, most = size+w, sum+w*p[k], max(most, p[k])
		}
		for k := from; k < to; k++ {
			rows[k] = append(rows[k], head, sum/max(size, 1), most)
		}
		from = to
	}
}
