// Package deploy holds what operators start Citewell with on many machines: a compose file and
// Kubernetes manifests. Its tests read them strictly and start what they start. The
// units of systemd are those of the release.
package deploy
