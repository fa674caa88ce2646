package manifold

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/tool"
	"github.com/citewell/citewell/llm"
)

func init() {
	Definitions.Add("", "specialists_infer", func(d Deps) *tool.Tool { return specialistsInfer(d, d.infer) })
	Definitions.Add(Name, "specialists_infer", newOriginalSpecialistsInfer)
}

// routed is the specialist that means: the one that the operator's routes name.
const routed = "auto"

type specialistsInferInput struct {
	Specialist string `json:"specialist" jsonschema:"which specialist; auto takes the one whose routes fit the prompt"`
	Prompt     string `json:"prompt" jsonschema:"all that the specialist needs to know and to do"`
	Effort     string `json:"override_reasoning_effort,omitempty" jsonschema:"how hard to think, for this call alone" oneof:"low medium high"`
}

type specialistsInferOutput struct {
	OK         bool   `json:"ok"`
	Specialist string `json:"specialist" jsonschema:"who answered"`
	Model      string `json:"model" jsonschema:"by which model"`
	UsedEffort string `json:"used_reasoning_effort" jsonschema:"empty where it was left to the model"`
	Output     string `json:"output" jsonschema:"the answer"`
}

// originalInferOutput is the same as data, as Manifold gives it.
type originalInferOutput specialistsInferOutput

// Text is the answer.
func (o specialistsInferOutput) Text() string { return o.Output }

func newOriginalSpecialistsInfer(d Deps) *tool.Tool {
	return specialistsInfer(d, func(ctx context.Context, in specialistsInferInput) (originalInferOutput, error) {
		out, err := d.infer(ctx, in)
		return originalInferOutput(out), err
	})
}

func specialistsInfer[Out any](d Deps, run func(context.Context, specialistsInferInput) (Out, error)) *tool.Tool {
	spec := tool.Spec{Name: "specialists_infer", Title: "Ask a specialist", Unsourced: true,
		Description: tool.Description(descriptions, "specialists_infer"),
		Hints:       tool.Hints{ReadOnly: true, OpenWorld: true}, Origin: operatorsModel}
	if len(d.Specialists) == 0 {
		spec.Hidden = "name a specialist with its model under specialists in the configuration"
	}
	var names []any
	for _, s := range d.Specialists {
		names = append(names, s.Name)
		spec.Description += fmt.Sprintf("\n- %s: %s", s.Name, s.Description)
	}
	t := tool.New(spec, run)
	if len(names) > 0 {
		t.Input.Properties["specialist"].Enum = append(names, routed)
	}
	return t
}

func (d Deps) infer(ctx context.Context, in specialistsInferInput) (specialistsInferOutput, error) {
	suits := func(s Specialist) bool {
		return s.Name == in.Specialist || in.Specialist == routed && s.Suits != nil && s.Suits(in.Prompt)
	}
	i := slices.IndexFunc(d.Specialists, suits)
	if i < 0 {
		return specialistsInferOutput{}, &citewell.Error{Code: citewell.CodeInvalidArgument,
			Message: "no specialist's routes fit this prompt", Hint: "name the specialist"}
	}
	s := d.Specialists[i]
	effort := cmp.Or(in.Effort, s.Effort)
	model, err := s.Chat(effort)
	if err != nil {
		return specialistsInferOutput{}, err
	}
	messages := []llm.Message{{Role: "user", Content: in.Prompt}}
	if s.System != "" {
		messages = slices.Insert(messages, 0, llm.Message{Role: "system", Content: s.System})
	}
	reply, err := model.Chat(ctx, llm.Request{Messages: messages})
	if err != nil {
		return specialistsInferOutput{}, err
	}
	return specialistsInferOutput{OK: true, Specialist: s.Name, Model: model.Name(), UsedEffort: effort,
		Output: strings.TrimSpace(reply.Text)}, nil
}
