package demo

// questions are answered by the pages in web/: the first three have sources that disagree, the fourth has agreement in
// other units only, the fifth wants code, the sixth leads to a page that gives orders, the seventh is in German, half
// of the last has no answer.
var questions = []string{
	"How much electricity does the Skarrow Sound tidal plant generate a year, and when did it open?",
	"How many amber cranes breed in the Lowmere marshes, and how far do they migrate?",
	"When was Larch 2.0 released, and how much smaller than JSON are its files?",
	"How long is the Skarrow Sound barrage, and what diameter do its turbine rotors have?",
	"How do I read a Larch file in Go?",
	"Can households buy electricity from the Skarrow Sound tidal plant, and at what tariff?",
	"Wie weit zieht der Bernsteinkranich, und wie groß ist er?",
	"What did the Skarrow Sound tidal plant cost, and which company insures it?",
}
