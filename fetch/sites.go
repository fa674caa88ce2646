package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/citewell/citewell"
)

// Limits on robots.txt, after RFC 9309 sections 2.3.1 and 2.4.
const (
	robotsTimeout   = 5 * time.Second
	robotsRedirects = 5
	robotsLifetime  = 24 * time.Hour   // rules are read again after it
	robotsRetry     = 30 * time.Second // a robots.txt that could not be read is asked for again after it
	maxSites        = 2048             // remembered at once
)

// sites remembers the rules of each scheme, host and port.
type sites struct {
	mu   sync.Mutex
	site map[string]*siteRules
}

// siteRules are those of one site's robots.txt. The lock is held while it is read, so that many pages cost one request.
type siteRules struct {
	lock    chan struct{}
	rules   robotsRules
	known   bool      // rules were read, if perhaps long ago
	refusal error     // why nothing of the site may be fetched; nil when rules decide
	until   time.Time // when to ask again; written under the lock and sites.mu
}

func newSites() *sites { return &sites{site: make(map[string]*siteRules)} }

func (s *sites) rulesOf(key string) *siteRules {
	s.mu.Lock()
	defer s.mu.Unlock()
	site := s.site[key]
	if site == nil {
		if len(s.site) >= maxSites {
			s.forget()
		}
		site = &siteRules{lock: make(chan struct{}, 1)}
		s.site[key] = site
	}
	return site
}

// forget drops what has run out, or anything where nothing has. A fetch that uses it still holds it.
func (s *sites) forget() {
	for key, site := range s.site {
		if time.Now().After(site.until) {
			delete(s.site, key)
		}
	}
	for key := range s.site {
		if len(s.site) < maxSites {
			return
		}
		delete(s.site, key)
	}
}

// obey returns nil if u's robots.txt lets Citewell fetch u, and otherwise an error that names the rule.
func (c *Client) obey(ctx context.Context, u *url.URL, a asking) error {
	site := c.sites.rulesOf(u.Scheme + "://" + hostPort(u))
	select {
	case site.lock <- struct{}{}:
		defer func() { <-site.lock }()
	case <-ctx.Done():
		return waitedForRobots(ctx)
	}
	if time.Now().After(site.until) {
		if err := c.readRobots(ctx, u, a, site); err != nil {
			return err
		}
	}
	if site.refusal != nil {
		return site.refusal
	}
	if rule, no := site.rules.disallows(u); no {
		return &citewell.Error{
			Code:    citewell.CodeRobotsDisallowed,
			Message: fmt.Sprintf("robots.txt of %s forbids this page to %s (%v)", u.Hostname(), productToken, rule),
		}
	}
	return nil
}

// readRobots fetches and keeps the rules of u's site. What it returns is not kept:
// it is the caller's own end, not the site's answer.
func (c *Client) readRobots(ctx context.Context, u *url.URL, a asking, site *siteRules) error {
	limited, cancel := context.WithTimeout(ctx, robotsTimeout)
	defer cancel()
	home := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}
	got, _, err := c.follow(limited, home, asking{
		language:  a.language,
		agent:     a.agent,
		aside:     true,
		archive:   a.archive,
		maxBytes:  maxRobotsBytes + 1,
		redirects: robotsRedirects,
	})
	if err != nil && ctx.Err() != nil {
		return waitedForRobots(ctx)
	}
	switch code := citewell.CodeOf(err); {
	case code == citewell.CodeRateLimited || code == citewell.CodeCanceled:
		return err
	case code == citewell.CodeBlockedAddress:
		return err // another may be let through, by who named the host
	case code == citewell.CodeTooManyRedirects:
		// Like a file that is missing.
		c.sites.keepRules(site, robotsRules{}, time.Now().Add(robotsLifetime))
	case err != nil:
		c.sites.refuse(site, robotsUnread(err))
	case got.status >= 200 && got.status <= 299:
		c.sites.keepRules(site, parseRobots(got.body), got.fetchedAt.Add(robotsLifetime))
	case got.status >= 500:
		c.sites.refuse(site, &citewell.Error{
			Code: citewell.CodeRobotsDisallowed,
			Message: fmt.Sprintf("robots.txt of %s answered %d, so its rules are unknown and nothing is fetched",
				u.Hostname(), got.status),
			Hint: "try again later",
		})
	default:
		c.sites.keepRules(site, robotsRules{}, got.fetchedAt.Add(robotsLifetime))
	}
	return nil
}

func (s *sites) keepRules(site *siteRules, rules robotsRules, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	site.rules, site.known, site.refusal, site.until = rules, true, nil, until
}

// refuse notes that the file could not be read. Earlier rules hold then; without any, nothing of the site is fetched.
func (s *sites) refuse(site *siteRules, refusal error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if site.known {
		refusal = nil
	}
	site.refusal, site.until = refusal, time.Now().Add(robotsRetry)
}

// robotsUnread says why rules are unknown, under the code that the page itself would most likely have ended with.
func robotsUnread(err error) error {
	code := citewell.CodeOf(err)
	switch code {
	case citewell.CodeDNSFailed, citewell.CodeConnectFailed, citewell.CodeTLSFailed:
		return err
	case citewell.CodeTimeout, citewell.CodeResponseTooSlow, citewell.CodeHTTPFailed:
	default:
		code = citewell.CodeRobotsDisallowed
	}
	return &citewell.Error{
		Code:    code,
		Message: "robots.txt could not be read, so its rules are unknown and nothing is fetched",
		Hint:    "try again later",
		Err:     err,
	}
}

// waitedForRobots is a caller's end while the site's rules were being read.
func waitedForRobots(ctx context.Context) error {
	code := citewell.CodeTimeout
	if errors.Is(ctx.Err(), context.Canceled) {
		code = citewell.CodeCanceled
	}
	return &citewell.Error{Code: code, Err: ctx.Err()}
}
