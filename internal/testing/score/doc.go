// Package score holds the measures of the benchmarks that Citewell is compared by,
// each as its benchmark defines it: extraction of articles and of other kinds of
// page, ranked retrieval, and yes-or-no decisions.
//
// Units: every score is a share from 0 to 1; a mean of nothing is 0.
// Source: evaluate.py of scrapinghub/article-extraction-benchmark, the README of
// Murrough-Foley/web-content-extraction-benchmark, Järvelin and Kekäläinen 2002
// (nDCG), BEIR (R@k).
package score

import "slices"

// A mean adds up values.
type mean struct {
	sum   float64
	count int
}

func (m *mean) add(v float64) { m.sum, m.count = m.sum+v, m.count+1 }

func (m mean) value() float64 { return m.sum / float64(max(m.count, 1)) }

// Median returns the middle of values, or of the two in the middle the mean; 0 of
// none.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}

func harmonic(precision, recall float64) float64 {
	if precision+recall == 0 {
		return 0
	}
	return 2 * precision * recall / (precision + recall)
}
