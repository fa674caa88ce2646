package openai

import (
	"net/http"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/job"
)

// created stands for the time at which a model was made, 2026-01-01: an agent has
// none, and clients want a number that stays.
const created = 1_767_225_600

// A model is an agent as clients list it.
type model struct {
	ID       string `json:"id"`
	Object   string `json:"object"`
	Created  int64  `json:"created"`
	OwnedBy  string `json:"owned_by"`
	Citewell struct {
		Description string `json:"description,omitempty"`
		Model       string `json:"model"`
	} `json:"citewell"`
}

func modelOf(d job.Definition) model {
	m := model{ID: d.Name, Object: "model", Created: created, OwnedBy: "citewell"}
	m.Citewell.Description, m.Citewell.Model = d.Description, d.Model
	return m
}

func (a *API) listModels(w http.ResponseWriter, _ *http.Request) {
	list := []model{}
	for _, d := range a.o.Desk.Agents() {
		list = append(list, modelOf(d))
	}
	respond(w, http.StatusOK, map[string]any{"object": "list", "data": list}, nil)
}

func (a *API) showModel(w http.ResponseWriter, r *http.Request) {
	for _, d := range a.o.Desk.Agents() {
		if d.Name == r.PathValue("id") {
			respond(w, http.StatusOK, modelOf(d), nil)
			return
		}
	}
	Refuse(w, a.unknownModel(r.PathValue("id")))
}

// unknownModel is the error of a model that is neither an agent nor a run.
func (a *API) unknownModel(name string) error {
	var names []string
	for _, d := range a.o.Desk.Agents() {
		names = append(names, d.Name)
	}
	hint := "agents: " + strings.Join(names, ", ") + "; or the id of a run"
	if len(names) == 0 {
		hint = "there are no agents: set llm.base_url and llm.model"
	}
	return &fault{param: "model", code: "model_not_found", error: &citewell.Error{
		Code: citewell.CodeNotFound, Op: "openai",
		Message: "there is no model " + quoted(name), Hint: hint}}
}
