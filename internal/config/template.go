package config

import _ "embed"

// Template is a configuration file to start from. Its settings are the defaults.
//
//go:embed template.yaml
var Template string
