package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"

	"github.com/profarc/profarc/fleet/internal/artifact"
	"github.com/profarc/profarc/fleet/internal/tests3"
)

// initContainer is the manifest of the recipe whose init container pulls.
const initContainer = "../../../recipes/kubernetes/init-container.yaml"

// imageVolume is the manifest of the recipe with an image volume.
const imageVolume = "../../../recipes/kubernetes/image-volume.yaml"

// TestInitContainerDecodes: the manifest of the recipe has no field that Kubernetes does not
// know, and mounts the volumes it declares.
func TestInitContainerDecodes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(initContainer)
	if err != nil {
		t.Fatal(err)
	}
	var d appsv1.Deployment
	if err := yaml.UnmarshalStrict(text, &d); err != nil {
		t.Fatal(err)
	}
	if d.APIVersion != "apps/v1" || d.Kind != "Deployment" {
		t.Errorf("it is a %s %s", d.APIVersion, d.Kind)
	}
	pod := d.Spec.Template
	for name, value := range d.Spec.Selector.MatchLabels {
		if pod.Labels[name] != value {
			t.Errorf("pods have no label %s=%s: nothing would be selected", name, value)
		}
	}
	volumes := map[string]int{}
	for _, v := range pod.Spec.Volumes {
		volumes[v.Name] = 0
	}
	for _, c := range append(pod.Spec.InitContainers, pod.Spec.Containers...) {
		for _, m := range c.VolumeMounts {
			if _, ok := volumes[m.Name]; !ok {
				t.Errorf("%s mounts %s, which the pod does not declare", c.Name, m.Name)
			}
			volumes[m.Name]++
		}
		if c.Image == "" {
			t.Errorf("%s has no image", c.Name)
		}
	}
	if want := map[string]int{"key": 1, "account": 1, "profiles": 2}; !maps.Equal(volumes, want) {
		t.Errorf("volumes are mounted %v times, want %v", volumes, want)
	}
	misspelled := bytes.Replace(text, []byte("volumeMounts:"), []byte("volumesMounts:"), 1)
	if err := yaml.UnmarshalStrict(misspelled, &d); err == nil {
		t.Error("a misspelled field is not found")
	}
}

// TestImageVolumeDecodes: the manifest of the recipe mounts a promoted volume, and Kubernetes knows its fields.
func TestImageVolumeDecodes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(imageVolume)
	if err != nil {
		t.Fatal(err)
	}
	var d appsv1.Deployment
	if err := yaml.UnmarshalStrict(text, &d); err != nil {
		t.Fatal(err)
	}
	pod := d.Spec.Template.Spec
	if len(pod.Volumes) != 1 || pod.Volumes[0].Image == nil ||
		!strings.HasSuffix(pod.Volumes[0].Image.Reference, ":"+artifact.VolumeTag("prod")) {
		t.Fatalf("volumes %+v", pod.Volumes)
	}
	mount := pod.Containers[0].VolumeMounts[0]
	option := "archive=" + mount.MountPath + "/app.parc"
	if mount.Name != pod.Volumes[0].Name || !strings.Contains(strings.Join(pod.Containers[0].Command, " "), option) {
		t.Errorf("the program does not read the volume: %+v", pod.Containers[0])
	}
}

// watchCronJob is the manifest of the recipe whose job merges what pods wrote.
const watchCronJob = "../../../recipes/kubernetes/watch-cronjob.yaml"

