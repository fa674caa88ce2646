package services

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/weburl"
)

// A SimilarPage is one page that is like another.
type SimilarPage struct {
	Title, URL string
	Published  string   // YYYY-MM-DD; empty where it is not known
	Score      *float64 // how much it is alike; nil where Exa does not say
	Text       string   // as it came, of many lines; empty where it was not asked for
}

// A PageText is what a provider read of one page, on its own machines. Text is as it
// came, of many lines; Err says why there is none.
type PageText struct {
	URL    string // as asked; as the provider calls it, for what was not asked
	Title  string // on one line
	Text   string
	ReadAt time.Time // UTC; when the provider said it
	Err    *citewell.Error
}

// MaxPageURLs is how many pages one call may ask for.
const MaxPageURLs = 20

// CheckPageURL says why a service is not asked for a page: its URL is none, or it
// means something inside a network only, and such names are nothing for a third party.
func CheckPageURL(raw string) error {
	u, err := weburl.Parse(raw)
	if err != nil {
		return err
	}
	if IsInside(u.Hostname()) {
		return &citewell.Error{Code: citewell.CodeBlockedAddress, Op: "search",
			Message: "it is no public address, and no service is told of it"}
	}
	return nil
}

// CheckPageURLs checks what one call asks for, and names the one that is wrong.
func CheckPageURLs(urls []string) error {
	if len(urls) == 0 || len(urls) > MaxPageURLs {
		return &citewell.Error{Code: citewell.CodeInvalidArgument, Op: "search",
			Message: fmt.Sprintf("urls must have 1 to %d items; it has %d", MaxPageURLs, len(urls))}
	}
	for i, raw := range urls {
		if err := CheckPageURL(raw); err != nil {
			view := citewell.View(err)
			return &citewell.Error{Code: view.Code, Op: "search",
				Message: fmt.Sprintf("urls[%d]: %s", i, view.Message), Hint: view.Hint, Err: err}
		}
	}
	return nil
}

// IsInside tells hosts that mean something within one network only.
func IsInside(host string) bool {
	if addr, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		addr = addr.Unmap()
		return !addr.IsGlobalUnicast() || addr.IsPrivate()
	}
	dot := strings.LastIndexByte(host, '.')
	within := []string{"localhost", "local", "localdomain", "internal", "intranet", "lan", "home", "corp"}
	return dot < 0 || slices.Contains(within, host[dot+1:]) || strings.HasSuffix(host, ".home.arpa")
}
