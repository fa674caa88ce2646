//go:build ignore

// Command vulndb makes of a clone of the repository golang/vulndb a database that
// govulncheck reads where the network is shut: go run scripts/vulndb.go CLONE DIR.
package main

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"
	"time"
)

type entry struct {
	ID       string    `json:"id"`
	Modified time.Time `json:"modified"`
}

type module struct {
	Path  string  `json:"path"`
	Vulns []entry `json:"vulns"`
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: go run scripts/vulndb.go CLONE DIR")
	}
	files, err := filepath.Glob(filepath.Join(os.Args[1], "data", "osv", "*.json"))
	if err != nil || len(files) == 0 {
		log.Fatalf("%s has no data/osv/*.json: is it a clone of golang/vulndb? %v", os.Args[1], err)
	}
	modules, newest := map[string]*module{}, time.Time{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		check(err)
		var report struct {
			entry
			Affected []struct {
				Package struct{ Name string }
			}
		}
		check(json.Unmarshal(data, &report))
		if report.Modified.After(newest) {
			newest = report.Modified
		}
		write(filepath.Join("ID", report.ID+".json"), json.RawMessage(data))
		for _, a := range report.Affected {
			m := modules[a.Package.Name]
			if m == nil {
				m = &module{Path: a.Package.Name}
				modules[m.Path] = m
			}
			if n := len(m.Vulns); n == 0 || m.Vulns[n-1].ID != report.ID {
				m.Vulns = append(m.Vulns, report.entry)
			}
		}
	}
	list := make([]*module, 0, len(modules))
	for _, m := range modules {
		list = append(list, m)
	}
	write("index/modules.json", list)
	write("index/db.json", map[string]time.Time{"modified": newest})
}

// write makes one file of the database.
func write(name string, value any) {
	path := filepath.Join(os.Args[2], filepath.FromSlash(name))
	data, err := json.Marshal(value)
	check(err)
	check(os.MkdirAll(filepath.Dir(path), 0o755))
	check(os.WriteFile(path, data, 0o644))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
