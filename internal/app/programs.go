package app

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
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
	folder, err := workdir.New(cmp.Or(c.Workdir, a.Config.Workdir))
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
			return nil, off("the working folder holds "+filepath.Base(file)+", which programs are not to read", "set run_cli.workdir to a folder without Citewell's configuration and data")
		}
	}
	if c.Wall != "off" {
		return nil, off("there is no wall around programs here", "run_cli.wall: off runs them without one")
	}
	shipped := config.Default().RunCLI
	most := max(cmp.Or(c.MaxTimeout, shipped.MaxTimeout), time.Second)
	programs := program.New(program.Options{Workdir: folder, Allow: c.Allow, Block: c.Block, Path: os.Getenv("PATH"), Scratch: filepath.Join(a.paths.Cache, "run_cli"), GoModules: goModules(),
		Network: c.Network, MaxOutput: int64(cmp.Or(c.MaxOutput, shipped.MaxOutput)), Timeout: min(cmp.Or(c.Timeout, shipped.Timeout), most), MaxTimeout: most, Start: start})
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

// start runs a program in a process group of its own.
func start(ctx context.Context, s program.Start) (program.Ended, error) {
	cmd := exec.CommandContext(ctx, s.Path, s.Args...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = s.Dir, s.Env, s.Stdin, s.Stdout, s.Stderr
	sandbox.Group(cmd)
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	sandbox.KillGroup(cmd)
	if cmd.ProcessState == nil {
		return program.Ended{}, err
	}
	if _, exited := errors.AsType[*exec.ExitError](err); exited || errors.Is(err, exec.ErrWaitDelay) || ctx.Err() != nil {
		err = nil
	}
	return program.Ended{ExitCode: cmd.ProcessState.ExitCode()}, err
}
