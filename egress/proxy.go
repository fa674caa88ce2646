package egress

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/httpwire"
	"github.com/citewell/citewell/internal/weburl"
)

// maxProxyHeader bounds the proxy's answer to CONNECT.
const maxProxyHeader = 64 << 10

// A proxy is the operator's way out. It is given the judged address, never the name.
type proxy struct {
	addr string // host:port
	tls  *tls.Config
	auth citewell.Secret // value of Proxy-Authorization
}

func newProxy(u *url.URL) *proxy {
	p := &proxy{addr: net.JoinHostPort(u.Hostname(), weburl.PortOf(u))}
	if u.Scheme == "https" {
		p.tls = &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}
	}
	if u.User != nil {
		password, _ := u.User.Password()
		p.auth = citewell.NewSecret("Basic " + base64.StdEncoding.EncodeToString(
			[]byte(u.User.Username()+":"+password)))
	}
	return p
}

// connectAny asks for one address after the other.
func (p *proxy) connectAny(ctx context.Context, addrs []netip.Addr, port string) (net.Conn, error) {
	var firstErr error
	for _, addr := range addrs[:min(len(addrs), maxAttempts)] {
		conn, err := p.connect(ctx, net.JoinHostPort(addr.String(), port))
		if err == nil {
			return conn, nil
		}
		if ctx.Err() != nil {
			return nil, httpwire.Classify("egress.proxy", ctx.Err())
		}
		firstErr = cmp.Or(firstErr, err)
	}
	return nil, firstErr
}

func (p *proxy) connect(ctx context.Context, target string) (net.Conn, error) {
	dialer := net.Dialer{}
	conn, err := dialer.DialContext(ctx, "tcp", p.addr)
	if err != nil {
		return nil, proxyError("the egress proxy cannot be reached", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) }) // unblocks what follows
	tunnel, err := p.handshake(ctx, conn, target)
	if !stop() {
		err = ctx.Err() // the deadline it set outlives the handshake
	}
	if err != nil {
		_ = conn.Close() // the error that matters is err
		return nil, err
	}
	return tunnel, nil
}

func (p *proxy) handshake(ctx context.Context, conn net.Conn, target string) (net.Conn, error) {
	if p.tls != nil {
		secured := tls.Client(conn, p.tls)
		if err := secured.HandshakeContext(ctx); err != nil {
			return nil, proxyError("the egress proxy's TLS handshake failed", err)
		}
		conn = secured
	}
	request := "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n"
	if !p.auth.Empty() {
		request += "Proxy-Authorization: " + p.auth.Reveal() + "\r\n"
	}
	if _, err := io.WriteString(conn, request+"\r\n"); err != nil {
		return nil, proxyError("the egress proxy closed the connection", err)
	}
	limited := &io.LimitedReader{R: conn, N: maxProxyHeader}
	reader := bufio.NewReader(limited)
	resp, err := http.ReadResponse(reader, &http.Request{Method: http.MethodConnect})
	if err != nil {
		return nil, proxyError("the egress proxy gave no answer to CONNECT", err)
	}
	// The body stays unread: a 2xx to CONNECT has none, any other ends the connection.
	if resp.StatusCode != http.StatusOK {
		return nil, proxyError(fmt.Sprintf("the egress proxy refused the connection with status %d", resp.StatusCode),
			nil)
	}
	if reader.Buffered() > 0 {
		return nil, proxyError("the egress proxy sent bytes before the tunnel stood", nil)
	}
	return conn, nil
}

func proxyError(message string, cause error) error {
	return &citewell.Error{
		Code: citewell.CodeConnectFailed, Op: "egress.proxy", Message: message,
		Hint: "check egress_proxy in the configuration", Err: cause,
	}
}
