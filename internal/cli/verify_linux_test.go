package cli

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/citewell/citewell/internal/testing/score"
)

// A file's record takes memory by its bounds, however long the comment is that carries it and whatever it unpacks to.
func TestVerifyTakesBoundedMemory(t *testing.T) {
	if testing.Short() || score.RaceDetector {
		t.Skip("reads a comment of 60 MB")
	}
	random := rand.NewChaCha8([32]byte{})
	noise := func() []byte {
		raw := make([]byte, 3<<18)
		random.Read(raw)
		return []byte(base64.StdEncoding.EncodeToString(raw)) // 1 MB, of which packing leaves three quarters
	}
	plain := func() []byte { return bytes.Repeat([]byte("The tower is 330 m tall, and 64 m wide. "), 1<<20/40-100) }
	for name, test := range map[string]struct {
		megabyte func() []byte
		times    int
	}{"long": {noise, 60}, "bomb": {plain, 60}, "within_the_bounds": {plain, 8}} {
		file, err := os.Create(filepath.Join(t.TempDir(), "brief.md"))
		if err != nil {
			t.Fatal(err)
		}
		// What this process holds counts for the one that it starts, so it holds little.
		fmt.Fprint(file, "# Research: x\n\n<!-- citewell:")
		encode := base64.NewEncoder(base64.StdEncoding, file)
		deflate, err := flate.NewWriter(encode, flate.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(deflate, `{"brief":{"schema":"citewell.brief/1","id":"%s","query":"`, strings.Repeat("0a", 16))
		for range test.times {
			deflate.Write(test.megabyte())
		}
		fmt.Fprint(deflate, `"}}`)
		if err := errors.Join(deflate.Close(), encode.Close()); err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(file, " -->\n")
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("citewell", "verify", file.Name())
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_DATA_HOME=", "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=")
		output, err := cmd.CombinedOutput()
		var ended *exec.ExitError
		refused := strings.Contains(string(output), "the record of the file cannot be read")
		if !errors.As(err, &ended) || refused != (test.times > 8) {
			t.Errorf("%s: %v: %.300s", name, err, output)
		}
		const most = 800 // MB, most of it to render a question of 8 MB; a file of 60 MB takes 320
		used := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
		if t.Logf("%s took %d MB", name, used); used > most {
			t.Errorf("%s: it took %d MB, and may take %d", name, used, most)
		}
	}
}
