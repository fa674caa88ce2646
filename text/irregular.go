package text

import "strings"

// irregular gives, by language, the plain form of forms that no ending tells: "fell" is
// "fall". Forms that are as often another word are not among them (left, ground, bit, lives).
var irregular = map[string]map[string]string{"en": formsOf(verbForms + "/" + nounForms)}

var irregularVerbs = formsOf(verbForms)

// IrregularPast says whether a word in small letters is the past or the past participle of
// an English verb that no ending tells: "went", "built".
func IrregularPast(word string) bool {
	plain, ok := irregularVerbs[word]
	return ok && plain != word
}

const (
	verbForms = `arise arose arisen/awake awoke awoken/bear borne/beat beaten/become became/begin began begun/bend bent/bleed bled/blow blew blown/break broke broken/
breed bred/bring brought/build built/burn burnt/buy bought/catch caught/choose chose chosen/cling clung/come came/creep crept/
deal dealt/dig dug/draw drew drawn/dream dreamt/drink drank drunk/drive drove driven/eat ate eaten/fall fell fallen/feel felt/fight fought/find found/
flee fled/fling flung/fly flew flown/forbid forbade forbidden/foresee foresaw foreseen/foretell foretold/forget forgot forgotten/forgive forgave forgiven/
freeze froze frozen/get got gotten/give gave given/go went gone/grow grew grown/hang hung/hear heard/hide hid hidden/hold held/keep kept/kneel knelt/
know knew known/lay laid/lead led/leap leapt/learn learnt/lend lent/lose lost/make made/mean meant/meet met/mislead misled/mistake mistook mistaken/
outgrow outgrew outgrown/overcome overcame/overrun overran/oversee oversaw overseen/overtake overtook overtaken/overthrow overthrew overthrown/pay paid/
prove proven/rebuild rebuilt/repay repaid/resell resold/retake retook retaken/rewrite rewrote rewritten/ride rode ridden/ring rang rung/rise rose risen/
run ran/say said/see seen/seek sought/sell sold/send sent/sew sewn/shake shook shaken/shine shone/show shown/shrink shrank shrunk/sing sang sung/
sink sank sunk/sit sat/slay slew slain/sleep slept/slide slid/sling slung/speak spoken/speed sped/spell spelt/spend spent/spill spilt/spin spun/
spoil spoilt/spring sprang sprung/stand stood/steal stole stolen/stick stuck/sting stung/stride strode/strike struck stricken/string strung/
strive strove striven/swear swore sworn/sweep swept/swell swollen/swim swam swum/swing swung/take took taken/teach taught/tear tore torn/tell told/
think thought/throw threw thrown/tread trod trodden/undergo underwent undergone/understand understood/undertake undertook undertaken/uphold upheld/
wake woke woken/wear wore worn/weave wove woven/weep wept/win won/withdraw withdrew withdrawn/withhold withheld/withstand withstood/wring wrung/
write wrote written`
	nounForms = `child children/foot feet/goose geese/man men/mouse mice/tooth teeth/woman women/half halves/knife knives/loaf loaves/
shelf shelves/thief thieves/wife wives/wolf wolves/analysis analyses/bacterium bacteria/crisis crises/criterion criteria/diagnosis diagnoses/
fungus fungi/genus genera/hypothesis hypotheses/index indices/matrix matrices/nucleus nuclei/parenthesis parentheses/phenomenon phenomena/
stimulus stimuli/synthesis syntheses/thesis theses/vertex vertices`
)

// formsOf reads groups that slashes part: a plain form and the others.
func formsOf(groups string) map[string]string {
	plain := map[string]string{}
	for group := range strings.SplitSeq(groups, "/") {
		forms := strings.Fields(group)
		for _, form := range forms[1:] {
			plain[form] = forms[0]
		}
	}
	return plain
}
