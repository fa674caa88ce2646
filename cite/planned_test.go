package cite_test

import "testing"

func TestCheckTellsPlansFromDeeds(t *testing.T) {
	wantJudged(t, []judged{
		{"en", "The guild has opened two new locks.", "The guild plans to open two new locks by 2026.", "weak", `"plans"`},
		{"en", "The northern gate was removed in May.", "The northern gate will be removed in May.", "weak", `"will"`},
		{"en", "The toll returned to its old level in 2023.", "The guild expects the toll to return to its old level in 2023.", "weak", `"expects"`},
		{"de", "Die Gilde hat zwei neue Schleusen eröffnet.", "Die Gilde will bis 2026 zwei neue Schleusen eröffnen.", "weak", `"will"`},
		{"fr", "La guilde a fermé deux vieilles écluses.", "La guilde prévoit de fermer deux vieilles écluses.", "weak", `"prévoit"`},
		{"es", "El gremio visitó las dos nuevas esclusas.", "El gremio quiere visitar las dos nuevas esclusas.", "weak", `"quiere"`},

		{"en", "The guild opened two new locks.", "The guild planned to open two new locks. In May 2026 the guild opened the two new locks.", "supported", ""},
		{"en", "The guild wants to open two new locks.", "The guild plans to open two new locks by 2026.", "supported", ""},
		{"en", "The guild opened two new locks, which should be closed in winter.", "The guild opened two new locks, which will be closed in winter.", "supported", ""},
		{"en", "The two locks, opened in 2026, will serve the boats of Larch.", "The two locks, which the guild will open in 2026, will serve the boats of Larch.", "supported", ""},
		{"en", "The northern gate is removed in version 3.0.", "The northern gate will be removed in version 3.0.", "supported", ""},
		{"en", "The guild uses improved pumps in the locks.", "The guild will use improved pumps in the locks.", "supported", ""},
		{"en", "The guild built two new locks.", "The guild plans to build two new locks by 2026.", "weak", `"plans"`},
		{"en", "The warden went to Larch in May.", "The warden will go to Larch in May.", "weak", `"will"`},
		{"en", "The guild opened a new lock in Larch.", "The guild opened a new lock in Larch and plans to open another one in Norvik.", "supported", ""},
		{"en", "The gate was reopened in 2024.", "The gate, which was expected to reopen in 2023, was reopened in 2024.", "supported", ""},
		{"en", "The guild opened a lock in Larch.", "The guild, which opened in 1990, plans to open a lock in Larch.", "weak", `"plans"`},
		{"en", "In 1890 the warden moved to Larch.", "In 1890 the warden would move to Larch, where he died.", "supported", ""},
		{"en", "The guild closed the locks.", "The guild said that it would close the locks in winter.", "weak", `"would"`},
		{"de", "Die Gilde eröffnet zwei Schleusen.", "Die Gilde eröffnet zwei Schleusen, die Boote schützen werden.", "supported", ""},
	})
}

func TestCheckReadsMayOfPermission(t *testing.T) {
	wantJudged(t, []judged{
		{"en", "The guild is allowed to attend the meetings.", "The guild may attend the meetings.", "supported", ""},
		{"en", "The warden can open the locks or close them.", "The warden may open the locks or close them.", "supported", ""},
		{"en", "The guild can inspect the locks of Larch in May.", "The guild may enter and inspect the locks of Larch in May.", "supported", ""},
		{"en", "The maximum load breaks the gate of the lock.", "The maximum load may break the gate of the lock.", "weak", `"may"`},
		{"en", "The lamp, which can be bought freely, drives herons from the nets.", "The lamp, which can be bought freely, may drive herons from the nets.", "weak", `"may"`},
		{"en", "The lamp can be moved and drives herons away.", "The lamp can be moved and may drive herons away.", "weak", `"may"`},
	})
}
