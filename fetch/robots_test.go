package fetch

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRobotsGroups(t *testing.T) {
	tests := []struct {
		name, body string
		allowed    []string
		refused    []string
	}{
		{"empty_file", "", []string{"/", "/a"}, nil},
		{"everyone", "User-agent: *\nDisallow: /a", []string{"/", "/b"}, []string{"/a", "/a/b", "/abc"}},
		{"our_group_wins_over_everyone", "User-agent: *\nDisallow: /\n\nUser-agent: citewell\nDisallow: /a",
			[]string{"/", "/b"}, []string{"/a"}},
		{"case_of_token_and_field", "USER-AGENT: CITEWELL\nDISALLOW: /a", []string{"/A"}, []string{"/a"}},
		{"token_with_version", "User-agent: Citewell/2.0 (research)\nDisallow: /a", nil, []string{"/a"}},
		{"longer_token_is_another_product", "User-agent: Citewellish\nDisallow: /", []string{"/a"}, nil},
		{"shorter_token_is_another_product", "User-agent: Cite\nDisallow: /", []string{"/a"}, nil},
		{"group_for_another", "User-agent: other\nDisallow: /", []string{"/a"}, nil},
		{"our_groups_are_merged", "User-agent: Citewell\nDisallow: /a\n\nUser-agent: x\nDisallow: /x\n\nUser-agent: " +
			"Citewell\nDisallow: /b", []string{"/x"}, []string{"/a", "/b"}},
		{"everyones_groups_are_merged", "User-agent: *\nDisallow: /a\nUser-agent: x\nDisallow: /x\nUser-agent: " +
			"*\nDisallow: /b", []string{"/x"}, []string{"/a", "/b"}},
		{"shared_group", "User-agent: x\nUser-agent: Citewell\nUser-agent: y\nDisallow: /a", []string{"/b"},
			[]string{"/a"}},
		{"other_records_do_not_end_a_group", "User-agent: Citewell\nSitemap: https://x.example/s.xml\nCrawl-delay: " +
			"ten\nUser-agent: x\nDisallow: /a", nil, []string{"/a"}},
		{"empty_disallow_of_ours_allows_all", "User-agent: *\nDisallow: /\nUser-agent: Citewell\nDisallow:",
			[]string{"/", "/a"}, nil},
		{"group_without_rules_allows_all", "User-agent: *\nDisallow: /\nUser-agent: Citewell", []string{"/a"}, nil},
		{"rules_before_a_group", "Disallow: /\nUser-agent: *\nDisallow: /a", []string{"/b"}, []string{"/a"}},
		{"comments_and_space", "# hello\n  User-agent :\t* # all\n\tDisallow:  /a   # not this\n", []string{"/b"},
			[]string{"/a"}},
		{"byte_order_mark", "\ufeffUser-agent: *\nDisallow: /a", nil, []string{"/a"}},
		{"carriage_returns", "User-agent: *\rDisallow: /a\r\nDisallow: /b\r", []string{"/c"}, []string{"/a", "/b"}},
		{"one_bad_line_spoils_nothing", "User-agent: *\n\x00\xff\xfe garbage\n:\nDisallow: /a", []string{"/b"},
			[]string{"/a"}},
		{"a_web_page_instead", "<html><body>User-agent stuff</body></html>", []string{"/"}, nil},
		{"robots_itself_is_always_allowed", "User-agent: *\nDisallow: /", nil, []string{"/", "/robots.txt/x"}},
		{"pattern_without_slash_is_no_pattern", "User-agent: *\nDisallow: a\nDisallow: http://x.example/",
			[]string{"/a", "/"}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rules := parseRobots([]byte(test.body))
			for _, path := range append(test.allowed, "/robots.txt") {
				if rule, no := rules.disallows(mustParse(t, "https://x.example"+path)); no {
					t.Errorf("%s is refused by %v", path, rule)
				}
			}
			for _, path := range test.refused {
				if _, no := rules.disallows(mustParse(t, "https://x.example"+path)); !no {
					t.Errorf("%s is allowed", path)
				}
			}
		})
	}
}

