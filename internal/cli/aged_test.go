package cli

import (
	"database/sql"
	"path/filepath"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdAged has everything that the store of a folder keeps older by a number of days.
func cmdAged(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: aged FOLDER DAYS")
	}
	days, err := strconv.Atoi(args[1])
	ts.Check(err)
	db, err := sql.Open("sqlite", filepath.Join(ts.MkAbs(args[0]), "state.db"))
	ts.Check(err)
	defer db.Close()
	for _, column := range []string{"snapshot SET kept_at = kept_at", "source SET created_at = created_at",
		"brief SET created_at = created_at", "run SET ended_at = ended_at"} {
		_, err := db.Exec(`UPDATE `+column+` - ?`, int64(days)*24*3600*1e6)
		ts.Check(err)
	}
}
