package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/fetch"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/server"
	"github.com/citewell/citewell/internal/server/access"
	"github.com/citewell/citewell/internal/server/intake"
	"github.com/citewell/citewell/internal/server/openai"
	"github.com/citewell/citewell/internal/server/page"
)

// TokensFile is where the server's tokens are kept.
func TokensFile(loaded config.Loaded) string {
	if file := loaded.Config.Server.TokensFile; file != "" {
		return file
	}
	return filepath.Join(loaded.Paths.Data, "tokens.json")
}

// AsksForTokens says whether a call of the server needs a token now.
func (a *App) AsksForTokens() bool {
	_, err := os.Stat(a.tokensFile)
	return !errors.Is(err, fs.ErrNotExist)
}

// Handler is what citewell serve answers with on the address it listens on; an App has one. Who
// follows a run is told when ctx ends.
func (a *App) Handler(ctx context.Context, listen string) (http.Handler, error) {
	door, tokens, err := a.door(listen)
	if err != nil {
		return nil, err
	}
	own, err := a.opened(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, tenant := range tokens.Tenants() {
		a.Room(tenant)
	}
	a.telemetry.Metrics().Gauge("citewell_mcp_sessions",
		"Open MCP sessions, and requests in progress of the protocol without sessions.", nil,
		func(_ context.Context, set func(float64, ...string)) error {
			set(float64(own.tools.Sessions()))
			return nil
		})
	return server.Handler(server.Options{
		Door:      door,
		MCP:       a.inRooms(ctx, own, access.Refuse, func(f *front) http.Handler { return f.tools }),
		OpenAI:    a.inRooms(ctx, own, openai.Refuse, func(f *front) http.Handler { return f.chat }),
		Runs:      a.inRooms(ctx, own, intake.Refuse, func(f *front) http.Handler { return f.research }),
		Documents: a.inRooms(ctx, own, intake.Refuse, func(f *front) http.Handler { return f.shelf }),
		Status:    a.inRooms(ctx, own, intake.Refuse, func(f *front) http.Handler { return f.state }),
		Page:      a.inRooms(ctx, own, page.Refuse, func(f *front) http.Handler { return f.site }),
		Log:       a.log, Metrics: a.telemetry.Metrics(), Watch: a.telemetry.HearRequest, Ready: a.ready,
	}), nil
}

// Watching is what a process that serves nothing else answers to those who watch it.
func (a *App) Watching(listen string) (http.Handler, error) {
	door, _, err := a.door(listen)
	if err != nil {
		return nil, err
	}
	return server.Watching(server.Options{Door: door, Log: a.log, Metrics: a.telemetry.Metrics(),
		Watch: a.telemetry.HearRequest, Ready: a.ready}), nil
}

// door is who may come in at an address, by the tokens that there are.
func (a *App) door(listen string) (*access.Door, *access.Tokens, error) {
	tokens, err := access.Load(a.tokensFile)
	if err != nil {
		return nil, nil, err
	}
	if a.Cache != nil {
		tokens.Shelf = a.Cache
	}
	door, err := access.New(access.Options{Listen: listen, Hosts: a.Config.Server.AllowedHosts,
		Origins: a.Config.Server.AllowedOrigins, Tokens: tokens, Log: a.log})
	return door, tokens, err
}

// ready says whether the store answers, and pages can be read.
func (a *App) ready(ctx context.Context) error {
	if s := a.readers.State(); s.Lost >= s.All {
		return &citewell.Error{Code: citewell.CodeExtractionTimeout, Op: "app.ready",
			Message: "all places for reading are held by pages that ran over their time", Hint: "restart the server"}
	}
	_, err := a.Store.CountDocuments(ctx, "")
	return err
}

// fetchImage gets what is at an address that a user's message names as an image's;
// robots.txt is for those who fetch on their own account.
func (a *App) fetchImage(ctx context.Context, url string) (citewell.Page, error) {
	page, err := a.Fetch.Get(ctx, fetch.Request{URL: url, IgnoreRobots: true})
	if err == nil && page.Outcome == citewell.FetchTruncated {
		err = &citewell.Error{Code: citewell.CodeResponseTooLarge, Op: "openai",
			Message: fmt.Sprintf("the image is larger than %d bytes", fetch.DefaultMaxBytes)}
	}
	return page, err
}