// The cases of RFC 9309 section 2.2.2, 2.2.3 and 5.2, and those in which popular
// matchers go wrong: escapes counted as length, unanchored wildcards, order
// instead of Allow at a tie.
func TestRobotsLongestMatch(t *testing.T) {
	tests := []struct {
		name, rules, url string
		allowed          bool
	}{
		{"longest_disallow", "Allow: /example/page/\nDisallow: /example/page/disallowed.gif",
			"/example/page/disallowed.gif", false},
		{"longest_allow", "Allow: /example/page/\nDisallow: /example/", "/example/page/x", true},
		{"order_does_not_matter", "Disallow: /example/\nAllow: /example/page/", "/example/page/x", true},
		{"tie_goes_to_allow", "Disallow: /a\nAllow: /a", "/a", true},
		{"tie_goes_to_allow_either_way", "Allow: /a\nDisallow: /a", "/a", true},
		{"root", "Disallow: /", "", false},
		{"case_matters", "Disallow: /Fish", "/fish", true},
		{"star_in_the_middle", "Disallow: /a*z", "/a/b/c/z/d", false},
		{"star_starts_at_the_front", "Disallow: /a*z", "/x/a/z", true},
		{"leading_star", "Disallow: *.gif", "/x/a.gif?b", false},
		{"star_matches_nothing_too", "Disallow: /a*b", "/ab", false},
		{"end", "Disallow: /*.gif$", "/x/a.gif", false},
		{"end_with_query", "Disallow: /*.gif$", "/x/a.gif?b", true},
		{"end_takes_the_last_place", "Disallow: /*.gif$", "/x.gif/a.gif", false},
		{"end_without_star", "Disallow: /a$", "/a", false},
		{"end_without_star_longer", "Disallow: /a$", "/ab", true},
		{"dollar_in_the_middle_is_a_dollar", "Disallow: /a$b", "/a$b/c", false},
		{"dollar_in_the_middle_is_no_end", "Disallow: /a$b", "/a", true},
		{"escaped_dollar", "Disallow: /a%24", "/a$", false},
		{"escaped_star_is_no_wildcard", "Disallow: /a%2Ab", "/axb", true},
		{"escaped_star_matches_a_star", "Disallow: /a%2ab", "/a*b", false},
		{"stars_in_a_row_count_once", "Disallow: /a***********\nAllow: /abc", "/abc", true},
		{"query_is_compared", "Disallow: /a?b=c", "/a?b=cd", false},
		{"reserved_in_query_raw_rule", "Disallow: /a?u=https://x.example", "/a?u=https%3A%2F%2Fx.example", false},
		{"reserved_in_query_raw_url", "Disallow: /a?u=https%3A%2F%2Fx.example", "/a?u=https://x.example", false},
		{"escaped_slash_in_path_is_not_a_slash", "Disallow: /a/b", "/a%2Fb", true},
		{"utf8_rule", "Disallow: /foo/bar/ツ", "/foo/bar/%E3%83%84", false},
		{"escaped_utf8_rule", "Disallow: /foo/bar/%e3%83%84", "/foo/bar/ツ", false},
		{"unreserved_escapes", "Disallow: /foo/bar/%62%61%7A", "/foo/bar/baz", false},
		{"unreserved_escapes_of_the_url", "Disallow: /foo/bar/baz", "/foo/bar/%62%61%7A", false},
		{"broken_escape_stands_for_itself", "Disallow: /a%zz", "/a%25zz", false},
		{"brackets_are_escaped", "Disallow: /a[1]", "/a%5B1%5D", false},
		{"wildcard_pattern_is_not_longer_than_it_looks", "Disallow: /a.b*c\nAllow: /a.bxxc", "/a.bxxc", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rules := parseRobots([]byte("User-agent: *\n" + test.rules))
			if _, no := rules.disallows(mustParse(t, "https://x.example"+test.url)); no == test.allowed {
				t.Errorf("%s: refused %v", test.url, no)
			}
		})
	}
}

