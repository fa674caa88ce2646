package bench

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"

	driver "modernc.org/sqlite"

	"github.com/citewell/citewell/text"
)

// bare is the engine below our text index with nothing of ours around it: one FTS5
// table, filled in one transaction, asked for any of the query's words but the most
// common ones.
type bare struct{ db *sql.DB }

func openBare(ctx context.Context, dir string) (Index, error) {
	connector, err := driver.NewConnector("file:" + filepath.ToSlash(filepath.Join(dir, "bare.db")) + "?_pragma=journal_mode(WAL)")
	if err != nil {
		return nil, err
	}
	b := &bare{sql.OpenDB(connector)}
	b.db.SetMaxOpenConns(1)
	if _, err := b.db.ExecContext(ctx, `CREATE VIRTUAL TABLE bare USING fts5 (id UNINDEXED, title, body, tokenize = 'porter')`); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

func (b *bare) Add(ctx context.Context, texts []Text) error {
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	insert, err := tx.PrepareContext(ctx, `INSERT INTO bare VALUES (?, ?, ?)`)
	if err != nil {
		return err
	}
	defer insert.Close()
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
	rows, err := b.db.QueryContext(ctx, `SELECT id, title, snippet(bare, 2, '', '', '…', 40) FROM bare WHERE bare MATCH ? ORDER BY rank LIMIT ?`,
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
