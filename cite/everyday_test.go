package cite_test

import (
	"testing"

	"github.com/citewell/citewell"
	"github.com/citewell/citewell/cite"
)

// A labelled pair is a claim with evidence, and the verdict that is wanted of it.
type labelled struct {
	want                  citewell.Verdict
	lang, claim, evidence string
}

// Pairs of everyday statements, labelled by hand. Of each a verdict is wanted, where
// "weak" stands for "does not clearly follow".
var everyday = []labelled{
	// Direction.
	{"contradicted", "en", "Rents in the city rose last year.", "Rents in the city fell last year."},
	{"supported", "en", "Rents in the city rose last year.", "Rents in the city increased last year."},
	{"contradicted", "en", "Unemployment has declined in the region.", "Unemployment has risen in the region."},
	{"supported", "en", "Unemployment has declined in the region.", "Unemployment has fallen in the region."},
	{"contradicted", "en", "The new law reduces taxes on fuel.", "The new law raises taxes on fuel."},
	{"supported", "en", "The new law raises taxes on fuel.", "The new law increases taxes on fuel by a small amount."},
	{"contradicted", "en", "Coffee increases the risk of headaches.", "Coffee lowers the risk of headaches."},
	{"supported", "en", "Coffee lowers the risk of headaches.", "The risk of headaches is reduced by coffee."},
	{"contradicted", "en", "Helmets cause head injuries among cyclists.", "Helmets prevent head injuries among cyclists."},
	{"contradicted", "en", "The update improves battery life.", "The update worsens battery life."},
	{"supported", "en", "The update improves battery life.", "Battery life is improved by the update."},
	{"contradicted", "en", "Ticket sales dropped after the premiere.", "Ticket sales soared after the premiere."},
	{"contradicted", "en", "Glaciers in the valley are growing.", "Glaciers in the valley are shrinking."},
	{"supported", "en", "A lack of sleep increases stress.", "Stress increases with a lack of sleep."},
	// Negation.
	{"contradicted", "en", "The museum is open on Mondays.", "The museum is not open on Mondays."},
	{"contradicted", "en", "The museum is not open on Mondays.", "The museum is open on Mondays."},
	{"supported", "en", "The museum is not open on Mondays.", "On Mondays the museum is not open to visitors."},
	{"contradicted", "en", "The mayor did not sign the contract.", "The mayor signed the contract."},
	{"contradicted", "en", "The mayor signed the contract.", "The mayor never signed the contract."},
	{"contradicted", "en", "The phone supports wireless charging.", "The phone doesn't support wireless charging."},
	{"contradicted", "en", "The bread contains gluten.", "The bread contains no gluten."},
	{"supported", "en", "The festival takes place in the old harbour.", "The festival takes place not only in the old harbour but also in the park."},
	{"supported", "en", "The bridge was closed in March.", "The bridge, which no tourist misses, was closed in March."},
	{"contradicted", "en", "Dogs are allowed on the beach.", "Dogs are not allowed on the beach."},
	// Denial by another verb, by a part of the sentence, or by the whole of it.
	{"contradicted", "en", "The drug lowered the risk of stroke.", "The drug failed to lower the risk of stroke."},
	{"supported", "en", "The drug did not lower the risk of stroke.", "The drug failed to lower the risk of stroke."},
	{"supported", "en", "The guard never fails to lock the gate.", "The guard locks the gate every night and never fails to lock the gate."},
	{"contradicted", "en", "The council approved the plan.", "The council refused to approve the plan."},
	{"contradicted", "en", "The council approved the plan.", "The council has yet to approve the plan."},
	{"contradicted", "en", "The phone supports wireless charging.", "The phone no longer supports wireless charging."},
	{"supported", "en", "The phone no longer supports wireless charging.", "Since May the phone no longer supports wireless charging."},
	{"contradicted", "en", "The phone supports wireless charging.", "The phone lacks support for wireless charging."},
	{"contradicted", "en", "The browser supports old plug-ins.", "The browser dropped support for old plug-ins in May."},
	{"contradicted", "en", "The firm paid rent.", "The firm stopped paying rent."},
	{"supported", "en", "The trial began in May.", "In May the trial began."},
	{"weak", "en", "The vaccine causes autism.", "It is false that the vaccine causes autism."},
	{"weak", "en", "The vaccine causes autism.", "The false claim that the vaccine causes autism is spread online."},
	{"weak", "en", "Coffee lowers the risk of headaches.", "It is a myth that coffee lowers the risk of headaches."},
	{"weak", "en", "The mayor took bribes.", "His lawyers deny that the mayor took bribes."},
	{"supported", "en", "The mayor took bribes.", "There is no doubt that the mayor took bribes."},
	{"supported", "en", "His lawyers deny that the mayor took bribes.", "His lawyers deny that the mayor took any bribes."},
	{"weak", "en", "Coffee lowers the risk of headaches.", "The study asked whether coffee lowers the risk of headaches."},
	{"weak", "en", "Coffee lowers the risk of headaches.", "Does coffee lower the risk of headaches?"},
	{"supported", "en", "Coffee lowers the risk of headaches.", "Does coffee lower the risk of headaches? Coffee lowers the risk of headaches, a trial found."},
	{"weak", "en", "The museum is open on Mondays.", "The museum is open every day except Mondays."},
	{"supported", "en", "The museum is open every day except Mondays.", "Except on Mondays the museum is open every day."},
	{"weak", "en", "The team chose Rust.", "The team chose Go instead of Rust."},
	{"supported", "en", "The team chose Go.", "The team chose Go instead of Rust."},
	{"weak", "en", "The factory closed.", "The factory almost closed."},
	{"supported", "en", "The factory employs 500 people.", "The factory employs almost 500 people."},
	// Another name in the place of the claim's, and the same one otherwise written.
	{"weak", "en", "The population of Lyon is 348,000.", "The population of Nice is 348,000."},
	{"weak", "en", "Go was released in 2009.", "Rust was released in 2009."},
	{"weak", "en", "Germany won the World Cup in 2014.", "Brazil won the World Cup in 2014."},
	{"weak", "en", "MySQL supports window functions.", "SQLite supports window functions."},
	{"supported", "en", "The population of Lyon is 348,000.", "The city has a population of 348,000."},
	{"supported", "en", "The French government approved the budget.", "The government of France approved the budget."},
	{"supported", "en", "The WHO approved the vaccine.", "The World Health Organization approved the vaccine."},
	{"supported", "en", "The European Union banned the pesticide.", "The EU banned the pesticide."},
	{"supported", "en", "Obama signed the law in March.", "President Barack Obama signed the law in March."},
	{"supported", "en", "Sales in Europe grew.", "Last year sales in Europe grew, Smith said."},
	{"supported", "en", "Researchers found that coffee lowers the risk of headaches.", "Coffee lowers the risk of headaches, Miller's team found."},
	// Effect and no effect.
	{"contradicted", "en", "The speed limit affects traffic noise.", "The speed limit has no effect on traffic noise."},
	{"contradicted", "en", "The speed limit has no effect on traffic noise.", "The speed limit reduces traffic noise."},
	{"contradicted", "en", "The speed limit reduces traffic noise.", "The speed limit has no effect on traffic noise."},
	{"supported", "en", "The speed limit has no effect on traffic noise.", "The speed limit does not affect traffic noise."},
	{"contradicted", "en", "Homework is associated with better grades.", "Homework is not associated with better grades."},
	{"contradicted", "en", "Rainfall is unrelated to moon phases.", "Rainfall is related to moon phases."},
	// Opposites.
	{"contradicted", "en", "The court found the banker guilty.", "The court found the banker innocent."},
	{"contradicted", "en", "Parliament approved the budget.", "Parliament rejected the budget."},
	{"contradicted", "en", "The council banned scooters in the park.", "The council allowed scooters in the park."},
	{"contradicted", "en", "Swimming in the lake is safe.", "Swimming in the lake is dangerous."},
	{"contradicted", "en", "The experiment succeeded.", "The experiment failed."},
	{"contradicted", "en", "The material is soluble in water.", "The material is insoluble in water."},
	{"contradicted", "en", "The first runner won the race.", "The first runner lost the race."},
	{"contradicted", "en", "The shop opens at noon.", "The shop closes at noon."},
	{"contradicted", "en", "The castle lies north of the river.", "The castle lies south of the river."},
	{"contradicted", "en", "Membership is mandatory for residents.", "Membership is optional for residents."},
	{"contradicted", "en", "The report overestimates the costs.", "The report underestimates the costs."},
	{"supported", "en", "Membership is mandatory for residents.", "Membership is required for residents."},
	// Comparison and order.
	{"contradicted", "en", "Anna is taller than Ben.", "Ben is taller than Anna."},
	{"supported", "en", "Anna is taller than Ben.", "Ben is shorter than Anna."},
	{"contradicted", "en", "Anna is taller than Ben.", "Anna is shorter than Ben."},
	{"contradicted", "en", "Trains are cheaper than buses in the north.", "Trains are more expensive than buses in the north."},
	{"contradicted", "en", "The Nile is longer than the Amazon.", "The Amazon is longer than the Nile."},
	{"contradicted", "en", "Brightcorp acquired Lumen.", "Lumen acquired Brightcorp."},
	{"supported", "en", "Brightcorp acquired Lumen.", "Lumen was acquired by Brightcorp."},
	{"contradicted", "en", "Spain defeated Italy in the final.", "Italy defeated Spain in the final."},
	{"supported", "en", "Maria married Paul.", "Paul married Maria."},
	{"supported", "en", "Paris is the capital of France.", "The capital of France is Paris."},
	{"weak", "en", "Poverty causes crime.", "Crime causes poverty."},
	// Figures, units and nouns.
	{"contradicted", "en", "The tunnel is 12 km long.", "The tunnel is 15 km long."},
	{"supported", "en", "The tunnel is 12 km long.", "The tunnel is 12,000 metres long."},
	{"contradicted", "en", "The ticket costs 40 euros.", "The ticket costs 55 euros."},
	{"contradicted", "en", "The company was founded in 1998.", "The company was founded in 2004."},
	{"unsupported", "en", "The company has 300 employees.", "The company has many employees in several towns."},
	{"supported", "en", "Half of the 40 members voted.", "Half of the 40 members voted yesterday."},
	// Hedges, some and all.
	{"weak", "en", "The fire was caused by lightning.", "The fire may have been caused by lightning."},
	{"weak", "en", "All buses run on electricity.", "Some buses run on electricity."},
	{"supported", "en", "The fire may have been caused by lightning.", "The fire may have been caused by lightning, investigators say."},
	// Nothing to do with one another, and nothing against one another.
	{"unsupported", "en", "Penguins breed on ice shelves.", "The stock market closed lower on Friday."},
	{"unsupported", "en", "The orchestra toured Japan.", "Bakers mix flour, water and salt."},
	{"supported", "en", "The harbour was built by monks.", "The harbour was built by monks, although no record names them."},
	{"supported", "en", "The lower town was rebuilt after the war.", "After the war the lower town was rebuilt and the upper town was left in ruins."},
	{"supported", "en", "The library lends tools.", "The library lends tools and books; it does not lend films."},
	{"supported", "en", "Sales in Europe grew.", "Sales in Europe grew, while sales in Asia shrank."},
	// Other languages.
	{"contradicted", "de", "Die Mieten in der Stadt sind gestiegen.", "Die Mieten in der Stadt sind gesunken."},
	{"contradicted", "de", "Das Museum ist montags geöffnet.", "Das Museum ist montags nicht geöffnet."},
	{"contradicted", "de", "Der Stadtrat erlaubt Hunde im Park.", "Der Stadtrat verbietet Hunde im Park."},
	{"contradicted", "de", "Das Mittel senkt den Blutdruck.", "Das Mittel senkt den Blutdruck nicht."},
	{"supported", "de", "Das Mittel senkt den Blutdruck.", "Der Blutdruck wird durch das Mittel gesenkt."},
	{"weak", "de", "Der Brand wurde durch einen Blitz ausgelöst.", "Der Brand wurde möglicherweise durch einen Blitz ausgelöst."},
	{"contradicted", "fr", "Le chômage a augmenté dans la région.", "Le chômage a diminué dans la région."},
	{"contradicted", "fr", "Le café augmente le risque de migraine.", "Le café n'augmente pas le risque de migraine."},
	{"supported", "fr", "Le café n'augmente pas le risque de migraine.", "Le café n'augmente pas le risque de migraine chez les adultes."},
	{"contradicted", "fr", "Le musée est ouvert le lundi.", "Le musée est fermé le lundi."},
	{"contradicted", "es", "Los precios aumentaron en la capital.", "Los precios no aumentaron en la capital."},
	{"contradicted", "es", "El gobierno permite la pesca en el lago.", "El gobierno prohíbe la pesca en el lago."},
	{"supported", "es", "El gobierno prohíbe la pesca en el lago.", "La pesca en el lago la prohíbe el gobierno."},
	{"contradicted", "it", "Il prezzo del pane aumenta.", "Il prezzo del pane diminuisce."},
	{"contradicted", "it", "Il museo è aperto la domenica.", "Il museo è chiuso la domenica."},
	{"contradicted", "pt", "O preço do pão aumentou na cidade.", "O preço do pão diminuiu na cidade."},
	{"contradicted", "nl", "De huurprijzen in de stad zijn gestegen.", "De huurprijzen in de stad zijn gedaald."},
	{"contradicted", "ru", "Цены на хлеб в городе выросли.", "Цены на хлеб в городе упали."},
	{"contradicted", "ru", "Музей открыт по понедельникам.", "Музей закрыт по понедельникам."},
	{"contradicted", "ru", "Закон снижает налоги.", "Закон не снижает налоги."},
	{"supported", "ru", "Закон снижает налоги.", "Закон снижает налоги для жителей."},
	{"contradicted", "zh", "去年城市的房价上升了。", "去年城市的房价下降了。"},
	{"contradicted", "ja", "昨年、都市の家賃が増加した。", "昨年、都市の家賃が減少した。"},
	{"unsupported", "de", "Pinguine brüten auf dem Eis.", "Die Börse schloss am Freitag im Minus."},
	{"unsupported", "es", "Los pingüinos viven en el hielo.", "La bolsa cerró el viernes con pérdidas."},
	// Written when the check was done: 27 of these 30 came out as labelled at first sight.
	{"contradicted", "en", "Electric cars are quieter than diesel cars.", "Diesel cars are quieter than electric cars."},
	{"contradicted", "en", "The vaccine protects children against measles.", "The vaccine does not protect children against measles."},
	{"supported", "en", "The river flooded the lower districts in spring.", "In spring, the lower districts were flooded by the river."},
	{"supported", "en", "The senator opposes the trade deal.", "The senator, who voted for it once, now opposes the trade deal."},
	{"contradicted", "en", "The senator opposes the trade deal.", "The senator supports the trade deal."},
	{"contradicted", "en", "Exports to Canada exceeded imports.", "Imports exceeded exports to Canada."},
	{"supported", "en", "Whales are mammals.", "Whales are not fish but mammals."},
	{"supported", "en", "Nobody was injured in the crash.", "No one was injured in the crash, police said."},
	{"contradicted", "en", "Nobody was injured in the crash.", "Three people were injured in the crash."},
	{"supported", "en", "The factory stopped production in May.", "In May, production at the factory was halted."},
	{"contradicted", "en", "The album was released before the tour.", "The album was released after the tour."},
	{"supported", "en", "Less rain fell in the south.", "In the south, less rain fell than in the north."},
	{"supported", "en", "The committee did not reject the proposal.", "The committee accepted the proposal."},
	{"weak", "en", "Every school in the county has a library.", "Most schools in the county have a library."},
	{"supported", "en", "Smoking is prohibited in the station.", "Smoking is banned in the station."},
	{"contradicted", "en", "Inflation slowed in June.", "Inflation accelerated in June."},
	{"supported", "en", "Without insulation the pipes freeze.", "The pipes freeze without insulation."},
	{"supported", "en", "The trail is closed in winter and open in summer.", "The trail is open in summer; in winter it is closed."},
	{"supported", "en", "The old theatre burned down in 1921.", "The new theatre replaced the old theatre, which burned down in 1921."},
	{"unsupported", "en", "Sharks have no bones.", "The recipe calls for two eggs and a cup of sugar."},
	{"contradicted", "de", "Die Firma hat den Vertrag unterschrieben.", "Die Firma hat den Vertrag nicht unterschrieben."},
	{"supported", "de", "Die Zahl der Unfälle ist gesunken.", "Die Zahl der Unfälle ist im letzten Jahr gesunken."},
	{"contradicted", "fr", "Le vin rouge protège le cœur.", "Le vin rouge ne protège pas le cœur."},
	{"contradicted", "es", "La vacuna reduce el riesgo de gripe.", "La vacuna aumenta el riesgo de gripe."},
	{"supported", "es", "No hay agua en la Luna.", "En la Luna no hay agua líquida."},
	{"supported", "it", "Il treno non passa per Pisa.", "Il treno per Roma non passa per Pisa."},
	{"contradicted", "pt", "O governo aprovou a lei.", "O governo não aprovou a lei."},
	{"supported", "ru", "Население города уменьшилось.", "За год население города уменьшилось."},
	{"supported", "nl", "De winkel is op zondag gesloten.", "Op zondag is de winkel gesloten."},
	{"contradicted", "zh", "政府允许进口这种产品。", "政府禁止进口这种产品。"},
}

