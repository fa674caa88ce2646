package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/demo"
	"github.com/citewell/citewell/internal/sandbox"
	"github.com/citewell/citewell/internal/testing/minilm"
	"github.com/citewell/citewell/internal/testing/realpart"
	"github.com/citewell/citewell/internal/testing/score"
	"github.com/citewell/citewell/internal/testing/smallmodel"
	"github.com/citewell/citewell/search/searchtest"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	testscript.Main(m, map[string]func(){
		"citewell": func() { os.Exit(Main("v0.0.0-test", os.Args[1:])) },
	})
}

// TestScripts runs testdata/script/*.txtar, each with a home of its own and
// nothing of the network but what it starts on loopback. `cite`, `exits` and `tty`
// run the command in this process, `exec citewell` as one of its own: with the race
// detector, starting one takes longer than most commands do.
//
// Under the race detector, where a script takes five times as long, only those of raced run;
// scripts/unraced.sh names the test, so that make test runs all of them without it.
func TestScripts(t *testing.T) {
	var only []string
	if score.RaceDetector {
		only = raced
	}
	runScripts(t, "script", nil, only...)
}

// raced are scripts whose commands have much to do at once, a road through the program each: a
// brief as a run, providers that fail, the index, an agent's run with its tools, runs that are
// begun, cancelled and taken up, tools over HTTP, watches. The others hold words and forms of what
// these run as well.
var raced = []string{"brief_run", "faults", "index", "research", "research_agent", "runs", "search", "tool_http",
	"tool_search", "watch"}

// TestScriptsWithAnEmbeddingModel runs testdata/embedding/*.txtar with a real one at
// $EMBEDDING.
func TestScriptsWithAnEmbeddingModel(t *testing.T) {
	runScripts(t, "embedding", map[string]string{"EMBEDDING": minilm.Start(t), "MODEL": minilm.Model})
}

// TestScriptsWithASmallModel runs testdata/smallmodel/*.txtar with a real one at $CHAT.
func TestScriptsWithASmallModel(t *testing.T) {
	runScripts(t, "smallmodel", map[string]string{"CHAT": smallmodel.Start(t), "MODEL": smallmodel.Model})
}

// testdata is named before the first script changes the working folder.
var testdata, testdataErr = filepath.Abs("testdata")

// runScripts runs the scripts of a folder, or of them only those that are named.
func runScripts(t *testing.T, folder string, variables map[string]string, only ...string) {
	if testdataErr != nil {
		t.Fatal(testdataErr)
	}
	params := testscript.Params{
		Dir:                 filepath.Join(testdata, folder),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		ContinueOnError:     true,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, ".home")
			for name, dir := range map[string]string{"XDG_CONFIG_HOME": "config", "XDG_DATA_HOME": "data",
				"XDG_CACHE_HOME": "cache"} {
				env.Setenv(name, filepath.Join(home, dir))
			}
			env.Setenv("HOME", home)
			env.Setenv("CITEWELL__JUDGE__USE", "never") // scripted models write and do not judge
			env.Setenv("GORACE", os.Getenv("GORACE"))
			for name, value := range variables {
				env.Setenv(name, value)
			}
			env.Setenv("DATA", filepath.Join(home, "data", "citewell"))
			return os.MkdirAll(home, 0o700)
		},
		Condition: func(cond string) (bool, error) {
			if cond == "privileged" { // may read whatever the permissions say
				return os.Geteuid() == 0, nil
			}
			if cond == "walled" { // programs run behind the whole of their wall
				walls, err := sandbox.CommandWalls()
				return err == nil && walls.Holds(), nil
			}
			if cond == "searx" { // the real one is installed
				missing := searchtest.MissingSearx()
				if missing != "" && os.Getenv("CI") == "true" {
					return false, errors.New(missing)
				}
				return missing == "", nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"demoweb":      cmdDemoweb,
			"gone":         cmdGone,
			"steady":       cmdSteady,
			"steadytables": cmdSteadyTables,
			"fail":         cmdFail,
			"badweb":       cmdBadweb,
			"services":     cmdServices,
			"model":        cmdModel,
			"judge":        cmdJudge,
			"mcpserver":    cmdMCPServer,
			"reranker":     cmdReranker,
			"engines":      cmdEngines,
			"alleight":     cmdAllEight,
			"searx":        cmdSearx,
			"cite":         cmdCite,
			"exits":        cmdExits,
			"json":         cmdJSON,
			"replace":      cmdReplace,
			"badname":      cmdBadname,
			"ids":          cmdIDs,
			"runid":        cmdRunID,
			"tty":          cmdTTY,
			"pdf":          cmdPDF,
			"aged":         cmdAged,
			"site":         cmdSite,
			"publicweb":    cmdPublicweb,
			"archive":      cmdArchive,
			"gocache":      cmdGoCache,
		},
	}
	if len(only) > 0 {
		for _, name := range only {
			params.Files = append(params.Files, filepath.Join(params.Dir, name+".txtar"))
		}
		params.Dir = ""
	}
	testscript.Run(t, params)
}

