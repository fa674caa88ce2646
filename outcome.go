package citewell

// A ProviderOutcome is what became of one provider's part in a search.
type ProviderOutcome string

// Blocked, rate limited, empty and failed are four different things: only empty
// means that there is nothing to find.
const (
	ProviderOK             ProviderOutcome = "ok"
	ProviderEmpty          ProviderOutcome = "empty"
	ProviderBlocked        ProviderOutcome = "blocked"
	ProviderRateLimited    ProviderOutcome = "rate_limited"
	ProviderQueued         ProviderOutcome = "queued" // it was not asked: our own queue before it was too long
	ProviderQuotaExhausted ProviderOutcome = "quota_exhausted"
	ProviderAuth           ProviderOutcome = "auth"
	ProviderTimeout        ProviderOutcome = "timeout"
	ProviderBadResponse    ProviderOutcome = "bad_response"
	ProviderFailed         ProviderOutcome = "failed"
)

// Answered says whether the provider gave a real answer, which an empty one is.
func (o ProviderOutcome) Answered() bool { return o == ProviderOK || o == ProviderEmpty }

// A FetchOutcome is what became of one page, in the words that Coverage shows.
type FetchOutcome string

// Those from extraction-failed on come from reading the page, not from fetching it.
const (
	FetchOK                  FetchOutcome = "ok"
	FetchTruncated           FetchOutcome = "truncated"
	FetchValidationFailed    FetchOutcome = "validation-failed"
	FetchBlockedRobots       FetchOutcome = "blocked-robots"
	FetchCrossDomainRedirect FetchOutcome = "cross-domain-redirect"
	FetchTooManyRedirects    FetchOutcome = "too-many-redirects"
	FetchSSLError            FetchOutcome = "ssl-error"
	FetchConnectError        FetchOutcome = "connect-error"
	FetchHTTPError           FetchOutcome = "http-error"
	FetchRateLimited         FetchOutcome = "rate-limited"
	FetchHTTPStatus          FetchOutcome = "http-status"
	FetchTimeout             FetchOutcome = "timeout"
	FetchEmptyBody           FetchOutcome = "empty-body"
	FetchCanceled            FetchOutcome = "canceled"
	FetchUnsupportedType     FetchOutcome = "unsupported-type"
	FetchExtractionFailed    FetchOutcome = "extraction-failed"
	FetchExtractionTimeout   FetchOutcome = "extraction-timeout"
	FetchLowYield            FetchOutcome = "low-yield"
)

// Readable says whether the page gave text that can be quoted.
func (o FetchOutcome) Readable() bool {
	return o == FetchOK || o == FetchTruncated || o == FetchLowYield
}
