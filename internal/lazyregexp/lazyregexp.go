// Package lazyregexp holds regular expressions that compile at their first use, so that a program which needs few of
// them does not pay for all at its start.
//
// Units: positions are byte offsets, as in package regexp.
// Errors: an expression that does not compile panics at its first use.
// Concurrency: a Regexp may be used from many goroutines.
package lazyregexp

import (
	"regexp"
	"sync"
)

// A Regexp is an expression that is compiled when a method is first called. Each method
// is the one of regexp.Regexp by its name.
type Regexp struct {
	expression string
	compiled   func() *regexp.Regexp
}

// New returns the expression without compiling it.
func New(expression string) *Regexp {
	return &Regexp{expression, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
}

// String returns the expression, and compiles nothing.
func (r *Regexp) String() string { return r.expression }

func (r *Regexp) Match(b []byte) bool       { return r.compiled().Match(b) }
func (r *Regexp) MatchString(s string) bool { return r.compiled().MatchString(s) }

func (r *Regexp) FindString(s string) string { return r.compiled().FindString(s) }

func (r *Regexp) FindStringIndex(s string) []int { return r.compiled().FindStringIndex(s) }

func (r *Regexp) FindSubmatch(b []byte) [][]byte { return r.compiled().FindSubmatch(b) }

func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }

func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.compiled().FindStringSubmatchIndex(s)
}

func (r *Regexp) FindAllString(s string, n int) []string { return r.compiled().FindAllString(s, n) }

func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringIndex(s, n)
}

func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte {
	return r.compiled().FindAllSubmatch(b, n)
}

func (r *Regexp) FindAllSubmatchIndex(b []byte, n int) [][]int {
	return r.compiled().FindAllSubmatchIndex(b, n)
}

func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}

func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringSubmatchIndex(s, n)
}

func (r *Regexp) ReplaceAll(b, by []byte) []byte { return r.compiled().ReplaceAll(b, by) }

func (r *Regexp) ReplaceAllString(s, by string) string { return r.compiled().ReplaceAllString(s, by) }

func (r *Regexp) ReplaceAllStringFunc(s string, by func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(s, by)
}

func (r *Regexp) Split(s string, n int) []string { return r.compiled().Split(s, n) }
