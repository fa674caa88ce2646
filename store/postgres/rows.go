package postgres

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A querier is a pool or a transaction.
type querier interface {
	Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
}

// affected returns how many rows a statement changed.
func affected(tag pgconn.CommandTag, err error) (int64, error) { return tag.RowsAffected(), err }

// escape makes of any string one that a text column takes, without NUL and with valid UTF-8. It keeps the order and the
// prefixes of UTF-8 strings, and most strings as they are.
func escape(s string) string {
	if strings.IndexByte(s, 0) < 0 && strings.IndexByte(s, 1) < 0 && strings.ToValidUTF8(s, "") == s {
		return s
	}
	var b strings.Builder
	for rest := s; rest != ""; {
		good := strings.IndexFunc(rest, func(r rune) bool { return r < 2 || r == '\uFFFD' })
		if good < 0 {
			good = len(rest)
		}
		b.WriteString(rest[:good])
		if rest = rest[good:]; rest == "" {
			break
		}
		switch {
		case rest[0] == 0:
			b.WriteString("\x01\x01")
		case rest[0] == 1:
			b.WriteString("\x01\x02")
		case strings.HasPrefix(rest, "\uFFFD"):
			b.WriteString("\uFFFD")
			rest = rest[len("\uFFFD")-1:]
		default:
			fmt.Fprintf(&b, "\x01\x03%02x", rest[0])
		}
		rest = rest[1:]
	}
	return b.String()
}

// unescape gives what escape was given.
func unescape(s string) string {
	if strings.IndexByte(s, 1) < 0 {
		return s
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "\x01")
		if b.WriteString(before); !found || rest == "" {
			return b.String()
		}
		switch s = rest[1:]; rest[0] {
		case 1:
			b.WriteByte(0)
		case 2:
			b.WriteByte(1)
		default:
			value, err := strconv.ParseUint(s[:min(2, len(s))], 16, 8)
			if err != nil {
				return b.String() // nothing that escape made
			}
			b.WriteByte(byte(value))
			s = s[2:]
		}
	}
}

// escaped are several strings as their column has them.
func escaped[S ~string](all []S) []string {
	made := make([]string, len(all))
	for i, one := range all {
		made[i] = escape(string(one))
	}
	return made
}

// plain scans a column of text that escape was used for.
type plain struct{ to *string }

// Scan implements sql.Scanner.
func (p plain) Scan(value any) error {
	text, ok := value.(string)
	if !ok {
		return fmt.Errorf("%T is no text", value)
	}
	*p.to = unescape(text)
	return nil
}
