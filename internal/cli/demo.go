package cli

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/egress"
	"github.com/citewell/citewell/internal/app"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/demo"
	"github.com/spf13/cobra"
)

// serveAddr is where demo --serve listens unless told otherwise, so that its configuration file stays right.
const serveAddr = "127.0.0.1:8011"

// pageAddr is where the page of demo --serve is, unless told otherwise.
const pageAddr = "127.0.0.1:8010"

func newDemo(e *env) *cobra.Command {
	var question, listen, pageAt string
	var serve bool
	var fail []string
	f := searchFlags{depth: 8, compact: true, region: citewell.WholeWorld, fresh: true}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Try everything on a small made-up web: no network, no keys",
		Long: "Serves a small made-up web on loopback, with two search engines, and answers a question from it\n" +
			"by the real pipeline, without a model. Nothing leaves this machine.",
		Example: "  citewell demo\n  citewell demo --question \"how long is the Skarrow barrage\"\n  citewell " +
			"demo --serve",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if listen == "" {
				listen = "127.0.0.1:0"
				if serve {
					listen = serveAddr
				}
			}
			web, err := startDemo(cmd.Context(), listen, fail)
			if err != nil {
				return err
			}
			defer web.Close()
			if serve {
				return e.serveDemo(cmd.Context(), web, pageAt)
			}
			if !cmd.Flags().Changed("question") {
				question = web.Questions()[0]
			}
			if err := f.check(question); err != nil {
				return err
			}
			return e.demo(cmd.Context(), web, question, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&question, "question", "", "ask this instead of the default question")
	flags.BoolVar(&serve, "serve", false, "keep the web running, with Citewell's page over it, and ask nothing")
	flags.StringVar(&listen, "listen", "", "loopback `ADDRESS` of the web; default a free port, with "+
		"--serve "+serveAddr)
	flags.StringVar(&pageAt, "page", "", "with --serve, loopback `ADDRESS` of the page; default "+pageAddr+
		", or a free port where that is taken")
	flags.StringArrayVar(&fail, "fail", nil, "make an engine fail: `ENGINE=MODE` (repeatable); engines and "+
		"modes: "+failures())
	flags.IntVar(&f.depth, "depth", f.depth, fmt.Sprintf("sources to read, 1 to %d", brief.MaxDepth))
	flags.BoolVar(&f.compact, "compact", f.compact, "omit the extracts and the additional sources")
	complete(cmd, "fail", pairs()...)
	cmd.MarkFlagsMutuallyExclusive("serve", "question")
	e.recordFlag(cmd)
	return cmd
}

var engines = []string{demo.SearXNG, demo.DuckDuckGo}

func failures() string {
	var all []string
	for _, engine := range engines {
		all = append(all, engine+"="+strings.Join(demo.Modes(engine), "|"))
	}
	return strings.Join(all, "; ")
}

// pairs are all values of --fail.
func pairs() []string {
	var all []string
	for _, engine := range engines {
		for _, mode := range demo.Modes(engine) {
			all = append(all, engine+"="+mode)
		}
	}
	return all
}

// startDemo starts the demo web with the failures that are asked for.
func startDemo(ctx context.Context, listen string, fail []string) (*demo.Web, error) {
	web, err := demo.Start(ctx, demo.Options{Addr: listen})
	if err != nil {
		return nil, err
	}
	for _, pair := range fail {
		engine, mode, ok := strings.Cut(pair, "=")
		if !ok {
			err = usage(fmt.Sprintf("--fail is %q; it must be ENGINE=MODE, as in %s=%s", pair, demo.SearXNG,
				demo.Mode429), failures())
		} else {
			err = web.Fail(engine, mode)
		}
		if err != nil {
			web.Close()
			return nil, err
		}
	}
	return web, nil
}

// demo answers one question from the demo web.
func (e *env) demo(ctx context.Context, web *demo.Web, question string, f searchFlags) error {
	loaded, _, err := e.demoConfig(web)
	if err != nil {
		return err
	}
	a, err := e.openAs(ctx, app.Options{Config: loaded})
	if err != nil {
		return err
	}
	defer a.Close()
	f.again = "citewell" // verify finds the demo's store by itself
	if err := e.search(ctx, a, question, f); err != nil || e.json {
		return err
	}
	fmt.Fprintf(e.stderr, "\nThe pages, the search engines and their faults are a demo on loopback; the pipeline is "+
		"the real one.\nTry next:\n")
	for _, suggestion := range []string{
		fmt.Sprintf("citewell demo --question %q", web.Questions()[1]),
		"citewell demo > brief.md; " + f.again + " verify brief.md      (then change a word in brief.md)",
		"citewell demo --fail duckduckgo=blocked",
		"citewell demo --serve",
		`citewell search --docs ~/your/notes "a question of your own"`,
		`citewell search "a question to the real web"`,
	} {
		fmt.Fprintln(e.stderr, "  "+suggestion)
	}
	return nil
}

