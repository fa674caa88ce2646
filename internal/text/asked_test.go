package text

import "testing"

func TestAskedLanguage(t *testing.T) {
	for _, test := range []struct{ want, in string }{
		{"de", "When was the Larch 2.0 format released? Please answer in German."},
		{"fr", "Write the report in French: how tidal power works"},
		{"de", "The history of salt, in German"},
		{"es", "Explain the causes of the flood in Spanish, please"},
		{"it", "the history of salt in Italian please"},
		{"nl", "Answer in Dutch what a dyke costs."},
		{"ja", "Compare tidal and wind power (in Japanese)"},
		{"zh", "Can you answer in Chinese?"},
		{"de", "What is the price of copper? Auf Deutsch bitte."},
		{"en", "Schreib einen Bericht über Ebbe und Flut auf Englisch."},
		{"fr", "Wie hoch ist der Turm? Bitte antworte auf Französisch."},
		{"en", "Quelle est la hauteur de la tour ? Réponds en anglais."},
		{"de", "Rédige un rapport en allemand : le prix du cuivre"},
		{"en", "¿Cuánto mide la torre? Responde en inglés, por favor."},
		{"fr", "Escribe el informe en francés"},
		{"en", "Quanto è alta la torre? Rispondi in inglese."},
		{"de", "Scrivi il rapporto in tedesco"},
		{"en", "Qual é a altura da torre? Responda em inglês."},
		{"es", "Escreva o relatório em espanhol, por favor"},
		{"en", "Hoe hoog is de toren? Antwoord in het Engels."},
		{"de", "Schrijf het rapport in het Duits"},
		{"en", "Jak wysoka jest wieża? Odpowiedz po angielsku."},
		{"de", "Napisz raport po niemiecku"},
		{"ru", "A survey of the market; написать по-русски"},
		{"en", "Какова высота башни? Ответь по-английски."},
		{"de", "Напиши отчёт на немецком языке"},
		{"en", "塔有多高？请用英语回答"},
		{"en", "塔の高さは？英語で答えてください"},
		{"en", "탑의 높이는? 영어로 답해 줘"},
		{"ar", "Reply in Arabic"},
		{"uk", "answer in Ukrainian"},
		{"de", "Report in German. Topic: wind"},

		{"", "How many newspapers are printed in German?"},
		{"", "How do you write the date in German?"},
		{"", "How to answer the phone in Spanish"},
		{"", "The history of printing in German towns"},
		{"", "books in French and Spanish"},
		{"", "learn to write in Chinese"},
		{"", "Write about life in Germany."},
		{"", "Write about German newspapers."},
		{"", "What does 'auf Deutsch' mean"},
		{"", "Wie viele Bücher erscheinen auf Deutsch?"},
		{"", "Translate good morning into German"},
		{"", "Answer in one sentence."},
		{"", "Les journaux en allemand"},
		{"", "сколько людей говорят по-русски"},
		{"", "日本語の歴史"},
		{"", "用英语授课的大学"},
		{"", "Polish ham in English pubs"},
		{"", ""},
	} {
		if got := AskedLanguage(test.in); got != test.want {
			t.Errorf("AskedLanguage(%q) = %q, want %q", test.in, got, test.want)
		}
	}
}

func TestParseLanguage(t *testing.T) {
	for in, want := range map[string]string{"de": "de", "de-AT": "de", "German": "de", " deutsch ": "de",
		"немецкий": "de", "日本語": "ja", "Klingon": "", "": "", "auto": "", "xx": ""} {
		if got := ParseLanguage(in); got != want {
			t.Errorf("ParseLanguage(%q) = %q, want %q", in, got, want)
		}
	}
	if got := LanguageName("pt"); got != "Portuguese" {
		t.Errorf("LanguageName(pt) = %q", got)
	}
}

func FuzzAskedLanguage(f *testing.F) {
	for _, seed := range []string{"", "answer in German", "\xff in German", "用英语回答", "по-",
		"in in in German please please"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if code := AskedLanguage(s); code != "" && ParseLanguage(code) != code {
			t.Fatalf("AskedLanguage(%q) = %q, which is no language", s, code)
		}
	})
}
