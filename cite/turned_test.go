package cite_test

import "testing"

func TestCheckReadsTurnedDenials(t *testing.T) {
	wantJudged(t, []judged{
		{"en", "The locks will only be open from May.", "The locks are not open until May.", "weak", "beside another"},
		{"en", "Boats are not towed when the basin is frozen.", "Boats are towed unless the basin is frozen.", "weak", "on a condition"},
		{"en", "Boats are towed unless the basin is frozen.", "Boats are not towed when the basin is frozen.", "weak", "on a condition"},
		{"en", "The storm was not blamed by the guild.", "The guild blamed a broken gate, not the storm.", "weak", "beside another"},
		{"en", "The lamp is an effective signal for night fishing.", "The lamp is effective in night but not in day fishing: an effective signal.", "weak", "beside another"},
		{"en", "The spots were not found in cod.", "The spots were found in herring but not in cod.", "supported", ""},
		{"de", "Boote werden geschleppt, außer das Becken ist gefroren.", "Boote werden nicht geschleppt, wenn das Becken gefroren ist.", "weak", "beside another"},
		{"de", "Ab Mai sind die Schleusen offen.", "Die Schleusen sind nicht offen bis Mai.", "weak", "beside another"},
		{"fr", "Depuis mai, les écluses sont ouvertes.", "Les écluses ne sont ouvertes que depuis mai.", "weak", "beside another"},

		{"en", "The locks are open in May.", "The locks are not open in May.", "contradicted", "denies"},
		{"en", "Boats are not towed in the basin.", "Boats are towed in the basin.", "contradicted", "denies"},
		{"en", "The guild blamed the storm for the broken gate.", "The guild did not blame the storm for the broken gate.", "contradicted", "denies"},
		{"en", "Boats are towed unless the basin is frozen.", "Boats are not towed unless the basin is frozen.", "contradicted", "denies"},
		{"en", "The only bridge of Larch was damaged.", "The only bridge of Larch was not damaged.", "contradicted", "denies"},
		{"en", "The bridge of Larch was damaged.", "The only bridge of Larch was not damaged.", "contradicted", "denies"},
		{"en", "In 2019, boats were towed in the basin.", "In 2019, no boats were towed in the basin.", "contradicted", "denies"},
		{"fr", "Les gardiens disent que la lampe protège les bateaux.", "Les gardiens disent que la lampe ne protège pas les bateaux.", "contradicted", "denies"},
		{"fr", "La lampe protège les bateaux.", "On dit que la lampe ne protège pas les bateaux.", "contradicted", "denies"},
		{"es", "La casa solo tiene dos plantas y fue vendida en mayo.", "La casa solo tiene dos plantas y no fue vendida en mayo.", "contradicted", "denies"},
		{"de", "Das Schloss war bis 1990 bewohnt.", "Das Schloss war bis 1990 nicht bewohnt.", "contradicted", "denies"},
	})
}