// demoConfig is the configuration that points at the demo web, with a folder of its own for what is kept. Of the user's
// own it has the limits of a brief; a demo asks no model and goes through no proxy.
func (e *env) demoConfig(web *demo.Web) (loaded config.Loaded, dir string, err error) {
	if loaded, err = e.load(); err != nil {
		return loaded, "", err
	}
	dir = filepath.Join(loaded.Paths.Cache, "demo")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return loaded, "", &citewell.Error{Code: citewell.CodePermissionDenied,
			Message: "the demo's folder cannot be made: " + dir, Err: err}
	}
	c := &loaded.Config
	standard := config.Default()
	c.LLM, c.Search, c.Fetch = standard.LLM, standard.Search, standard.Fetch
	c.Search.Providers = map[string]config.Provider{
		demo.SearXNG: {BaseURL: web.SearchURL()}, demo.DuckDuckGo: {BaseURL: web.DuckDuckGoURL()},
	}
	c.Fetch.AllowNetworks = egress.MustParseNetworks("127.0.0.0/8", "::1/128")
	c.Fetch.CacheTTL = demoTTL
	c.Store.URL = "sqlite:" + filepath.Join(dir, "data")
	loaded.Paths.Cache = dir
	return loaded, dir, nil
}

// demoTTL is short, so that a fault that is switched on is seen at once.
const demoTTL = time.Second

// serveDemo leaves the web running until it is interrupted, with the page over it, and a
// configuration file for the other commands.
func (e *env) serveDemo(ctx context.Context, web *demo.Web, pageAt string) error {
	loaded, dir, err := e.demoConfig(web)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, config.LocalFile)
	content := fmt.Sprintf("# Written by citewell demo --serve.\nsearch:\n  providers:\n    searxng: "+
		"{base_url: %q}\n    "+
		"duckduckgo: {base_url: %q}\n"+
		"fetch:\n  allow_networks: [127.0.0.0/8, \"::1/128\"]\n  cache_ttl: %s\nstore:\n  url: %q\n",
		web.SearchURL(), web.DuckDuckGoURL(), demoTTL, loaded.Config.Store.URL)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		return &citewell.Error{Code: citewell.CodePermissionDenied, Message: file + " cannot be written", Err: err}
	}
	l, err := listenForPage(ctx, pageAt)
	if err != nil {
		return err
	}
	c := &loaded.Config
	c.Server = config.Default().Server
	c.Server.Listen, c.Server.TokensFile = l.Addr().String(), filepath.Join(dir, "tokens.json")
	e.serves = true
	a, err := e.openAs(ctx, app.Options{Config: loaded, Samples: web.Questions()})
	if err != nil {
		l.Close()
		return err
	}
	defer a.Close()
	return e.serve(ctx, a, l, false, func() error {
		at := "http://" + l.Addr().String() + "/"
		if e.json {
			return e.writeJSON(map[string]any{"page": at, "home": web.HomeURL(), "searxng": web.SearchURL(),
				"duckduckgo": web.DuckDuckGoURL(), "config": file, "questions": web.Questions()})
		}
		return e.inviteTo(web, at, "citewell --config "+shellQuote(file))
	})
}

// listenForPage listens where the page of the demo is to be.
func listenForPage(ctx context.Context, at string) (net.Listener, error) {
	listen := func(at string) (net.Listener, error) { return (&net.ListenConfig{}).Listen(ctx, "tcp", at) }
	if at != "" {
		if host, _, err := net.SplitHostPort(at); err != nil || host != "localhost" && !net.ParseIP(host).IsLoopback() {
			return nil, usage(fmt.Sprintf("--page is %.80q; it must be an address of this machine, as in %s", at,
				pageAddr), "")
		}
		l, err := listen(at)
		if err != nil {
			return nil, &citewell.Error{Code: citewell.CodeConnectFailed, Op: "demo", Message: "cannot listen on " + at,
				Hint: "is another server there? --page chooses another address", Err: err}
		}
		return l, nil
	}
	l, err := listen(pageAddr)
	if err != nil {
		l, err = listen("127.0.0.1:0")
	}
	return l, err
}

// inviteTo says what can be done with a demo web that is running.
func (e *env) inviteTo(web *demo.Web, page, again string) error {
	fmt.Fprintf(e.stdout, "The page is at %s (ask there, and check what comes of it).\nThe demo web is at %s until "+
		"you press Ctrl-C.\n\nIn another terminal:\n", page, web.HomeURL())
	for _, question := range web.Questions() {
		fmt.Fprintf(e.stdout, "  %s search %q\n", again, question)
	}
	fmt.Fprintf(e.stdout, "  %s research --no-model %q\n", again, "Skarrow Sound tidal plant")
	_, err := fmt.Fprintf(e.stdout, "  %s fetch %s\n  %s doctor\n\nMake an engine fail while it runs (%s):\n  curl -X "+
		"POST '%s_demo/fail?endpoint=searxng&mode=429'\n",
		again, web.Sites()[0].Pages[0].URL, again, failures(), web.HomeURL())
	return err
}
