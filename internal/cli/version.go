package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			version := buildVersion(e.version)
			if e.json {
				return e.writeJSON(map[string]string{"version": version, "os": runtime.GOOS, "arch": runtime.GOARCH, "go": runtime.Version()})
			}
			_, err := fmt.Fprintf(e.stdout, "citewell %s %s/%s %s\n", version, runtime.GOOS, runtime.GOARCH, runtime.Version())
			return err
		},
	}
	e.jsonFlag(cmd)
	return cmd
}

// buildVersion is the version that was given at build time, else that of the
// module as `go install` knows it.
func buildVersion(given string) string {
	if given != "" {
		return given
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}
