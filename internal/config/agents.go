package config

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/weburl"
)

// AgentsFile is read beside the configuration file, where it is there: its agents and
// tools take the place of those of the same name.
const AgentsFile = "agents.yaml"

// Agent is one agent by name. What it leaves out of the sections llm, search, execution, prompts and mcp is that of the
// sections of the same name above, key by key, but for two: LLM.APIKey is the agent's own alone, since the other goes
// to its own host only, and LLM.ContextWindow is of its own model, empty where the agent does not say it.
type Agent struct {
	BaseClass   string      `yaml:"base_class"`
	Description string      `yaml:"description"`
	LLM         LLM         `yaml:"llm"`
	Search      Search      `yaml:"search"`
	Execution   Execution   `yaml:"execution"`
	Prompts     Prompts     `yaml:"prompts"`
	MCP         MCP         `yaml:"mcp"`
	Tools       []AgentTool `yaml:"tools"` // none: all of the agent's own
}

// Inherited is an agent that says nothing itself.
func (c Config) Inherited() Agent {
	a := Agent{LLM: c.LLM, Search: c.Search, Execution: c.Execution, Prompts: c.Prompts,
		MCP: MCP{Servers: maps.Clone(c.MCP.Servers)}}
	a.LLM.APIKey, a.LLM.ContextWindow = citewell.Secret{}, ""
	a.LLM.Price, a.LLM.Extra = maps.Clone(c.LLM.Price), maps.Clone(c.LLM.Extra)
	a.Search.Providers = maps.Clone(c.Search.Providers)
	return a
}

// An AgentTool is a tool of an agent: a name, or a map of a name with settings.
type AgentTool struct {
	Name     string
	Settings map[string]any
}

// String is the name, with the keys of the settings: a value may be a secret.
func (t AgentTool) String() string {
	if len(t.Settings) == 0 {
		return t.Name
	}
	return t.Name + " {" + strings.Join(slices.Sorted(maps.Keys(t.Settings)), ", ") + "}"
}

func assignTool(t *AgentTool, value any) error {
	switch v := value.(type) {
	case string:
		t.Name = v
		return nil
	case map[string]any:
		if len(v) != 1 {
			break
		}
		for name, settings := range v {
			t.Name = name
			if t.Settings, _ = settings.(map[string]any); t.Settings == nil && settings != nil {
				return fmt.Errorf("must have the settings of %.60s as a section", name)
			}
		}
		return nil
	}
	return fmt.Errorf("must be the name of a tool, or NAME: {settings}")
}

// beside lays the agents and tools of AgentsFile over those of the configuration file.
func (d *decoder) beside(root *node, file string, getenv func(string) string) error {
	name := filepath.Join(filepath.Dir(file), AgentsFile)
	if filepath.Base(file) == AgentsFile {
		return nil
	}
	if info, err := os.Stat(name); err != nil || info.IsDir() {
		return nil
	}
	tree, err := readFile(name, getenv)
	if err != nil {
		return err
	}
	if tree.children["agents"] == nil {
		d.warnings = append(d.warnings, name+": there is no section agents; the file is passed over")
		return nil
	}
	for _, key := range tree.keys() {
		child := tree.children[key]
		switch _, known := fieldOf(reflect.TypeFor[Config](), key); {
		case key == "agents" || key == "tools":
			for inner, over := range child.children {
				over.line += maxFile // after those of the other file
				if own := root.children[key]; own != nil && own.children[inner] != nil {
					d.warnings = append(d.warnings, fmt.Sprintf("%s: %s.%s takes the place of the one at %s",
						over.origin, key, inner, own.children[inner].origin))
					delete(own.children, inner)
				}
			}
			root.merge(&node{children: map[string]*node{key: child}})
		case known:
			d.warnings = append(d.warnings, fmt.Sprintf("%s: %s has no effect in this file; it belongs into %s",
				child.origin, key, file))
		default:
			d.unknown(child, key, key, []string{"agents", "tools"})
		}
	}
	return nil
}

// agents decodes each agent over what it inherits, and gives their names in the order of the files.
func (d *decoder) agents(n *node, l *Loaded) []string {
	if n == nil || n.children == nil {
		if n != nil && n.value != nil {
			d.problem(n, "agents", "must be a section with names below it")
		}
		return nil
	}
	names := n.keys()
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(n.children[a].line, n.children[b].line) })
	l.Config.Agents = map[string]Agent{}
	for _, name := range names {
		l.Config.Agents[name] = d.agent(n.children[name], join("agents", name), l)
	}
	return names
}

