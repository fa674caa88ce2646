package app

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/config"
	"github.com/citewell/citewell/internal/program"
	"github.com/citewell/citewell/internal/sandbox"
	"github.com/citewell/citewell/internal/workdir"
)

// findPrograms finds what run_cli may run. The error says why it may run nothing: the
// operator's files lie in the working folder, or there is no wall.
func (a *App) findPrograms() (*program.Programs, error) {
	c := a.Config.RunCLI
	folder, err := workdir.New(a.ownFolder(cmp.Or(c.Workdir, a.Config.Workdir)))
	if err != nil {
		return nil, err
	}
	off := func(message, hint string) error {
		return &citewell.Error{Code: citewell.CodeToolNotConfigured, Op: "run_cli", Message: message, Hint: hint}
	}
	if info, err := os.Stat(folder.Path()); err != nil || !info.IsDir() {
		return nil, off("the working folder is not there", "set run_cli.workdir to a folder")
	}
	for _, file := range []string{a.configFile, ".env", a.DataDir, a.paths.Cache, a.tokensFile} {
		if _, err := os.Stat(file); err == nil && folder.Holds(file) {
			return nil, off("the working folder holds "+filepath.Base(file)+", which programs are not to read",
				"set run_cli.workdir to a folder without Citewell's configuration and data")
		}
	}
	walls, err := sandbox.CommandWalls()
	switch {
	case errors.Is(err, sandbox.ErrNoWall):
		return nil, off("this system has no wall for programs", "only Linux has one")
	case err != nil:
		return nil, off("no program can be started behind a wall: "+err.Error(), "citewell doctor says more")
	case !walls.Holds() && c.Wall != "off":
		return nil, off("the wall around programs lacks "+strings.Join(walls.Missing, ", "),
			"run_cli.wall: off runs them nevertheless")
	}
	shipped := config.Default().RunCLI
	most := max(cmp.Or(c.MaxTimeout, shipped.MaxTimeout), time.Second)
	programs := program.New(program.Options{Workdir: folder, Allow: c.Allow, Block: c.Block, Path: os.Getenv("PATH"),
		Scratch: filepath.Join(a.paths.Cache, "run_cli"), GoModules: goModules(),
		Network: c.Network, MaxOutput: int64(cmp.Or(c.MaxOutput, shipped.MaxOutput)),
		Timeout: min(cmp.Or(c.Timeout, shipped.Timeout), most), MaxTimeout: most, Start: start})
	if len(programs.Names()) == 0 {
		return nil, off("none of the programs that may be run is installed", "run_cli.allow names them")
	}
	return programs, nil
}

// goModules is the folder of modules that the operator's Go has got; it need not be there.
func goModules() string {
	if dir := os.Getenv("GOMODCACHE"); dir != "" {
		return dir
	}
	if list := filepath.SplitList(os.Getenv("GOPATH")); len(list) > 0 && list[0] != "" {
		return filepath.Join(list[0], "pkg", "mod")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, "go", "pkg", "mod")
}

// start runs a program behind the wall, or what there is of one.
func start(ctx context.Context, s program.Start) (program.Ended, error) {
	ended, err := sandbox.Command{Path: s.Path, Args: s.Args, Dir: s.Dir, Env: s.Env, Stdin: s.Stdin, Stdout: s.Stdout,
		Stderr: s.Stderr, ReadWrite: s.ReadWrite, ReadOnly: s.ReadOnly, Network: s.Network}.Run(ctx)
	return program.Ended{ExitCode: ended.ExitCode, Signal: ended.Signal}, err
}
