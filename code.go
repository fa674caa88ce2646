package citewell

import "slices"

// A Code names one way something can fail, in snake_case. It is what a program
// branches on, and it never changes once released.
type Code string

// A Category groups codes by what the caller can do about them.
type Category string

// What the caller can do: mend the call (invalid), ask the operator (denied), use
// another source (blocked), wait (rate_limited), try again later (unavailable),
// raise the limit (budget), nothing (canceled), report a bug (internal).
const (
	CategoryInvalid     Category = "invalid"
	CategoryDenied      Category = "denied"
	CategoryBlocked     Category = "blocked"
	CategoryRateLimited Category = "rate_limited"
	CategoryUnavailable Category = "unavailable"
	CategoryBudget      Category = "budget"
	CategoryCanceled    Category = "canceled"
	CategoryInternal    Category = "internal"
)

// The codes, in the order of the table below.
const (
	CodeInvalidArgument       Code = "invalid_argument"
	CodeInvalidURL            Code = "invalid_url"
	CodeUnsupportedScheme     Code = "unsupported_scheme"
	CodeInvalidConfig         Code = "invalid_config"
	CodeUnknownProvider       Code = "unknown_provider"
	CodeProviderNotConfigured Code = "provider_not_configured"
	CodeUnknownTool           Code = "unknown_tool"
	CodeToolNotConfigured     Code = "tool_not_configured"
	CodeModelNotConfigured    Code = "model_not_configured"
	CodeNotFound              Code = "not_found"
	CodeUnsupportedType       Code = "unsupported_type"
	CodePDFEncrypted          Code = "pdf_encrypted"
	CodeExtractionFailed      Code = "extraction_failed"
	CodeEmptyBody             Code = "empty_body"
	CodeCitationsFailed       Code = "citations_failed"
	CodeRunFinished           Code = "run_finished"
	CodeRunWaiting            Code = "run_waiting"
	CodeRunExists             Code = "run_exists"
	CodeRunNotReady           Code = "run_not_ready"
	CodeFileNotFound          Code = "file_not_found"
	CodeUnsupportedImage      Code = "unsupported_image"
	CodeImageTooLarge         Code = "image_too_large"
	CodeModelWithoutVision    Code = "model_without_vision"
	CodeArgumentsTooLarge     Code = "arguments_too_large"

	CodeBlockedAddress       Code = "blocked_address"
	CodeBlockedRedirect      Code = "blocked_redirect"
	CodeAuth                 Code = "auth"
	CodePermissionDenied     Code = "permission_denied"
	CodeConfirmationRequired Code = "confirmation_required"
	CodeBlockedByPolicy      Code = "blocked_by_policy"
	CodePathOutsideWorkdir   Code = "path_outside_workdir"
	CodeCommandNotAllowed    Code = "command_not_allowed"
	CodeArgumentNotAllowed   Code = "argument_not_allowed"

	CodeRobotsDisallowed    Code = "robots_disallowed"
	CodeBlockedByProvider   Code = "blocked_by_provider"
	CodeCrossDomainRedirect Code = "cross_domain_redirect"

	CodeRateLimited    Code = "rate_limited"
	CodeQuotaExhausted Code = "quota_exhausted"

	CodeTimeout             Code = "timeout"
	CodeExtractionTimeout   Code = "extraction_timeout"
	CodeResponseTooSlow     Code = "response_too_slow"
	CodeResponseTooLarge    Code = "response_too_large"
	CodeArchiveTooLarge     Code = "archive_too_large"
	CodeUnsupportedEncoding Code = "unsupported_encoding"
	CodeTooManyRedirects    Code = "too_many_redirects"
	CodeDNSFailed           Code = "dns_failed"
	CodeConnectFailed       Code = "connect_failed"
	CodeTLSFailed           Code = "tls_failed"
	CodeHTTPFailed          Code = "http_failed"
	CodeHTTPStatus          Code = "http_status"
	CodeBadResponse         Code = "bad_response"
	CodeAllProvidersFailed  Code = "all_providers_failed"
	CodeToolFailed          Code = "tool_failed"
	CodeModelFailed         Code = "model_failed"
	CodeStoreFailed         Code = "store_failed"
	CodeRunLeased           Code = "run_leased"
	CodeLeaseLost           Code = "lease_lost"
	CodeNotRecorded         Code = "not_recorded"
	CodeRunIncomplete       Code = "run_incomplete"

	CodeBudgetExhausted Code = "budget_exhausted"
	CodeQuotaExceeded   Code = "quota_exceeded"
	CodeCanceled        Code = "canceled"
	CodeInternal        Code = "internal"
)

