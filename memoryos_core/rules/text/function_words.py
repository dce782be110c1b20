"""Function words by language, and other words that tell what is filler: the only lists of them.

Function words are closed classes: articles, pronouns, prepositions, conjunctions, question words, and the verbs "be",
"have" and "can". A published stop list runs to a thousand words and swallows "home" and "work".
"""

from __future__ import annotations

FUNCTION_WORDS = {
    code: frozenset(listed.split())
    for code, listed in {
        "en": """
            a an the and or but if then so than that this these those there here of to in on at by for with about as
            from into onto is are was were be been being am do does did doing done have has had having i me my mine
            myself you your yours yourself he him his himself she her hers herself it its itself we us our ours
            ourselves they them their theirs themselves what which who whom whose when where why how would could
            should will shall can may might must not no nor too very just also s t re ve ll m d don doesn didn isn
            aren wasn weren wouldn couldn shouldn haven hasn hadn any some each every either neither such without
            while because unless until
        """,
        "de": """
            aber als am an auch auf aus bei beim bin bis bist da dabei damit dann daran darauf das dass davon dazu dein
            deine deinem deinen deiner deines dem den denen denn der deren des dessen dich die dies diese diesem diesen
            dieser dieses dir doch du durch durfte dürfen ein eine einem einen einer eines er es euch euer eure für
            gegen gibt habe haben habt hast hat hatte hatten hätte hätten ich ihm ihn ihnen ihr ihre ihrem ihren ihrer
            ihres im in ins ist ja je jede jedem jeden jeder jedes jene jener jenes kann kannst kein keine keinem keinen
            keiner konnte können könnt könnte könntest man mein meine meinem meinen meiner meines mich mir mit muss
            musst musste möchte möchten möchtest müssen nach nicht noch nur ob oder ohne schon sehr sei seid sein seine
            seinem seinen seiner seines sich sie sind so solche soll sollen sollte sondern um und uns unser unsere
            unserem unseren unserer unter vom von vor wann war waren warst warum was weil welche welchem welchen welcher
            welches wem wen wenn wer werde werden weshalb wessen wie wieso wieviel will willst wir wird wirst wo wobei
            wofür woher wohin womit worden wovon wozu wurde wurden während wäre wären zu zum zur zwischen über darf
        """,
        "fr": """
            a ai aie ait alors as au aura aurait auront aussi aux avaient avais avait avant avec avez avoir ayant c
            ce ceci cela celle celles celui ces cet cette ceux chaque chez combien comme comment d dans de depuis des
            donc dont du elle elles en entre es est et eu eux furent fut il ils j je jusqu l la laquelle le lequel les
            lesquels leur leurs lors lui m ma mais me mes moi mon même n ne ni nos notre nous on ont ou où par parce
            pas pendant peut peux peuvent pour pourquoi pourrait pouvez pouvoir pu puis qu quand que quel quelle
            quelles quels qui quoi s sa sans se sera serait ses si soit sommes son sont sous suis sur t ta te tes toi
            ton tu un une vers voici vos votre vous vôtre y à étaient étais était êtes être ça
        """,
        "es": """
            a al algo ante antes aquel aquella aquello así aunque como con contra cual cuales cuando cuanta cuantas
            cuanto cuantos cuál cuáles cuándo cuánta cuántas cuánto cuántos cómo de del desde donde durante dónde e el
            ella ellas ellos en entre era eran eras eres es esa esas ese eso esos esta estaba estaban estamos estar
            estas este esto estos estoy está están estás fue fueron fui ha haber habido había habían han has hasta
            hay he hemos la las le les lo los me mi mis muy mí mía mío ni no nos nosotros nuestra nuestras nuestro
            nuestros o os para pero poder podemos podría por porque pudo puede pueden puedes puedo pues que quien
            quienes quién quiénes qué se sea ser será si sido sin sobre sois somos son soy su sus suya suyo sí también
            tan te tener tenemos tengo tenía ti tiene tienen tienes tu tus tuve tuvo tú u un una unas uno unos usted
            ustedes vosotros vuestra vuestro y ya yo él
        """,
        "pt": """
            a ainda ao aos aquela aquele aquilo as com como contra cuja cujo da das de dela delas dele deles desde
            deste do dos durante e ela elas ele eles em enquanto entre era eram essa essas esse esses esta estamos
            estar estas estava estavam este estes estou está estão estás eu foi foram fui há isso isto já lhe lhes mas
            me meu meus mim minha minhas muito na nas nem nesta neste no nos nossa nossas nosso nossos não nós num numa
            o onde os ou para pela pelas pelo pelos pode podem poder podes podia posso por porque porquê pra qual quais
            quando quanta quantas quanto quantos que quem quê se sem ser será seu seus sido sob sobre somos sou sua suas
            são só também te tem temos tenho tens ter teu teus teve ti tinha tive tu tua tuas têm um uma umas uns vos
            você vocês à às é és
        """,
        "it": """
            a abbia abbiamo ad agli ai al alla alle allo anche avere avete aveva avevo avuto c che chi ci ciò coi col
            come con contro così cui d da dagli dai dal dalla dalle dallo degli dei del dell della delle dello di dove
            durante e ed era erano eri ero fra fu gli ha hai hanno ho i il in io l la le lei li lo loro lui ma me mi mia
            mie miei mio ne negli nei nel nell nella nelle nello noi non nostra nostre nostri nostro o ogni per perché
            però poi posso possono poter potere potrebbe può puoi qual quale quali quando quant quanta quante quanti
            quanto quegli quei quel quella quelle quelli quello questa queste questi questo qui se sei senza si sia
            siamo siete siano sono sta stai stata stati stato sto su sua sue sugli sui sul sulla sulle suo suoi tra tu
            tua tue tuo tuoi un una uno v vi voi vostra vostro è
        """,
        "nl": """
            aan al als ben bent bij daar dan dat de deden deed der deze die dit doe doen doet door dus een elk elke en
            er ge geen had hadden heb hebben hebt heeft hem hen het hier hij hoe hoeveel hun ik in is je jij jou jouw
            jullie kan kon konden kun kunnen kunt maar mag me men met mij mijn moest moet moeten mocht na naar niet noch
            nog nu of om omdat ons onze ook op over te tegen tijdens toch toen tot tussen u uit uw van vanaf voor waar
            waarom waaruit wanneer want waren was wat we wel welk welke werd werden wie wij word worden wordt zal ze
            zelf zich zij zijn zo zonder zou zouden zult zullen
        """,
        "ru": """
            а без бы был была были было быть в вам вас весь во вот все всё вы где да даже для до его ее её если есть
            еще ещё же за здесь и из или им их к как какая какие какой какую когда которая которые который кто куда ли
            меня мне много мог могла могу могут можно мои мой моя моё мы на над нам нас наш наша не него неё нет ни но
            ну о об он она они оно от откуда очень по под потом потому почему при про раз с свой своя сейчас сколько
            со так такой там твой твоя тебе тебя то тогда тоже только тот ту ты у уже чей чем что чтобы эта эти это
            этот эту я
        """,
    }.items()
}
"""Words without content, by the code of their language."""