// gocache lets run_cli's go command use what other tests have built.
func cmdGoCache(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(shareGoCache(ts.Getenv("XDG_CACHE_HOME")))
}

// shareGoCache does so for the command in a home whose folder for caches is given.
func shareGoCache(cache string) error {
	return realpart.ShareGoCache(filepath.Join(cache, "citewell", "run_cli", "go-build"))
}

// patient asks servers of a test. What hangs fails its test; without an end it would be
// the limit of all tests that says so.
var patient = &http.Client{Timeout: 3 * time.Minute}

// inherited are the variables that a command in this process gets of its script.
var inherited = []string{"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "NO_COLOR", "TERM",
	"OPENAI_API_KEY",
	"OPENAI_BASE_URL", "TAVILY_API_KEY", "SEARXNG_URL", "SEARXNG_QUERY_URL", "CITEWELL__BRIEF__DEADLINES__FANOUT",
	"CITEWELL__BRIEF__DEADLINES__EXTRACT", "CITEWELL__FETCH__CACHE_TTL",
	"CITEWELL__JUDGE__USE", "CITEWELL__JUDGE__BASE_URL", "CITEWELL__JUDGE__MODEL",
	recordVariable, replayVariable}

// workingFolder is held by the script whose folder the process is in.
var workingFolder sync.Mutex

// runHere runs the command in this process and returns its exit code. Standard
// input is the file that $STDIN names, once.
func runHere(ts *testscript.TestScript, e *env, args []string) int {
	for _, name := range inherited {
		if value := ts.Getenv(name); value != "" {
			e.environ = append(e.environ, name+"="+value)
		}
	}
	e.version, e.stdin = "v0.0.0-test", strings.NewReader("")
	if name := ts.Getenv("STDIN"); name != "" {
		e.stdin = strings.NewReader(ts.ReadFile(name))
		ts.Setenv("STDIN", "")
	}
	workingFolder.Lock()
	defer workingFolder.Unlock()
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer os.Chdir(testdata) // the script's folder will be gone, and some programs do not start in such a one
	return e.run(context.Background(), args)
}

func runAndShow(ts *testscript.TestScript, args []string) int {
	var stdout, stderr bytes.Buffer
	code := runHere(ts, &env{stdout: &output{w: &stdout}, stderr: &console{w: &stderr}}, args)
	ts.Stdout().Write(stdout.Bytes())
	ts.Stderr().Write(stderr.Bytes())
	return code
}

// cite ARGUMENT... runs the command, which must end well.
func cmdCite(ts *testscript.TestScript, neg bool, args []string) {
	if code := runAndShow(ts, args); code != 0 {
		ts.Fatalf("exit code %d", code)
	}
}

// exits CODE ARGUMENT... runs the command, which must end with that exit code.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := runAndShow(ts, args[1:]); got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// demoweb starts a demo web and writes the ./citewell.yaml that points at it.
func cmdDemoweb(ts *testscript.TestScript, neg bool, args []string) {
	web, err := demo.Start(context.Background(), demo.Options{})
	ts.Check(err)
	serving(ts, web.HomeURL(), func() { web.Close() })
	base, err := url.Parse(web.HomeURL())
	ts.Check(err)
	ts.Setenv("WEB", web.HomeURL())
	ts.Setenv("PORT", base.Port())
	ts.Check(os.WriteFile(ts.MkAbs("citewell.yaml"), fmt.Appendf(nil,
		"search:\n  providers:\n    searxng: {base_url: %q}\n    duckduckgo: {base_url: %q}\nfetch:\n  "+
			"allow_networks: [127.0.0.0/8, \"::1/128\"]\n  cache_ttl: 1s\n  archive: {use: off}\n"+
			"brief:\n  deadlines: {synthesis: 5m, total: 10m}\n", // what is shown hangs on no idle machine
		web.SearchURL(), web.DuckDuckGoURL()), 0o600))
}

