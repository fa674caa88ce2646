package app

import (
	"io"
	"log/slog"
)

// A LogFormat is the form of the log: LogText where empty.
type LogFormat string

// The forms.
const (
	LogText LogFormat = "text" // key=value
	LogJSON LogFormat = "json" // an object a line
)

// LogFormats lists the forms.
var LogFormats = []LogFormat{LogText, LogJSON}

func (f LogFormat) handler(w io.Writer, o *slog.HandlerOptions) slog.Handler {
	if f == LogJSON {
		o.ReplaceAttr = legible
		return slog.NewJSONHandler(w, o)
	}
	return slog.NewTextHandler(w, o)
}

// legible writes bytes as text: in base64, as JSON has them, a Redactor sees no secret.
func legible(_ []string, a slog.Attr) slog.Attr {
	if b, ok := a.Value.Any().([]byte); ok {
		a.Value = slog.StringValue(string(b))
	}
	return a
}