# Words that say little about a subject, apart from function words. Chat is full of them.
COMMON_WORDS = {
    code: frozenset(listed.split())
    for code, listed in {
        "en": """
            above across actually again against all already although always amazing any anybody anyone anything anyway
            around away awesome back because before behind below beside besides best better beyond big bit both btw bye
            cant come coming cool couldnt day days definitely despite didnt doesnt dont down during each else especially
            ever every everyone everything exactly except far feel feeling felt few finally find first fun get getting
            give glad go goes going gonna good got great guess happy hard hear heard hello help hey hi honestly hope
            however idea im important inside instead isnt ive keep kind know last later let lets like little long look
            looking lot lots love made make makes making many maybe mean more most much need never new next nice nobody
            none now off often oh ok okay old one only other out outside over own people per perfect please pretty
            probably put really right said same saw say see seem seen since some somebody someone something sometimes
            somewhere soon sorry sounds start started still stuff such sure take talk tell thank thanks thats theyre
            thing things think thinking tho though thought three through time times today together told tomorrow ton
            tons took totally tried try trying two until up upon use used using usually via wanna want wanted wants
            wasnt way week weekend well went whatever whats whenever wherever whether while within without wonderful
            wont work wow yeah year years yes yesterday yet youre zero four five six seven eight nine ten eleven twelve
            fifteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand half second seconds
            minute minutes hour hours month months morning evening night afternoon january february march april june
            july august september october november december monday tuesday wednesday thursday friday saturday sunday jan
            feb mar apr jun jul aug sep sept oct nov dec mon tue tues thu thur thurs fri pm
        """,
        "de": """
            ab acht alle alles also andere april august bald bitte danke davor dazwischen dezember dienstag donnerstag
            dort drei einfach einmal eins etwas februar freitag fünf ganz gar geht gerade gern gestern gibts glaub
            glaube gleich gut hab hallo hatten heute hier ich's immer ja jahr jahre jahren januar jetzt juli juni klar
            letzte letzten letzter mai mal mehr mittwoch monat monate montag morgen märz nein neun nichts nochmal
            november nächste nächsten nächster ok okay oktober richtig samstag sechs seit september sieben sonntag
            stunden super tag tage tagen toll uhr viel vier wieder woche wochen wär zehn zwei übermorgen übrigens
        """,
        "fr": """
            an année ans août après après-demain autre avril beaucoup bien bon c'est c'était coucou d'accord demain
            dernier dernière deux dimanche décembre encore enfin faire fait février hier j'ai jamais janvier jeudi jour
            jours juillet juin lundi mai mardi mars matin merci mercredi mois moment n'est novembre octobre ok oui peu
            plus prochain prochaine qu'il quatre rien s'est salut samedi semaine semaines septembre soir stp super svp
            toujours tous tout toute trois trop très va vais vendredi vraiment
        """,
        "es": """
            abril agosto ahora aquí ayer año años bien buenas bueno cierto cinco claro creo cuatro diciembre domingo dos
            día días enero febrero fin final gracias hace hacer hola hoy jueves julio junio luego lunes martes marzo
            mayo mañana mes meses mira miércoles mucho más nada noviembre nunca octubre ok otra otro pasada pasado poco
            porfa próxima próximo semana semanas septiembre siempre solo sábado sé sí tarde todo todos tres va vale
            verdad vez viene viernes
        """,
        "pt": """
            abril agora agosto amanhã ano anos aqui até bem bom cinco claro depois dezembro dia dias dois domingo duas
            faz fazer fevereiro gente gosto hoje janeiro julho junho lá maio mais março mesmo mês nada novembro nunca
            obrigada obrigado oi ok olá ontem outubro passada próxima próximo quarta quinta segunda semana semanas
            setembro sexta sim terça três tudo vai vem vez
        """,
        "it": """
            adesso agosto ancora anni anno aprile bene ciao cosa dicembre domani domenica dopo due fa fare fatto
            febbraio gennaio giorni giorno giovedì giugno grazie ieri luglio lunedì maggio mai martedì marzo mercoledì
            mese mesi molto niente no novembre oggi ok ottobre più poi prossima prossimo quattro sabato scorsa scorso
            sempre settembre settimana settimane solo sì ti tre tutti tutto va venerdì volta
        """,
        "nl": """
            alle alles altijd bedankt dag dagen dank dinsdag donderdag drie echt eens gaan gaat gisteren goed haar hoi
            ja jaar jaren maandag maanden meer morgen nee niets nooit ok onder overmorgen twee uur vandaag veel volgende
            vorige vrijdag week weer weken wil woensdag zaterdag zeer zondag
        """,
        "ru": """
            ему тут хорошо
        """,
    }.items()
}

