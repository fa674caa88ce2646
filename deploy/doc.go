// Package deploy holds the files that start Citewell on many machines: a compose file and Kubernetes manifests. Its
// tests read them strictly and start what they describe. The systemd units belong to the release.
package deploy
