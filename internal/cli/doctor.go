package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell/internal/doctor"
	"github.com/citewell/citewell/internal/searchcall"
	"github.com/clipperhouse/displaywidth"
	"github.com/spf13/cobra"
)

func newDoctor(e *env) *cobra.Command {
	noJudge := false
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Test each provider, the model and the store for real",
		Long: "Tests each provider with a search, the model with a small question, the store with a write, and\n" +
			"the sandbox of the child that reads PDFs. It examines the judge with forty statements whose\n" +
			"truth is known, which takes some 5000 tokens and starts its score anew; --no-judge skips that. A\n" +
			"warning is for a part that works less well than it should, such as a judge that is not believed.\n" +
			"Exit code 1 if a configured part does not work.",
		Args: cobra.NoArgs,
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
			if noJudge {
				for i := range probes {
					if probes[i].Part == doctor.PartJudge && probes[i].Off == "" {
						probes[i].Off = "not examined: --no-judge"
					}
				}
			}
			p := e.newProgress("trying " + count(len(probes), "part"))
			findings := doctor.Examine(cmd.Context(), probes)
			p.end()
			if err := cmd.Context().Err(); err != nil {
				return err
			}
			if e.json {
				if err := e.writeJSON(map[string]any{"ok": doctor.Healthy(findings),
					"findings": findings}); err != nil {
					return err
				}
			} else {
				e.writeFindings(findings)
			}
			if !doctor.Healthy(findings) {
				return alreadyShown{errUnhealthy}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&noJudge, "no-judge", false, "do not examine the judge")
	e.jsonFlag(cmd)
	return cmd
}

// errUnhealthy ends doctor with exit code 1; the findings have said why.
var errUnhealthy = errors.New("something that is configured does not work")

func (e *env) writeFindings(findings []doctor.Finding) {
	names := 12
	for _, f := range findings {
		names = max(names, displaywidth.String(clean(f.Name)))
	}
	unreached := doctor.Unreached(findings, searchcall.LocalProvider)
	if len(unreached) > 0 {
		fmt.Fprintf(e.stdout, "%-7s %-9s this machine reaches no network: "+
			"none of the hosts of %d providers has an address (%s)\n",
			doctor.Failed, "network", len(unreached), strings.Join(unreached, ", "))
	}
	for _, f := range findings {
		if f.State == doctor.Failed && slices.Contains(unreached, f.Name) {
			continue
		}
		took := ""
		if f.State != doctor.Off {
			took = fmt.Sprintf("%d ms", f.ElapsedMS)
		}
		fmt.Fprintf(e.stdout, "%-7s %-9s %-*s %9s  %s\n", f.State, f.Part, names, clean(f.Name), took, clean(f.Detail))
		if f.Hint != "" {
			fmt.Fprintf(e.stdout, "%-7s   %s\n", "", clean(f.Hint))
		}
	}
}
