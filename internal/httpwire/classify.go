package httpwire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"

	"github.com/citewell/citewell"
)

// Classify turns an error of net/http, TLS, DNS or a socket into a *citewell.Error with op, which prints no URL or
// address. An error that has a code keeps it, and its own op; nil stays nil.
func Classify(op string, err error) error {
	if err == nil {
		return nil
	}
	if coded, ok := errors.AsType[*citewell.Error](err); ok {
		return coded
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // the wrapper's text holds the URL with its query
	}
	return &citewell.Error{Code: codeOf(err), Op: op, Err: err}
}

func codeOf(err error) citewell.Code {
	var timeout interface{ Timeout() bool }
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.Is(err, context.Canceled):
		return citewell.CodeCanceled
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return citewell.CodeTimeout
	case errors.As(err, &dns) && !dns.IsTimeout:
		return citewell.CodeDNSFailed
	case errors.As(err, &timeout) && timeout.Timeout():
		return citewell.CodeTimeout
	case isTLS(err):
		return citewell.CodeTLSFailed
	case errors.As(err, &op) && op.Op == "dial",
		errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return citewell.CodeConnectFailed
	case strings.Contains(err.Error(), "response headers exceeded"),
		strings.Contains(err.Error(), "response header list larger"):
		return citewell.CodeResponseTooLarge // net/http exports no value for either
	}
	return citewell.CodeHTTPFailed
}

func isTLS(err error) bool {
	var op *net.OpError
	return errors.As(err, new(*tls.CertificateVerificationError)) || errors.As(err, new(x509.UnknownAuthorityError)) ||
		errors.As(err, new(x509.HostnameError)) ||
		errors.As(err, new(x509.CertificateInvalidError)) || errors.As(err, new(tls.RecordHeaderError)) ||
		errors.As(err, new(tls.AlertError)) ||
		errors.Is(err, http.ErrSchemeMismatch) ||
		errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error") ||
		strings.HasPrefix(err.Error(), "tls: ")
}
