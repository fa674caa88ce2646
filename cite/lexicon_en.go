package cite

// englishAxes are the axes of English.
var englishAxes = map[string][2]string{
	amount: {
		`increase increases increased increasing raise raises raised raising rise rises rising rose risen grow grows growing grew grown
			 gained high highest higher greater more larger elevate elevates elevated elevation enhance enhances enhanced enhancing enhancement
			 boost boosts boosted boosting upregulate upregulates upregulated upregulation augment augments augmented amplify amplifies amplified
			 accumulate accumulates accumulation expand expands expanded expansion promote promotes promoted promoting promotion stimulate stimulates
			 stimulated stimulation strengthen strengthens strengthened intensify intensifies intensified escalate escalates escalated surge surged
			 surges climb climbs climbed soar soars soared jump jumped doubled doubles tripled multiplied abundant induce induces induced inducing induction trigger
			 triggers triggered cause causes caused causing facilitate facilitates facilitated drive drives drove driven accelerate accelerates
			 accelerated acceleration activate activates activated activating activation encourage encourages encouraged enable enables enabled
			 overexpression overexpressing hyperactivity excess extend extends extended prolong prolongs prolonged lengthen lengthens
			 potentiate potentiates rescue rescues rescued abundance contribute contributes contributed aid aids fuel fuels fueled fuelled foster fosters fostered speed speeds provoke provokes provoked
			 exacerbate exacerbates exacerbated aggravate aggravates aggravated restore restores restored
			 create creates created produce produces produced generate generates generated yield yields yielded lead leads led leading elicit elicits elicited evoke evokes
			 spark sparks sparked initiate initiates initiated sustain sustains sustained maintain maintains maintained preserve preserves preserved reinforce reinforces
			 swell swells swelled multiply multiplies heighten heightens heightened magnify magnifies maximise maximize widen widened deepen deepened rebound rebounded
			 recover recovers recovered exceed exceeds exceeded predispose predisposes enrich enriches enriched outpace outpaces confer confers conferred`,
		`decrease decreases decreased decreasing reduce reduces reduced reducing reduction reductions low lowest lower lowers lowered lowering fall falls
			 falling fell fallen decline declines declined declining shrink shrinks shrank shrunk diminish diminishes diminished drop drops dropped dropping
			 fewer less smaller attenuate attenuates attenuated attenuation downregulate downregulates downregulated downregulation suppress
			 suppresses suppressed suppressing suppression suppressor inhibit inhibits inhibited inhibiting inhibition inhibitor inhibitors impair
			 impairs impaired impairing impairment loss lose loses lost losing lack lacks lacking lacked absence absent deficiency deficient
			 deplete depletes depleted depletion block blocks blocked blocking blockade prevent prevents prevented preventing prevention impede impedes impeded
			 hinder hinders hindered hamper hampers hampered curb curbs curbed cut cuts weaken weakens weakened dampen dampens dampened alleviate alleviates
			 alleviated relieve relieves relieved ameliorate ameliorates ameliorated mitigate mitigates mitigated mitigation lessen lessens lessened
			 abolish abolishes abolished abrogate abrogates abrogated eliminate eliminates eliminated elimination eradicate eradicates eradicated disrupt disrupts disrupted
			 disruption protect protects protected protecting protective shield shields antagonist antagonize antagonizes counteract counteracts
			 repress represses repressed repression silence silenced silencing inactivate inactivates inactivated inactivation deactivate
			 deactivates deactivated halt halts halted stop stops stopped stopping scarce slow slows slowed slowing delay delays delayed plunge plunged plummet
			 plummeted slump slumped halved undermine undermines undermined restrict restricts restricted constrain constrains constrained limit limits limited interfere
			 interferes interfered avoid avoids avoided counter counters countered neutralize neutralizes neutralized reverse reverses reversed degrade degrades degraded destroy
			 destroys destroyed erode erodes eroded compromise compromises compromised defective defect defects dysfunction dwindle dwindles dwindled wane wanes waned subside
			 subsides subsided ease eases eased recede receded minimize minimizes minimized minimise insufficient blunt blunts blunted arrest arrests arrested deletion deleted
			 delete deletes deficit deficits shortage scarcity disturb disturbs disturbed restrain restrains restrained discourage discourages discouraged shorten shortens shortened
			 deprivation insufficiency knockdown knockout ablation disable disables disabled avert averts averted thwart thwarts`,
	},
	"quality": {
		"improve improves improved improving improvement better best beneficial benefit benefits favorable favourable superior good positive advantage helpful",
		"worsen worsens worsened worsening worse worst harm harms harmed harmful detrimental deteriorate deteriorates deteriorated damage damages damaged unfavorable unfavourable inferior poor poorer bad adverse negative disadvantage",
	},
	"side":       {"positive positively", "negative negatively inverse inversely"},
	"speed":      {"faster accelerate accelerates accelerated quicker fast quick rapid rapidly quickly", "slower slow slows slowed delays delayed delay slowly"},
	"permission": {"allow allows allowed allowing permit permits permitted permitting approve approves approved approval legalise legalised legalize legalized authorise authorised authorize authorized", "forbid forbids forbidden prohibit prohibits prohibited ban bans banned banning disallow disallows disallowed veto vetoed outlaw outlawed outlaws reject rejects rejected rejection deny denies denied refuse refuses refused"},
	"backing":    {"support supports supported endorse endorses endorsed favour favours favor favors backed", "oppose opposes opposed opposing opposition"},
	"agreeing":   {"accept accepts accepted accepting agree agrees agreed", "reject rejects rejected refuse refuses refused decline declined disagree disagrees disagreed"},
	"state":      {"enabled enable enables", "disabled disable disables"},
	"success":    {"succeed succeeds succeeded successful successfully success", "fail fails failed failure unsuccessful unsuccessfully"},
	"victory":    {"win wins won winning winner victory", "lose loses lost losing loser defeat"},
	"need":       {"mandatory required requires require obligatory compulsory necessary essential indispensable needed", "optional dispensable unnecessary voluntary"},
	"order":      {"before earlier until till", "after later since"},
	"length":     {"longer longest", "shorter shortest"},
	"height":     {"taller tallest", "shorter shortest"},
	"size":       {"bigger biggest larger largest big", "smaller smallest small tiny"},
	"weight":     {"heavier heaviest heavy", "lighter lightest"},
	"heat":       {"hot hotter hottest warm warmer warmest", "cold colder coldest cool cooler coolest"},
	"age":        {"older oldest elder", "younger youngest young"},
	"price":      {"expensive dearer costlier costly pricier", "cheap cheaper cheapest inexpensive"},
	"wealth":     {"rich richer richest wealthy wealthier", "poor poorer poorest"},
	"force":      {"stronger strongest strong", "weaker weakest weak"},
	"breadth":    {"wider widest wide broader", "narrower narrowest narrow"},
	"depth":      {"deeper deepest", "shallower shallowest shallow"},
	"thickness":  {"thicker thickest thick", "thinner thinnest thin"},
	"danger":     {"safe safer safest safely", "dangerous unsafe hazardous risky riskier"},
	"opening":    {"open opens opened opening reopened reopens", "close closes closed closing closure shut"},
	"start":      {"begin begins began begun start starts started starting launch launched", "end ends ended ending finish finished cease ceased ceases discontinued"},
	"trade":      {"export exports exported exporter", "import imports imported importer"},
	"deal":       {"buy buys bought buying purchase purchased", "sell sells sold selling"},
	"travel":     {"arrive arrives arrived arrival", "depart departs departed departure leave leaves left"},
	"verdict":    {"guilty convicted", "innocent acquitted"},
	"truth":      {"true correct accurate accurately right", "false incorrect inaccurate inaccurately wrong"},
	"legal":      {"legal lawful legally", "illegal unlawful illegally"},
	"frequency":  {"common frequent frequently often commonly widespread", "rare uncommon infrequent rarely seldom"},
	"life":       {"alive survived survives survive", "dead died dies die killed"},
	"most":       {"majority", "minority"},
	"extreme":    {"maximum", "minimum"},
	"fullness":   {"full", "empty"},
	"water":      {"wet wetter humid", "dry drier arid"},
	"ownership":  {"public publicly", "private privately"},
	"time":       {"permanent permanently", "temporary temporarily"},
	"place":      {"inside indoors", "outside outdoors"},
	"vertical":   {"above upper", "below beneath lower"},
	"north":      {"north northern northward", "south southern southward"},
	"east":       {"east eastern eastward", "west western westward"},
	"turn":       {"clockwise", "counterclockwise anticlockwise"},
	"profit":     {"profit profits profitable surplus", "loss losses deficit unprofitable"},
	"adding":     {"add adds added adding", "remove removes removed removing subtract"},
	"inclusion":  {"include includes included including", "exclude excludes excluded excluding"},
	"presence":   {"present presence", "absent absence"},
	"estimating": {"overestimate overestimates overestimated", "underestimate underestimates underestimated"},
	"linking":    {"connected attached", "disconnected detached"},
	"hiring":     {"hire hires hired hiring", "fire fires fired dismiss dismissed"},
	"lending":    {"lend lends lent lender", "borrow borrows borrowed borrower"},
	"parity":     {"even", "odd"},
	"nearness":   {"nearest closest nearer", "farthest furthest farther"},
	"simplicity": {"simple simpler easy easier easily", "complex complicated difficult harder hard"},
	"resistance": {"sensitive susceptible vulnerable sensitivity susceptibility vulnerability", "resistant resistance immune"},
	"certainty":  {"likely probable", "unlikely improbable"},
	"survival":   {"survival surviving", "mortality lethal"},
}
