"""Pairs of what is so in a life and what ends it in other words: a debt and its last payment, a post that is left."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memoryos_core.rules.knowledge.drugs import DRUG, SUPPLEMENT
from memoryos_core.rules.knowledge.phrases import KIN
from memoryos_core.rules.text.words import regex, with_marks

__all__ = ["DOUBT", "POST", "TURNS", "Turn", "tells_successor"]

_NAMED = r"(?-i:[A-ZÀ-Þ])[\w'’-]*"
_NAME = rf"(?:(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof)\.? )?{_NAMED}(?: {_NAMED}){{0,2}}"
_THE = r"(?:(?:the user's|the|my|our|their|that|this|all|all of|last of) ){0,2}"
_LATELY = r"(?:(?:has|have|had|just|now|also|finally|recently|already|at last|since) ){0,3}"
# Who speaks, right before the verb; "they" only where the statement is of the user alone.
_SELF = rf"(?:\bthe user |^|^(?:the user|their) [^\"]{{2,120}}?(?:,| and) (?:so )?they ){_LATELY}"
_MONTH = r"(?:(?:jan|febr)uary|march|april|may|june|july|august|(?:septem|octo|novem|decem)ber)"
_WHEN = (
    rf"(?:(?:last|next|this) (?:week|month|year|spring|summer|autumn|winter|night|\w+day|{_MONTH})"
    r"|yesterday|today|now|recently|at the end(?: of [\w ]{3,20})?"
    rf"|in (?:the (?:spring|summer|autumn|winter)|{_MONTH})|on (?:\d|the \d|\w+day)[\w ]{{0,12}}"
    r"|(?:an?|two|three|four|five|six|several|some|a few) (?:days?|weeks?|months?|years?) ago"
    r"|after (?:\w+ ){1,2}(?:years|months|weeks))"
)
# Nothing more, or when it was: "left Shell in May.", but not "left Shell's canteen", and not "in May to see her mum".
_STOP = rf"(?=[.,!;\"]|$| (?:{_WHEN}(?=[.,!;\"]|$)|for good|completely|altogether|entirely|finally|lol|haha|yay)\b)"
_BACK = (
    r"(?:(?:all|his|her|their|the|that|what they owed|money|lot|[$€£]?\d[\d.,]*|quid|pounds|euros|dollars) ){0,4}"
    rf"back(?={_STOP}| (?:in full|with interest|everything|all|and|the (?:money|lot|rest))\b)"
)
# An end that lasts, whatever is told behind it.
_END = rf"(?={_STOP}| (?:{_WHEN}|because|since|as|so|and|but|with (?:my|their))\b)"
# A firm, and not the building, nor what it sells: "left Boots early", "left Boots, got the bus", "quit Amazon as".
_GONE = (
    rf"(?=[.!;\"]|$| (?:{_WHEN}(?=[.,!;\"]|$)|for good|completely|altogether|entirely|finally|lol|haha|yay"
    r"|with (?:my|their) |because of |after )"
    r"|,? (?:and |so )?(?:they )?(?:now )?(?:starts?|started|works?|joined|joins?)(?: work)? (?:at|for|with|as|in"
    r"|on)\b)"
)
_FIRM = rf"(?:{_NAMED}(?: (?:(?:&|and|of|the) )?{_NAMED}){{0,3}}|[a-z][\w'’-]{{2,20}})"
_NO_FIRM = (
    r"(?!(?:the|a|an|my|our|their|his|her|it|this|that|them|him|me|us|home|work|school|college|uni|university|early"
    r"|late|town|hospital|church|bed|here|there|at|in|on|to|for|from|with|by|about|because|and|but|so)\b)"
)
POST = (
    r"(?:(?:vice[- ])?(?:chair(?:man|woman|person)?|president)|treasurer|secretary|captain|head|leader|governor|trustee"
    r"|organi[sz]er|coach|director|chief|deputy|editor|steward|warden|scout ?master|councillor)"
)
"""A post that somebody holds in a club or a firm."""
_MONEY = r"[$€£¥₹]? ?\d[\d.,]* ?(?:k|grand|thousand)?\b"
_LODGER = r"(?:lodger|lodging|lodges|tenant|flatmate|roommate|housemate|au pair|staying with|living with|renting)"
_STAFF = (
    r"(?:deputy|assistant|apprentice|secretary|receptionist|trainee|intern|colleague|employee|right hand|pa|nanny"
    r"|cleaner|carer|gardener|bookkeeper|sous[- ]chef|partner at work)"
)
# Not those that are towns or words, too: "moved to Halifax".
_BANK = (
    r"(?:Barclays|HSBC|Lloyds|NatWest|Nationwide|TSB|Monzo|Starling|Revolut|Metro Bank|First"
    r" Direct|Co-op(?:erative)? Bank|RBS|Virgin Money|Triodos|N26|Sparkasse|DKB|Commerzbank|AIB|Bank of"
    r" Ireland|PTSB"
    r"|Citi(?:bank)?|Wells Fargo|Bank of America|Capital One|Chime|ANZ|Westpac|NAB|Kiwibank|BNZ|Absa|FNB"
    r"|Capitec|Nedbank|KCB|[\w-]+ (?:bank|credit union))"
)
# The rest of the title of a book, which is no road.
_TITLE = (
    r"(?![\w' -]{1,40}\b(?:road|street|lane|avenue|close|drive)\b)[\w'-]*"
    r"(?: (?:of|the|and|on|in|(?-i:[A-ZÀ-Þ])[\w'-]+)){0,6}"
)
_ANIMALS_FOOD = (
    r"(?:fish|meat|chicken|beef|pork|lamb|bacon|tuna|salmon|anchov(?:y|ies)|prawns|seafood|sushi|steaks?|burgers"
    r"|turkey|ham|sausages|cod|sardines|mussels|oysters|eggs)"
)
_PILL = (
    rf"(?:{DRUG}|{SUPPLEMENT}|biotin|collagen|ashwagandha"
    r"|(?:vitamin|folic|fish|cod liver|evening primrose) ?\w+|antihistamines?|painkillers?|supplements?|multivitamins?"
    r"|sleeping pills?|tablets|pills)"
)
_FUEL = (
    r"(?:gas|induction|electric(?:ity)?|oil|coal|wood|logs|pellets|heat pump|solar|propane|turf|peat|stove|boiler"
    r"|burner|range|hob|cooker|oven)"
)
_SOMEBODY = r"^(?:[^\"]{1,60} said: \")?(?!(?:the user|they|i|we|he|she|it|you)\b)"
_BEGINS = r"^(?:[^\"]{1,60} said: \")?(?:(?:so|sadly|also|and|well),? )?"
_NEW_ONE = r"(?:an?|another|the) (?:(?:new|other|different|proper|better|real|private|local|older) )*"


@dataclass(frozen=True, slots=True)
class Turn:
    """A statement of what was so, and the news that ends it.

    What both call "what" is the same, or its words stand in what was so (`within`). "verb" and "of" are the same
    where both name them. `has_successor`: the news tells who does now what the user did.
    """

    held: re.Pattern[str]
    told: re.Pattern[str]
    within: bool = False
    has_successor: bool = False


def _turn(held: str, told: str, marks: str, *, within: bool = False, has_successor: bool = False) -> Turn:
    return Turn(regex(held, re.IGNORECASE), with_marks(marks, told), within, has_successor)


TURNS = (
    # A job that is left, in small letters as well.
    _turn(
        r"\b(?:the user|they)\b[^.;]{0,90}?\b(?:works?|working|employed|runs?|employer|job|shifts?|waiter|waitress"
        r"|chef"
        rf"|barista|nurse|manager|engineer|cashier|teacher|driver|cook|cleaner|clerk|developer)\b[^.;]{{0,30}}?(?:,"
        rf"| is| is with| at| for)(?: the)? (?P<what>{_FIRM})",
        rf"{_SELF}(?:left|quit|packed in|jacked in) {_NO_FIRM}(?P<what>{_FIRM}){_GONE}"
        rf"|{_SELF}(?:resigned from|handed in (?:the|my|their) notice (?:at|to)|(?:got|was|were) (?:fired|sacked"
        rf"|laid off|let go|made redundant) (?:by|from|at)) {_NO_FIRM}(?P<post>{_FIRM}){_END}"
        rf"|\b(?:the user's|their|my) last (?:(?:ever )?(?:working )?day|ever \w+) (?:at|for|with) (?:the )?{_NO_FIRM}"
        rf"(?P<last>{_FIRM}) was (?!meant|supposed|going|to be\b)"
        r"|\b(?:the user's|their|my) last (?:shift|week|month|voyage|flight|trip|run|round) (?:at|for|with) (?:the )?"
        rf"{_NO_FIRM}(?P<name>{_FIRM}) was {_WHEN}(?=[.!\"]|$)",
        "left|quit|resigned|finished|notice|fired|sacked|laid|let go|redundant|packed|jacked| last ",
    ),
    _turn(
        r"\b(?:the user|they) (?:is|are|am|has been|have been) (?:(?:still|now|currently|also) )?(?:unemployed"
        r"|out of work|jobless|between jobs|(?:job[- ]?hunting|looking for (?:an? )?(?:new )?(?:job|work)))\b",
        rf"{_SELF}(?:got|landed|found|started|starts|accepted|taken|took) (?:an?|the|my|their) (?:(?:new|first|proper"
        r"|full[- ]time|part[- ]time|real|little|good|great|decent|\w+ing) ){0,2}(?:job|position)\b"
        rf"(?={_STOP}| (?:at|as|with|in|and|but|starting|thanks|from|near|there|after|doing"
        r"|on (?:\w+day|the \d|\d))\b)",
        "job|position",
    ),
    # Another title at the same place.
    _turn(
        r"\bthe user is (?:the |an? )?(?!(?:\w+ ){0,2}(?:member|fan|patient|customer|client|regular|parent|alum\w*"
        rf"|graduate|volunteer|trustee)\b)(?P<title>[a-z][\w -]{{2,40}}?) (?:at|for) (?P<what>{_NAMED}(?:"
        rf" {_NAMED}){{0,3}})",
        r"\bthe user is (?:now )?(?:the |an? )?(?!(?:\w+ ){0,2}(?:member|fan|patient|customer|client|regular|parent)\b)"
        rf"(?P<title>[a-z][\w -]{{2,40}}?) (?:at|for) (?P<what>{_NAMED}(?: {_NAMED}){{0,3}}) now\b",
        " now",
    ),
    # A post in a club that somebody stepped down from, or another one of the same club.
    _turn(
        rf"\b(?:the user|they) (?:is|are|am|was elected|became|has been|have been|serves as) (?:(?:still|now|also) )?"
        rf"(?:the |an? )?(?:\w+ )?(?P<what>{POST})\b(?: (?:of|for|at|in|on) (?:the |my |our |their"
        r" )?(?P<of>[^.,;]{2,60}))?"
        r"|\bthe user (?P<post>chair|captain|coache|lead|head)s (?:the|our|my|their) (?P<club>[^.,;]{2,60})",
        rf"{_SELF}(?:(?:stepped|stood|stepping) down (?:as|from(?: being)?|from the post of)|(?:given up|gave up"
        r"|handed over|resigned|quit|packed in) (?:being|as|the post of)) (?:the |their |an? )?(?:\w+ )?"
        rf"(?P<what>{POST})\b(?={_STOP}| (?:of|for|at|in|on|because|since|as|so|and|but|after)\b)"
        r"(?: (?:of|for|at|in|on) (?:the |my |our |their )?(?P<of>[^.,;]{2,60}))?",
        "down|given up|gave up|handed|resigned|quit|packed",
    ),
    _turn(
        r"\b(?:the user|they) (?:is|are|am|has been|have been|serves as) (?:(?:still|now|also) )?(?:the |an? )?(?:\w+"
        r" )?"
        rf"{POST} (?:of|for|at|in|on) (?:the |my |our |their )?(?P<of>[^.,;]{{2,60}})",
        r"\b(?P<of>(?:[\w-]+ ){0,6})(?:the user|they) (?:(?:has|have|just|now|at|last|finally) ){0,4}(?:stepped"
        r"|stood"
        rf"|moved) (?:down|back|over|across|sideways) (?:to|to be|to being) (?:just |the |an? )*{POST}\b"
        r"(?: (?:of|for|at|in|on) (?:the |my |our |their )?(?P<club>[^.,;]{2,60}))?",
        " to ",
    ),
    # Somebody else does now what the user did for others.
    _turn(
        r"\b(?:the user|they) (?:(?:also|now|still|currently|used to|\w+s and) )?(?P<verb>coach|teach|run|manag"
        r"|organi[sz]"
        r"|lead|captain|host|umpir|referee)(?:es|s|e)?\b(?P<what>[^.;]{2,80})",
        rf"{_SOMEBODY}[^.;,\"]{{2,40}}?(?:'s|s| is| are|s are|(?<=\w)) (?P<verb>coach|teach|runn?|manag|organi[sz]|lead"
        rf"|captain|host|umpir|referee)(?:ing|e?s|e)? (?P<what>(?:the|our|my|their|that|this) "
        r"(?!(?:\w+ ){0,2}(?:marathon|races?|10k|5k)\b)[\w' -]{2,30}?) (?:now|these days|from now on)\b",
        "coach|teach|run|manag|organi|lead|captain|host|umpir|referee",
        within=True,
        has_successor=True,
    ),
    _turn(
        r"\b(?:the user|they) (?:(?:also|now|still|currently) )?(?P<verb>coach|teach|organi[sz]|manag)(?:es|s|e)?\b",
        rf"{_SOMEBODY}[^.;,\"]{{2,40}}? (?:does|do|is doing|are doing) (?:the|all the|our) (?P<verb>coach|teach"
        r"|organi[sz]|manag)ing (?:now|these days|from now on)(?=[.,!;\"]|$)",
        "coach|teach|organi|manag",
        has_successor=True,
    ),
    _turn(
        r"\b(?:the user|they) (?:(?:also|now|still|currently) )?(?:coach(?:es)?|teach(?:es)?|runs?|manages?"
        r"|organi[sz]es?"
        r"|leads?|chairs?|captains?|hosts?|is (?:the )?(?:chair|treasurer|secretary|captain|head|leader|organi[sz]er"
        r"|coach))"
        r"\b(?P<what>[^.;]{2,80})",
        rf"{_SOMEBODY}(?:[\w' .-]{{2,40}}?) {_LATELY}(?:took|taken|taking|takes) over"
        r" (?P<what>(?:the|our|my|the user's|their) [\w' -]{2,30}?)"
        r"(?: from (?:me|us|the user|them))?(?=[.,!;]|$| (?:now|last|in|on|this|since|so|and|as)\b)",
        "over",
        within=True,
        has_successor=True,
    ),
    # A pupil goes to somebody else, or gives up.
    _turn(
        r"\b(?:the user|they) (?:(?:also|now|still|\w+ly) )?(?:teach(?:es)?|tutors?|coach(?:es)?|trains?|gives?)\b"
        r"(?P<what>[^.;]{2,120})",
        rf"{_BEGINS}(?:the user's (?:pupil|student),? )?(?P<what>{_NAME}) {_LATELY}(?:is |are )?(?:gone|went|going|goes"
        rf"|moved|moving|switched|changed) (?:on |over )?to {_NEW_ONE}(?:teacher|tutor|coach|instructor|trainer)"
        rf"(?={_STOP}| (?:because|since|and|but|so|who)\b)",
        "teacher|tutor|coach|instructor|trainer",
        within=True,
    ),
    # A lodger, or somebody who works for the user.
    _turn(
        rf"\b{_LODGER}\b(?P<what>[^.;]{{2,60}})",
        rf"{_BEGINS}(?:the user's (?:\w+ )?{_LODGER},? )?(?P<what>{_NAME}) {_LATELY}(?:moved out(?: of (?:ours|our \w+"
        rf"|the (?:flat|house|room)))?(?={_STOP}| (?:because|since|so|to live|to (?:his|her|their) own)\b)"
        rf"|(?:went|gone|flew|flown|moved) (?:back )?home(?: to {_NAMED})? for good"
        rf"|(?:moved (?:back )?home(?: to {_NAMED})?|moved back to {_NAMED}|(?:flew|flown) (?:back )?home to {_NAMED})"
        rf"{_STOP}|left (?:the user|us|them|for good){_STOP})",
        "moved|home|left",
        within=True,
    ),
    _turn(
        rf"\b(?:the user's|their|our|my) (?:[\w-]+ )?{_STAFF}(?: is| is called|,| called| named)? (?P<what>{_NAME})"
        rf"|^(?P<name>{_NAME}) is (?:the user's|their|our|my) (?:\w+ )?{_STAFF}\b",
        rf"^(?P<what>{_NAME}) (?:(?:has|have|just|now) ){{0,2}}(?:(?:opened|started|set up|founded) (?:his|her|their"
        r"|an?) own"
        r" (?:\w+ )?(?:practice|office|firm|business|company|shop|salon|studio|restaurant|bakery|garage|agency)"
        rf"|left (?:the user|us|them|the (?:firm|company|practice|team)){_STOP}"
        rf"|left the (?:office|shop|kitchen) (?:for good|last (?:month|year)|in {_MONTH})(?=[.,!;\"]|$)"
        r"|(?:quit|resigned|retired)(?=[.,!;]|$| (?:last|in|on|this|yesterday)\b)"
        r"|(?:got|found|took|started) (?:an?|another|a new) (?:new )?(?:job|post|position)"
        rf"(?={_STOP}| (?:at (?!ours|the user's|our)|as|with|in|elsewhere|somewhere|because|so)\b))",
        "own|left|quit|resigned|retired|job|post|position",
    ),
    # What is owed.
    _turn(
        r"\b(?:the user|they|we)\b(?P<what>[^.;]{0,60}\b(?:debts?|owes?|loans?|mortgage|overdraft|paying off"
        r"|instal?ments)\b[^.;]{0,60})|^(?P<bill>[^.;]{2,40}\b(?:card|loan|overdraft|mortgage|debt)\b[^.;]{0,40}\b\d[^.;]{0,40}%?)",
        rf"(?:{_SELF}|^the user (?:got|used|sold|has|had)\b[^\"]{{2,60}} and )(?:paid|cleared|settled)(?: off| back)?"
        rf" {_THE}(?P<what>(?!(?:him|her|me"
        r"|them|it|attention|cash|\d)\b)(?:[a-z]\w* ){0,2}?(?:card|visa|mastercard|amex|loans?|debts?|overdraft"
        r"|mortgage"
        rf"|finance|klarna)){_END}"
        r"|^(?:the user's |my |our |the )?(?P<done>(?:[a-z]\w* ){0,2}?(?:card|visa|mastercard|amex|loans?|debts?"
        r"|overdraft|mortgage"
        rf"))(?:'s| is| are| was| has been| got) {_LATELY}(?:(?:fully|completely|finally|all) )*(?:paid off|cleared"
        r"|settled"
        rf"|paid back){_END}",
        "paid|cleared|settled",
        within=True,
    ),
    _turn(
        r"\b(?:the user|they) (?:still )?owes? (?:their |my |the user's )?(?P<what>[\w-]+)\b"
        r"|^(?P<name>[\w-]+) (?:has )?lent (?:the user|them)\b|\bborrowed [^.;]{1,40}? from (?P<post>[\w-]+)\b",
        rf"{_SELF}(?:paid|payed|given|gave) (?:their |my |the user's )?(?P<what>(?!it|them|him|her|me|us)[\w-]+)"
        rf" {_BACK}",
        "back",
    ),
    _turn(
        r"^(?P<what>[\w-]+) (?:still )?owes (?:the user|them)\b|\blent (?P<name>[\w-]+) (?:[$€£]?\d|an? |some money)",
        r"^(?P<what>(?!he\b|she\b|they\b|it\b)[\w-]+) (?:has |finally |just )*(?:paid|payed|gave|given)"
        rf" (?:the user|them) {_BACK}",
        "back",
    ),
    # A membership or an account that is closed.
    _turn(
        r"\b(?:the user|they)\b[^.;]{0,40}\b(?:member(?:ship)?|account|subscription|subscribes|pays?|goes|season"
        r" ticket)\b"
        rf"(?P<what>[^.;]{{2,60}})|\bthe user has an? (?P<name>{_NAMED}(?: {_NAMED}){{0,2}}) (?:membership|account"
        r"|subscription)",
        rf"{_SELF}(?:closed|ended|cancell?ed|stopped|terminated) (?:the user's|the|my|their|our)"
        rf" (?:(?P<what>{_NAMED}(?:"
        rf" {_NAMED}){{0,2}}) )?"
        rf"(?:membership|account|subscription)(?: (?:at|with|of|to) (?:the )?(?P<name>{_NAMED}(?: {_NAMED}){{0,2}}))?",
        "membership|account|subscription",
        within=True,
    ),
    # One bank, one firm that something comes from, one way to heat.
    _turn(
        rf"\bthe user (?:banks? with|is with (?=(?-i:{_BANK}))|has (?:an |their |a )?(?:\w+ )?account (?:with|at))"
        rf"|\bthe user's (?:main )?bank is",
        rf"{_SELF}(?:switched|moved|changed|gone over|going)(?: over| banks?| my account| their account| the account"
        rf"| everything)*(?: from [\w ]{{2,20}}?)? to (?-i:{_BANK}){_END}"
        rf"|{_SELF}(?:switched|moved|changed) (?:over )?(?:banks?|(?:the user's|my|their|the) (?:bank )?accounts?)"
        r"(?: over)?(?: from [\w ]{2,20}?)? to "
        rf"{_NAME}{_END}"
        rf"|\bthe user (?:now )?banks? with (?-i:[A-ZÀ-Þ][\w-]+)[\w -]{{0,20}}(?: now| instead)\b",
        "switched|moved|changed|gone|going|bank",
    ),
    _turn(
        r"\bthe user (?:buys?|gets?|orders?) (?:(?:the|their|all|my) ){0,2}(?P<what>[a-z][\w-]{2,20}(?: [a-z][\w-]+)?)"
        rf" (?:only )?from (?:the )?{_NAMED}|^the (?P<goods>[a-z]+): the user (?:buys?|gets?|orders?)(?: it)? from"
        rf" {_NAMED}",
        r"\bthe user (?:now )?(?:buys?|gets?|orders?|has been getting) (?:(?:the|their|all|my) ){0,2}"
        rf"(?P<what>[a-z][\w-]{{2,20}}(?: [a-z][\w-]+)?) from (?:the )?{_NAMED}(?: {_NAMED}){{0,2}} (?:now"
        r"|instead|these days)(?! and (?:then|again)\b)"
        rf"|{_SELF}(?:switched|changed|gone|went|moved) (?:over )?to {_NAMED}(?: {_NAMED}){{0,2}} for (?:the|my|their"
        r"|all)"
        r" (?:the |my |their )?(?P<goods>[a-z][\w-]{2,20})",
        " from | for ",
    ),
    _turn(
        r"\bthe user (?:still )?(?P<verb>heat|cook)s? with\b(?! (?:my|their|friends|love|the kids)\b)",
        r"\bthe user (?=[^.;,]{1,60}\b(?:now|instead)\b(?! and (?:then|again)\b))(?:now )?(?P<verb>heat|cook)s? with"
        rf" (?:an? )?(?:\w+ ){{0,2}}?{_FUEL}\b",
        "heat|cook",
    ),
    # What somebody earns, reads and eats.
    _turn(
        rf"\bthe user (?:earns|makes|gets paid|is paid|is on) (?:about |around )?{_MONEY}(?! (?:people|steps|followers"
        r"|of them|points)\b)"
        rf"|\bthe user's (?:salary|wage|pay|income) is (?:about |around )?{_MONEY}",
        rf"\bthe user (?:now )?(?:earns|makes|gets paid|is paid|gets) (?:about |around )?{_MONEY}(?: a (?:year|month"
        r"|week|day)| an hour)?"
        r" now\b|\bthe user now (?:earns|makes|gets paid|is paid) [$€£¥₹]?\d"
        rf"|{_SELF}(?:got|was given|had) (?:an?|the|my|their) (?:pay )?r(?:ai|i)se\b(?! (?:of|by)\b)[^.;]{{0,30}}?[ ,]"
        rf"(?:on |to |at |now )*{_MONEY}"
        rf"|{_SELF}(?:got|was|been) promoted\b[^.;]{{0,20}}?(?:,| and)(?: (?:they|now|is|are|'re)){{0,3}}"
        rf" (?:on|earns?|makes?) {_MONEY}",
        "now|raise|rise|promot",
    ),
    _turn(
        r"\bthe user is (?:currently |still |now )?reading (?!to\b|about\b)(?P<what>[^.,;(]{2,50})",
        rf"{_SELF}finished (?:reading )?(?P<what>(?!(?:school|uni|work|the|my|their|it|that|reading)\b)[\w'"
        r" -]{2,40}?)(?=[.,;!]|$"
        r"| (?:and|last|yesterday|today|in|on|at last|finally|so|now)\b)",
        "finished",
    ),
    _turn(
        rf"\bthe user is (?:currently |still |now )?reading (?:the )?{_NAMED}",
        r"\bthe user is (?:now )?(?:reading|on to|onto) (?:the )?(?-i:[A-ZÀ-Þ])"
        rf"{_TITLE} (?:now|instead)(?=[.,!;\"]|$)|\bthe user is (?:now (?:reading|on to|onto)|on to) (?:the )?"
        rf"(?-i:[A-ZÀ-Þ]){_TITLE}(?=[.,!;\"]|$)(?!.*\b(?:too|as well|also)\b)",
        "reading|on to|onto",
    ),
    _turn(
        r"\b(?:the user|they)\b(?:'s)? (?:is|has been|have been|goes|went|gone|became|been|turned) (?:an? |now"
        r" )?(?:strict )?(?:veg|veggie"
        r"|vegetarian|vegan|plant-based)\b(?!-| (?:for (?:lent|january|a week|a month)|food|box|restaurant|place))",
        rf"{_SELF}(?:(?:now|can|do|does|has started to|started to) )?(?:eats?|is eating) (?:\w+ and"
        rf" )?{_ANIMALS_FOOD}(?: and \w+)? again\b",
        "again",
    ),
    # A pill that was cut: not the grass, nor its dose.
    _turn(
        rf"^(?!.*\b{KIN}\b).{{0,200}}?"
        r"\b(?:takes?|taking|is on|was put on|prescribed|told the user(?: to take)?|gave the user"
        r"|recommended)\b(?P<what>[^.;]{2,60})",
        rf"{_SELF}(?:cut|cut out|stopped(?: taking)?|dropped|ditched|binned|skipped for good|knocked off) {_THE}"
        rf"(?P<what>{_PILL})(?={_STOP}| (?:by the way|because|since|as|so|but|and|too|for now)\b)"
        rf"|{_SELF}knocked {_THE}(?P<done>{_PILL}) on the head\b",
        "cut|stopped|dropped|ditched|binned|skipped|knocked",
        within=True,
    ),
    # A car that somebody else has now.
    _turn(
        r"\bthe user (?:(?:still|now|also) )?(?:drives?|rides?)\b(?P<what>[^.;,]{2,60})",
        r"^(?:the|my|our|the user's) (?:old |trusty |faithful )?(?P<what>[\w-]+(?: [\w-]+)?) (?:has |have |just"
        r" )*(?:went|gone|passed) to"
        r" (?:an? |one of |the user's |my |our |their |some |the )*(?:(?:new|young|younger|older|lovely) )*(?:nephew"
        r"|niece|son|daughter|brother"
        r"|sister|cousin|friend|neighbou?r|owner|couple|colleague|lad|scrap|scrapyard|wreckers?|charity"
        r"|auction)\b(?!['’]s\b| for the\b| in the end\b)(?!.*\b(?:new|this one|before|\d and \d)\b)"
        r"|^(?!the user\b)[^.;,]{2,40} (?:bought|took) (?:the user's|my|our) (?:old )?(?P<name>[\w-]+)(?: off (?:me|us"
        r"|them|the user))?(?=[.,!]|$"
        r"| (?:last|yesterday|today|on|in|for [$€£¥₹]?\d))",
        " to |bought|took",
        within=True,
    ),
    # Only an animal is put to sleep; whoever died is of no age.
    _turn(
        rf"\b(?:the user's|their|our|my|the) (?!(?:\w+ ){{0,2}}{KIN}\b)(?:[a-z]+ ){{0,3}}(?P<what>{_NAMED})"
        rf"|^(?P<aged>{_NAMED}) is \d{{1,2}}\b",
        rf"\bvets?(?: had to)? put (?P<name>{_NAMED}) (?:down|to sleep)\b"
        rf"|\b(?P<what>{_NAMED}) (?:(?:had|has) to be |was |has been |is being )(?:put (?:down|to sleep)"
        r"|euthani[sz]ed)\b"
        rf"|\bhad to (?:have )?(?:put )?(?P<pet>{_NAMED}) (?:put )?(?:down|to sleep)\b",
        "put |euthan",
    ),
    _turn(
        rf"^(?:the user's [a-z]+ )?(?P<what>{_NAMED}) is \d{{1,3}}\b",
        rf"^(?:[\w' ]{{0,30}} )?(?P<what>{_NAMED}) (?:has |just |sadly ){{0,2}}(?:passed away|died)"
        rf"(?={_STOP}| (?:in (?:hospital|his sleep|her sleep|\d{{4}})|at home|of (?!laughter|boredom|embarrassment"
        r"|shame)|peacefully|suddenly|and|aged?|at \d)\b)",
        "died|passed",
    ),
)

_SUCCESSORS = tuple(turn for turn in TURNS if turn.has_successor)

DOUBT = regex(
    r"\b(?:if|would|could|might|maybe|perhaps|wish|almost|nearly|thinking (?:of|about)|wants? to|dream(?:t|ed)?|not"
    r"|never|won't|didn't|hasn't|haven't|isn't)\b",
    re.IGNORECASE,
)


_LONGEST = 400  # characters of a sentence that are read


def tells_successor(sentence: str) -> bool:
    """Return whether a sentence tells that somebody else does something now which the speaker may have done."""
    said = sentence[:_LONGEST]
    return any(turn.told.search(said) is not None for turn in _SUCCESSORS) and not DOUBT.search(said)