// TestWatchCronJobRuns runs the command of the recipe with a store in the place of Amazon's.
func TestWatchCronJobRuns(t *testing.T) {
	text, err := os.ReadFile(watchCronJob)
	if err != nil {
		t.Fatal(err)
	}
	var job batchv1.CronJob
	if err := yaml.UnmarshalStrict(text, &job); err != nil {
		t.Fatal(err)
	}
	pod := job.Spec.JobTemplate.Spec.Template.Spec
	command := pod.Containers[0].Command
	if job.Kind != "CronJob" || pod.RestartPolicy != "Never" || command[0] != "profarc-fleet" {
		t.Fatalf("a %s with restart policy %s runs %s", job.Kind, pod.RestartPolicy, command[0])
	}
	mounted := pod.Containers[0].VolumeMounts[0]
	if mounted.Name != pod.Volumes[0].Name || !slices.Contains(command, "--tmp="+mounted.MountPath) {
		t.Errorf("%v has no --tmp in the volume %v", command, mounted)
	}
	f := newRuns(t, tests3.Start(t))
	var args []string
	for _, arg := range command[1:] {
		if name, ok := strings.CutPrefix(arg, "s3://ci/"); ok {
			name, _, _ = strings.Cut(name, "?")
			arg = f.URL(name)
		}
		args = append(args, strings.Replace(arg, "--tmp="+mounted.MountPath, "--tmp="+t.TempDir(), 1))
	}
	f.must(t, "merged 7 objects", args...)
	f.must(t, "7 objects had been merged before", args...)
}

// TestManifestsBySchema validates what template prints, and the recipe, by the JSON schemas of
// Kubernetes: they know which values and fields there must be, as strict decoding does not.
func TestManifestsBySchema(t *testing.T) {
	models := os.Getenv("PROFARC_KUBERNETES_MODELS")
	if models == "" {
		t.Skip("PROFARC_KUBERNETES_MODELS names no folder in which npm installed kubernetes-models")
	}
	f := newFleet(t, small, 3)
	cmd, out := f.process(t, "template", "kubernetes", "--plan", "file://"+f.in("plan.json"), "--image",
		"example.com/profarc:1", "--tasks", "2")
	if err := cmd.Run(); err != nil {
		t.Fatal(err, out)
	}
	recipe, err := os.ReadFile(initContainer)
	if err != nil {
		t.Fatal(err)
	}
	var all []json.RawMessage
	cronJob, err := os.ReadFile(watchCronJob)
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range append(bytes.Split(out.Bytes(), []byte("\n---\n")), recipe, cronJob) {
		manifest, err := yaml.YAMLToJSON(document)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, manifest)
	}
	for i, wrong := range validate(t, models, all) {
		if wrong != "" || len(all) != 4 {
			t.Errorf("manifest %d of %d: %s", i, len(all), wrong)
		}
	}
	for _, c := range []struct {
		manifest       int
		from, to, want string
	}{
		{0, `"completionMode":"Indexed"`, `"completionMode":"indexed"`,
			"data/spec/completionMode must be equal to one of the allowed values"},
		{1, `"restartPolicy":"Never"`, `"restartPolicy":"never"`, "restartPolicy must be equal to one of the allowed values"},
		{1, `"name":"commit",`, ``, "must have required property"},
		{3, `"concurrencyPolicy":"Forbid"`, `"concurrencyPolicy":"forbid"`,
			"concurrencyPolicy must be equal to one of the allowed values"},
		{3, `"schedule":`, `"schedules":`, "must have required property schedule"},
		{2, `"selector":`, `"selectors":`, "must have required property selector"},
	} {
		t.Run(c.from, func(t *testing.T) {
			changed := strings.Replace(string(all[c.manifest]), c.from, c.to, 1)
			if wrong := validate(t, models, []json.RawMessage{json.RawMessage(changed)}); changed == string(all[c.manifest]) ||
				!strings.Contains(wrong[0], c.want) {
				t.Errorf("manifest %d with %q is said to be %q, want %q", c.manifest, c.to, wrong[0], c.want)
			}
		})
	}
}

// validate returns the faults of manifests, an empty text if there are none.
func validate(t *testing.T, models string, manifests []json.RawMessage) (wrong []string) {
	t.Helper()
	in, err := json.Marshal(manifests)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "testdata/schema.mjs", models)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &wrong)
	}
	if err == nil && len(wrong) != len(manifests) {
		err = fmt.Errorf("%d answers for %d manifests", len(wrong), len(manifests))
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return wrong
}
