package program

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/workdir"
)

// folder is a working folder with a file, a folder, and links inside and out.
func folder(t testing.TB) workdir.Dir {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("links need a right there")
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "out", "secret"), 0o755); err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(dir, "work")
	if err := os.MkdirAll(filepath.Join(work, "sub", "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.txt": "one\ntwo\n", "sub/b.txt": "three\n"} {
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"escape": filepath.Join(dir, "out"), "climb": "../out",
		"dangling": "/nowhere/at/all", "inner": "sub"} {
		if err := os.Symlink(to, filepath.Join(work, link)); err != nil {
			t.Fatal(err)
		}
	}
	w, err := workdir.New(work)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// verdict is the code of what is said of a command line; empty lets it through.
func verdict(t testing.TB, inside func(string) error, argv ...string) citewell.Code {
	t.Helper()
	return citewell.CodeOf(line{program: argv[0], args: argv[1:], inside: inside}.judge())
}

func TestJudge(t *testing.T) {
	const (
		argument = citewell.CodeArgumentNotAllowed
		outside  = citewell.CodePathOutsideWorkdir
	)
	tests := []struct {
		want citewell.Code
		argv string // between spaces; + stands for a space
	}{
		{"", "cat a.txt sub/b.txt inner/b.txt -n -- -x"}, {outside, "cat ../../etc/passwd"},
		{outside, "cat /etc/passwd"}, {outside, "cat escape/secret"}, {outside, "cat climb"}, {outside, "cat dangling"},
		{outside, "cat inner/../../out"}, {"", "cat sub/../a.txt"}, {outside, "cat -- /etc/passwd"},
		{argument, "cat --files"}, {argument, "cat --number=5"}, {argument, "cat --number="},
		{argument, "jq --arg=a b ."}, {"", "cat -"},

		{"", "head -5 a.txt"}, {"", "head -n5 -c 7 --lines=3 a.txt"}, {outside, "head -n /etc/passwd /etc/passwd"},
		{argument, "tail -f a.txt"}, {argument, "tail --fol a.txt"},
		{"", "cut -d/ -f1 a.txt"}, {"", "cut -d / -f 1 a.txt"}, {"", "tr / _"}, {argument, "wc --files0-from=a.txt"},
		{argument, "wc --files0=a.txt"},
		{outside, "date -r/etc/passwd"}, {outside, "date --reference=../x"}, {argument, "date -s now"},
		{argument, "sha256sum -c a.txt"}, {"", "echo /etc/passwd --anything"},

		{"", "git status --short"}, {"", "git log -5 --oneline HEAD~3..HEAD -- sub/b.txt"},
		{argument, "git -c alias.x=!id x"}, {argument, "git --exec-path=. status"}, {argument, "git -C .. status"},
		{argument, "git --git-dir=.git status"}, {argument, "git --git=.git status"},
		{argument, "git clone ext::sh+-c+id x"}, {argument, "git fetch --upload-pack=x"}, {argument, "git x"},
		{argument, "git grep -Oless x"},
		{argument, "git grep --open-files-in-pager=id x"}, {argument, "git grep --open x"},
		{argument, "git diff --ext-diff"}, {argument, "git diff --ext"}, {argument, "git show --textconv HEAD"},
		{argument, "git diff --output=x"},
		{argument, "git diff --no-index a.txt sub/b.txt"}, {outside, "git diff /etc/passwd a.txt"},
		{outside, "git show HEAD:/../../x"}, {"", "git show HEAD:sub/b.txt"}, {argument, "git commit -e"},
		{argument, "git commit -am x -S"},
		{"", "git commit -am x"}, {argument, "git rebase -x id"}, {argument, "git config alias.x !id"},
		{argument, "git -- status"}, {argument, "git status --ignore-submodules=none"},
		{argument, "git diff --submodule=diff"}, {argument, "git diff --subm=diff"},
		{argument, "git log --show-signature"}, {argument, "git init --template=sub"},
		{argument, "git archive --output=x HEAD"}, {argument, "git bisect run id"},
		{argument, "git submodule foreach id"}, {argument, "git difftool -x id"}, {argument, "git -p log"},
		{argument, "git blame --contents /etc/passwd a.txt"},

		{"", "go test ./... -run Test/x -count=1"}, {"", "go build -o bin/x ./sub"}, {outside, "go build -o /tmp/x"},
		{outside, "go build --o=../x"}, {argument, "go run ."}, {argument, "go generate ./..."},
		{argument, "go install x@latest"},
		{argument, "go test -exec id"}, {argument, "go test --exec=id"}, {argument, "go build -toolexec=id"},
		{argument, "go vet -vettool=id"}, {argument, "go build -ldflags=-extld=id"}, {argument, "go build -overlay=x"},
		{argument, "go -C .. build"}, {argument, "go build -C .."}, {argument, "go env -w GOFLAGS=-x"},
		{argument, "go tool compile"}, {argument, "go test -args -x"}, {argument, "go mod edit -replace=x=/y"},
		{"", "go mod tidy -diff"},
		{outside, "go vet /etc"}, {outside, "go test -coverprofile=/etc/x"}, {"", "go list -m -json=Path all"},
		{argument, "go build -modfile=x"}, {argument, "go doc -http"}, {argument, "go help"},
		{"", "gofmt -l -d ."}, {"", "gofmt -w a.go"}, {outside, "gofmt -w /x.go"}, {argument, "gofmt -cpuprofile=x"},
		{"", "gofmt -r a->b -l=false ."},

		{"", "find . -name *.go -type f"}, {"", "find sub ( -name a -o -name b ) ! -empty -print0"},
		{argument, "find . -exec id ;"}, {argument, "find . -execdir id ;"}, {argument, "find . -ok id ;"},
		{argument, "find . -delete"},
		{argument, "find . -fprintf x y"}, {argument, "find . -fls x"}, {outside, "find /"},
		{outside, "find .. -name x"}, {outside, "find escape/ -name x"}, {outside, "find . -newer /etc/passwd"},
		{argument, "find -L ."}, {argument, "find . -files0-from x"},
		{argument, "find . -follow"}, {argument, "find -O3 ."},

		{"", "grep -rn --include=*.go /etc/passwd ."}, {outside, "grep -e x /etc/passwd"},
		{outside, "grep x /etc/passwd"}, {outside, "grep -f/etc/passwd a.txt"},
		{outside, "grep --file=/etc/passwd a.txt"}, {argument, "grep -R x ."},
		{"", "grep -A2 -in -e/x a.txt"}, {outside, "grep -ine/x /etc/passwd"}, {argument, "grep --exclude-from=x y z"},
		{argument, "grep --fil=/etc/passwd x"},
		{"", "rg -n /x sub"}, {argument, "rg --pre id x"}, {argument, "rg --pre=id x"}, {argument, "rg -z x"},
		{argument, "rg --ignore-file=/x y"}, {outside, "rg x /etc"}, {argument, "rg -nL x"},

		{"", "sed -n 1,5p a.txt"}, {"", "sed -i.bak s/a//g a.txt"}, {"", "sed -Ei s|/etc|/usr|g a.txt"},
		{outside, "sed -i s/a/b/ /etc/passwd"}, {argument, "sed -i../x s/a/b/ a.txt"}, {argument, "sed 1e a.txt"},
		{argument, "sed s/a/b/e a.txt"},
		{argument, "sed s/a/b/gw+x a.txt"}, {argument, "sed w+x a.txt"}, {argument, "sed $!{W+x"},
		{outside, "sed r+/etc/passwd a.txt"}, {"", "sed r+sub/b.txt a.txt"}, {argument, "sed -f x a.txt"},
		{argument, "sed --fi=x a.txt"}, {argument, "sed -e p -e w+x a.txt"},
		{argument, "sed -ne e a.txt"}, {argument, "sed --expression=e a.txt"}, {argument, "sed /a/,/b/{s/x/y/;e+id}"},
		{"", "sed -e /a/I,~3d -e $p --expression=y/ab/cd/ a.txt"}, {outside, "sed R/etc/x;s/[/]/w/"},
		{argument, "sed s/[/]/w/w+x"},

		{"", "sort -t/ -k2,2 -nr a.txt"}, {argument, "sort --compress-program=id a.txt"},
		{argument, "sort --comp id a.txt"}, {argument, "sort -o /x a.txt"}, {argument, "sort -no x a.txt"},
		{argument, "sort --output=x"}, {argument, "sort -T/tmp"},
		{argument, "sort --files0-from=-"}, {outside, "sort /etc/passwd"},
		{"", "tar -xzf a.tgz -v"}, {"", "tar -czf a.tgz sub"}, {argument, "tar xzf a.tgz"},
		{argument, "tar -xf a.tar --to-command=id"}, {argument, "tar -xf a.tar --to-c=id"},
		{argument, "tar -cf a.tar --checkpoint=1 --checkpoint-action=exec=id x"},
		{argument, "tar -I id -xf x"}, {argument, "tar -Iid -xf x"}, {argument, "tar -xf h:x"},
		{outside, "tar -xf /x.tar"}, {outside, "tar -cf../x.tar a.txt"}, {argument, "tar -xPf x"},
		{argument, "tar -xf x -C /"}, {argument, "tar -T x -cf y"},
		{argument, "tar -xf x --use-compress id"}, {argument, "tar --transform=s,x,/y, -xf x"},
		{argument, "tar -chf x escape"},
		{"", "jq -r .a[0] a.json"}, {"", "jq --arg x /etc -n $x"}, {argument, "jq -L /x . a"}, {argument, "jq -f x a"},
		{argument, "jq --rawfile a /etc/passwd $a -n"}, {argument, "jq --slurpfile a b ."},
		{argument, `jq import+"x"+as+y;. a`},
		{argument, `jq +#+x include+"x";.`}, {outside, "jq . /etc/x.json"}, {argument, "jq -nL/x ."},
		{argument, "jq --args . /x"}, {"", "jq .include a.json"},

		{"", "uniq a.txt b.txt"}, {outside, "uniq a.txt /x"}, {outside, "xxd a.txt /x"}, {argument, "file -m x y"},
		{argument, "file -z a"}, {argument, "ls -lL"}, {argument, "diff -l a b"}, {outside, "diff a.txt /etc/passwd"},
		{argument, "tree -o x"},
		{citewell.CodeInvalidArgument, "head -n"}, {citewell.CodeInvalidArgument, "cat a\x00b"},

		// What the operator adds and nobody knows.
		{"", "make -j4 all X=y"}, {outside, "make -f/etc/x"}, {outside, "make X=/etc/x"}, {outside, "make -sf../x"},
		{outside, "make --file=/x"}, {outside, "make a=b=/x"}, {outside, "make escape/x"}, {"", "make s/a//g https:x"},
	}
	inside := folder(t).Inside
	for _, test := range tests {
		argv := strings.Split(test.argv, " ")
		for i, a := range argv {
			argv[i] = strings.ReplaceAll(a, "+", " ")
		}
		if got := verdict(t, inside, argv...); got != test.want {
			t.Errorf("%q: %q, want %q: %v", argv, got, test.want, line{
				program: argv[0], args: argv[1:], inside: inside}.judge())
		}
	}
}

func TestJudgeSizes(t *testing.T) {
	inside := func(string) error { return nil }
	for name, argv := range map[string][]string{
		"many": append([]string{"echo"}, make([]string, MaxArguments+1)...),
		"long": {"echo", strings.Repeat("x", 131_072)},
		"all":  append([]string{"echo"}, strings.Split(strings.Repeat(strings.Repeat("x", 100_000)+" ", 11), " ")...),
	} {
		if got := verdict(t, inside, argv...); got != citewell.CodeArgumentsTooLarge {
			t.Errorf("%s: %q", name, got)
		}
	}
	for name, argv := range map[string][]string{
		"many": append([]string{"echo"}, make([]string, 10_000)...),
		"long": {"echo", strings.Repeat("x", 131_071)},
		// 1,048,576 with the name and what ends each
		"all": append([]string{"echo"}, strings.Split(strings.Repeat(strings.Repeat("x", 131_071)+" ", 7)+
			strings.Repeat("x", 131_066), " ")...),
	} {
		if got := verdict(t, inside, argv...); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := verdict(t, inside, append([]string{"echo"}, strings.Split(strings.Repeat(strings.Repeat("x", 131_071)+" ",
		7)+strings.Repeat("x", 131_068), " ")...)...); got != citewell.CodeArgumentsTooLarge {
		t.Errorf("a byte more: %q", got)
	}
}

// What an unknown program may take for a path.
func TestCandidates(t *testing.T) {
	for a, want := range map[string][]string{
		"x": {"x"}, "": {""}, "-": {"-"}, "--": {"--"}, "a=b=c": {"a=b=c", "b=c", "c"}, "--x=y": {"--x=y", "y"},
		"-f": {"-f", ""}, "-fx/y": {"-fx/y", "x/y", "/y", "y"}, "-Z9../x": {"-Z9../x", "9../x", "../x", "./x"},
		"-/x": {"-/x", "x"}, "-é/x": {"-é/x", "/x"}, "-az": {"-az", "z", ""}, "-AZ": {"-AZ", "Z", ""},
		"-09": {"-09", "9", ""}, "-f=/x": {"-f=/x", "/x", "=/x", "/x"}, "-a\xff": {"-a\xff", "\xff"},
	} {
		if got := candidates(a); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", a, got, want)
		}
	}
}

// A refusal says what the option would do, and of one that is cut short what it is short for.
func TestRefusalsSayWhy(t *testing.T) {
	optionNames := []string{"--no-pager", "-name", "--reverse", "--extract", "--compact-output"}
	for argv, why := range map[string]string{
		"sort --compress-program=gzip": "starts another program", "sort --comp=x": "starts another program",
		"tar --checkpoint-act=exec=x": "starts another program", "find . -delete": "deletes files",
		"git -c x=y status": "loads configuration", "sort --wish": "is not let through",
		"jq -L .": "loads configuration",
	} {
		args := strings.Fields(argv)
		err := line{program: args[0], args: args[1:], inside: func(string) error { return nil }}.judge()
		if v := citewell.View(err); v.Code != citewell.CodeArgumentNotAllowed || !strings.Contains(v.Message, why) ||
			!slices.ContainsFunc(optionNames, func(o string) bool { return strings.Contains(v.Hint, " "+o+" ") }) {
			t.Errorf("%s: %+v", argv, v)
		}
	}
}

// every gives each grammar by its name, those of subcommands too.
func every(all map[string]grammar, above string, do func(name string, g grammar)) {
	for name, g := range all {
		do(above+name, g)
		every(g.subcommands, above+name+" ", do)
	}
}

// No option is in both lists of a program, and none that is let through is the beginning of
// one that is refused: a version that lacks the first would take it for the second.
func TestTable(t *testing.T) {
	// as old as what is refused
	old := strings.Fields("--exclude --text --list --file --overwrite --arg --slurp --type")
	kinds := map[kind]bool{text: true, path: true, rev: true, script: true, filter: true, archive: true, suffix: true}
	every(grammars, "", func(name string, g grammar) {
		for o, is := range optionsOf(g.options) {
			for _, k := range is.values {
				if !kinds[k] {
					t.Errorf("%s: %s has a value of no kind, %q", name, o, k)
				}
			}
			if strings.HasPrefix(o, "--") == (len(o) == 2) && g.style == gnu {
				t.Errorf("%s: %s is no short and no long option", name, o)
			}
			for _, r := range g.refused {
				for bad := range strings.FieldsSeq(r.options) {
					if bad == o || strings.HasPrefix(o, "--") && strings.HasPrefix(bad, o) && !slices.Contains(old, o) {
						t.Errorf("%s lets %s through and refuses %s", name, o, bad)
					}
				}
			}
		}
		if g.style != free && g.operands == "" || g.operands != "" && !kinds[g.operands] || g.first != "" &&
			!kinds[g.first] {
			if !(g.style == flags && g.operands == "") {
				t.Errorf("%s: operands are of kind %q, the first of %q", name, g.operands, g.first)
			}
		}
	})
}
