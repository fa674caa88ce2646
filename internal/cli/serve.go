package cli

import (
	"context"
	"fmt"
	"net"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/server"
	"github.com/spf13/cobra"
)

// serve answers on l, which it closes, until ctx ends, and executes runs beside it unless
// others are to. ready says more of it, when it does.
func (e *env) serve(ctx context.Context, a *app.App, l net.Listener, others bool, ready func() error) error {
	defer l.Close()
	handler, err := a.Handler(ctx, l.Addr().String())
	if err == nil {
		err = e.warnOfServers(ctx, a)
	}
	if err != nil {
		return err
	}
	defer e.warnOfWalls(ctx, a)()
	runs, err := a.Runs(ctx)
	if err != nil {
		return err
	}
	if others {
		fmt.Fprintln(e.stderr, "runs are begun and told of here, and executed by citewell worker")
	} else {
		e.sayExecuting(a, runs)
		defer beside(ctx, func(ctx context.Context) {
			a.Execute(ctx, func(room *app.App) (*app.Runs, error) { return room.Runs(ctx) })
		})()
	}
	if a.AsksForTokens() {
		fmt.Fprintln(e.stderr, "every call needs a token: citewell token list")
	}
	fmt.Fprintf(e.stderr, "listening on http://%s (the page at /, MCP at /mcp, OpenAI's API at /v1, runs at "+
		"/v1/runs)\n", l.Addr())
	if err := ready(); err != nil {
		return err
	}
	return server.Run(ctx, l, handler, a.Log())
}

func newServe(e *env) *cobra.Command {
	var listen string
	var others bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Offer the page and the tools over HTTP, and execute runs",
		Long: "Serves the web page at /, where you ask, watch runs and check their citations; MCP at /mcp and,\n" +
			"for one toolset, at /mcp/TOOLSET; its agents as models of OpenAI's API at /v1 and by SGR's\n" +
			"routes at /agents; research runs at /v1/runs, described by /openapi.json; and /healthz, /readyz\n" +
			"and /metrics (Prometheus) for monitoring.\n" +
			"It executes the research runs of its store, including those that other processes left; when it\n" +
			"ends it releases them, and they continue elsewhere or later. With --no-execute it leaves them to\n" +
			"citewell worker, here or on other machines. Without a model runs quote their findings.\n" +
			"Until a token exists (citewell token create) it listens only on this machine; after that every\n" +
			"call needs one.",
		Example: "  citewell serve\n  citewell serve --listen 127.0.0.1:9000",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			e.serves = true
			if listen != "" {
				e.sets = append(e.sets, "server.listen="+listen)
			}
			a, err := e.open(cmd.Context())
			if err != nil {
				return err
			}
			defer a.Close()
			l, err := listenOn(cmd.Context(), "serve", a.Config.Server.Listen)
			if err != nil {
				return err
			}
			defer beside(cmd.Context(), settle)()
			return e.serve(cmd.Context(), a, l, others, func() error { return nil })
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "`HOST:PORT` to listen on; default: server.listen")
	cmd.Flags().BoolVar(&others, "no-execute", false, "leave the execution of runs to citewell worker")
	return cmd
}

// listenOn takes an address for a command.
func listenOn(ctx context.Context, command, address string) (net.Listener, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, &citewell.Error{Code: citewell.CodeConnectFailed, Op: command,
			Message: "cannot listen on " + address,
			Hint:    "is another server there? --listen chooses another address", Err: err}
	}
	return l, nil
}
