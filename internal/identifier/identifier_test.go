package identifier_test

import (
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/citewell/citewell/internal/identifier"
)

func TestIdentifiers(t *testing.T) {
	for question, want := range map[string][]string{
		"what does 10.1016/S0140-6736(97)11096-0 say":                    {"doi:10.1016/s0140-6736(97)11096-0"},
		"is https://doi.org/10.5555/ABC.1, retracted?":                   {"doi:10.5555/abc.1"},
		"as code, `https://doi.org/10.5555/ABC.1`":                       {"doi:10.5555/abc.1"},
		"(see doi:10.5555/abc(2).)":                                      {"doi:10.5555/abc(2)"},
		"“10.5555/quoted”":                                               {"doi:10.5555/quoted"},
		"explain arXiv:2401.00001v2":                                     {"arxiv:2401.00001"},
		"https://arxiv.org/abs/hep-th/9901001":                           {"arxiv:hep-th/9901001"},
		"https://arxiv.org/pdf/2401.00001v3":                             {"arxiv:2401.00001"},
		"10.48550/arXiv.2401.00001":                                      {"arxiv:2401.00001"},
		"PMID 12345678 and pmid:99":                                      {"pmid:12345678", "pmid:99"},
		"https://pmc.ncbi.nlm.nih.gov/articles/pmc3257301/":              {"pmcid:PMC3257301"},
		"ISBN 978-0-306-40615-7":                                         {"isbn:9780306406157"},
		"isbn-10: 0-8044-2957-X":                                         {"isbn:080442957X"},
		"9780306406157":                                                  {"isbn:9780306406157"},
		"9780306406158 is no ISBN, nor is 2401.00001 a paper":            nil,
		"status of nct01234567":                                          {"nct:NCT01234567"},
		"is CVE-2024-3094 fixed in RFC 9110 or rfc9111":                  {"cve:CVE-2024-3094", "rfc:9110", "rfc:9111"},
		"call 555-0100 by 10.30 on 2024/05/06 or pay 10.1234":            nil,
		"SP.POP.TOTL of Germany and Trinidad & Tobago, FRA":              {"worldbank:SP.POP.TOTL/DEU;TTO;FRA"},
		"NY.GDP.PCAP.KD.ZG":                                              {"worldbank:NY.GDP.PCAP.KD.ZG"},
		"SP.POP.TOTL: Papua New Guinea's, not Guinea-Bissau":             {"worldbank:SP.POP.TOTL/PNG;GNB"},
		"Wie hoch war SP.POP.TOTL in Frankreich?":                        {"worldbank:SP.POP.TOTL/FRA"},
		"data.worldbank.org/indicator/EN.ATM.CO2E.PC?locations=DE-CH-1W": {"worldbank:EN.ATM.CO2E.PC/DEU;CHE"},
		"How did SP.POP.TOTL change in the last 100 years?":              {"worldbank:SP.POP.TOTL"},
		"SP.POP.TOTL: germany’s, the US's, Hong Kong, Kosovo":            {"worldbank:SP.POP.TOTL/DEU;USA;HKG;XKK"},
		"SP.POP.TOTL IN FRA/ITA":                                         {"worldbank:SP.POP.TOTL/FRA;ITA"},
		"the U.S.A. and W.W.F. in WWW.EXAMPLE.ORG":                       nil,
		"10.5555/one and again 10.5555/ONE":                              {"doi:10.5555/one"},
		"":                                                               nil,
	} {
		var got []string
		for _, id := range identifier.Identifiers(question) {
			got = append(got, id.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q has %q, want %q", question, got, want)
		}
	}
}

func TestDOIsAreCompared(t *testing.T) {
	for in, want := range map[string]string{
		"HTTPS://DX.DOI.ORG/10.5555%2FA%3C1%3E": "10.5555/a<1>", "doi: 10.5555/x ": "10.5555/x",
		"10.5555/x)": "10.5555/x", "10.55/x": "", "10.5555/": "", "11.5555/x": "", "10.5555/a b": "", "": "",
	} {
		if got := identifier.DOI(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"http://arxiv.org/abs/2401.00001v2": "2401.00001", "math.GT/0309136": "math.gt/0309136",
		"https://arxiv.org/pdf/2401.00001.pdf": "2401.00001", "2401.1": "", "x": "",
	} {
		if got := identifier.ArXiv(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

func FuzzIdentifiers(f *testing.F) {
	for _, seed := range []string{"doi:10.5555/x)", "arXiv:2401.00001v2", "isbn 0-8044-2957-X", "10.1234/((((",
		"NCT01234567 CVE-2024-1 \xff", "SP.POP.TOTL in U.S. Virgin Islands & locations=de-\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, question string) {
		for _, id := range identifier.Identifiers(question) {
			if id.Scheme == "" || id.Value == "" || len(id.Value) > len(question)+16 || utf8.ValidString(question) &&
				!utf8.ValidString(id.Value) {
				t.Errorf("%q in %q", id, question)
			}
		}
		if doi := identifier.DOI(question); doi != "" && identifier.DOI(doi) != doi {
			t.Errorf("%q is %q, and that is %q", question, doi, identifier.DOI(doi))
		}
	})
}
