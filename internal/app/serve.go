package app

import (
	"context"
	"log/slog"
	"net/http"
	"path/filepath"

	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/server"
	"github.com/citewell/citewell/internal/server/access"
	"github.com/citewell/citewell/internal/server/mcpserver"
)

// TokensFile is where the server's tokens are kept.
func TokensFile(loaded config.Loaded) string {
	if file := loaded.Config.Server.TokensFile; file != "" {
		return file
	}
	return filepath.Join(loaded.Paths.Data, "tokens.json")
}

// Log is where the App logs to.
func (a *App) Log() *slog.Logger { return a.log }

// Handler is what citewell serve answers with on the address it listens on.
func (a *App) Handler(ctx context.Context, listen string) (http.Handler, error) {
	tokens, err := access.Load(a.tokensFile)
	if err != nil {
		return nil, err
	}
	door, err := access.New(access.Options{Listen: listen, Hosts: a.Config.Server.AllowedHosts, Origins: a.Config.Server.AllowedOrigins,
		Tokens: tokens, Log: a.log})
	if err != nil {
		return nil, err
	}
	registry, err := a.Tools(ctx)
	if err != nil {
		return nil, err
	}
	return server.Handler(server.Options{
		Door: door, MCP: mcpserver.Handler(registry.Toolset, a.MCP(ctx)), Log: a.log,
		Ready: func(ctx context.Context) error { _, err := a.Store.CountDocuments(ctx, ""); return err },
	}), nil
}
