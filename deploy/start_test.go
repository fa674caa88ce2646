package deploy

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/citewell/citewell/internal/testing/pgtest"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// A pod is what a manifest has started on this machine.
type pod struct {
	process *exec.Cmd
	base    string
}

// started starts the container of a deployment as its manifest has it, but for addresses and
// folders, and waits until it listens.
func started(t *testing.T, all map[string]runtime.Object, program, home, settings, deployment string) pod {
	t.Helper()
	c := one[*apps.Deployment](t, all, "Deployment "+deployment).Spec.Template.Spec.Containers[0]
	args := make([]string, len(c.Args))
	for i, arg := range c.Args {
		arg = strings.ReplaceAll(arg, "$(POD_IP):8010", "127.0.0.1:0")
		args[i] = strings.ReplaceAll(arg, "/etc/citewell/citewell.yaml", settings)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	p := pod{process: exec.CommandContext(ctx, program, args...)}
	p.process.Env = append(os.Environ(), "HOME="+home, "XDG_DATA_HOME="+home+"/data", "XDG_CONFIG_HOME="+home+"/config",
		"XDG_CACHE_HOME="+home+"/cache")
	stderr, err := p.process.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.process.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewReader(stderr)
	for executes := deployment != "citewell-worker"; p.base == "" || !executes; {
		line, err := said.ReadString('\n')
		if err != nil {
			t.Fatalf("%s: it listens to nothing: %v", deployment, err)
		}
		if at, ok := strings.CutPrefix(line, "listening on "); ok {
			p.base = strings.Fields(at)[0]
		}
		executes = executes || strings.HasPrefix(line, "executing the runs of ")
	}
	go io.Copy(io.Discard, said)
	for what, probe := range map[string]*core.Probe{"startup": c.StartupProbe, "liveness": c.LivenessProbe,
		"readiness": c.ReadinessProbe} {
		if status := p.get(t, probe.HTTPGet.Path, ""); status != http.StatusOK {
			t.Errorf("%s: the %s probe gets %d", deployment, what, status)
		}
	}
	return p
}

func (p pod) get(t *testing.T, path, token string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// mounted has the file of tokens be as in a secret: root's, for the group to read, and not to be
// written. Root alone can give it away.
func mounted(t *testing.T, tokens string) {
	t.Helper()
	if err := os.Remove(tokens + ".lock"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(tokens+".lock", 0o700); err != nil { // so that root cannot write it either
		t.Fatal(err)
	}
	if os.Geteuid() != 0 {
		return
	}
	if err := os.Chown(tokens, 1, -1); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(tokens, 0o440); err != nil {
		t.Fatal(err)
	}
}

// signIn shows a token as a browser does, and gives what its cookie holds.
func (p pod) signIn(t *testing.T, token string) string {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.PostForm(p.base+"/session", url.Values{"token": {token}})
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if cookies := resp.Cookies(); resp.StatusCode == http.StatusSeeOther && len(cookies) == 1 {
		return cookies[0].Value
	}
	t.Fatalf("signing in gets %s with %v", resp.Status, resp.Cookies())
	return ""
}

// opens asks for a page with the cookie of a session: behind one address all servers have one
// name for it, here each has that of its port.
func (p pod) opens(t *testing.T, path, session string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.AddCookie(&http.Cookie{Name: "citewell_" + r.URL.Port(), Value: session})
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// What the manifests start is ready by their probes, on a PostgreSQL and with the token of
// their configuration, and ends when it is told to.
func TestManifestsStart(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles, and starts processes")
	}
	all := manifests(t)
	home := t.TempDir()
	program := filepath.Join(home, "citewell")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./cmd/citewell")
	build.Dir, build.Env = "..", append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	database, err := url.Parse(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	tokens := filepath.Join(home, "tokens.json")
	text := one[*core.ConfigMap](t, all, "ConfigMap citewell").Data["citewell.yaml"]
	text = strings.NewReplacer("postgres://citewell@postgres/citewell?", database.String()+"&",
		"/etc/citewell/secret/tokens.json", tokens).Replace(text)
	settings := filepath.Join(home, "citewell.yaml")
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		t.Helper()
		said, err := exec.CommandContext(t.Context(), program, append([]string{"--config", settings},
			args...)...).Output()
		if err != nil {
			t.Fatalf("%q: %v %s", args, err, said)
		}
		return strings.TrimSpace(string(said))
	}
	run("config", "check")
	token := run("token", "create", "me")
	mounted(t, tokens)
	first := started(t, all, program, home, settings, "citewell-serve")
	second := started(t, all, program, home, settings, "citewell-serve")
	cookie := first.signIn(t, token)
	for _, p := range []pod{first, second} {
		if status := p.opens(t, "/", cookie); status != http.StatusOK {
			t.Errorf("the page gets %d by a session that the first server began", status)
		}
		if status := p.opens(t, "/", cookie+"x"); status != http.StatusUnauthorized {
			t.Errorf("the page gets %d by no session", status)
		}
		p.process.Process.Signal(syscall.SIGTERM)
		if err := p.process.Wait(); err != nil {
			t.Errorf("a server ended with %v", err)
		}
	}
	for deployment, reached := range map[string]int{"citewell-serve": http.StatusOK,
		"citewell-worker": http.StatusNotFound} {
		p := started(t, all, program, home, settings, deployment)
		if status := p.get(t, "/v1/runs", token); status != reached {
			t.Errorf("%s: /v1/runs gets %d", deployment, status)
		}
		if status := p.get(t, "/metrics", ""); status != http.StatusUnauthorized {
			t.Errorf("%s: /metrics without a token gets %d", deployment, status)
		}
		p.process.Process.Signal(syscall.SIGTERM)
		if err := p.process.Wait(); err != nil {
			t.Errorf("%s ended with %v", deployment, err)
		}
	}
}
