package config

import (
	"os"
	"path/filepath"
	"runtime"
)

// Paths are the folders of one user: configuration, durable data, disposable cache.
type Paths struct {
	ConfigFile string
	Data       string
	Cache      string
}

// UserPaths follows the XDG variables everywhere, and without them the habits of the system: ~/.config, ~/.local/share
// and ~/.cache on Linux, ~/Library on macOS, AppData on Windows.
func UserPaths(getenv func(string) string) Paths {
	home, _ := os.UserHomeDir() // empty where there is none: the paths are then relative
	config, data, cache := filepath.Join(home, ".config"), filepath.Join(home, ".local", "share"),
		filepath.Join(home, ".cache")
	switch runtime.GOOS {
	case "darwin":
		config = filepath.Join(home, "Library", "Application Support")
		data, cache = config, filepath.Join(home, "Library", "Caches")
	case "windows":
		config = getenv("AppData")
		data, cache = getenv("LocalAppData"), getenv("LocalAppData")
	}
	xdg := func(name, otherwise string) string {
		if v := getenv(name); filepath.IsAbs(v) {
			return v
		}
		return otherwise
	}
	cache = xdg("XDG_CACHE_HOME", cache)
	if runtime.GOOS == "windows" {
		cache = filepath.Join(cache, "Cache")
	}
	return Paths{
		ConfigFile: filepath.Join(xdg("XDG_CONFIG_HOME", config), "citewell", "config.yaml"),
		Data:       filepath.Join(xdg("XDG_DATA_HOME", data), "citewell"),
		Cache:      filepath.Join(cache, "citewell"),
	}
}
