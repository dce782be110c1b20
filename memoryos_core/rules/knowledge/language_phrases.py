"""The German, French and Spanish phrases that state something of a person, in the form of those of `patterns`."""

from __future__ import annotations

__all__ = ["OTHER_LANGUAGES"]

_V = r"(?P<v>[^;:!?]{1,120})"
OTHER_LANGUAGES: tuple[tuple[str, str, str, bool], ...] = (
    ("wohne wohnt wohnen lebe lebt leben", rf"(?:jetzt |nun |seit \w+ )*(?:in|bei) {_V}", "home", False),
    ("bin ist sind", rf"(?:jetzt |letzte \w+ |gerade )*nach {_V} (?:um)?gezogen", "home", False),
    ("ziehe zog zogen", rf"nach {_V}", "home", False),
    ("arbeite arbeitet arbeiten", rf"(?:jetzt |nun )?als (?:eine? )?{_V}", "occupation", False),
    ("arbeite arbeitet arbeiten", rf"(?:jetzt |nun )?(?:bei|für) {_V}", "employer", False),
    ("heiße heisst heißt heisse", rf"(?:jetzt |eigentlich )?{_V}", "name", False),
    ("bin ist", r"(?:jetzt |schon )?(?P<v>\d{1,3})(?: Jahre(?: alt)?)?$", "age", False),
    ("bin ist", r"(?:jetzt |nun )?(?P<v>Vegetarier(?:in)?|Veganer(?:in)?|vegan|vegetarisch)", "diet", False),
    ("bin ist", rf"(?:auch )?(?:allergisch )?gegen {_V} allergisch|allergisch gegen (?P<w>.{{1,60}})", "allergy", True),
    ("esse isst", _V, "food", True),
    ("trinke trinkt rauche raucht", _V, "habit", True),
    ("mag liebe liebt", _V, "likes", True),
    ("habe hat", rf"(?:eine?n? ){_V}", "possession", True),
    (
        "habite habites habitons vis vit vivons",
        rf"(?:maintenant |désormais |désormais )?(?:à|en|au|aux|dans) {_V}",
        "home",
        False,
    ),
    ("ai as a suis est", rf"(?:déménagé|emménagé|parti vivre) (?:à|en|au|aux|dans) {_V}", "home", False),
    ("travaille", rf"(?:maintenant )?comme {_V}", "occupation", False),
    ("travaille", rf"(?:maintenant )?(?:chez|pour) {_V}", "employer", False),
    ("suis est", r"(?:maintenant |devenue? )?(?P<v>végétarien(?:ne)?|végane?|pescétarien(?:ne)?)", "diet", False),
    ("suis est", r"(?:maintenant |devenue? )(?P<v>[a-zà-ÿ]{4,30})$", "occupation", False),
    ("suis est", rf"allergique (?:à la|à l'|au|aux|à) ?{_V}", "allergy", True),
    ("ai a", r"(?:maintenant )?(?P<v>\d{1,3}) ans", "age", False),
    ("m'appelle s'appelle", _V, "name", False),
    ("mange bois boit fume", _V, "food", True),
    ("aime adore", _V, "likes", True),
    ("vivo vive vivimos resido reside", rf"(?:ahora )?en {_V}", "home", False),
    ("me se nos", rf"(?:he mudado|mudé|mudó|mudamos|ha mudado) a {_V}", "home", False),
    ("trabajo trabaja", rf"(?:ahora )?(?:como|de) {_V}", "occupation", False),
    ("trabajo trabaja", rf"(?:ahora )?(?:en|para) {_V}", "employer", False),
    ("me se", rf"llam[oa] {_V}", "name", False),
    ("soy es", r"(?:ahora )?(?P<v>vegetarian[oa]|vegan[oa])", "diet", False),
    ("soy es", rf"alérgic[oa] (?:a la|al|a los|a las|a) {_V}", "allergy", True),
    ("tengo tiene", r"(?:ahora )?(?P<v>\d{1,3}) años", "age", False),
    ("como come", _V, "food", True),
    ("bebo bebe fumo fuma", _V, "habit", True),
    ("tengo tiene", rf"(?:una?|dos) {_V}", "possession", True),
)
