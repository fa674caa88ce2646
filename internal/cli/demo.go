package cli

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/brief"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/demo"
	"github.com/spf13/cobra"
)

// serveAddr is where demo --serve listens unless told otherwise, so that its
// configuration file stays right.
const serveAddr = "127.0.0.1:8011"

func newDemo(e *env) *cobra.Command {
	var question, listen string
	var serve bool
	var fail []string
	f := searchFlags{depth: 6, compact: true, region: citewell.WholeWorld}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "The whole pipeline on a small web of our own: no network, no keys",
		Long: "Serves a small web of our own on loopback, with two search engines, and answers a\n" +
			"question from it by the real pipeline. Nothing leaves this machine.",
		Example: "  citewell demo\n  citewell demo --question \"how long is the crossing\"\n  citewell demo --serve",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("listen") {
				listen = "127.0.0.1:0"
				if serve {
					listen = serveAddr
				}
			}
			return e.demo(cmd.Context(), question, listen, serve, fail, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&question, "question", "", "ask this instead of the default question")
	flags.BoolVar(&serve, "serve", false, "leave the web running for the other commands, and ask nothing")
	flags.StringVar(&listen, "listen", "", "loopback address of the web; default a free port, with --serve "+serveAddr)
	flags.StringArrayVar(&fail, "fail", nil, "make an engine fail: `ENGINE=MODE` (repeatable); engines and modes: "+failures())
	flags.IntVar(&f.depth, "depth", f.depth, fmt.Sprintf("sources to read, 1 to %d", brief.MaxDepth))
	flags.BoolVar(&f.compact, "compact", f.compact, "leave out the extracts and the additional sources")
	e.jsonFlag(cmd)
	return cmd
}

func failures() string {
	var all []string
	for _, engine := range []string{demo.SearXNG, demo.DuckDuckGo} {
		all = append(all, engine+"="+strings.Join(demo.Modes(engine), "|"))
	}
	return strings.Join(all, "; ")
}

func (e *env) demo(ctx context.Context, question, listen string, serve bool, fail []string, f searchFlags) error {
	web, err := demo.Start(ctx, demo.Options{Addr: listen})
	if err != nil {
		return err
	}
	defer web.Close()
	for _, pair := range fail {
		engine, mode, _ := strings.Cut(pair, "=")
		if err := web.Fail(engine, mode); err != nil {
			return err
		}
	}
	file, loaded, err := e.demoConfig(web)
	if err != nil {
		return err
	}
	again := "citewell --config " + file
	if serve {
		return e.serveDemo(ctx, web, again)
	}
	if question == "" {
		question = web.Questions()[0]
	}
	a, err := e.openWith(ctx, loaded)
	if err != nil {
		return err
	}
	defer a.Close()
	f.fresh = true
	if err := e.search(ctx, a, question, f); err != nil || e.json {
		return err
	}
	fmt.Fprintf(e.stderr, "\nThe pages, the search engines and the faults are a demo on loopback; the pipeline is the real one.\nTry next:\n")
	for _, suggestion := range []string{
		fmt.Sprintf("citewell demo --question %q", web.Questions()[1]),
		"citewell demo > brief.md; " + again + " verify brief.md      (then change a word in brief.md)",
		"citewell demo --fail duckduckgo=blocked",
		"citewell demo --serve",
		`citewell search --docs ~/your/notes "a question of your own"`,
		`citewell search "a question to the real web"`,
	} {
		fmt.Fprintln(e.stderr, "  "+suggestion)
	}
	return nil
}

// demoConfig writes the configuration that points at the demo web, with stores of
// its own, and returns it.
func (e *env) demoConfig(web *demo.Web) (string, config.Loaded, error) {
	loaded, err := config.Load(config.Options{Environ: e.environ, Sets: e.sets, File: e.configFile})
	if err != nil {
		return "", loaded, err
	}
	dir := filepath.Join(loaded.Paths.Cache, "demo")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", loaded, &citewell.Error{Code: citewell.CodePermissionDenied, Message: "the demo's folder cannot be made: " + dir, Err: err}
	}
	file := filepath.Join(dir, config.LocalFile)
	content := fmt.Sprintf("# Written by citewell demo.\nsearch:\n  providers:\n    searxng: {base_url: %q}\n    duckduckgo: {base_url: %q}\n"+
		"fetch:\n  allow_networks: [127.0.0.0/8, \"::1/128\"]\n  cache_ttl: 1s\nstore:\n  url: %q\n",
		web.SearchURL(), web.DuckDuckGoURL(), "sqlite:"+filepath.Join(dir, "data"))
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		return "", loaded, &citewell.Error{Code: citewell.CodePermissionDenied, Message: file + " cannot be written", Err: err}
	}
	c := &loaded.Config
	c.Search.Engine = ""
	c.Search.Providers = map[string]config.Provider{
		demo.SearXNG: {BaseURL: web.SearchURL()}, demo.DuckDuckGo: {BaseURL: web.DuckDuckGoURL()},
	}
	c.Fetch.AllowNetworks = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	c.Store.URL = "sqlite:" + filepath.Join(dir, "data")
	loaded.Paths.Cache = dir
	return file, loaded, nil
}

// serveDemo leaves the web running until it is interrupted.
func (e *env) serveDemo(ctx context.Context, web *demo.Web, again string) error {
	fmt.Fprintf(e.stdout, "The demo web is at %s until you press Ctrl-C.\n\nIn another terminal:\n", web.HomeURL())
	for _, question := range web.Questions() {
		fmt.Fprintf(e.stdout, "  %s search %q\n", again, question)
	}
	fmt.Fprintf(e.stdout, "  %s fetch %s\n  %s doctor\n\nMake an engine fail while it runs (modes: %s):\n  curl -X POST '%s_demo/fail?endpoint=searxng&mode=429'\n",
		again, web.Sites()[0].Pages[0].URL, again, failures(), strings.TrimRight(web.HomeURL(), "/")+"/")
	<-ctx.Done()
	return nil
}