// Exit codes of the command line.
const (
	ExitOK      = 0
	ExitFailed  = 1
	ExitUsage   = 2
	ExitPartial = 3 // a budget ended it, no provider answered, or a run waits for a person
	ExitDenied  = 4
)

// A CodeRow is what every edge says about a code: the label in a brief's Coverage
// when a fetch or a provider ends with it, the exit code, the HTTP status, and
// whether the same call may succeed later. Over MCP every code is a tool result
// with isError, except that calling a tool that is not there is an error of the
// protocol's own; so it needs no column.
type CodeRow struct {
	Code      Code
	Category  Category
	Fetch     FetchOutcome    // empty: a fetch never ends so
	Provider  ProviderOutcome // empty: a provider never ends so
	Exit      int
	HTTP      int
	Retryable bool
	Meaning   string
}

// Codes is the one table of error codes and outcomes; doc/errors.md is made from
// it and a test holds the two together.
var Codes = []CodeRow{
	{CodeInvalidArgument, CategoryInvalid, "", ProviderFailed, ExitUsage, 400, false,
		"an argument is missing or outside its range; the message names both"},
	{CodeInvalidURL, CategoryInvalid, FetchValidationFailed, ProviderFailed, ExitUsage, 400, false,
		"not an absolute http or https URL with a plain host"},
	{CodeUnsupportedScheme, CategoryInvalid, FetchValidationFailed, ProviderFailed, ExitUsage, 400, false,
		"only http and https are fetched"},
	{CodeInvalidConfig, CategoryInvalid, "", ProviderFailed, ExitUsage, 500, false,
		"the configuration has an unknown key or a wrong value"},
	{CodeUnknownProvider, CategoryInvalid, "", ProviderFailed, ExitUsage, 400, false,
		"no provider has that name; the message lists those that are configured"},
	{CodeProviderNotConfigured, CategoryInvalid, "", ProviderFailed, ExitUsage, 400, false,
		"the provider needs a key or an address first"},
	{CodeUnknownTool, CategoryInvalid, "", "", ExitUsage, 404, false,
		"the toolset has no such tool; the message names the nearest"},
	{CodeToolNotConfigured, CategoryInvalid, "", "", ExitUsage, 400, false,
		"the tool needs a key, an address or a model first; the hint says which"},
	{CodeModelNotConfigured, CategoryInvalid, "", "", ExitUsage, 400, false,
		"this needs a chat or an embedding model, and none is configured"},
	{CodeNotFound, CategoryInvalid, "", "", ExitFailed, 404, false, "no such file, page, brief, passage or run"},
	{CodeUnsupportedType, CategoryInvalid, FetchUnsupportedType, "", ExitFailed, 415, false,
		"no extractor reads this media type"},
	{CodePDFEncrypted, CategoryInvalid, FetchUnsupportedType, "", ExitFailed, 415, false, "the PDF needs a password"},
	{CodeExtractionFailed, CategoryUnavailable, FetchExtractionFailed, "", ExitFailed, 422, false,
		"no extractor found text in the page"},
	{CodeEmptyBody, CategoryUnavailable, FetchEmptyBody, "", ExitFailed, 422, false,
		"the server answered with no bytes"},
	{CodeCitationsFailed, CategoryInvalid, "", "", ExitFailed, 422, false,
		"a citation does not hold against its source"},
	{CodeRunFinished, CategoryInvalid, "", "", ExitFailed, 409, false, "the run has ended and accepts nothing more"},
	{CodeRunWaiting, CategoryInvalid, "", "", ExitPartial, 409, false,
		"the run waits for an answer; the message has its question"},
	{CodeRunExists, CategoryInvalid, "", "", ExitUsage, 409, false,
		"this id or key already belongs to a run with another task, agent or budget, or to a watch with " +
			"another question"},
	{CodeRunNotReady, CategoryInvalid, "", "", ExitFailed, 409, true,
		"the run is not yet in a state that allows this; the message gives its state"},
	{CodeFileNotFound, CategoryInvalid, "", "", ExitFailed, 404, false,
		"the working folder has no such file; the message has its name there"},
	{CodeUnsupportedImage, CategoryInvalid, "", "", ExitFailed, 415, false,
		"the file is not a PNG, JPEG, GIF or WebP, or is damaged"},
	{CodeImageTooLarge, CategoryBudget, "", "", ExitFailed, 413, false,
		"the picture has more bytes or pixels than the limit in the message"},
	{CodeModelWithoutVision, CategoryInvalid, "", "", ExitUsage, 400, false, "the model accepts no pictures"},
	{CodeArgumentsTooLarge, CategoryBudget, "", "", ExitUsage, 413, false,
		"a command has more arguments, or longer ones, than the limit in the message"},

	{CodeBlockedAddress, CategoryDenied, FetchValidationFailed, ProviderFailed, ExitDenied, 403, false,
		"the host is not a public address"},
	{CodeBlockedRedirect, CategoryDenied, FetchValidationFailed, ProviderFailed, ExitDenied, 403, false,
		"a redirect led to an address or URL that is not fetched"},
	{CodeAuth, CategoryDenied, "", ProviderAuth, ExitDenied, 401, false, "the key was refused"},
	{CodePermissionDenied, CategoryDenied, "", "", ExitDenied, 403, false,
		"the file or folder may not be read or written"},
	{CodeConfirmationRequired, CategoryDenied, "", "", ExitDenied, 403, false,
		"the tool acts on something, and nobody could be asked to allow it; the hint says how to allow it"},
	{CodeBlockedByPolicy, CategoryDenied, "", "", ExitDenied, 403, false,
		"the call would send out words that only private texts contain; the message names the words, the hint " +
			"the setting"},
	{CodePathOutsideWorkdir, CategoryDenied, "", "", ExitDenied, 403, false,
		"a path leads out of the working folder: it is absolute, or goes by .. or through a symbolic link"},
	{CodeCommandNotAllowed, CategoryDenied, "", "", ExitDenied, 403, false,
		"the program is not on the list of allowed programs, which the message gives"},
	{CodeArgumentNotAllowed, CategoryDenied, "", "", ExitDenied, 403, false,
		"the program is allowed, but not this argument: it starts programs, writes elsewhere, loads " +
			"configuration, or " +
			"is unknown"},

	{CodeRobotsDisallowed, CategoryBlocked, FetchBlockedRobots, "", ExitDenied, 403, false,
		"the site's robots.txt forbids this page; the message has the rule"},
	{CodeBlockedByProvider, CategoryBlocked, "", ProviderBlocked, ExitFailed, 502, true,
		"the provider treats Citewell as a bot or refuses this address; this does not mean that there are no results"},
	{CodeCrossDomainRedirect, CategoryBlocked, FetchCrossDomainRedirect, "", ExitFailed, 502, false,
		"a redirect left the registered domain, and only that domain was allowed"},

	{CodeRateLimited, CategoryRateLimited, FetchRateLimited, ProviderRateLimited, ExitFailed, 429, true,
		"too many calls for now"},
	{CodeQuotaExhausted, CategoryRateLimited, "", ProviderQuotaExhausted, ExitFailed, 429, false,
		"the account's credits are used up; waiting does not help"},

	{CodeTimeout, CategoryUnavailable, FetchTimeout, ProviderTimeout, ExitFailed, 504, true,
		"no complete answer within the time allowed"},
	{CodeExtractionTimeout, CategoryUnavailable, FetchExtractionTimeout, "", ExitFailed, 504, false,
		"the page took too long to read"},
	{CodeResponseTooSlow, CategoryUnavailable, FetchTimeout, ProviderTimeout, ExitFailed, 504, true,
		"the body came slower than 1 KiB/s"},
	{CodeResponseTooLarge, CategoryBudget, FetchHTTPError, ProviderBadResponse, ExitFailed, 502, false,
		"the answer is larger than the limit, or expands too far"},
	{CodeArchiveTooLarge, CategoryBudget, FetchExtractionFailed, "", ExitFailed, 422, false,
		"a zipped document has too many parts or unpacks too far"},
	{CodeUnsupportedEncoding, CategoryUnavailable, FetchHTTPError, ProviderBadResponse, ExitFailed, 502, false,
		"a content encoding other than gzip, or more than one layer"},
	{CodeTooManyRedirects, CategoryUnavailable, FetchTooManyRedirects, ProviderFailed, ExitFailed, 502, false,
		"more redirects than allowed, or a loop"},
	{CodeDNSFailed, CategoryUnavailable, FetchConnectError, ProviderFailed, ExitFailed, 502, true,
		"the host name has no address"},
	{CodeConnectFailed, CategoryUnavailable, FetchConnectError, ProviderFailed, ExitFailed, 502, true,
		"no connection to the host"},
	{CodeTLSFailed, CategoryUnavailable, FetchSSLError, ProviderFailed, ExitFailed, 502, false,
		"the certificate or the TLS handshake was refused"},
	{CodeHTTPFailed, CategoryUnavailable, FetchHTTPError, ProviderFailed, ExitFailed, 502, true,
		"the connection broke or the answer was not HTTP"},
	{CodeHTTPStatus, CategoryUnavailable, FetchHTTPStatus, ProviderFailed, ExitFailed, 502, false,
		"the server answered with an error status; the message has it"},
	{CodeBadResponse, CategoryUnavailable, "", ProviderBadResponse, ExitFailed, 502, true,
		"the answer was not in the documented form"},
	{CodeAllProvidersFailed, CategoryUnavailable, "", "", ExitPartial, 502, true,
		"no provider answered; Coverage says why for each"},
	{CodeToolFailed, CategoryUnavailable, "", "", ExitFailed, 502, false,
		"an operator's tool or another server's tool returned an error"},
	{CodeModelFailed, CategoryUnavailable, "", "", ExitFailed, 502, true, "the model gave no usable answer"},
	{CodeStoreFailed, CategoryUnavailable, "", "", ExitFailed, 500, true,
		"the store could not be read or written; nothing acknowledged is lost"},
	{CodeRunLeased, CategoryUnavailable, "", "", ExitFailed, 409, true, "another process executes the run"},
	{CodeLeaseLost, CategoryUnavailable, "", "", ExitFailed, 409, false,
		"another process took over the run; later writes of this one were refused"},
	{CodeNotRecorded, CategoryUnavailable, FetchHTTPError, ProviderFailed, ExitFailed, 502, false,
		"the replay made a request that the recording lacks; the message names the nearest one"},
	{CodeRunIncomplete, CategoryUnavailable, "", "", ExitPartial, 502, false,
		"the run ended with only part of an answer, or with none, because no source gave it"},

	{CodeBudgetExhausted, CategoryBudget, "", "", ExitPartial, 429, false,
		"a budget is used up; the answer has what was found before"},
	{CodeQuotaExceeded, CategoryBudget, "", ProviderQuotaExhausted, ExitPartial, 429, true,
		"the caller's daily budget is used up, or it has too many runs in progress; the message has the figures, the " +
			"hint when the budget starts again"},
	{CodeCanceled, CategoryCanceled, FetchCanceled, ProviderTimeout, ExitFailed, 499, false, "the caller ended it"},
	{CodeInternal, CategoryInternal, FetchHTTPError, ProviderFailed, ExitFailed, 500, false,
		"a bug in Citewell; please report it"},
}

// Row returns the table's row for c, and internal's for a code that it lacks.
func (c Code) Row() CodeRow {
	i := slices.IndexFunc(Codes, func(r CodeRow) bool { return r.Code == c })
	if i < 0 {
		return CodeInternal.Row()
	}
	return Codes[i]
}