// fail ENGINE=MODE switches an engine of the running demo web by POST.
func cmdFail(ts *testscript.TestScript, neg bool, args []string) {
	for _, pair := range args {
		engine, mode, _ := strings.Cut(pair, "=")
		resp, err := patient.PostForm(ts.Getenv("WEB")+"_demo/fail", url.Values{"endpoint": {engine}, "mode": {mode}})
		ts.Check(err)
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			ts.Fatalf("fail %s: status %d", pair, resp.StatusCode)
		}
	}
}

// json FILE PATH WANT compares one value of a JSON object. A path goes, with slashes
// between, by keys, indices, KEY:VALUE for the first element that has it, and # for a length; WANT
// after ~ is a regular expression; without WANT there must be such a value.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	if strings.HasSuffix(args[1], "/") {
		ts.Fatalf("%s ends in a slash: a script's # begins a comment unless it is quoted", args[1])
	}
	var value any
	if err := json.Unmarshal([]byte(ts.ReadFile(args[0])), &value); err != nil {
		ts.Fatalf("not one JSON object: %v", err)
	}
	found := true
	for _, step := range strings.Split(args[1], "/") {
		if value, found = stepInto(value, step); !found {
			break
		}
	}
	ok := found
	if found && len(args) > 2 {
		got := fmt.Sprint(value)
		if pattern, isPattern := strings.CutPrefix(args[2], "~"); isPattern {
			ok = regexp.MustCompile(pattern).MatchString(got)
		} else {
			ok = got == args[2]
		}
	}
	if ok == neg {
		ts.Fatalf("%s is %v (%v)", args[1], value, found)
	}
}

func stepInto(value any, step string) (any, bool) {
	switch v := value.(type) {
	case map[string]any:
		inner, ok := v[step]
		return inner, ok
	case []any:
		if step == "#" {
			return len(v), true
		}
		if i, err := strconv.Atoi(step); err == nil && i < len(v) {
			return v[i], true
		}
		key, want, ok := strings.Cut(step, ":")
		for _, element := range v {
			if object, isObject := element.(map[string]any); ok && isObject && fmt.Sprint(object[key]) == want {
				return object, true
			}
		}
	}
	return nil, reflect.ValueOf(value).IsValid() && step == ""
}

// replace FILE OLD NEW changes the first OLD, which must be there.
func cmdReplace(ts *testscript.TestScript, neg bool, args []string) {
	content := ts.ReadFile(args[0])
	if !strings.Contains(content, args[1]) {
		ts.Fatalf("%s has no %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(content, args[1], args[2], 1)), 0o600))
}

// badname DIR makes files there whose names no Unicode text can hold.
func cmdBadname(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(os.WriteFile(filepath.Join(ts.MkAbs(args[0]), "caf\xe9 \xff.md"),
		[]byte("The heron of the caf\xc3\xa9 stands on 41 stones by the water."), 0o600))
}

// ids FILE names the ids of a brief in the environment: $BRIEF, its beginning $SHORT, and
// of its first citation $PASSAGE and $HASH, that of the source's text. $PASSAGEMD is the first
// passage that ./brief.md names, where there is one.
func cmdIDs(ts *testscript.TestScript, neg bool, args []string) {
	var b citewell.Brief
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &b))
	ts.Setenv("BRIEF", b.ID)
	ts.Setenv("SHORT", b.ID[:8])
	ts.Setenv("PASSAGE", b.Findings[0].Citations[0].Passage)
	ts.Setenv("HASH", b.Sources[b.Findings[0].Citations[0].N-1].TextSHA256)
	if markdown, err := os.ReadFile(ts.MkAbs("brief.md")); err == nil {
		ts.Setenv("PASSAGEMD", regexp.MustCompile(`- F1 \S+ ([0-9a-f]{32})`).FindStringSubmatch(string(markdown))[1])
	}
}

// runid FILE PATH names the id of a run that stands there in the environment: $RUN, and
// $SHORT, the beginning of its UUID.
func cmdRunID(ts *testscript.TestScript, neg bool, args []string) {
	var value any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &value))
	for step := range strings.SplitSeq(args[1], "/") {
		value, _ = stepInto(value, step)
	}
	id, ok := value.(string)
	if !ok {
		ts.Fatalf("no id at %s", args[1])
	}
	ts.Setenv("RUN", id)
	ts.Setenv("SHORT", shortID(id))
}
