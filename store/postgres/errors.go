package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/internal/fault"
	"github.com/citewell/citewell/store/internal/sqlstore"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"
)

// storeError gives err the code and the words that its cause deserves. An error that already has a code keeps it.
func storeError(op string, err error) error {
	if err == nil || isOurs(err) {
		return err
	}
	switch {
	case errors.Is(err, context.Canceled):
		return &citewell.Error{Code: citewell.CodeCanceled, Op: op, Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &citewell.Error{Code: citewell.CodeTimeout, Op: op, Err: err}
	case errors.Is(err, puddle.ErrClosedPool), errors.Is(err, sqlstore.ErrClosed):
		return fault.Failed(op, "the store is closed", "", err)
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return serverError(op, e, err)
	}
	if transient(err) {
		return fault.Failed(op, "the database cannot be reached",
			"look whether PostgreSQL runs and what store.url says; what was being written may have been kept", err)
	}
	return fault.Failed(op, "the store could not be read or written", "", err)
}

// serverError is what an error of the server means. Source: PostgreSQL's manual, appendix A.
func serverError(op string, e *pgconn.PgError, err error) error {
	message, hint := "the database refused: "+e.Message, ""
	switch e.Code {
	case "28000", "28P01":
		return &citewell.Error{Code: citewell.CodePermissionDenied, Op: op,
			Message: "the database refuses this user's login",
			Hint:    "check the user and the password of store.url", Err: err}
	case "42501":
		return &citewell.Error{Code: citewell.CodePermissionDenied, Op: op,
			Message: "the database refuses: " + e.Message,
			Hint:    "give the user of store.url the rights to create and use tables in the schema", Err: err}
	case "3D000":
		message, hint = "there is no such database", "make it with createdb, or correct store.url"
	case "25006":
		message, hint = "the server is a replica, which cannot be written",
			"give store.url the primary, or every host with target_session_attrs=read-write"
	case "53100":
		message, hint = "the disk of the database is full", "free some space there, then try again"
	case "53300":
		message, hint = "the database has no connection left", "raise max_connections, or lower pool_max_conns "+
			"in store.url"
	case "55P03":
		message, hint = "something else kept a row of the store locked for too long", "try again"
	case "57014":
		return &citewell.Error{Code: citewell.CodeTimeout, Op: op,
			Message: "the database ended a statement that took too long", Err: err}
	case "54000":
		message, hint = "a value is larger than the store can keep", ""
	case "XX001", "XX002":
		message, hint = "the database is damaged", "restore it from a backup"
	}
	if strings.HasPrefix(e.Code, "57P") || strings.HasPrefix(e.Code, "08") {
		message, hint = "the database ended the connection", "try again; look at the log of PostgreSQL"
	}
	return fault.Failed(op, message, hint, err)
}

// transient reports whether a retry may succeed because the server or connection went away; a commit may have been
// done.
func transient(err error) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return strings.HasPrefix(e.Code, "57P") || strings.HasPrefix(e.Code, "08") || collided(err)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		pgconn.SafeToRetry(err) {
		return true
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	_, ok := errors.AsType[net.Error](err)
	return ok || strings.Contains(err.Error(), "conn closed")
}

// collided says whether the transaction was undone for the sake of another.
func collided(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (e.Code == "40001" || e.Code == "40P01" || e.Code == "55P03")
}
