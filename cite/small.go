package cite

import "github.com/citewell/citewell/text"

// smallOpposites are, by language, function words that may be opposites of each other. They have other
// senses too: to replace one by the other leaves a claim undecided and never contradicts it.
// In a language without a list, no function word may replace another.
var smallOpposites = map[string][][2]map[string]bool{
	"en": {
		{text.SetOf("for"), text.SetOf("against")},
		{text.SetOf("to into onto toward towards"), text.SetOf("from out off")},
		{text.SetOf("on"), text.SetOf("off")},
		{text.SetOf("up"), text.SetOf("down")},
		{text.SetOf("over above"), text.SetOf("under below")},
		{text.SetOf("if when"), text.SetOf("unless")},
		{text.SetOf("must shall"), text.SetOf("may can could might")},
		{text.SetOf("both"), text.SetOf("one neither")},
		{text.SetOf("once"), text.SetOf("twice")},
		{text.SetOf("half"), text.SetOf("third thirds quarter quarters fifth tenth whole entire")},
		{text.SetOf("third thirds"), text.SetOf("quarter quarters fifth tenth whole entire")},
		{text.SetOf("quarter quarters"), text.SetOf("fifth tenth whole entire")},
	},
	"de": {
		{text.SetOf("für"), text.SetOf("gegen")},
		{text.SetOf("nach zu zum zur ins"), text.SetOf("aus von vom")},
		{text.SetOf("bis"), text.SetOf("seit ab")},
		{text.SetOf("ab"), text.SetOf("zu an")}, // of verbs: nahm ab, nahm zu
		{text.SetOf("über"), text.SetOf("unter")},
		{text.SetOf("muss müssen"), text.SetOf("kann können darf dürfen")},
		{text.SetOf("einmal"), text.SetOf("zweimal")},
		{text.SetOf("hälfte"), text.SetOf("drittel viertel")},
		{text.SetOf("drittel"), text.SetOf("viertel")},
	},
	"fr": {
		{text.SetOf("pour"), text.SetOf("contre")},
		{text.SetOf("vers"), text.SetOf("depuis")},
		{text.SetOf("jusqu' jusque"), text.SetOf("depuis dès")},
		{text.SetOf("sur"), text.SetOf("sous")},
		{text.SetOf("doit doivent"), text.SetOf("peut peuvent")},
		{text.SetOf("moitié"), text.SetOf("tiers quart totalité")},
		{text.SetOf("tiers"), text.SetOf("quart totalité")},
	},
	"es": {
		{text.SetOf("favor"), text.SetOf("contra")},
		{text.SetOf("hacia"), text.SetOf("desde")},
		{text.SetOf("hasta"), text.SetOf("desde")},
		{text.SetOf("sobre"), text.SetOf("bajo")},
		{text.SetOf("debe deben"), text.SetOf("puede pueden")},
		{text.SetOf("mitad"), text.SetOf("tercio cuarto totalidad")},
		{text.SetOf("tercio"), text.SetOf("cuarto totalidad")},
	},
}
