package fetch

import "time"

// Defaults and bounds.
const (
	// Of Options.
	DefaultUserAgent      = "Citewell (+https://github.com/citewell/citewell)"
	DefaultAcceptLanguage = "en, *;q=0.5"
	DefaultCacheTTL       = 10 * time.Minute
	DefaultSpacing        = 250 * time.Millisecond

	// Of a Request.
	DefaultTimeout      = 6 * time.Second
	DefaultMaxBytes     = 5 << 20
	DefaultMaxRedirects = 3
	MaxTimeout          = 120 * time.Second
	MaxMaxBytes         = 16 << 20
	MaxMaxRedirects     = 20

	// Of a Call.
	DefaultCallTimeout  = 30 * time.Second
	DefaultCallMaxBytes = 512_000
	MaxCallRedirects    = 5

	// Of an Archive.
	DefaultArchiveURL = "https://web.archive.org"
	MaxArchiveRate    = 0.35             // of DefaultArchiveURL, which lets in 24 requests a minute
	ArchiveTimeout    = 20 * time.Second // what looking up and reading a copy takes an archive that answers
)