func (d *decoder) agent(n *node, at string, l *Loaded) Agent {
	a := l.Config.Inherited()
	a.Search.TavilyAPIKey, a.Search.TavilyAPIBaseURL = citewell.Secret{}, "" // they are among the providers already
	// another address is another server: it gets no headers of the first
	for name, server := range n.at("mcp", "mcpServers") {
		if server.children["url"] != nil || server.children["command"] != nil {
			delete(a.MCP.Servers, name)
		}
	}
	d.decode(n, reflect.ValueOf(&a).Elem(), at)
	for _, t := range a.Tools {
		if isSearchTool(t.Name) {
			d.section(plainNode(t.Settings, n.origin), reflect.ValueOf(&a.Search).Elem(), at+".search")
		}
	}
	d.searchKeys(at+".search", &a.Search, l.Config.Search)
	for _, p := range []struct{ file, str string }{{"system_prompt_file", "system_prompt_str"},
		{"initial_user_request_file", "initial_user_request_str"},
		{"clarification_response_file", "clarification_response_str"}} {
		own := n.at("prompts")
		if own[p.file] != nil && own[p.str] == nil { // its own file goes before a string that it inherits
			f, _ := fieldOf(reflect.TypeFor[Prompts](), p.str)
			reflect.ValueOf(&a.Prompts).Elem().FieldByIndex(f.Index).SetString("")
		}
	}
	if len(n.at("prompts")) > 0 {
		d.promptFiles(at+".prompts", &a.Prompts, l.File)
	}
	l.place(&a.Execution)
	return a
}

// searchKeys puts an agent's own tavily_api_key and tavily_api_base_url where providers have theirs, and takes away
// keys that the agent would send to another host than the one that they were written for.
func (d *decoder) searchKeys(at string, s *Search, global Search) {
	if s.Providers == nil {
		s.Providers = map[string]Provider{}
	}
	if tavily := s.Providers["tavily"]; s.TavilyAPIKey.Reveal() != "" || s.TavilyAPIBaseURL != "" {
		if s.TavilyAPIKey.Reveal() != "" && d.origins[at+".providers.tavily.api_key"] == "" {
			tavily.APIKey = s.TavilyAPIKey
			d.origins[at+".providers.tavily.api_key"] = d.origins[at+".tavily_api_key"]
		}
		if s.TavilyAPIBaseURL != "" && d.origins[at+".providers.tavily.base_url"] == "" {
			tavily.BaseURL = s.TavilyAPIBaseURL
		}
		s.Providers["tavily"] = tavily
	}
	for _, name := range slices.Sorted(maps.Keys(s.Providers)) {
		p, key := s.Providers[name], at+".providers."+name+".api_key"
		if p.APIKey.Reveal() == "" || d.origins[key] != "" || sameHost(name, p.BaseURL,
			global.Providers[name].BaseURL) {
			continue
		}
		p.APIKey = citewell.Secret{}
		s.Providers[name] = p
		d.warnings = append(d.warnings, fmt.Sprintf("%s: base_url is another host than that of search.providers.%s, "+
			"whose key is not sent there; set %s", at+".providers."+name, name, key))
	}
}

// sameHost says whether two base URLs of a provider are of one server.
func sameHost(provider, a, b string) bool {
	if provider == "tavily" {
		a, b = cmp.Or(a, tavilyBaseURL), cmp.Or(b, tavilyBaseURL)
	}
	u, errU := url.Parse(a)
	v, errV := url.Parse(b)
	return errU == nil && errV == nil && weburl.SameOrigin(u, v)
}

// tavilyBaseURL is where Tavily is where nothing is said, as SGR's files write out.
const tavilyBaseURL = "https://api.tavily.com"

// searchTools reads the settings of the agent's searching tools, which are those of the section search.
func (d *decoder) searchTools(tools *node, s *Search) {
	if tools == nil {
		return
	}
	for _, name := range tools.keys() {
		child := tools.children[name]
		class := ""
		if c := child.children["base_class"]; c != nil {
			class = fmt.Sprint(c.value)
		}
		if (isSearchTool(name) && class == "" || isSearchTool(class)) && child.children != nil &&
			child.children["command"] == nil && child.children["url"] == nil {
			settings := maps.Clone(child.children)
			delete(settings, "base_class")
			d.section(&node{children: settings, origin: child.origin}, reflect.ValueOf(s).Elem(), "search")
		}
	}
}

// isSearchTool says whether a tool is one of the agent's own that search and read, in whatever form it is written.
func isSearchTool(name string) bool {
	name = strings.ToLower(strings.ReplaceAll(name[strings.LastIndex(name, ".")+1:], "_", ""))
	return name == "websearchtool" || name == "extractpagecontenttool"
}

// plainNode is a mapping as a section that was written at one place.
func plainNode(mapping map[string]any, origin string) *node {
	n := section(origin)
	for key, value := range mapping {
		if inner, ok := value.(map[string]any); ok {
			n.children[key] = plainNode(inner, origin)
			continue
		}
		n.children[key] = &node{value: value, origin: origin}
	}
	return n
}

// at gives what is below a path of sections; nothing where there is none.
func (n *node) at(path ...string) map[string]*node {
	for _, key := range path {
		if n = n.children[key]; n == nil {
			return nil
		}
	}
	return n.children
}
