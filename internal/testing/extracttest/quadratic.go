package extracttest

import "strings"

// A Quadratic is a text that a careless reader needs time for that grows with the square of it, or that unfolds
// in memory: Before once, then Unit until the text is full.
type Quadratic struct{ Media, Before, Unit string }

// Of returns the text in about n bytes.
func (q Quadratic) Of(n int) string {
	return q.Before + strings.Repeat(q.Unit, max(1, (n-len(q.Before))/len(q.Unit)))
}

// Quadratics are such texts of many formats, by name.
var Quadratics = map[string]Quadratic{
	"markdown emphasis":      {"text/markdown", "", "*a_"},
	"markdown strong":        {"text/markdown", "", "**a _b"},
	"markdown pictures":      {"text/markdown", "", "![a]("},
	"markdown quotations":    {"text/markdown", "a\n\n", "> "},
	"markdown brackets":      {"text/markdown", "", "["},
	"markdown references":    {"text/markdown", "", "[a][b"},
	"markdown labels":        {"text/markdown", "", "[*a* "},
	"markdown links":         {"text/markdown", "", "[a](b) "},
	"markdown definitions":   {"text/markdown", "a\n\n", "[a]: b\n\""},
	"markdown one target":    {"text/markdown", "[a]: " + strings.Repeat("x", 20_000) + "\n\n", "[a] "},
	"markdown attributes":    {"text/markdown", "# ", "{a="},
	"markdown arrays":        {"text/markdown", "# {a=", "["},
	"markdown underlined":    {"text/markdown", "", "{a=1}\n===\na\n\n"},
	"markdown code":          {"text/markdown", "", "`a``b"},
	"markdown tags":          {"text/markdown", "a ", "<a b=\""},
	"markdown comments":      {"text/markdown", "a ", "<!-- "},
	"markdown notes":         {"text/markdown", "a[^1]\n\n", "[^1]: a\n"},
	"markdown terms":         {"text/markdown", "a\n", ": a\n"},
	"markdown lists":         {"text/markdown", "", "\t- a\n"},
	"markdown wide table":    {"text/markdown", strings.Repeat("|a", 8000) + "|\n" + strings.Repeat("|-", 8000) + "|\n", "|\n"},
	"markdown escaped pipes": {"text/markdown", "|a|b|\n|-|-|\n", "|`a\\|b`|c|\n"},
	"html brackets":          {"text/html", "<p>", "["},
	"html fonts":             {"text/html", strings.Repeat("<font>", 500), "<p>x"},
	"html tags":              {"text/html", "", "<b><i><p>x"},
	"html code":              {"text/html", "<pre>", "`"},
	"xml elements":           {"application/xml", "<?xml version='1.0'?>", "<a>x"},
	"xml attributes":         {"application/xml", "<?xml version='1.0'?><a", " b=''"},
	"rtf groups":             {"application/rtf", "{\\rtf1 words ", "{\\b x"},
	"rtf controls":           {"application/rtf", "{\\rtf1 words ", "\\par\\tab "},
	"csv columns":            {"text/csv", "a,b\n", "c,"},
	"csv rows":               {"text/csv", strings.Repeat("a,", 8000) + "\n", "b\n"},
	"csv quotes":             {"text/csv", "a,b\n", "\"\"\","},
	"json arrays":            {"application/json", "", "["},
	"json objects":           {"application/json", "", `{"a":`},
	"captions":               {"text/vtt", "WEBVTT\n\n", "00:00.000 --> 00:01.000\n<b><i>x\n\n"},
	"subtitles":              {"application/x-subrip", "", "1\n00:00:00,000 --> 00:00:01,000\n<i>x\n\n"},
	"feed":                   {"application/rss+xml", "<rss version='2.0'><channel><title>t</title>", "<item><title>x</title><description>&lt;b&gt;[</description></item>"},
	"text lines":             {"text/plain", "", "a\n"},
	"text brackets":          {"text/plain", "", "["},
	"pdf objects":            {"application/pdf", "%PDF-1.7\n", "1 0 obj\n<<"},
}
