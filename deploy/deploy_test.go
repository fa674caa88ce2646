package deploy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// decoder knows the kinds of Kubernetes's API and refuses fields that they do not have.
func decoder(t *testing.T) runtime.Decoder {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{apps.AddToScheme, autoscaling.AddToScheme, core.AddToScheme,
		policy.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme,
		json.SerializerOptions{Yaml: true, Strict: true})
}

// documents are the YAML documents of a file.
func documents(t *testing.T, file string) (all [][]byte) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for reader := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(data))); ; {
		buffer := make([]byte, len(data)+1)
		n, err := reader.Read(buffer)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, buffer[:n])
	}
}

// manifests are all objects, by kind and name.
func manifests(t *testing.T) map[string]runtime.Object {
	t.Helper()
	files, err := filepath.Glob("kubernetes/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no manifests", err)
	}
	all := map[string]runtime.Object{}
	reads := decoder(t)
	for _, file := range files {
		for _, text := range documents(t, file) {
			object, kind, err := reads.Decode(text, nil, nil)
			if err != nil {
				t.Errorf("%s: %v\n%s", file, err, text)
				continue
			}
			key := kind.Kind + " " + object.(meta.Object).GetName()
			if all[key] != nil {
				t.Errorf("%s: %s is there twice", file, key)
			}
			all[key] = object
		}
	}
	return all
}

// one is the object of a kind and name.
func one[T any](t *testing.T, all map[string]runtime.Object, key string) T {
	t.Helper()
	object, ok := all[key].(T)
	if !ok {
		t.Fatalf("%s is not there, of %q", key, slices.Sorted(maps.Keys(all)))
	}
	return object
}

// The manifests are of the kinds that they say, without a field that these do not have, and fit
// one another.
func TestManifests(t *testing.T) {
	all := manifests(t)
	settings := one[*core.ConfigMap](t, all, "ConfigMap citewell")
	account := one[*core.ServiceAccount](t, all, "ServiceAccount citewell")
	for name, command := range map[string]string{"citewell-serve": "serve", "citewell-worker": "worker"} {
		d := one[*apps.Deployment](t, all, "Deployment "+name)
		pod := d.Spec.Template
		for what, selector := range map[string]*meta.LabelSelector{
			"the deployment": d.Spec.Selector, "its budget": one[*policy.PodDisruptionBudget](t, all,
				"PodDisruptionBudget "+name).Spec.Selector,
			"its spread": pod.Spec.TopologySpreadConstraints[0].LabelSelector,
		} {
			if got, err := meta.LabelSelectorAsSelector(selector); err != nil || got.Empty() ||
				!got.Matches(labels.Set(pod.Labels)) {
				t.Errorf("%s: %s selects %v (%v), not its pods", name, what, got, err)
			}
		}
		c := pod.Spec.Containers[0]
		if !slices.Contains(c.Args, command) || pod.Spec.ServiceAccountName != account.Name {
			t.Errorf("%s: it runs %q as %q", name, c.Args, pod.Spec.ServiceAccountName)
		}
		for what, probe := range map[string]*core.Probe{"startup": c.StartupProbe, "liveness": c.LivenessProbe,
			"readiness": c.ReadinessProbe} {
			if probe == nil || probe.HTTPGet == nil || probe.HTTPGet.Port.StrVal != c.Ports[0].Name {
				t.Errorf("%s: no %s probe of its port: %v", name, what, probe)
			}
		}
		w := c.SecurityContext
		if p := pod.Spec.SecurityContext; !*p.RunAsNonRoot || p.SeccompProfile == nil || !*w.ReadOnlyRootFilesystem ||
			*w.AllowPrivilegeEscalation || w.Capabilities.Drop[0] != "ALL" {
			t.Errorf("%s: its walls are %v, %v", name, p, w)
		}
		there := map[string]core.VolumeSource{}
		for _, v := range pod.Spec.Volumes {
			there[v.Name] = v.VolumeSource
		}
		for _, m := range c.VolumeMounts {
			source, ok := there[m.Name]
			if !ok || m.SubPath != "" && settings.Data[m.SubPath] == "" || source.ConfigMap != nil &&
				source.ConfigMap.Name != settings.Name {
				t.Errorf("%s: nothing is to be mounted at %s", name, m.MountPath)
			}
		}
	}
	service := one[*core.Service](t, all, "Service citewell").Spec
	if pod := one[*apps.Deployment](t, all, "Deployment citewell-serve").
		Spec.Template; !labels.SelectorFromSet(service.Selector).Matches(labels.Set(pod.Labels)) ||
		service.Ports[0].TargetPort.StrVal != pod.Spec.Containers[0].Ports[0].Name {
		t.Errorf("the service leads to %v", service)
	}
	scaler := one[*autoscaling.HorizontalPodAutoscaler](t, all, "HorizontalPodAutoscaler citewell-worker").Spec
	if one[*apps.Deployment](t, all, scaler.ScaleTargetRef.Kind+" "+scaler.ScaleTargetRef.Name).Spec.Replicas != nil {
		t.Error("the deployment says how many there are, and undoes what the autoscaler said")
	}
	metric := scaler.Metrics[0].External.Metric.Name
	for _, file := range []string{"prometheus-adapter.yaml", "../doc/ops.md"} {
		if text, err := os.ReadFile(file); err != nil || !regexp.MustCompile(`\b`+metric+`\b`).Match(text) {
			t.Errorf("%s does not know %s (%v)", file, metric, err)
		}
	}
}

// A field that there is not is refused, as the cluster would pass it over.
func TestManifestsAreReadStrictly(t *testing.T) {
	text := documents(t, "kubernetes/worker.yaml")[0]
	for _, harm := range []string{"livenesProbe", "livenessprobe"} {
		if _, _, err := decoder(t).Decode(bytes.Replace(text, []byte("livenessProbe"), []byte(harm), 1), nil,
			nil); err == nil {
			t.Errorf("%s is taken", harm)
		}
	}
}

// composed is the compose file, by the schema of the specification.
func composed(t *testing.T, text []byte) (*types.Project, error) {
	t.Helper()
	return loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir: t.TempDir(), Environment: types.Mapping{"POSTGRES_PASSWORD": "secret"},
		ConfigFiles: []types.ConfigFile{{Filename: "compose.yaml", Content: text}}})
}

func TestCompose(t *testing.T) {
	text, err := os.ReadFile("compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	project, err := composed(t, text)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"serve", "worker"} {
		s, err := project.GetService(name)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(s.Command, name) || s.DependsOn["postgres"].Condition != types.ServiceConditionHealthy ||
			!s.ReadOnly || *s.Environment["PGPASSWORD"] != "secret" {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if _, err := composed(t, bytes.Replace(text, []byte("stop_grace_period"), []byte("stop_grace_perid"),
		1)); err == nil {
		t.Error("a key that there is not is taken")
	}
	if _, err := loader.LoadWithContext(context.Background(),
		types.ConfigDetails{ConfigFiles: []types.ConfigFile{{Filename: "compose.yaml", Content: text}}}); err == nil ||
		!strings.Contains(err.Error(), ".env") {
		t.Errorf("without a password: %v", err)
	}
}
