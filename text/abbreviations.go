package text

// The abbreviations are those of all languages together: a sentence in one language
// quotes another, and the same letters seldom end a sentence elsewhere. Written in
// small letters and without the last dot.

// neverLast are followed by what they belong to: titles, and words that point on.
var neverLast = SetOf(`
mr mrs ms mx dr prof rev hon st ste mt ft gen col maj capt lt sgt cmdr adm gov sen rep pres messrs mme mlle fr hr frl
dipl ing e.g i.e eg ie cf viz vs v.s approx appr esp incl excl resp ca c.f a.k.a aka f.e ph.d.s
z.b d.h u.a o.ä v.a i.d.r s.o s.u bzw vgl evtl ggf sog z.t i.a zzgl inkl exkl bspw mind geb gest proc natl acad
p.ex p.e c.-à-d c.à.d env av apr sr sra srta dra ud uds ej p.ej pág págs ing arq lic
sig sig.ra dott dott.ssa ecc.ra es ad.es d.w.z bijv o.a m.b.t t.o.v i.v.m dhr mevr drs
bl.a t.ex dvs f.eks ev т.е т.к т.н напр проф акад им ул просп см ср св о.с тыс млн млрд
mgr pag pagg ee prov dep núm डॉ श्री प्रो د أ.د ص.ب т.зв
`)

// beforeNumber are abbreviations where a number follows, and words where none does.
var beforeNumber = SetOf(`
no nos nr min max sci fig figs tab eq eqs sec sect ch chap vol vols pt art arts p pp pg para ver rev abb abs art kap bd aufl nº n.º
стр рис табл гл abt § jan feb mar apr jun jul aug sep sept oct nov dec okt dez mrz janv févr avr juil déc ene abr ago dic
`)

// oftenLast end a list, and a sentence where a capital follows.
var oftenLast = SetOf(`etc etc.pp usw u.s.w u.v.m и.т.д т.д т.п др ecc enz osv m.m m.fl itd itp`)

// mayBeLast may end a sentence; then a word that opens one follows, and not just any
// capital, which may be a name.
var mayBeLast = SetOf(`
inc ltd co corp llc plc jr sr bros dept univ assn a.m p.m am pm u.s u.k u.s.a u.n e.u d.c b.c a.d b.sc m.sc ph.d m.d
b.a m.a al ed eds est gmbh ag e.v jh jhd n.chr v.chr mio mrd str tel std sek ff f пр г гг в вв руб долл коп atd np uu ق.م р
`)

// followsOrdinal are words before which a number with a dot is an ordinal, as in the
// German "3. Oktober".
var followsOrdinal = SetOf(`
januar jänner februar märz april mai juni juli august september oktober november dezember jahrhundert jahrhunderts
jahrtausend weltkrieg auflage platz kapitel tag mal stock klasse rang lebensjahr geburtstag bundestag quartal halbjahr
marts juni juli oktober december augusti maj ledna února března dubna května června července srpna září října listopadu
prosince stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października grudnia wieku století
tammikuuta január február március április május június július augusztus szeptember október század évfolyam
`)
