"""Words and sentences in which speakers of each language tell of themselves, for `other_languages` to read."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """The sentences and words of one language.

    `adverbs` may stand between a verb and what it tells. A value never begins with one of `no_value`, and ends before
    one of `ends`; a small word of `in_names` may stand within a name. `unreal`: nothing is told of now.
    """

    adverbs: str
    no_value: str
    ends: str
    in_names: str
    jobs: str
    animals: str
    unreal: str
    rows: tuple[tuple[str, bool, str], ...]


CALLED = "called"
"""A name that stands only with a greeting or an age: not a sentence of its own that another name replaces."""

DIGITS = r"(?P<v>\+?\d[\d ()/.-]{4,20}\d)"
LANGUAGES: dict[str, Language] = {
    "de": Language(
        adverbs=r"jetzt|nun|seit\s\S+(?:\s(?:jahren?|monaten?|wochen?|\d{4}))?|ab\s\S+|aktuell|momentan|derzeit|gerade"
        r"|mittlerweile|inzwischen|schon|noch|wieder|zusammen|hier|alleine?|eigentlich|übrigens|auch|ja|halt|nämlich"
        r"|ursprünglich|gebürtig|leider|sehr|stark|beruflich",
        no_value=r"eine?[mnrs]?|de[mnrs]|die|das|mein\w*|dein\w*|unser\w*|ihr\w*|sein\w*|dies\w*|kein\w*|nicht|nur"
         r"|so|wie|was|dich|mich|mir|es|mit|ruhe|frieden|programm|miete|zukunft|gut\w*|schlecht\w*|hause|angst|vielen?"
         r"|jede\w*|meist\w*",
        ends=r"und|aber|mit|seit|weil|als|oder|wo|zusammen|nicht|mehr|ab|bis|sondern|dann|da|bzw|in|im|für",
        in_names=r"am|an\sder|ob\sder|im(?=\sbreisgau)|bei|von|van|den|der|de",
        jobs=r"(?:\w{0,20}(?:lehrer|ingenieur|pfleger|entwickler|techniker|elektriker|mechaniker|verkäufer|schreiner"
        r"|tischler|maler|bäcker|kellner|friseur|student|informatiker|programmierer|designer|architekt|berater|polizist"
        r"|journalist|gärtner|fahrer|meister|erzieher|apotheker|buchhalter|professor|rentner|schüler|schauspieler"
        r"|musiker|fotograf|landwirt|optiker|physiker|chemiker|wissenschaftler|forscher|übersetzer|pilot|soldat"
        r"|richter|metzger|klempner|therapeut|bibliothekar|manager|arbeiter|leiter|betreuer|trainer|makler|sekretär"
        r"|referent|helfer)(?:in)?|\w{0,20}(?:arzt|ärztin|koch|köchin"
        r"|anwalt|anwältin|krankenschwester|hebamme|kaufmann|kauffrau|beamter|beamtin|azubi|psychologe|psychologin"
        r"|biologe|biologin|friseuse|bauer|bäuerin|fachkraft|assistent|assistentin))",
        animals=r"katze|kater|hund|hündin|hase|kaninchen|hamster|wellensittich|papagei|pferd|meerschweinchen"
         r"|schildkröte",
        unreal=r"wenn|falls|würden?|hätten?|wären?|könnten?|vielleicht|früher|damals|ehemals|als\skind|überleg\w*"
        r"|möchten?|will|wollen|wollten?|träum\w*|geträumt|beinahe|fast|angenommen|stell\sdir\svor|vorher|gewohnt"
        r"|gelebt|gearbeitet|mal\ssehen",
        rows=(
            ("name", False, r"ich heiße?{A} {NAME}|ich heisse{A} {NAME2}|mein (?:vor)?name ist {NAME3}"),
            (CALLED, False, r"^(?:hallo|hi|hey|moin|servus|guten \w+)\b[\s,!.]+(?:ich bin|ich bin's,|hier ist) "
             r"(?:der |die )?(?!{JOBS}\b){CAPITAL}(?={END})"),
            (CALLED, False, r"ich bin (?:der |die )?(?!{JOBS}\b){NAME}(?=,? \d\d(?: jahre)?\b)"),
            ("age", False, r"ich (?:bin|wurde)(?: (?:gestern|heute|vorgestern|letzte \w{2,7}|am \w{2,10}))*{A}"
             r" (?P<v>[1-9]\d)(?: jahre(?: alt)?)? geworden(?={END})"),
            ("age", False, r"(?:seit|ab)? ?(?:gestern|heute|vorgestern|letzte[mr]? \w{2,9}|dieser woche) bin ich{A}"
             r" (?P<v>[1-9]\d)(?: jahre(?: alt)?)?(?: geworden)?(?={END})"),
            ("age", False, r"ich bin(?: {CALLED},?)?{A} (?P<v>[1-9]\d?)(?: jahre(?: alt)?)?"
             r"(?=\s*(?:[,;!)…]|\.(?!\s*\w)|$)|\s(?:und|aber|oder)\b)"),
            ("home", False, r"(?:wohne|lebe|wohn ich|leb ich|wir{A} (?:wohnen|leben)|(?:wohnen|leben) wir"
             r"|wir (?:sind|haben) [^,.;!?]{2,40} und (?:wohnen|leben))(?: ich)?{A}"
             r"(?: (?:bei|mit) \S{2,15}(?: \S{2,15}){1,2})?{A} in {TOWN}"),
            ("home", False, r"(?:wohne|lebe|wohn)(?: ich)? (?P<no>nicht mehr) in {TOWN}"),
            ("home", False, r"(?<!nicht )in {PLACE} (?:wohne|lebe|wohn|leb) ich"),
            ("home", False, r"(?:ich bin|bin|wir sind|sind wir)(?: ich)?(?: [^\s,.!?]{1,15}){0,5}? nach {PLACE}"
             r" (?:um)?gezogen"),
            ("occupation", False, r"(?:arbeite|jobbe|wir arbeiten)(?: ich)?{A}(?: (?:bei|für) \S{2,20})? als "
             r"(?:eine? )?{JOB}"),
            ("occupation", False, r"(?:ich bin|bin ich|bin)(?: {CALLED}(?: {CALLED})?)?(?:, \d\d)?,?(?: eine?"
             r"| gelernter?| von beruf){0,2}{A}"
             r"(?: eine?| gelernter?| von beruf){0,2} (?P<v>{JOBS})(?={END}| (?:aus|an|von)\b| bei (?!de[mnr]\b|ein"
             r"|mein))"),
            ("occupation", False, r"(?:ich bin|bin ich)(?: im moment| zurzeit| seit [^\s,.]{2,12})?{A} "
             r"(?P<v>arbeitslos|arbeitssuchend|ohne arbeit|in rente|rentner(?:in)?)(?={END})"),
            ("employer", False, r"arbeite(?: ich)?{A}(?: (?:als (?:eine? )?\S{2,30} )?bei (?:de[nrm] )?{FIRM})"),
            ("employer", False, r"(?:ich arbeite|arbeite ich|ich bin) (?P<no>nicht mehr) bei (?:de[nrm] )?{FIRM}"),
            ("employer", False, r"(?:habe?|fange?)(?: ich)?(?: [^\s,.!?]{1,15}){0,3}? bei (?:de[nrm] )?"
             r"(?=(?-i:[A-ZÄÖÜ])){TEXT} (?:angefangen|an)(?={END})"),
            ("employer", False, r"(?:ich habe?|habe?(?: ich)?)(?: [^\s,.!?]{1,15}){0,3}? bei (?:de[nrm] )?"
             r"(?=(?-i:[A-ZÄÖÜ])){TEXT} (?P<no>gekündigt|aufgehört)(?={END})"),
            ("employer", False, r"(?:ich habe?|habe?){A} (?P<no>(?P<v>gekündigt))(?={END})|(?:ich wurde|ich bin|^bin"
             r"|wurde ich|^wurde){A} "
             r"(?P<not>(?P<w>entlassen|gefeuert|rausgeworfen)(?= worden|{END}))"),
            ("employer", False, r"arbeite(?: ich)?{A} (?:an der|am|im|in der) (?P<v>(?-i:[A-ZÄÖÜ])\w*(?:klinik(?:um)?"
             r"|krankenhaus|universität|hochschule|(?<=u)ni|(?<=U)ni|institut|ministerium"
             r"|rathaus)(?: (?-i:[A-ZÄÖÜ])[\w-]+){0,2})(?={END})"),
            ("origin", False, r"(?:(?:komme?|stamme)(?: ich)?|ich bin)(?: (?:ursprünglich|eigentlich|gebürtig|auch"
             r"|übrigens"
             r"|ja|halt)){0,2} aus (?:der (?=Türkei|Schweiz|Ukraine|Slowakei))?{TOWN}"),
            ("origin", False, r"ich bin(?: {CALLED}(?: {CALLED})?,)?(?: \d\d,)?{A}(?: eine?)? {JOBS} aus {PLACE}"),
            ("allergy", True, r"(?:ich|bin ich|bin){A} (?:bin{A} )?gegen {TEXT} allergisch"),
            ("allergy", True, r"(?:ich bin|bin ich|bin|ich reagiere){A} allergisch (?:gegen|auf) {ALLERGEN}"),
            ("allergy", True, r"ich habe? (?P<no>keine) (?P<v>\w{2,20})-?allergie mehr(?={END})|ich bin"
             r" (?P<not>nicht mehr)"
             r" (?:allergisch gegen {ALLERGEN2}|gegen {TEXT3} allergisch)"),
            ("allergy", True, r"(?:ich habe?|habe?){A} (?:(?:eine|'?ne) )?(?:(?:starke|schwere"
             r"|leichte) )?(?P<v>\w{2,20}?)-?"
             r"(?:allergie|intoleranz|unverträglichkeit)\b"),
            ("allergy", True, r"(?:ich bin|bin ich|bin){A} (?P<v>\w{3,15}?)-?(?:intolerant|krank(?<=zöliakiekrank))\b"),
            ("allergy", True, r"(?:bei|von) (?P<v>{CAUSES}(?: (?:und|oder) {CAUSES})?) (?:schw[ie]ll(?:t|en) mir"
             r"|(?:bekomm"
             r"|krieg)e? ich)(?: \w+){0,3}? "
             r"(?:hals|zunge|lippen?|mund|gesicht|rachen|ausschlag|quaddeln|pusteln|atemnot)\b"),
            ("allergy", True, r"{STUFF} (?:bekommt mir|bekommen mir|vertrage? ich){A} (?:gar |überhaupt )?nicht\b"),
            ("food", True, r"(?:ich|und|aber){A} (?:kann|darf|soll){A} (?P<no>keine?n?) {TEXT}(?: mehr)? (?:essen"
             r"|trinken)(?={END})"),
            ("diet", False, r"(?:ich bin|bin){A} (?P<no>keine? |nicht mehr |nicht )?(?P<v>vegetarier(?:in)?|veganer"
             r"(?:in)?|vegan|vegetarisch)\b"),
            ("diet", False, r"(?:ich (?:esse?|ernähre mich|lebe?)|(?:seit \S+|jetzt|inzwischen|mittlerweile) "
             r"(?:esse?|ernähre?|lebe?) ich(?: mich)?){A} (?P<v>vegan|vegetarisch|glutenfrei|laktosefrei"
             r"|pescetarisch)\b"),
            ("food", True, r"(?:ich esse|esse ich|esse|ess){A} (?P<no>keine?n?) {WHAT}(?: mehr)?(?={END})"),
            ("food", True, r"(?:ich ess?e?|esse)(?: ich)?(?: jetzt| inzwischen)? wieder {WHAT}"),
            ("diet", False, r"(?:ich ess?e?|esse)(?: ich)?(?: jetzt| inzwischen)? (?P<v>wieder (?:fleisch|fisch))\b"),
            ("habit", True, r"(?:ich trinke?|trinke?|ich rauche?)(?: ich)?{A} (?P<no>keine?n?) {WHAT}"
             r"(?: mehr)?(?={END})"),
            ("pet", True, r"(?:meine?|unsere?|meine[mnr]|unsere[mnr]) (?P<n>{ANIMALS}) (?:heißt |namens )?{CAPITAL}"),
            ("pet", True, r"(?:ich|wir) haben?{A} (?:eine?n?|ne?n?) (?:\w{3,12} )?(?P<n>{ANIMALS}),? (?:namens|"
             r"(?:die|der|das|er|sie|es) heißt) {NAME}"),
            ("condition", True, r"(?:ich habe?|habe?|ich leide? (?:an|unter)){A} (?P<v>heuschnupfen|asthma|diabetes"
             r"|migräne|rheuma|epilepsie|zöliakie|adhs|neurodermitis|depressionen|bluthochdruck|arthrose)(?={END})"),
            ("condition", True, r"(?:ich habe?|habe?){A} (?P<no>keine?n?) (?P<v>heuschnupfen|asthma|diabetes|migräne"
             r"|rheuma|epilepsie|zöliakie|adhs|neurodermitis|depressionen|bluthochdruck)(?: mehr)?(?={END})"),
            ("allergy", True, r"vertrage?(?: ich)?{A} keine?n? (?P<v>laktose|milch|gluten|fruktose|histamin|nüsse"
             r"|erdnüsse|eier|soja|weizen|penicillin|aspirin|ibuprofen|antibiotika|zwiebeln|knoblauch|koffein|fisch"
             r"|tomaten)(?={END})"),
            ("phone", False, r"(?:meine|ne|neue)(?: neue)? (?:handy|telefon|mobil)?nummer(?: ist| lautet)?"
             r"(?: jetzt)?:? {DIGITS}"),
            ("birthday", False, r"mein geburtstag ist (?:der|am) (?P<v>\d{1,2}\. ?\w{1,10})|ich habe?"
             r"(?: immer)? am (?P<w>\d{1,2}\. ?\w{1,10}) geburtstag"),
            ("relationship", False, r"ich bin(?: jetzt| seit \S+| wieder| glücklich){0,2} (?P<v>single|verheiratet"
             r"|geschieden|verlobt|verwitwet)\b"),
            ("favourite {}", False, r"mein(?:e|er)? lieblings(?P<n>\w{2,20}) (?:ist|sind|heißt) {WHAT}"),
        ),
    ),
    "fr": Language(
        adverbs=r"maintenant|désormais|actuellement|toujours|aussi|encore|depuis\s\S+(?:\s(?:ans|mois|semaines))?"
         r"|ici|bien|en\sce\smoment|très|super|devenue?|seule?|à\spartir\sd\S+",
        no_value=r"un|une|des|du|de|la|le|les|mon|ma|mes|ton|ta|notre|nos|ce|cette|ça|pas|plus|que|qui|quoi|comme|côté"
        r"|pied|vélo|fond|temps|mi-temps|distance|domicile|partir|deux|peu|moi|toi|l'\w+",
        ends=r"et|mais|avec|depuis|parce|car|où|comme|en|dans|pour|qui|que|ou|donc|à|au|chez|maintenant|du|fais|stp|svp"
        r"|la\ssemaine|le\smois|hier|l'an",
        in_names=r"sur|en|de|la|le|les|du|lès|d'",
        jobs=r"(?:(?:art|dent|journal|graph|flor|pian|guitar|violon|bass|fleur|garag|économ|styl|ébén|document"
             r"|scénar|chim"
        r"|kinésithérap|esthétic|réceptionn|standard|lobby|biolog|pharmac|machin|ergonom|linguist|ocul|pédicur|analy"
        r"|anesthés|pays|urban)(?:iste|ien(?:ne)?)|\w{2,20}(?:logue|iatre|icien(?:ne)?)|directeur|directrice"
         r"|acteur|actrice"
        r"|factrice|(?:bijout|jardin|fleur|charpent|menuis|plomb|banqu|offic|hôtel|romanc)(?:ier|ière)|infirmi(?:er"
         r"|ère)|prof(?:esseure?)?|médecin"
        r"|avocate?|ingénieure?|étudiante?|cuisini(?:er|ère)|développeu(?:r|se)|vendeu(?:r|se)|serveu(?:r|se)"
         r"|coiffeu(?:r|se)"
        r"|architecte|boulang(?:er|ère)|retraitée?|facteur|agriculteur|secrétaire|comptable|caissi(?:er|ère)|ouvri"
         r"(?:er|ère)"
        r"|chauffeur|policier|pompier|vétérinaire|enseignante?|graphiste|journaliste|traduct(?:eur|rice)|chercheu"
         r"(?:r|se))",
        animals=r"chat|chatte|chien|chienne|lapin|hamster|perroquet|cheval|tortue|cochon d'inde",
        unreal=r"si|quand\sj'étais|peut-être|avant|autrefois|à\sl'époque|voudrais|aimerais|pourrais|rêve|rêvé|failli"
        r"|presque|pense\sà|\w{2,12}(?:erai|irai|rais|rait|rions)|imagine|habitais|vivais|travaillais|envie\sde|veux",
        rows=(
            ("name", False, r"je m'appelle {NAME}|(?:moi,? c'est|mon (?:pré)?nom,? (?:c')?est) {NAME2}"),
            (CALLED, False, r"^(?:coucou|salut|bonjour|hello|bonsoir)\b[\s,!.]+je suis (?!{JOBS}\b){CAPITAL}(?={END})"),
            ("age", False, r"(?:j'ai|et j'ai){A} (?P<v>[1-9]\d?) ans(?! d[e'])"),
            ("home", False, r"(?:j'habite|on habite|nous habitons|je vis|on vit|je loge|j'suis installée? ){A} "
             r"(?:à|au|aux|en) {TOWN}"),
            ("home", False, r"(?:j'ai|on a|nous avons|je viens de|on vient de) (?:\w+ )?(?:déménagée?s?|emménagée?s?"
             r"|déménager|emménager){A} (?:à|au|aux|en) {PLACE}"),
            ("home", False, r"(?:je me suis|on s'est) installée?s? (?:à|au|aux|en) {PLACE2}|(?P<no>(?:n'"
             r"|j')habite plus|je (?:ne )?vis plus) (?:à|au|aux|en) {TOWN}"),
            ("occupation", False, r"je (?:travaille|bosse){A}(?: chez \S+)? (?:comme|en tant que|en tant qu') ?{JOB}"),
            ("occupation", False, r"je suis{A} (?:une? )?(?P<v>{JOBS})(?={END}|\s(?:de|chez)\b|\sd')"),
            ("employer", False, r"(?:je|j') ?(?:travaille|bosse){A}(?: comme \S{2,25})? (?:chez |pour |(?:au |à la "
             r"|à l')"
             r"(?=(?-i:[A-ZÀ-Þ]{2}))){FIRM}"),
            ("employer", False, r"je (?P<no>(?:ne )?(?:travaille|bosse) plus) (?:chez|pour) {FIRM}"),
            ("employer", False, r"j'ai (?P<no>démissionnée?|quitté)(?: du| de la| de l'| de| d'| le| la"
             r"| l')? ?{FIRM}(?={END})"),
            ("employer", False, r"(?:j'ai{A} (?P<no>(?P<v>démissionnée?))|(?:on m'a|je me suis fait|j'ai été){A} "
             r"(?P<not>(?P<w>virée?r?|licenciée?r?)))(?={END})"),
            ("origin", False, r"je viens(?: de| d')(?: la(?= (?:Réunion|Martinique|Guadeloupe)))? ?{TOWN}|je suis"
             r" originaire (?:de "
             r"|d'|du ){PLACE2}"),
            ("allergy", True, r"je suis{A} allergique (?:à la|à l'|aux|au\b|à) ?{ALLERGEN}"),
            ("allergy", True, r"je (?P<no>(?:ne )?suis plus) allergique (?:à la|à l'|aux|au\b|à) ?{ALLERGEN}"),
            ("allergy", True, r"j'ai une allergie (?:à la|à l'|aux|au\b|à) ?{ALLERGEN}"),
            ("allergy", True, r"j'ai une intolérance (?:à la|à l'|aux|au\b|à) ?{STUFF}\b"),
            ("allergy", True, r"je suis{A} intolérante? (?:à la|à l'|aux|au\b|à) ?{STUFF}\b"),
            ("allergy", True, r"(?:je suis|j'ai la maladie){A} (?P<v>c(?:œ|oe)liaque)\b"),
            ("allergy", True, r"je (?:ne )?(?:supporte|digère|tolère){A} (?:pas|plus)(?: bien)? (?:les? |la "
             r"|l'){STUFF}{LAST}"),
            ("allergy", True, r"(?:les? |la |l'){STUFF},? (?:ça )?me (?:font? gonfler|donnent? (?:des boutons"
             r"|de l'urticaire"
             r"|des plaques)|rend(?:ent)? malade)\b"),
            ("food", True, r"je (?P<no>(?:ne )?(?:peux|dois) (?:pas|plus)) (?:(?:manger|boire)"
             r"(?: du| de la| de l'| des| d'| de| les?| la| l') ?{WHAT}|prendre (?:du |de la |de l'|des |d'|de "
             r"|les? |la |l')(?P<w>{MEDICINE})(?={END}))"),
            ("diet", False, r"je mange{A} (?P<v>sans (?:gluten|lactose)|végétarien|vegan|végane|halal|casher)\b"),
            ("diet", False, r"je (?P<no>(?:ne )?suis (?:plus|pas) )?(?:suis)?{A} ?(?P<v>végétarien(?:ne)?|végane?"
             r"|vegan|pescétarien(?:ne)?)\b"),
            ("food", True, r"je (?P<no>ne mange plus|mange plus|ne mange pas|mange pas)(?: du tout)? d(?:e |'){WHAT}"),
            ("food", True, r"je (?:remange|mange de nouveau|mange à nouveau) (?:du |de la |des |de l'){WHAT}"),
            ("diet", False, r"je (?P<v>(?:remange|mange de nouveau|mange à nouveau) (?:du poisson|de la viande))\b"),
            ("habit", True, r"je (?P<no>ne bois plus|bois plus|ne bois pas|bois pas|ne fume plus|fume plus)(?: de "
             r"|\b ?d')?{WHAT}?"),
            ("pet", True, r"(?:mon|ma|notre) (?:petite? )?(?P<n>{ANIMALS}),? (?:s'appelle |c'est )?{CAPITAL}"),
            ("pet", True, r"(?:j'ai|on a|nous avons)(?: adopté| pris)? une? (?:petite? )?(?P<n>{ANIMALS}),? "
             r"(?:(?:qui|il|elle) s'appelle|nommée?"
             r"|appelée?) {NAME}"),
            ("phone", False, r"mon (?:nouveau )?numéro(?: de (?:téléphone|portable|tel))?,? (?:c'est|est)"
             r"(?: maintenant)?(?: le)?:? {DIGITS}"),
            ("phone", False, r"changé de numéro[^\d]{0,25}{DIGITS}"),
            ("birthday", False, r"mon anniversaire,? (?:c'est|est) le {DATE}|je suis née? le {DATE2}"),
            ("relationship", False, r"je suis(?: maintenant| de nouveau)? (?P<v>célibataire|(?!(?-i:Marie)\b)mariée?"
             r"|divorcée?|fiancée?|veuve|veuf)\b"),
            ("favourite {}", False, r"(?:mon|ma) (?P<n>\w{2,20}) préférée?,? (?:c'est|est)(?: le| la| l'"
             r"| les)? ?{WHAT}"),
        ),
    ),
    "es": Language(
        adverbs=r"ahora|actualmente|ya|también|todavía|desde\s(?:hace\s)?\S+(?:\s(?:años|meses|semanas))?|aquí|muy"
         r"|sol[oa]",
        no_value=r"una?|unos|unas|la|el|los|las|mi|mis|tu|su|este|esta|eso|lo|no|que|como|donde|casa|paz|de|del|muy|más"
        r"|remoto|turnos|nada|todo|mucho|aquí",
        ends=r"y|pero|con|desde|porque|como|donde|de|en|para|que|o|aunque|ahora|por|tenlo|ten|la\ssemana|el\smes"
         r"|ayer|hace",
        in_names=r"de|del|la|el|los|las",
        jobs=r"(?:\w{2,20}ólog[oa]|(?:enferm|carpint|fontan|peluqu|jardin|bomb|panad|cart|librer|costur|granj|obr"
         r"|banqu|caj|min"
        r"|ganad|portavoz)er[oa]|(?:vende|diseña|entrena|investiga|administra|cuida|educa|pesca|conta)dora?|(?:escri"
         r"|pin|ac|doc"
        r"|direc)tora?|(?:tax|art|recepcion|econom|anal|guion|model)ista|trabajadora? social|fisioterapeuta|actriz"
         r"|profesora?|maestr[oa]|médic[oa]|abogad[oa]"
        r"|ingenier[oa]|estudiante|cociner[oa]|camarer[oa]|arquitect[oa]|electricista|dentista|periodista|jubilad[oa]"
        r"|programadora?|desarrolladora?|veterinari[oa]|secretari[oa]|contable|policía|músic[oa]|traductora?"
         r"|psicólog[oa]|farmacéutic[oa]|mecánic[oa]|agricultora?|conductora?)",
        animals=r"gat[oa]|perr[oa]|conejo|hámster|loro|caballo|tortuga|perrit[oa]|gatit[oa]",
        unreal=r"si|quizás?|tal\svez|antes|de\sniñ[oa]|quisiera|gustaría|podría|sueñ[oa]|soñé|casi|pensando\sen"
         r"|ojalá|viviré|trabajaré|vivía|vivíamos|trabajaba|quiero|imagina",
        rows=(
            ("name", False, r"(?:me llamo|mi nombre es) {NAME}"),
            (CALLED, False, r"^(?:hola|buenas|hey|buenos\s\w+|buenas\s\w+)\b[\s,!.]+soy (?!{JOBS}\b)(?:la "
             r"|el )?{CAPITAL}(?={END})"),
            (CALLED, False, r"^soy (?:la |el )?{CAPITAL}(?=,?(?: y)? tengo \d)"),
            ("age", False, r"tengo{A} (?P<v>[1-9]\d?) años(?! (?:de|con|en)\b)"),
            ("home", False, r"(?P<no>ya no |no )?(?:vivo|vivimos|resido){A} en {TOWN}"),
            ("home", False, r"(?:me mudé|nos mudamos|me he mudado|nos hemos mudado|me acabo de mudar"
             r"|me fui a vivir){A} a {PLACE}"),
            ("occupation", False, r"(?:trabajo|curro){A}(?:(?: en \S+)? como| de) {JOB}"),
            ("occupation", False, r"(?:soy|y soy|me dedico a ser){A} (?:una? )?(?P<v>{JOBS})(?={END})"),
            ("occupation", False, r"(?P<no>ya no) soy (?P<v>{JOBS})(?={END})"),
            ("employer", False, r"(?:trabajo|curro|empecé|empiezo a trabajar){A}(?: (?:como|de) \S{2,25})? (?:en"
             r"|para) (?:la |el )?{FIRM}"),
            ("employer", False, r"(?P<no>ya no) trabajo (?:en|para) (?:la |el )?{FIRM}"),
            ("employer", False, r"(?P<no>he dejado|dejé|renuncié a|me fui de|he renunciado a) (?:el |la "
             r"|mi trabajo en (?:el |la )?){FIRM}(?={END})"),
            ("employer", False, r"(?:me han|he sido|fui|me){A} (?P<no>(?P<v>despedid[oa]|echado|despidieron"
             r"|echaron))(?={END})"
             r"(?! de (?:casa|menos))|he{A} (?P<not>(?P<w>dimitido|renunciado))(?={END})"),
            ("origin", False, r"soy de {TOWN}"),
            ("allergy", True, r"(?:soy|tengo alergia){A}(?: alérgic[oa])? (?:a las|a los|a la|al|a)"
             r" {ALLERGEN}(?<!\bser)"),
            ("allergy", True, r"soy{A} (?P<v>celíac[oa])\b"),
            ("allergy", True, r"(?:soy{A} intolerante|tengo{A} intolerancia) (?:a las|a los|a la|al|a) {STUFF}\b"),
            ("allergy", True, r"me (?:sientan?|caen?){A} (?:muy |fatal|mal)+ (?:el |la |los |las ){STUFF}{LAST}"),
            ("allergy", True, r"(?:el |la |los |las ){STUFF} me (?:(?:sientan?|caen?){A} (?:muy )?(?:mal|fatal)|hincha"
             r"|da[n]? (?:alergia|urticaria))\b"),
            ("food", True, r"(?P<no>(?:ya )?no (?:puedo|debo) (?:comer|beber))(?: nada (?:con|de))?(?: el| la"
             r"| los| las)? {WHAT}"),
            ("food", True, r"(?P<no>(?:ya )?no (?:puedo|debo) tomar)(?: nada (?:con|de))?(?: el| la"
             r"| los| las)? (?P<v>{MEDICINE})(?={END})"),
            ("food", True, r"como de todo,? (?P<no>menos|excepto|salvo)(?: el| la| los| las)? {WHAT}"),
            ("diet", False, r"(?:^|(?<=yo )|(?<=ahora )|(?<=siempre )|(?<=ya )|(?<=y )|(?<=, )|desde (?:hace )?\S+"
             r"(?: \S+)? )como{A} (?P<v>sin (?:gluten|lactosa)|vegano|vegetariano|halal)(?={END})"),
            ("allergy", True, r"(?P<no>ya no) soy alérgic[oa] (?:a las|a los|a la|al|a) {ALLERGEN}"),
            ("diet", False, r"(?P<no>ya no |no )?soy{A} (?P<v>vegetarian[oa]|vegan[oa]|pescetarian[oa])\b"),
            ("food", True, r"(?P<no>ya no como|no como) {WHAT}"),
            ("food", True, r"vuelvo a comer {WHAT}|he vuelto a comer {WHAT2}"),
            ("diet", False, r"(?:vuelvo|he vuelto) a (?P<v>comer (?:pescado|carne))\b"),
            ("habit", True, r"(?P<no>ya no bebo|no bebo|ya no tomo|no tomo) {WHAT}"),
            ("pet", True, r"(?:mi|nuestr[oa]) (?P<n>{ANIMALS}),? (?:se llama )?{CAPITAL}"),
            ("pet", True, r"(?:tengo|tenemos) una? (?P<n>{ANIMALS}),? (?:que se llama|llamad[oa]) {NAME}"),
            ("phone", False, r"mi (?:nuevo )?(?:número|móvil|teléfono)(?: de (?:teléfono|móvil))?(?: nuevo)? (?:es"
             r"|ahora es)(?: el)?:? {DIGITS}"),
            ("phone", False, r"cambiado de (?:número|móvil|teléfono)[^\d]{0,25}{DIGITS}"),
            ("birthday", False, r"mi cumple(?:años)? es el {DATE}|nací el {DATE2}"),
            ("relationship", False, r"(?:soy|estoy)(?: ahora)? (?P<v>solter[oa]|casad[oa]|divorciad[oa]"
             r"|prometid[oa]|viud[oa])\b"),
            ("favourite {}", False, r"mi (?P<n>\w{2,20}) (?:favorit[oa]|preferid[oa]) es(?: el| la| los| las)? {WHAT}"),
        ),
    ),
    "it": Language(
        adverbs=r"adesso|ora|ormai|attualmente|anche|ancora|da\s\S+(?:\s(?:anni|mesi))?|qui|molto|sol[oa]|già",
        no_value=r"un[oa']?|la|il|lo|i|gli|le|mia|mio|casa|tempo|turni|questo|quello|non|come|che|di|pace|tutto|niente",
        ends=r"e|ma|con|da|perché|come|dove|di|in|per|che|o|la\ssettimana|il\smese|ieri",
        in_names=r"di|del|della|sul|in|al",
        jobs=r"(?:(?:bar|dent|fisioterap|estet|commercial|recepcion|reg|giornal|music|farmac|aut|art|anal)ist[ao]"
        r"|\w{2,20}olog[oa]|(?:camer|parrucch|ragion"
         r"|giardin|pasticc)ier[ea]|(?:programma|scrit|at|dot|agricol|ricerca|anima|educa|mura|tradut)(?:tore|trice)"
         r"|infermier[ea]|insegnante|medico|avvocat[oa]|ingegnere"
        r"|student(?:e|essa)|cuoc[oa]|architetto|elettricista|impiegat[oa]|commess[oa]|pensionat[oa]|idraulico)",
        animals=r"gatt[oa]|cane|cagnolin[oa]|coniglio|criceto|pappagallo|cavallo|tartaruga",
        unreal=r"se|forse|prima|una\svolta|da\spiccol[oa]|vorrei|potrei|sogno|quasi|pensando\sdi|vivevo|abitavo"
         r"|lavoravo|magari",
        rows=(
            ("name", False, r"(?:mi chiamo|il mio nome è) {NAME}"),
            (CALLED, False, r"^(?:ciao|salve|buongiorno|ehi)\b[\s,!.]+(?:io )?sono (?!{JOBS}\b){CAPITAL}(?={END})"),
            (CALLED, False, r"^(?:io )?sono {CAPITAL}(?=,?(?: e| ed)? ho \d)"),
            ("age", False, r"ho{A} (?P<v>[1-9]\d?) anni\b(?! (?:d[ie]|con|in)\b| d')"),
            ("home", False, r"(?:abito|vivo|viviamo|abitiamo){A} a {TOWN}"),
            ("home", False, r"(?P<no>non) (?:abito|vivo|viviamo|abitiamo) più a {TOWN}"),
            ("home", False, r"(?:mi sono trasferit[oa]|ci siamo trasferit[ie]){A} a {PLACE}"),
            ("occupation", False, r"(?:lavoro come|faccio (?:il |la |l')) ?{JOB}|sono "
             r"(?:un[oa']? ?)?(?P<w>{JOBS})(?={END})"),
            ("employer", False, r"lavoro{A} (?:alla |al |all'|per |da |presso (?:la )?){FIRM}"),
            ("employer", False, r"(?P<no>non) lavoro più (?:alla |al |all'|per |da |in |presso (?:la )?){FIRM}"),
            ("employer", False, r"(?:mi sono{A} (?P<no>(?P<v>licenziat[oa]|dimess[oa]))|(?:mi hanno|sono stat[oa]){A} "
             r"(?P<not>(?P<w>licenziat[oa])))(?={END})"),
            ("origin", False, r"(?:vengo da|sono di|sono originari[oa] di) {TOWN}"),
            ("allergy", True, r"sono{A} allergic[oa] (?:alle|agli|alla|allo|all'|al|ai|a) ?{ALLERGEN}"),
            ("allergy", True, r"(?P<no>non) sono più allergic[oa] (?:alle|agli|alla|allo|all'|al|ai|a) ?{ALLERGEN}"),
            ("allergy", True, r"sono{A} (?P<v>celiac[oa])\b|ho{A} un'?a? ?allergia "
             r"(?:alle|agli|alla|allo|all'|al|ai|a) ?{ALLERGEN2}"),
            ("allergy", True, r"(?:sono{A} intollerante|ho{A} un'?a? ?intolleranza) (?:alle|agli|alla|allo|all'|al|ai"
             r"|a) ?{STUFF}\b"),
            ("allergy", True, r"(?:il |lo |la |l'|i |gli |le ){STUFF} mi (?:fa|fanno) (?:molto )?(?:male|gonfiare"
             r"|stare male)\b|(?P<w>lattosio|glutine|latte) (?:non lo (?:digerisco|tollero))\b"),
            ("food", True, r"(?P<no>non (?:mangio|posso(?: più)? mangiare|devo(?: più)? mangiare)(?: più)?)(?: (?:il|lo"
             r"|la|i|gli|le|nulla con|niente con)\b| l')? ?{WHAT}"),
            ("food", True, r"(?:mangio di nuovo|ho ricominciato a mangiare)(?: (?:il|lo|la|i|gli|le)\b| l')? ?{WHAT}"),
            ("diet", False, r"mangio{A} (?P<v>senza (?:glutine|lattosio)|vegano|vegetariano)\b"),
            ("habit", True, r"(?P<no>non bevo(?: più)?)(?: il| lo| la| l')? ?{WHAT}"),
            ("diet", False, r"(?P<no>non )?sono{A}(?: più)? (?P<v>vegetarian[oa]|vegan[oa]|pescetarian[oa])\b"),
            ("pet", True, r"(?:mi[oa]|nostr[oa]|il|la) (?P<n>{ANIMALS}),? (?:si chiama )?{CAPITAL}"),
            ("pet", True, r"(?:ho|abbiamo)(?: adottato| preso)? un[oa']? ?(?P<n>{ANIMALS})(?:, {CAPITAL2}(?=[,.!]|$)"
             r"|(?:,? (?:che )?si chiama| di nome|,? chiamat[oa]) {CAPITAL})"),
            ("phone", False, r"mio (?:nuovo )?numero(?: di (?:telefono|cellulare))?(?: nuovo)? è(?: il)?:? {DIGITS}"),
            ("birthday", False, r"mio compleanno è il {DATE}|sono nat[oa] il {DATE2}"),
            ("favourite {}", False, r"(?:mio|mia) (?P<n>\w{2,20}) preferit[oa] è(?: il| la| l'| lo)? ?{WHAT}"),
        ),
    ),
    "pt": Language(
        adverbs=r"agora|atualmente|já|também|ainda|desde\s\S+|há\s\S+\sanos|aqui|muito|sozinh[oa]",
        no_value=r"uma?|a|o|as|os|minha|meu|casa|paz|este|esta|isso|não|que|como|de|tudo|nada",
        ends=r"e|mas|com|desde|porque|como|onde|de|em|para|que|ou|semana|mês|ontem|há",
        in_names=r"de|do|da|dos|das",
        jobs=r"(?:(?:cabele|carpint|pad|bomb|pedr|barb|caminhon|jardin)eir[oa]|(?:vende|programa|desenvolve|treina"
         r"|investiga"
        r")dora?|(?:dent|jornal|eletric|art|anal|motor|recepcion)ista|\w{2,20}ólog[oa]|enfermeir[oa]|professora?"
         r"|médic[oa]|advogad[oa]|engenheir[oa]|estudante|cozinheir[oa]|arquitet[oa]|aposentad[oa]|reformad[oa])",
        animals=r"gat[oa]|cachorr[oa]|cão|cadela|coelho|papagaio|cavalo|tartaruga",
        unreal=r"se|talvez|antes|quando\scriança|queria|gostaria|poderia|sonh\w+|quase|pensando\sem|morava|vivia"
         r"|trabalhava",
        rows=(
            ("name", False, r"(?:me chamo|chamo-me|(?:o )?meu nome é) {NAME}"),
            (CALLED, False, r"^(?:oi|olá|ola|bom dia|boa tarde)\b[\s,!.]+(?:eu )?sou (?:a "
             r"|o )?(?!{JOBS}\b){CAPITAL}(?={END})"),
            (CALLED, False, r"^(?:eu )?sou (?:a |o )?{CAPITAL}(?=,?(?: e)? tenho \d)"),
            ("age", False, r"tenho{A} (?P<v>[1-9]\d?) anos\b(?! (?:d[eao]|com|em)\b)"),
            ("home", False, r"(?:moro|vivo|moramos|vivemos){A} (?:em|no|na) {TOWN}"),
            ("home", False, r"(?P<no>já não) (?:moro|vivo|moramos|vivemos) (?:em|no|na) {TOWN}|(?P<not>não) (?:moro"
             r"|vivo) mais (?:em|no|na) {TOWN2}"),
            ("home", False, r"(?:me mudei|nos mudamos|mudei-me|mudámo-nos|mudei){A} (?:para|pra|pro) (?:o "
             r"|a )?{PLACE}"),
            ("occupation", False, r"trabalho{A} como {JOB}|sou (?:uma? )?(?P<w>{JOBS})(?={END})"),
            ("employer", False, r"trabalho{A} (?:na|no|em|para a|para o|para) {FIRM}"),
            ("employer", False, r"(?P<no>já não) trabalho (?:na|no|em|para a|para o|para) {FIRM}"),
            ("employer", False, r"(?:fui{A} (?P<no>(?P<v>despedid[oa]|demitid[oa]))|(?P<not>(?P<w>despedi-me"
             r"|demiti-me)))(?={END})"),
            ("origin", False, r"sou (?:de|do|da) {TOWN}"),
            ("allergy", True, r"sou{A} alérgic[oa] (?:a|ao|à|às|aos) {ALLERGEN}"),
            ("allergy", True, r"(?P<no>já não) sou alérgic[oa] (?:a|ao|à|às|aos) {ALLERGEN}"),
            ("allergy", True, r"sou{A} (?P<v>celíac[oa])\b|tenho{A} alergia (?:a|ao|à|às|aos) {ALLERGEN2}"),
            ("allergy", True, r"(?:sou{A} intolerante|tenho{A} intolerância) (?:a|ao|à|às|aos) {STUFF}\b"),
            ("allergy", True, r"(?:o |a |os |as ){STUFF} (?:faz-me|fazem-me|me faz|me fazem) (?:muito )?mal\b"),
            ("food", True, r"(?P<no>(?:já )?não (?:como|posso comer|devo comer)(?: mais)?)(?: o| a| os| as| nada com)? "
             r"{WHAT}"),
            ("food", True, r"(?:voltei a comer|como (?:de novo|outra vez)) {WHAT}"),
            ("diet", False, r"(?P<no>não |já não )?sou{A} (?P<v>vegetarian[oa]|vegan[oa])\b"),
            ("pet", True, r"(?:meu|minha|nosso|nossa) (?P<n>{ANIMALS}),? (?:se chama |chama-se )?{CAPITAL}"),
            ("pet", True, r"(?:tenho|temos)(?: adotado)? uma? (?P<n>{ANIMALS})(?:, {CAPITAL2}(?=[,.!]|$)"
             r"|(?:,? (?:que )?se chama|,? chama-se|,? chamad[oa]) {CAPITAL})"),
            ("phone", False, r"meu (?:novo )?(?:número|telefone|celular|telemóvel)(?: novo)? é(?: o)?:? {DIGITS}"),
            ("birthday", False, r"meu aniversário é(?: no dia| dia| a)? {DATE}|nasci (?:no dia|em|a) {DATE2}"),
            ("favourite {}", False, r"(?:meu|minha) (?P<n>\w{2,20}) (?:favorit[oa]|preferid[oa]) é(?: o| a)? {WHAT}"),
        ),
    ),
}  # fmt: skip
