package sqlstore

// Written are the statements that are written again and again.
func Written() []string { return nil }