func TestRobotsRuleIsNamed(t *testing.T) {
	rules := parseRobots([]byte("# private things\nUser-agent: *\n\nAllow: /\n Disallow: /a\x1b[2J" +
		strings.Repeat("é", 200) + " # why\n"))
	_, no := rules.disallows(mustParse(t, "https://x.example/a%1b[2J"+strings.Repeat("é", 200)))
	if !no {
		t.Fatal("not refused")
	}
	got := rules.rules[1].String()
	if !strings.HasPrefix(got, "line 5: Disallow: /a\ufffd[2Jé") || !strings.HasSuffix(got, "é…") || len(got) > 140 ||
		!utf8.ValidString(got) {
		t.Errorf("rule reads %q", got)
	}
}

func TestRobotsSizeCap(t *testing.T) {
	head := "User-agent: *\nDisallow: /early\n"
	filler := strings.Repeat("# filler\n", maxRobotsBytes/9+1)[:maxRobotsBytes-len(head)-len("Disallow: /la")-1] + "\n"
	rules := parseRobots([]byte(head + filler + "Disallow: /late\n"))
	if len(rules.rules) != 1 {
		t.Fatalf("%d rules", len(rules.rules))
	}
	if _, no := rules.disallows(mustParse(t, "https://x.example/early")); !no {
		t.Error("the rule before the cap is lost")
	}
	if _, no := rules.disallows(mustParse(t, "https://x.example/la")); no {
		t.Error("half a rule at the cap is obeyed")
	}
}

func FuzzRobots(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /a*b$\nAllow: /\n"), "/a/b?c=%2A")
	f.Add([]byte("user-agent:citewell\rdisallow:/\xff%e3%83\r\n"), "/ツ")
	f.Add([]byte("User-agent: *\nDisallow: "+strings.Repeat("*a", 500)+"$"), "/"+strings.Repeat("a", 499))
	f.Fuzz(func(t *testing.T, body []byte, path string) {
		u, err := url.Parse("https://x.example/" + path)
		if err != nil {
			return
		}
		rules := parseRobots(body)
		rule, no := rules.disallows(u)
		if no && rule.allow {
			t.Errorf("refused by an Allow: %v", rule)
		}
		if no && !utf8.ValidString(rule.String()) {
			t.Errorf("rule text is not UTF-8: %q", rule.String())
		}
		norm := normalizePath(u)
		for i := range len(norm) {
			if norm[i] <= ' ' || norm[i] >= 0x7f {
				t.Fatalf("octet %#x in %q", norm[i], norm)
			}
		}
		// Matching agrees with the plain definition by trying every place.
		if len(norm) < 200 {
			for _, rule := range rules.rules {
				if len(rule.pattern) < 50 && strings.Count(rule.pattern, "*") < 4 &&
					matchPattern(rule.pattern, norm) != matchSlowly(rule.pattern, norm) {
					t.Errorf("%q against %q: %v", rule.pattern, norm, matchPattern(rule.pattern, norm))
				}
			}
		}
		// A rule made of the path itself forbids that path.
		if !strings.HasPrefix(norm, "/robots.txt") {
			if _, no := parseRobots([]byte("User-agent: *\nDisallow: " + norm)).disallows(u); !no {
				t.Errorf("a rule for %q does not match it", norm)
			}
		}
	})
}

func matchSlowly(pattern, path string) bool {
	switch {
	case pattern == "":
		return true
	case pattern == "$":
		return path == ""
	case pattern[0] == '*':
		for i := range len(path) + 1 {
			if matchSlowly(pattern[1:], path[i:]) {
				return true
			}
		}
		return false
	}
	return path != "" && path[0] == pattern[0] && matchSlowly(pattern[1:], path[1:])
}
