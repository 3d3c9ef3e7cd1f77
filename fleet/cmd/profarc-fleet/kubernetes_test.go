package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"
)

// runJobs implements the command runjobs MANIFESTS SCRATCH: it decodes Jobs strictly, runs the indexed one
// with every index, the last first, and then the other, as Kubernetes does. SCRATCH stands for the volume.
func runJobs(args []string) error {
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	for i, document := range bytes.Split(text, []byte("\n---\n")) {
		var j batchv1.Job
		if err := yaml.UnmarshalStrict(document, &j); err != nil {
			return err
		}
		if err := checkJob(&j); err != nil {
			return fmt.Errorf("Job %d, %s: %w", i, j.Name, err)
		}
		indexes := []int{-1}
		if mode := j.Spec.CompletionMode; mode != nil && *mode == batchv1.IndexedCompletion {
			indexes = nil
			for k := range int(*j.Spec.Completions) {
				indexes = append(indexes, k)
			}
			slices.Reverse(indexes)
		}
		for _, index := range indexes {
			if err := runContainer(&j, index, args[1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkJob checks what the API server would refuse.
func checkJob(j *batchv1.Job) error {
	pod := j.Spec.Template.Spec
	switch {
	case j.APIVersion != "batch/v1" || j.Kind != "Job":
		return fmt.Errorf("it is a %s %s", j.APIVersion, j.Kind)
	case len(j.Name) > 63:
		return fmt.Errorf("a name of %d bytes", len(j.Name))
	case pod.RestartPolicy != "Never" || len(pod.Containers) != 1 || pod.Containers[0].Image == "":
		return fmt.Errorf("restart policy %s, %d containers", pod.RestartPolicy, len(pod.Containers))
	case j.Spec.BackoffLimitPerIndex != nil && (j.Spec.CompletionMode == nil ||
		*j.Spec.CompletionMode != batchv1.IndexedCompletion):
		return fmt.Errorf("a limit for each index, and no indexes")
	case j.Spec.Completions != nil && j.Spec.Parallelism != nil && *j.Spec.Parallelism > *j.Spec.Completions:
		return fmt.Errorf("%d at once of %d", *j.Spec.Parallelism, *j.Spec.Completions)
	}
	for _, mount := range pod.Containers[0].VolumeMounts {
		if len(pod.Volumes) != 1 || pod.Volumes[0].Name != mount.Name {
			return fmt.Errorf("no volume %s", mount.Name)
		}
	}
	return nil
}

// runContainer runs the container of a Job.
func runContainer(j *batchv1.Job, index int, scratch string) error {
	c := j.Spec.Template.Spec.Containers[0]
	line := slices.Clone(c.Command)
	for i := range line {
		if len(c.VolumeMounts) > 0 && line[i] == c.VolumeMounts[0].MountPath {
			line[i] = scratch
		}
	}
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if index >= 0 {
		cmd.Env = append(os.Environ(), fmt.Sprint("JOB_COMPLETION_INDEX=", index))
	}
	return cmd.Run()
}
