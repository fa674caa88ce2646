package mcptools

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/citewell/citewell"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// pins remember what each server said of its tools at first: by server, by tool, the hash of the whole tool object.
type pins struct {
	file    string
	kept    map[string]map[string]string
	changed bool
}

func readPins(file string) (*pins, error) {
	p := &pins{file: file, kept: map[string]map[string]string{}}
	if file == "" {
		return p, nil
	}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &p.kept)
	}
	if err != nil {
		return nil, &citewell.Error{Code: citewell.CodeStoreFailed, Op: "mcp",
			Message: "the record of MCP servers' tools cannot be read from " + file,
			Hint:    "check the file; deleting it accepts all tools as they are now", Err: err}
	}
	return p, nil
}

// hold says whether a tool is as it was first seen, and remembers one that is new.
func (p *pins) hold(server string, t *mcp.Tool) bool {
	data, err := json.Marshal(t)
	if err != nil {
		return false
	}
	hash := citewell.SHA256(data)
	known, seen := p.kept[server][t.Name]
	if !seen {
		p.set(server, t.Name, hash)
	}
	return !seen || known == hash
}

func (p *pins) set(server, name, hash string) {
	if p.kept[server] == nil {
		p.kept[server] = map[string]string{}
	}
	p.kept[server][name] = hash
	p.changed = true
}

// write keeps what is new, the whole file at once.
func (p *pins) write() error {
	if p.file == "" || !p.changed {
		return nil
	}
	data, err := json.MarshalIndent(p.kept, "", "  ")
	if err != nil {
		return err
	}
	err = os.MkdirAll(filepath.Dir(p.file), 0o700)
	if err == nil {
		err = os.WriteFile(p.file+".new", append(data, '\n'), 0o600)
	}
	if err == nil {
		err = os.Rename(p.file+".new", p.file)
	}
	if err != nil {
		return &citewell.Error{Code: citewell.CodeStoreFailed, Op: "mcp",
			Message: "the record of MCP servers' tools cannot be written to " + p.file, Err: err}
	}
	return nil
}

// Accept takes a changed tool, by its name with us, as it is next seen. not_found if no such tool is pinned.
func Accept(file, name string) error {
	p, err := readPins(file)
	if err != nil {
		return err
	}
	for server, tools := range p.kept {
		for own := range tools {
			if toolName(server, own) == name {
				delete(tools, own)
				p.changed = true
				return p.write()
			}
		}
	}
	return &citewell.Error{Code: citewell.CodeNotFound, Op: "mcp",
		Message: "no tool " + name + " of an MCP server is known",
		Hint:    "citewell tools --all shows those that are held back"}
}