// A true quote that is marked as contradicted costs more trust than one that is only
// called weak, hence the floor on precision.
func TestCheckOnEverydayPairs(t *testing.T) {
	if len(everyday) < 80 {
		t.Fatalf("only %d pairs", len(everyday))
	}
	var right, marked, truly, caught int
	for _, pair := range everyday {
		j := cite.Check(pair.claim, pair.evidence, pair.lang)
		if j.Verdict == pair.want {
			right++
		} else {
			t.Logf("%s, labelled %s: %s | %s (%.2f, %s)", j.Verdict, pair.want, pair.claim, pair.evidence, j.Score, j.Reason)
		}
		if pair.want == citewell.VerdictContradicted {
			truly++
		}
		if j.Verdict == citewell.VerdictContradicted {
			marked++
			if pair.want == citewell.VerdictContradicted {
				caught++
			}
		}
		if pair.want == citewell.VerdictContradicted && j.Verdict == citewell.VerdictSupported {
			t.Errorf("a contradiction is called supported: %s | %s", pair.claim, pair.evidence)
		}
	}
	precision, recall := float64(caught)/float64(max(marked, 1)), float64(caught)/float64(truly)
	t.Logf("%d pairs, %d as labelled; contradicted: precision %.3f, recall %.3f", len(everyday), right, precision, recall)
	if share := float64(right) / float64(len(everyday)); share < 0.9 || precision < 0.97 || recall < 0.85 {
		t.Errorf("as labelled %.3f (floor 0.9), precision %.3f (floor 0.97), recall %.3f (floor 0.85)", share, precision, recall)
	}
}

func BenchmarkCheck(b *testing.B) {
	const claim = "A lack of sleep increases the risk of accidents among drivers."
	const evidence = `Sleep and safety on the road. Between 2014 and 2018 the agency questioned drivers in four regions about their habits, their work and the accidents they had.
Drivers who slept for less than six hours had a higher risk of accidents than those who slept for eight, and the risk grew with every night. Age and distance made little difference.`
	for b.Loop() {
		cite.Check(claim, evidence, "en")
	}
}
