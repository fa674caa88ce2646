package measure

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	driver "modernc.org/sqlite"

	"github.com/citewell/citewell/internal/text"
)

// bare is the engine below our text index with nothing of ours around it: one FTS5
// table, asked for any of the query's words but the most common ones. It is as durable
// as ours, and its cache as large.
type bare struct {
	db       *sql.DB
	together int // texts a transaction; all where 0
}

// bareEngines are the bare engine in one transaction, and with as many texts a
// transaction as each of engines has.
func bareEngines(engines []Engine) []Engine {
	list := []Engine{{Name: "bare FTS5, porter", Open: openBare(0)}}
	for _, e := range engines {
		if !slices.ContainsFunc(list, func(have Engine) bool { return have.Together == e.Together }) {
			list = append(list, Engine{Name: fmt.Sprintf("the same, %d a commit", e.Together),
				Open: openBare(e.Together), Together: e.Together, Again: true})
		}
	}
	return list
}

func openBare(together int) func(context.Context, string) (Index, error) {
	return func(ctx context.Context, dir string) (Index, error) {
		connector, err := driver.NewConnector("file:" + filepath.ToSlash(filepath.Join(dir, "bare.db")) +
			"?_txlock=immediate&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=cache_size(-16384)")
		if err != nil {
			return nil, err
		}
		b := &bare{sql.OpenDB(connector), together}
		b.db.SetMaxOpenConns(1)
		if _, err := b.db.ExecContext(ctx,
			`CREATE VIRTUAL TABLE bare USING fts5 (id UNINDEXED, title, body, tokenize = 'porter')`); err != nil {
			return nil, errors.Join(err, b.Close())
		}
		return b, nil
	}
}

func (b *bare) Add(ctx context.Context, texts []Text) error {
	insert, err := b.db.PrepareContext(ctx, `INSERT INTO bare VALUES (?, ?, ?)`)
	if err != nil {
		return err
	}
	defer insert.Close()
	together := b.together
	if together == 0 {
		together = max(1, len(texts))
	}
	for some := range slices.Chunk(texts, together) {
		if err := b.commit(ctx, insert, some); err != nil {
			return err
		}
	}
	return nil
}

func (b *bare) commit(ctx context.Context, insert *sql.Stmt, texts []Text) error {
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	insert = tx.StmtContext(ctx, insert)
	for _, t := range texts {
		if _, err := insert.ExecContext(ctx, t.ID, t.Title, t.Text); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func (b *bare) Search(ctx context.Context, query string, limit int) ([]string, error) {
	var words []string
	for _, token := range text.TermTokens(query, "en") {
		words = append(words, `"`+strings.ReplaceAll(query[token.Start:token.End], `"`, "")+`"`)
	}
	if len(words) == 0 {
		return nil, nil
	}
	rows, err := b.db.QueryContext(ctx,
		`SELECT id, title, snippet(bare, 2, '', '', '…', 40) FROM bare WHERE bare MATCH ? ORDER BY rank LIMIT ?`,
		strings.Join(words, " OR "), limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id, title, snippet string
		if err := rows.Scan(&id, &title, &snippet); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

func (b *bare) Close() error { return b.db.Close() }
