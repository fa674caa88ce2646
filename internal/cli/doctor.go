package cli

import (
	"fmt"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/doctor"
	"github.com/spf13/cobra"
)

func newDoctor(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Really try each provider, the model and the store",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := e.open(cmd.Context())
			if err != nil {
				return err
			}
			defer a.Close()
			probes, err := a.Probes(cmd.Context())
			if err != nil {
				return err
			}
			findings := doctor.Examine(cmd.Context(), probes)
			if e.json {
				if err := e.writeJSON(map[string]any{"ok": doctor.Healthy(findings), "findings": findings}); err != nil {
					return err
				}
				e.json = false
			} else {
				for _, f := range findings {
					fmt.Fprintf(e.stdout, "%-7s %-9s %-12s %6d ms  %s\n", f.State, f.Part, f.Name, f.ElapsedMS, clean(f.Detail))
					if f.State == doctor.Failed && f.Hint != "" {
						fmt.Fprintf(e.stdout, "%-7s   %s\n", "", f.Hint)
					}
				}
			}
			if !doctor.Healthy(findings) {
				return alreadyShown{&citewell.Error{Code: citewell.CodeInternal, Message: "something that is configured does not work"}}
			}
			return nil
		},
	}
	e.jsonFlag(cmd)
	return cmd
}
