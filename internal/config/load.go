package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/joho/godotenv"
)

// LocalFile is the configuration file that is read from the working folder.
const LocalFile = "citewell.yaml"

// Options say where to load from.
type Options struct {
	File    string   // of --config; empty looks in the usual places
	Sets    []string // of --set: key=value
	Environ []string // as os.Environ gives it
	Dir     string   // the working folder; "" is the process's own
}

// A Loaded configuration knows where it came from.
type Loaded struct {
	Config   Config
	File     string // "" when no file was found
	Paths    Paths
	Agents   []string // the names of Config.Agents in the order of the files
	Warnings []string
	origins  map[string]string
}

// Load reads the configuration. Every mistake of every source is in one error.
func Load(o Options) (Loaded, error) {
	dotenv, err := godotenv.Read(filepath.Join(o.Dir, ".env"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Loaded{}, invalid(".env", "cannot be read: a line must be NAME=value")
	}
	env := newEnvironment(o.Environ, dotenv)
	l := Loaded{Config: Default(), Paths: UserPaths(env.get), origins: map[string]string{}}

	root, d := section(""), &decoder{origins: l.origins}
	if l.File = o.File; l.File == "" {
		l.File = firstFile(filepath.Join(o.Dir, LocalFile), l.Paths.ConfigFile)
	}
	if l.File != "" {
		tree, err := readFile(l.File, env.get)
		if err != nil {
			return l, err
		}
		root.merge(tree)
		if err := d.beside(root, l.File, env.get); err != nil {
			return l, err
		}
	}
	fromEnv, warnings, err := env.tree()
	if err != nil {
		return l, err
	}
	root.merge(fromEnv)
	d.warnings = append(d.warnings, warnings...)
	for _, set := range o.Sets {
		key, value, ok := strings.Cut(set, "=")
		if !ok || key == "" {
			return l, &citewell.Error{Code: citewell.CodeInvalidArgument,
				Message: "--set must be key=value, as in fetch.cache_ttl=1h"}
		}
		root.set(strings.Split(key, "."), &node{value: value, text: true, origin: "--set " + key})
	}

	agents := root.children["agents"]
	delete(root.children, "agents")
	d.section(root, reflect.ValueOf(&l.Config).Elem(), "")
	d.searchTools(root.children["tools"], &l.Config.Search)
	l.settle(d)
	l.Agents = d.agents(agents, &l)
	d.trusted("", l.Config.MCP, MCP{})
	for _, name := range l.Agents {
		d.trusted("agents."+name+".", l.Config.Agents[name].MCP, l.Config.MCP)
	}
	if listen := l.Config.Server.Listen; listen != "" {
		if _, _, err := net.SplitHostPort(listen); err != nil {
			d.problems = append(d.problems, fmt.Sprintf("%s: server.listen is %q; it must be HOST:PORT, as in "+
				"127.0.0.1:8010", l.origins["server.listen"], listen))
		}
	}
	if sample := l.Config.Telemetry.Traces.Sample; sample > 1 {
		d.problems = append(d.problems, fmt.Sprintf("%s: telemetry.traces.sample is %g; it must be 0 to 1",
			l.origins["telemetry.traces.sample"], sample))
	}
	for _, network := range l.Config.Fetch.AllowNetworks {
		if network.Everything() {
			d.warnings = append(d.warnings, fmt.Sprintf("%s: fetch.allow_networks has %s: every private address, this "+
				"machine's own too, may then be read, also where a page gives its address; name the networks "+
				"that are meant",
				l.origins["fetch.allow_networks"], network))
		}
	}
	l.Warnings = d.warnings
	if len(d.problems) > 0 {
		slices.Sort(d.problems)
		return l, &citewell.Error{Code: citewell.CodeInvalidConfig, Message: strings.Join(d.problems, "\n"),
			Hint: "citewell config show lists every key with its value"}
	}
	return l, nil
}

// trusted refuses what cannot be meant of one MCP server: both that what it is told stays with the operator, and that
// what it says is everybody's. What is inherited is told of once.
func (d *decoder) trusted(at string, m, inherited MCP) {
	for _, name := range slices.Sorted(maps.Keys(m.Servers)) {
		if t, from := m.Servers[name].Trust, inherited.Servers[name].Trust; t.Private && t.Public &&
			!(from.Private && from.Public) {
			d.problems = append(d.problems, fmt.Sprintf("%smcp.mcpServers.%s.trust: private and public exclude "+
				"each other", at, name))
		}
	}
}

// settle fills in what follows from other settings.
func (l *Loaded) settle(d *decoder) {
	c := &l.Config
	if c.Search.TavilyAPIKey.Reveal() != "" || c.Search.TavilyAPIBaseURL != "" {
		tavily := c.Search.Providers["tavily"]
		if tavily.APIKey.Reveal() == "" {
			tavily.APIKey = c.Search.TavilyAPIKey
		}
		tavily.BaseURL = cmp.Or(tavily.BaseURL, c.Search.TavilyAPIBaseURL)
		if c.Search.Providers == nil {
			c.Search.Providers = map[string]Provider{}
		}
		c.Search.Providers["tavily"] = tavily
	}
	l.place(&c.Execution)
	d.promptFiles("prompts", &c.Prompts, l.File)
}

// place puts the folders that begin with DATA below the data folder.
func (l *Loaded) place(e *Execution) {
	for _, dir := range []*string{&e.ReportsDir, &e.LogsDir} {
		if rest, ok := strings.CutPrefix(*dir, "DATA"); ok && (rest == "" || rest[0] == '/') {
			*dir = filepath.Join(l.Paths.Data, rest)
		}
	}
}

func firstFile(names ...string) string {
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && !info.IsDir() {
			return name
		}
	}
	return ""
}
