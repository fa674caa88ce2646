package disagree

import "testing"

func TestReadStatement(t *testing.T) {
	for _, test := range []struct{ rule, text, about, want string }{
		{"the nearest word", "The tower is 30 m high and 40 m wide.", "",
			"30 m of height high, 40 m of width wide | tower"},
		{"of a figure of its kind", "The high tower cost 30 euros.", "", "30 euros of cost | tower"},
		{"rather the one behind, of two as near", "It is deep 30 m wide.", "", "30 m of width wide | "},
		{"but for one two bytes nearer", "It is deep: 30 m as wide.", "", "30 m of depth wide | "},
		{"a comma makes it far", "It is deep, 30 m at the old stone wide.", "",
			"30 m of width old | stone | apart by old"},
		{"by fifteen bytes", "It is deep, 30 m at the old stone x wide.", "",
			"30 m of depth old | stone x | apart by old"},
		{"a semicolon makes it further", "It is deep; 30 m at the old stone gate of the town that the men of the " +
			"north x wide.", "", "30 m of width old | stone gate town x | apart by men north old"},
		{"by sixty bytes", "It is deep; 30 m at the old stone gate of the town that the men of the north xxx wide.", "",
			"30 m of depth old | stone gate town xxx | apart by men north old"},
		{"another sentence makes it too far", "It is deep. The side is 30 m.", "", "30 m of  | side"},
		{"a figure of its kind between makes it far", "It is deep 20 m then 30 m at the old stone gate of the town " +
			"that the men ofs wide.", "", "20 m of depth 30, 30 m of width old | stone gate town of | apart " +
			"by men old"},
		{"by forty bytes", "It is deep 20 m then 30 m at the old stone gate of the town that the men of xx wide.", "",
			"20 m of depth 30, 30 m of depth old | stone gate town xx | apart by men old"},
		{"but none of another kind", "It is deep 20 kg then 30 m at the old xx wide.", "",
			"20 kg of 30, 30 m of depth old | xx | apart by old"},
		{"nothing is of a word beyond 120 bytes", "The wide at the old stone gate of the town that the men of the " +
			"north made of red oak in the days of the king who came to see its 30 m.", "",
			"30 m of  | stone gate town make red oak day king come see | apart by men north old"},
		{"of one at 120 it is", "The wide at the old stone gate of the town that the men of the north made " +
			"of red oak " +
			"in the days of the king who came to see it 30 m.", "",
			"30 m of width | stone gate town make red oak day king come see | apart by men north old"},
		{"what a count counts", "The hall has 300 seats of oak.", "", "300 of capacity seat | hall oak"},
		{"within four words", "The hall has 300 of the very seats.", "", "300 of capacity seat | hall"},
		{"and no further", "The hall has 300 of all of the seats.", "", "300 of capacity | hall"},
		{"and in the clause", "The hall has 300; seats are red.", "", "300 of capacity | hall red"},
		{"a kilowatt-hour is no attribute", "It used 30 kilowatt-hours.", "", "30 kilowatt-hours of  | use"},
		{"a 30-metre wall is one", "It has a 30-metre wall.", "", "30-metre of wall attribute | wall"},
		{"a date of no event says when", "In 1990 it had 30 rooms.", "", "30 of room | room | 1990"},
		{"by a year", "It was built by 1990.", "", "1990 of built loose |  | 1990"},
		{"in the early months of one", "It was built in early 1990.", "", "1990 of built loose | earli | 1990"},
		{"a word that ends so is none", "The hobby began in nearby 1990.", "", "1990 of begun | hobbi nearbi | 1990"},
		{"a number of a name tells it apart", "Python 3.11 has 30 modules.", "",
			"30 of modul | *python 3.11 modul | apart by 3.11"},
		{"it is what the heading says", "It is 30 m high.", "Harrow Tower", "30 m of height high | *harrow *tower"},
		{"one term more is not enough", "Today the keeper says it is 30 m high.", "Harrow Tower",
			"30 m of height high | keeper *harrow *tower | apart by today"},
		{"two terms are", "The old keeper of the gate says it is 30 m high.", "Harrow Tower",
			"30 m of height high | keeper gate under *harrow under *tower | apart by old"},
		{"names come from the heading where it has none", "The old keeper of the gate sees 30 m high walls.",
			"Harrow Tower", "30 m of height high | keeper gate see wall under *harrow under *tower | apart by old"},
		{"of any one year", "It makes 30 GWh a year.", "", "30 GWh of year yearly | make"},
		{"before all figures", "In an average year it makes 30 GWh for 200 homes.", "",
			"30 GWh of 200 yearly, 200 of home yearly | make home"},
		{"of the figure before it alone", "It makes 30 GWh for 200 homes a year.", "",
			"30 GWh of 200, 200 of home yearly | make home"},
		{"and of its clause", "It makes 30 GWh; a year it rests.", "", "30 GWh of  | make rest"},
		{"a year ago is when", "It made 30 GWh a year ago.", "", "30 GWh of year | make ago"},
	} {
		if got := (Statement{Text: test.text, About: test.about, Lang: "en"}).Read(); got != test.want {
			t.Errorf("%s: %s\n\twant %s", test.rule, got, test.want)
		}
	}
}
