package searchtest

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/goccy/go-yaml"
)

// A Searx is a running instance of the real searx, the ancestor of SearXNG with the same JSON, as Debian packages it.
type Searx struct {
	URL string

	cmd   *exec.Cmd
	ended chan error
	log   bytes.Buffer
}

const searxSettings = "/usr/share/doc/searx/examples/settings.yml"

// MissingSearx says what keeps a Searx from running here, and how to mend it; empty where nothing does.
func MissingSearx() string {
	const mend = ": apt-get install searx to run this test"
	if _, err := exec.LookPath("searx-run"); err != nil {
		return "searx-run is not installed" + mend
	}
	if _, err := os.Stat(searxSettings); err != nil {
		return searxSettings + " is missing" + mend
	}
	return ""
}

// StartSearx runs an instance in dir and returns once it answers; the caller Stops it.
// Its one engine, demo with the shortcut d, asks engineURL/?q=QUERY for
// {"items":[{"link","name","text"}]}. The ancestor does not know search.formats: JSON
// is always on. Debian's package has none of the answerers.
func StartSearx(ctx context.Context, dir, engineURL string) (*Searx, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	port := listener.Addr().(*net.TCPAddr).Port
	if err := listener.Close(); err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "settings.yml")
	if err := writeSearxSettings(file, port, engineURL); err != nil {
		return nil, err
	}
	s := &Searx{URL: fmt.Sprintf("http://127.0.0.1:%d", port), ended: make(chan error, 1)}
	s.cmd = exec.Command("searx-run")
	s.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "SEARX_SETTINGS_PATH=" + file, "LC_ALL=C.UTF-8"}
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { s.ended <- s.cmd.Wait() }()
	if err := s.answers(ctx); err != nil {
		s.Stop()
		return nil, fmt.Errorf("%w; it said:\n%s", err, s.Log())
	}
	return s, nil
}

// Stop ends the instance.
func (s *Searx) Stop() {
	_ = s.cmd.Process.Kill() // it may have ended
	s.ended <- <-s.ended     // for a second Stop
}

// Log is what the instance said. Only after Stop.
func (s *Searx) Log() string { return s.log.String() }

func writeSearxSettings(file string, port int, engineURL string) error {
	example, err := os.ReadFile(searxSettings)
	if err != nil {
		return err
	}
	var settings map[string]any
	if err := yaml.Unmarshal(example, &settings); err != nil {
		return err
	}
	section(settings, "server")["port"] = port
	section(settings, "server")["secret_key"] = "a key for this test"
	section(settings, "search")["formats"] = []string{"html", "json"}
	section(settings, "search")["ban_time_on_fail"] = 0
	section(settings, "search")["max_ban_time_on_fail"] = 0
	settings["engines"] = []map[string]any{{
		"name": "demo", "engine": "json_engine", "shortcut": "d", "categories": "general", "enable_http": true,
		"search_url": engineURL + "/?q={query}", "results_query": "items",
		"url_query": "link", "title_query": "name", "content_query": "text",
	}}
	data, err := yaml.Marshal(settings)
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o600)
}

func section(settings map[string]any, name string) map[string]any {
	m, ok := settings[name].(map[string]any)
	if !ok {
		m = make(map[string]any)
		settings[name] = m
	}
	return m
}

// answers waits until the instance does, for a minute at most.
func (s *Searx) answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil)
		if err != nil {
			return err
		}
		if resp, err := client.Do(req); err == nil {
			_ = resp.Body.Close() // only the status matters
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case err := <-s.ended:
			s.ended <- err
			return fmt.Errorf("searx-run ended: %w", err)
		case <-ctx.Done():
			return fmt.Errorf("searx-run did not answer: %w", ctx.Err())
		case <-again.C:
		}
	}
}
