package sqlstore

// packed are all columns of packed records, with what names a row, and its brief or run. Records of snapshots name
// nothing.
var packed = []struct{ table, column, name, owner string }{
	{"snapshot", "page_record", "final_url", ""}, {"snapshot", "document_record", "final_url", ""},
	{"source", "record", "brief || ' ' || n", "'brief ' || brief"}, {"passage", "record", "id", "'brief ' || brief"},
	{"brief", "record", "id", "'brief ' || id"}, {"{vector}", "record", "name", "''"},
	{"graph_node", "record", "id", "''"},
	{"graph_edge", "record", "src || ' ' || rel || ' ' || dst", "''"},
	{"run_request", "request_record", "'run ' || run", "'run ' || run"},
	{"run_request", "budget_record", "'run ' || run", "'run ' || run"},
	{"run_event", "record", "run || ' ' || seq", "'run ' || run"},
	{"run_call", "input_record", "run || ' ' || key", "'run ' || run"},
	{"run_call", "result_record", "run || ' ' || key", "'run ' || run"},
	{"run_call", "cost_record", "run || ' ' || key", "'run ' || run"},
	{"run_call", "error_record", "run || ' ' || key", "'run ' || run"},
	{"run_message", "record", "run || ' ' || name", "'run ' || run"},
}
