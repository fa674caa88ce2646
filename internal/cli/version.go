package cli

import (
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

func newVersion(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			version := buildVersion(e.version)
			return e.say(map[string]string{"version": version, "os": runtime.GOOS, "arch": runtime.GOARCH,
				"go": runtime.Version()}, "citewell %s %s/%s %s", version, runtime.GOOS, runtime.GOARCH,
				runtime.Version())
		},
	}
	e.jsonFlag(cmd)
	return cmd
}

// buildVersion is the version that was given at build time, else that of the
// module as `go install` knows it, written in one form: without the v of a tag.
func buildVersion(given string) string {
	if info, ok := debug.ReadBuildInfo(); ok && given == "" && info.Main.Version != "(devel)" {
		given = info.Main.Version
	}
	if given == "" {
		return "dev"
	}
	if number, tagged := strings.CutPrefix(given, "v"); tagged && number != "" && number[0] >= '0' && number[0] <= '9' {
		return number
	}
	return given
}
