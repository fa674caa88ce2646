package citewell

// Confidence says how far the findings of research carry, and why.
type Confidence struct {
	Level  ConfidenceLevel `json:"level"`
	Reason string          `json:"reason"` // in words: what was counted
}

// A ConfidenceLevel is one of three words.
type ConfidenceLevel string

// High needs sources that were read, are good, and agree; see brief.Research.
const (
	ConfidenceHigh   ConfidenceLevel = "HIGH"
	ConfidenceMedium ConfidenceLevel = "MEDIUM"
	ConfidenceLow    ConfidenceLevel = "LOW"
)

// Quality says what kind of place a source is published at, by its host alone.
type Quality struct {
	Label QualityLabel `json:"label"`
	Score int          `json:"score"` // 2 to 5
}

// A QualityLabel is one of three words.
type QualityLabel string

// Primary places are scored 4 and 5, secondary ones 2 and 3, all others 2.
const (
	QualityPrimary    QualityLabel = "PRIMARY"
	QualitySecondary  QualityLabel = "SECONDARY"
	QualityUnverified QualityLabel = "UNVERIFIED"
)