# Words that may stand in talk about anything. They name a topic only where its other words say less: in a short topic
# the statistics of the scope cannot tell them from what it is about. Nothing is left out for them.
VAGUE_WORDS = {
    code: frozenset(listed.split())
    for code, listed in {
        "en": """
            able absolute accept achievement add additional advantage advice afraid agree ah aha alive allow alone
            amount annoying answer apologize appear appreciate approach appropriate ask aspect assistance attempt
            attention attitude available avoid aw awful aww bad basic basis beautiful become begin believe belong
            benefit blast brilliant bring bunch busy bye call calm calming care careful case catch certain challenging
            chance change check cheers choice choose clear close combination comfortable common compare comparison
            complete concept concern confident congrats consider constant content context continue convey correct couple
            crazy curious current cute daily damn dangerous deal dear decent decide decision dedicated deep delightful
            depend describe detail determined difference different difficult difficulty discuss display drop dude eager
            easy effect effective effort element encourage encouragement end enjoy ensure entire especial everyday
            example excellent excite excited exciting exist expect experience explain express extra extreme fabulous
            face fact factor fair famous fantastic fast favorite favourite feedback figure fill final fine fit focus
            follow forget form free frequent full functional funny gain general gentle goal gorgeous gosh grateful guy
            ha haha hand handle hang happen hate hehe helpful hmm hold huge huh humbling image imagine impact impressive
            improve include incredible info information insight inspiring instance intense interesting involve issue
            item kinds lack large latest lead leave level life likely line list listen live lol lose lovely luck lucky
            main major man manage manner massive matter meaningful means memorable mention method middle mind minor miss
            mix moment multiple name natural normal notice number obvious offer omg oops opinion opportunity option
            order original overall pair part particular passionate percent perhaps period personal phew photo photograph
            pic pick picture piece place plan pleasant point poor popular position positive possibility possible
            potential powerful practical precious prefer prepare prevent previous priority probable problem process
            productive progress proper proud provide purpose push quality question quick quiet quite random range rare
            rate rather reach ready real realize reason receive recent recommend reference refreshing regular related
            relaxing relevant remember remind request require respond result rewarding rich role rough sad scenario
            schedule section send sense separate serious set several share short show side sign significant similar
            simple sit situation size slow small smooth solution sort source space special specific spend spot stand
            stay step stick stop strange strategy strong struggle stunning style successful suggest suggestion suitable
            super support supportive suppose surprised sweet talented target task tend term terrible terrific thankful
            thorough thoughtful thrilled thrilling tiny tip topic total touch tough trouble true turn type typical ugh
            uh um understand unique unit upset useful usual valuable value variety various version view wait weird whoa
            whole wild willing wish woman wonder woo word world worried worry worth wrong ya yay yep young yup
        """,
        "de": """
            aha ach ah haha hm oh naja tja tschüss ander besonders bestimmt bisschen blöd dumm eigentlich ernst falsch
            fertig froh genau groß gute häufig klein komisch kurz lang leicht lieb meist möglich nett neu normal oft
            perfekt richtig ruhig schade schlecht schlimm schnell schön schwer sicher spät traurig üblich unbedingt
            vielleicht wahrscheinlich wichtig wirklich ziemlich bleiben bringen denken finden fragen freuen geben gehen
            hoffen hören kommen lassen legen machen meinen nehmen sagen schauen sehen setzen sprechen stehen stellen
            suchen versuchen warten wissen anfang art aufgabe beispiel ende ergebnis fall form frage ganze gedanke
            gefühl grund hilfe idee leute lösung möglichkeit moment ort problem punkt rest sache schritt seite stelle
            stück teil tipp typ unterschied weg weise wort zahl zeit ziel
        """,
        "fr": """
            ah bah ben euh haha hein oh ouais bizarre bonne certain clair content court difficile drôle dur facile fort
            génial gentil grand gros heureux important intéressant joli lent long mauvais même meilleur normal nouveau
            parfait pauvre petit possible prêt rapide simple sûr triste vrai aller arriver attendre chercher comprendre
            croire demander dire donner écouter espérer essayer laisser mettre oublier parler partir passer penser
            prendre regarder rester savoir sentir tenir trouver venir voir vouloir aide besoin bout cas chose côté coup
            début effet endroit envie exemple façon fin fois genre gens idée manière moyen mot niveau nombre part partie
            point problème question raison reste sens sorte sujet temps truc type vie
        """,
        "es": """
            ah ay eh jaja oye uf bonito cierto claro corto difícil distinto duro fácil feliz fuerte genial gran grande
            importante interesante largo lento listo malo mejor mismo normal nuevo pequeño perfecto posible pronto raro
            rápido seguro simple triste último buscar contar dar deber decir dejar encontrar entender esperar gustar
            hablar intentar ir llegar llevar mirar pasar pedir pensar poner preguntar quedar querer quiero saber salir
            seguir sentir tomar traer venir ver volver ayuda caso cosa cuenta duda ejemplo forma ganas gente idea lado
            lugar manera modo momento número parte problema punto pregunta razón resto resultado sitio tema tiempo tipo
            vida
        """,
    }.items()
}

