package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// tty WHAT ARGUMENT... runs the command with a terminal of 80 columns as its
// standard error (WHAT is err), output (out) or both, and writes what the terminal
// was sent to ./tty.txt. It must end well, or after ! badly.
func cmdTTY(ts *testscript.TestScript, neg bool, args []string) {
	control, terminal, err := openTerminal()
	ts.Check(err)
	sent := make(chan []byte)
	go func() {
		all, _ := io.ReadAll(control) // ends with EIO, once the other side is closed
		sent <- all
	}()
	var stdout, stderr bytes.Buffer
	e := &env{stdout: &output{w: &stdout}, stderr: &console{w: &stderr}}
	if args[0] != "err" {
		e.stdout.w = terminal
	}
	if args[0] != "out" {
		e.stderr.w = terminal
	}
	code := runHere(ts, e, args[1:])
	terminal.Close()
	all := <-sent
	control.Close()
	ts.Stdout().Write(stdout.Bytes())
	ts.Stderr().Write(stderr.Bytes())
	ts.Check(os.WriteFile(ts.MkAbs("tty.txt"), all, 0o600))
	if (code != 0) != neg {
		ts.Fatalf("exit code %d: %s", code, all)
	}
}

// openTerminal opens a pseudo-terminal and its controlling side.
func openTerminal() (control, terminal *os.File, err error) {
	control, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			control.Close()
		}
	}()
	if err = unix.IoctlSetPointerInt(int(control.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, err
	}
	number, err := unix.IoctlGetInt(int(control.Fd()), unix.TIOCGPTN)
	if err != nil {
		return nil, nil, err
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	err = unix.IoctlSetWinsize(int(terminal.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80})
	return control, terminal, err
}
