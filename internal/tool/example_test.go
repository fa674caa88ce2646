package tool_test

import (
	"context"
	"fmt"

	"github.com/citewell/citewell/internal/tool"
)

func ExampleNew() {
	type input struct {
		Word  string `json:"word" jsonschema:"what is counted"`
		Times int    `json:"times,omitempty" default:"2" bounds:"1..5" jsonschema:"how often it is said"`
	}
	type output struct {
		Letters int `json:"letters"`
	}
	letters := tool.New(tool.Spec{Name: "letters", Description: "Counts letters."},
		func(_ context.Context, in input) (output, error) {
			return output{len(in.Word) * in.Times}, nil
		})
	set := &tool.Toolset{Name: "mine", Tools: []*tool.Tool{letters}}
	for _, arguments := range []string{`{"word": "tower"}`, `{"word": "tower", "times": 9}`} {
		result, err := set.Call(context.Background(), "letters", []byte(arguments))
		fmt.Println(result.Text, err)
	}
	// Output:
	// {"letters":10} <nil>
	//  letters: times must be from 1 to 5; it is 9
}
