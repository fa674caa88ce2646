package cli

import (
	"net"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// servers are those that scripts have started, by address: how each is closed.
var servers sync.Map

// serving has a server end with its script, or when the script says that it is gone.
func serving(ts *testscript.TestScript, address string, end func()) {
	once := sync.OnceFunc(end)
	servers.Store(address, once)
	ts.Defer(func() {
		servers.Delete(address)
		once()
	})
}

// gone ADDRESS... ends servers that the script started, and makes sure that nobody
// answers there.
func cmdGone(ts *testscript.TestScript, neg bool, args []string) {
	for _, address := range args {
		end, ok := servers.LoadAndDelete(address)
		if !ok {
			ts.Fatalf("no server is running at %s", address)
		}
		end.(func())()
		u, err := url.Parse(address)
		ts.Check(err)
		if conn, err := net.DialTimeout("tcp", net.JoinHostPort("127.0.0.1", u.Port()), time.Second); err == nil {
			conn.Close()
			ts.Fatalf("somebody still answers at %s", address)
		}
	}
}

// steady FILE takes out of a result what differs between two runs that found the same.
func cmdSteady(ts *testscript.TestScript, neg bool, args []string) {
	result := ts.ReadFile(args[0])
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(steady(result)), 0o600))
}