# Words that a noun follows: it tells "the press", which says what a topic is about, from "to press".
BEFORE_NOUNS = {
    code: frozenset(listed.split())
    for code, listed in {
        "en": """
            the a an my our your his her their its this that these those of in on at for with from about no some any
            each every into onto by near after before during
        """,
        "de": """
            der die das den dem des ein eine einen einem einer eines mein meine meinen meinem meiner dein deine sein
            seine ihr ihre unser unsere kein keine im am vom zum zur beim für mit von ohne
        """,
        "fr": "le la les l un une des du de d mon ma mes ton ta tes son sa ses notre votre leur ce cette ces au aux",
        "es": "el la los las un una unos unas mi mis tu tus su sus nuestro nuestra de del al este esta con en para",
        "pt": "o a os as um uma uns umas meu minha meus minhas seu sua nosso nossa do da dos das no na nos nas de com",
        "it": "il lo la i gli le un uno una mio mia miei mie tuo tua suo sua nostro nostra del della al alla di con",
        "nl": "de het een mijn jouw je zijn haar ons onze hun dit dat deze die geen van in op met voor",
    }.items()
}
# A sentence that begins so speaks of what another sentence says.
_REFERRING_TEXT = """
    it they he she this that these those there here then so and but or because which who when while its their them him
    her also however instead yet as
"""
REFERRING_WORDS = frozenset(_REFERRING_TEXT.split())
