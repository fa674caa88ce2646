package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/httpwire"
)

func TestClassify(t *testing.T) {
	coded := &citewell.Error{Code: citewell.CodeBlockedAddress, Op: "egress.check"}
	tests := []struct {
		name string
		err  error
		want citewell.Code
	}{
		{"nil", nil, ""},
		{"coded", fmt.Errorf("a: %w", coded), citewell.CodeBlockedAddress},
		{"coded_in_url_error", &url.Error{Op: "Get", URL: "http://x/?key=k", Err: &net.OpError{Op: "dial", Err: coded}},
			citewell.CodeBlockedAddress},
		{"canceled", &url.Error{Op: "Get", URL: "http://x/?key=k", Err: context.Canceled}, citewell.CodeCanceled},
		{"deadline", context.DeadlineExceeded, citewell.CodeTimeout},
		{"socket_deadline", &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, citewell.CodeTimeout},
		{"dns", &net.DNSError{Err: "no such host", Name: "secret.internal", IsNotFound: true}, citewell.CodeDNSFailed},
		{"dns_timeout", &net.DNSError{Err: "i/o timeout", IsTimeout: true}, citewell.CodeTimeout},
		{"refused", &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)},
			citewell.CodeConnectFailed},
		{"no_route", os.NewSyscallError("connect", syscall.EHOSTUNREACH), citewell.CodeConnectFailed},
		{"reset", &net.OpError{Op: "read", Err: syscall.ECONNRESET}, citewell.CodeHTTPFailed},
		{"tls_alert", &net.OpError{Op: "remote error", Err: tls.AlertError(40)}, citewell.CodeTLSFailed},
		{"tls_text", errors.New("tls: no cipher suite"), citewell.CodeTLSFailed},
		{"tls_verification", fmt.Errorf("get: %w", &tls.CertificateVerificationError{Err: errors.New("expired")}),
			citewell.CodeTLSFailed},
		{"tls_authority", fmt.Errorf("get: %w", x509.UnknownAuthorityError{}), citewell.CodeTLSFailed},
		{"tls_hostname", fmt.Errorf("get: %w", x509.HostnameError{Certificate: &x509.Certificate{}, Host: "x.example"}),
			citewell.CodeTLSFailed},
		{"tls_certificate", fmt.Errorf("get: %w", x509.CertificateInvalidError{Reason: x509.Expired}),
			citewell.CodeTLSFailed},
		{"tls_record", fmt.Errorf("get: %w", tls.RecordHeaderError{Msg: "no TLS"}), citewell.CodeTLSFailed},
		{"tls_alert_alone", fmt.Errorf("get: %w", tls.AlertError(40)), citewell.CodeTLSFailed},
		{"tls_local_alert", &net.OpError{Op: "local error", Err: errors.New("bad certificate")},
			citewell.CodeTLSFailed},
		{"http_on_https", fmt.Errorf("get: %w", http.ErrSchemeMismatch), citewell.CodeTLSFailed},
		{"not_http", errors.New(`malformed HTTP response "SSH-2.0"`), citewell.CodeHTTPFailed},
		{"half", io.ErrUnexpectedEOF, citewell.CodeHTTPFailed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := httpwire.Classify("fetch.get x.example", test.err)
			if citewell.CodeOf(err) != test.want {
				t.Errorf("code %q, want %q", citewell.CodeOf(err), test.want)
			}
			if test.err == nil {
				return
			}
			chain := err.Error() + citewell.View(err).Message
			for cause := errors.Unwrap(err); cause != nil; cause = errors.Unwrap(cause) {
				if _, ok := cause.(*url.Error); ok {
					t.Error("the cause still holds the URL")
				}
			}
			if strings.Contains(chain, "key=") || strings.Contains(chain, "secret.internal") {
				t.Errorf("the text leaks: %s", chain)
			}
		})
	}
}

// TestClassifyRealFailures asks servers that fail in each way.
func TestClassifyRealFailures(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	secured := httptest.NewTLSServer(http.NotFoundHandler())
	secured.Config.ErrorLog = quiet
	old := httptest.NewUnstartedServer(http.NotFoundHandler())
	old.TLS = &tls.Config{MaxVersion: tls.VersionTLS10, MinVersion: tls.VersionTLS10}
	old.Config.ErrorLog = quiet
	old.StartTLS()
	defer plain.Close()
	defer secured.Close()
	defer old.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	garbage := speaking(t, "SSH-2.0-OpenSSH_9.9\r\n")
	silent := speaking(t, "")
	asHTTPS := strings.Replace(plain.URL, "http://", "https://", 1)
	g := newGuard(t, Options{AllowNetworks: MustParseNetworks("127.0.0.0/8"), Resolver: resolving(nil)})
	for _, test := range []struct {
		name, url string
		want      citewell.Code
	}{
		{"unknown_certificate", secured.URL, citewell.CodeTLSFailed},
		{"old_tls", old.URL, citewell.CodeTLSFailed},
		{"http_on_an_https_url", asHTTPS, citewell.CodeTLSFailed},
		{"refused", gone.URL, citewell.CodeConnectFailed},
		{"not_http", garbage, citewell.CodeHTTPFailed},
		{"closed_at_once", silent, citewell.CodeHTTPFailed},
		{"no_such_name", "http://nothing.example/", citewell.CodeDNSFailed},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := get(g, test.url+"/path?key=k")
			if citewell.CodeOf(err) != test.want {
				t.Errorf("code %q (%v), want %q", citewell.CodeOf(err), errors.Unwrap(err), test.want)
			}
			if view := citewell.View(err); strings.Contains(err.Error()+view.Message, "127.0.0.1") ||
				strings.Contains(err.Error()+view.Message, "key=k") {
				t.Errorf("the message leaks: %v", err)
			}
		})
	}
}

// speaking returns the URL of a server that says text to whoever connects, and
// hangs up.
func speaking(t *testing.T, text string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 1024))
			_, _ = io.WriteString(conn, text)
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = listener.Close(); <-done })
	return "http://" + listener.Addr().String()
}
