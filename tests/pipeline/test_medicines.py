"""What somebody takes is a field of the profile, and ends where it is stopped or another one takes its place."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from memoryos_core import MemoryOS
from memoryos_core.rules.knowledge.amounts import is_told_anew
from memoryos_core.rules.knowledge.drugs import is_taken_instead
from memoryos_core.rules.knowledge.slots import slots_of
from tests.pipeline.test_belongings import MANUAL, known_after


@pytest.mark.parametrize(
    ("said", "medicines"),
    [
        (("I'm on leflunomide, 10 mg daily.",), "leflunomide 10 mg"),
        (("I take methotrexate 15 mg once a week.",), "methotrexate 15 mg"),
        (("I'm on Pregabalin.",), "Pregabalin"),
        (("The doctor gave me naproxen.",), "naproxen"),
        (("My GP prescribed me ramipril last week.",), "ramipril"),
        (("She put me on naproxen.",), "naproxen"),
        (("The doctor gave me a form.",), None),
        (("My mate gave me ibuprofen once.",), None),
        (("We gave my mum ramipril.",), None),
        (("I take gabapentin for my nerves.",), "gabapentin"),
        (("I take gabapentin for my dog.",), None),
        (("I take Humalog 10 units before meals.",), "Humalog 10 units"),
        (("I'm still on leflunomide.",), "leflunomide"),
        (("I take metformin.", "They've put me on gliclazide as well."), "metformin, gliclazide"),
        (("I take losartan.", "They've put me on ramipril instead."), "ramipril"),
        (("I take losartan.", "I take atorvastatin.", "They've put me on ramipril instead."), "atorvastatin, ramipril"),
        (("I take methotrexate 15 mg once a week.", "Dr Banerjee stopped my methotrexate."), None),
        (("I take methotrexate.", "Methotrexate was making me sick.", "The GP took me off methotrexate."), None),
        (("I take prednisolone.", "Finished the prednisolone yesterday."), None),
        (("I take omeprazole and atorvastatin.", "The omeprazole gave me cramps so the nurse took me off it."),
         "atorvastatin"),
        (("I take methotrexate.", "Dr Shah doubled my methotrexate."), "methotrexate"),
        (("I'm on propranolol.", "Dr Lee wants to stop my propranolol in June."), "propranolol"),
        (("I'm on propranolol.", "Dr Lee hasn't stopped my propranolol."), "propranolol"),
        (("I'm on holiday in Spain.",), None),
        (("I'm on nights this week.",), None),
        (("I take water with 10 mg of salt.",), None),
        (("I take insulin.", "I take metformin instead at breakfast."), "insulin, metformin"),
        (("I take amlodipine.", "I take ramipril instead of nothing at night."), "amlodipine, ramipril"),
        (("I take amlodipine.", "I take ramipril instead of amlodipine."), "ramipril"),
        (("I take metformin in the mornings.",), "metformin"),
        (("I take metformin daily.",), "metformin"),
        (("I'm taking coffee, 200 ml.",), None),
        (("I'm taking whisky, 40 ml.",), None),
        (("I'm on Route, 10 units away.",), None),
        (("I take Ozempic jokes badly.",), None),
        (("I'm on codeine street.",), None),
        (("I take insulin out of the fridge for Gran.",), None),
    ],
)  # fmt: skip
def test_what_somebody_takes_is_in_the_profile_until_it_is_stopped(said: tuple[str, ...], medicines: str) -> None:
    assert known_after(*said)[1].get("medication") == medicines


@pytest.mark.parametrize(
    ("said", "medicines"),
    [
        (("I take lisinopril 5 mg.", "Clinic have doubled my lisinopril to 10."), "lisinopril 10"),
        (("I'm on 25mg citalopram.", "The doctor's upped my citalopram to 40 mg."), "citalopram 40 mg"),
        (("I take verapamil 80.", "My verapamil is up to 120 now."), "verapamil 120"),
        (("I take candesartan 8 mg.", "My candesartan's 16 now."), "candesartan 16"),
        (("I take rosuvastatin 20 mg.", "She's brought my rosuvastatin back down to 10."), "rosuvastatin 10"),
        # Of a dose alone nobody can tell who takes it.
        (("My son Ivo takes montelukast 4 mg.", "Montelukast is now 5 mg."), None),
        (("My gran takes warfarin 3 mg.", "They raised the warfarin to 4 mg."), None),
        (("My wife is on sertraline 50 mg.", "The sertraline is 100 mg now."), None),
        (("My dog Rex takes amlodipine 2.5 mg.", "The amlodipine is now 5 mg."), None),
        (("My patient takes ramipril 5 mg.", "They upped the ramipril to 10 mg."), None),
        (("Case study: started on ramipril. The ramipril is now 10 mg.",), None),
        (("Colleague of mine, atorvastatin is now 80 mg for him.",), None),
        (("They put Lidl up to 5 mg lol.",), None),
        (("I take metformin 500 mg.", "My metformin has gone up from 500 to 850 mg."), "metformin 850 mg"),
        (("I take nebivolol.", "He's changed the nebivolol to verapamil."), "verapamil"),
        (("I take perindopril 4 mg.", "They took me off the perindopril, it's valsartan 80 now."), "valsartan 80"),
        (("I take metformin 500 mg, twice a day.", "I take metformin."), "metformin 500 mg"),
        (("I take olanzapine 5 mg in the morning.", "I take olanzapine 10 mg at night."),
         "olanzapine 5 mg, olanzapine 10 mg"),
        (("I'm on Elvanse 30mg in the mornings.", "psych put me up to 50mg of the Elvanse"), "Elvanse 50mg"),
        (("I take naproxen 250 mg.", "Naproxen is 2.50 now."), "naproxen 250 mg"),
        (("I take naproxen 250 mg.", "Naproxen's 3 now at the chemist."), "naproxen 250 mg"),
        (("My wife takes lisinopril 5 mg. They've doubled the lisinopril to 10.",), None),
        (("I take lisinopril 5 mg.", "They have upped mum's lisinopril to 10 mg."), "lisinopril 5 mg"),
        (("I take lisinopril 5 mg.", "My dad's poorly. He's upped the lisinopril to 10."), "lisinopril 5 mg"),
        (("I take lisinopril 5 mg.", "If they put my lisinopril up to 10 mg I'll ask why."), "lisinopril 5 mg"),
        (("I take lisinopril 5 mg.", "They nearly doubled my lisinopril to 10 mg."), "lisinopril 5 mg"),
        (("I take lisinopril 5 mg.", "They put the lisinopril up to 9 pounds a box."), "lisinopril 5 mg"),
        (("I take lisinopril 5 mg.", "She wants to put the lisinopril up to 10."), "lisinopril 5 mg"),
    ],
)  # fmt: skip
def test_another_dose_takes_the_place_of_the_one_before(said: tuple[str, ...], medicines: str) -> None:
    assert known_after(*said)[1].get("medication") == medicines


@pytest.mark.parametrize(
    ("said", "medicines"),
    [
        (("I take venlafaxine 75 mg.", "She took me off venlafaxine."), None),
        (("I take venlafaxine 75 mg.", "They stopped my venlafaxine."), None),
        (("I take codeine 30 mg.", "off codeine ages ago, only paracetamol now"), None),
        (("I take zinc.", "I've come off zinc."), None),
        (("I take rivaroxaban, 10 mg.", "My rivaroxaban is finished, hurray, and the physio says I walk like a goat."),
         None),
        (("I take perindopril, 4 mg.",
          "Dr. Osei, you see, hates my cough, and he has taken me off the perindopril and given me valsartan, 80 mg,"
          " in its place."), "valsartan 80 mg"),
        (("He has stopped my amlodipine and started me on losartan, 50 mg.",), "losartan 50 mg"),
        (("She has raised the valsartan to 160 mg and lowered my levothyroxine to 25 micrograms.",),
         "valsartan 160 mg, levothyroxine 25 micrograms"),
        (("I take perindopril 4 mg and levothyroxine, 100 micrograms.",),
         "perindopril 4 mg, levothyroxine 100 micrograms"),
        (("I take amlodipine for my heart, metformin for my sugar and atorvastatin at night.",),
         "amlodipine, metformin, atorvastatin"),
        (("The rheumatologist gave me hydroxychloroquine, 200 mg, and folic acid, 5 mg.",),
         "hydroxychloroquine 200 mg, folic acid 5 mg"),
        (("They have given me dabigatran, 110 mg twice a day.",), "dabigatran 110 mg"),
        (("My chest is bad, the doc gave me beclozorone, 100 micrograms a day.",), "beclozorone 100 micrograms"),
        # A dose of which nobody tells whose it is, is that of the user who takes the medicine.
        (("I take bisoprolol 2.5 mg.", "dr put bisoprolol up to 5"), "bisoprolol 5 mg"),
        (("I take venlafaxine 150 mg.", "doc dropped venlafaxine back to 75, much better"), "venlafaxine 75 mg"),
        (("I take lisinopril 5 mg.", "lisinopril's gone up to 10 mg"), "lisinopril 10 mg"),
        (("My gran takes lisinopril 5 mg.", "doc put lisinopril up to 10"), None),
        (("I take lisinopril 5 mg.", "doc might put lisinopril up to 10"), "lisinopril 5 mg"),
        # What is taken beside.
        (("I'm on HRT patches, Estradot 50, twice a week.",), "HRT, Estradot 50"),
        (("My vitamin D is awful, I'm on 4000 IU a day now.",), "vitamin D 4000 IU"),
        (("I take vitamin D, 1000 IU.", "Vitamin D is fine now so I stopped it."), None),
        (("My doctor put me on iron tablets, ferrous gluconate 300 mg.",
          "The iron upset my tummy so badly that she changed it to ferrous fumarate, 322 mg."),
         "ferrous fumarate 322 mg"),
        (("I take ferrous fumarate 322 mg.", "My blood is fine now so I've stopped the iron."), None),
        (("I take atorvastatin 20 mg.", "I've stopped the statins."), None),
        # Another's, a box, what is only thought of, and words of another sense.
        (("She took my mum off warfarin and put her on apixaban, 5 mg.",), None),
        (("The vet gave me prednisolone, 5 mg, for the cat.",), None),
        (("My daughter's doctor gave her amoxicillin, 250 mg.",), None),
        (("My dad is on iron tablets, ferrous gluconate 300 mg.",), None),
        (("I take amlodipine and my wife takes metformin.",), "amlodipine"),
        (("I take metformin and Tom is on apixaban, insulin and aspirin.",), "metformin"),
        (("I take warfarin.", "They took him off warfarin."), "warfarin"),
        (("I take metformin.", "My metformin is finished and I must pick up a repeat prescription."), "metformin"),
        (("I take amlodipine.", "She nearly took me off amlodipine."), "amlodipine"),
        (("I take amlodipine.", "She took me off amlodipine for two weeks before the operation."), "amlodipine"),
        (("I take amlodipine.", "She took me off amlodipine but I'm back on it."), "amlodipine"),
        (("I take atorvastatin 20 mg.", "My brother stopped his statins."), "atorvastatin 20 mg"),
        (("I take calcium for my dog.",), None),
        (("I'm on iron duty at home.", "My will is iron.", "The team is on steroids this year."), None),
        (("The doc gave me about 20 mg of something.",), None),
        (("I'm hoping that they put me on ramipril.",), None),
        (("I take warfarin 3 mg.", "Doctor put warfarin up to 5 mg for the patient in bed four."), "warfarin 3 mg"),
        (("I take prednisolone 5 mg.", "The vet put prednisolone up to 10 mg."), "prednisolone 5 mg"),
        (("They changed it to Thursday.", "My Narnia series is finished, and I miss it."), None),
    ],
)  # fmt: skip
def test_medicines_are_told_of_in_one_sentence_by_whoever_gives_them(said: tuple[str, ...], medicines: str) -> None:
    assert known_after(*said)[1].get("medication") == medicines


@pytest.mark.parametrize(
    ("held", "news"),
    [
        ("The user takes methotrexate 15 mg once a week.", "Dr Banerjee stopped the user's methotrexate."),
        ("The user takes methotrexate 15 mg.",
         "The user's methotrexate was making them sick so Dr Banerjee stopped it."),
        ("The user is on ramipril 5 mg.", "The user's ramipril gave them a cough and the GP has stopped it."),
        ("The user is on venlafaxine 75 mg.", "The user's psychiatrist has taken them off venlafaxine."),
        ("The user's dad's on warfarin.", "The user's dad's warfarin was causing bleeds so they stopped it."),
        ("The user's mum takes metformin.", "The user's mum's on insulin now, metformin stopped last week."),
    ],
)  # fmt: skip
def test_a_medicine_is_stopped_by_whoever_gives_it(held: str, news: str) -> None:
    assert is_told_anew(held, news)


@pytest.mark.parametrize(
    ("held", "news"),
    [
        ("The user is on warfarin.", "The user's sister's doctor stopped her warfarin."),
        ("The user is on warfarin.", "Dr Banerjee has not stopped the user's warfarin."),
        ("The user is on warfarin.", "The user's warfarin was making them sick so Dr Banerjee never stopped it."),
        ("The user is on warfarin.", "The pharmacy stopped the user's delivery."),
        ("The user is on warfarin.", "Tom stopped his warfarin."),
        ("The user takes methotrexate.", "The user finished the methotrexate paper."),
        ("The user takes aspirin.", "The user finished the aspirin ad campaign."),
        ("The user takes metformin.", "The user finished metformin this morning with breakfast."),
        ("The user takes metformin.", "The user has finished their metformin, need a new box."),
        ("The user takes metformin.", "Smith stopped the user's metformin delivery."),
        ("The user takes metformin.", "Production of metformin stopped last year."),
        ("The user takes metformin.", "The user's metformin was making them sick so the user stopped it for a day."),
        (
            "The user takes metformin.",
            "The user's metformin is fine and the user asked if they stopped it would they be ok.",
        ),
    ],
)
def test_what_is_stopped_for_another_or_not_at_all_stays(held: str, news: str) -> None:
    assert not is_told_anew(held, news)


def test_only_a_medicine_for_the_same_takes_the_place_of_another() -> None:
    assert is_taken_instead("losartan", "ramipril", "They've put me on ramipril instead.")
    assert is_taken_instead("amlodipine", "5 mg ramipril", "I take 5 mg ramipril instead.")
    assert not is_taken_instead("atorvastatin", "ramipril", "They've put me on ramipril instead.")
    assert not is_taken_instead("losartan", "ramipril", "They've put me on ramipril as well.")


def test_the_medicine_of_another_person_is_told_as_theirs() -> None:
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        for number, said in enumerate(("Mum takes metformin.", "Mum's on insulin now, metformin stopped last week.")):
            user = memory.user("k", session_id=f"s{number}")
            user.add(said, "ok", timestamp=datetime(2026, 1, 1 + number, tzinfo=timezone.utc))
            user.end_session()
        memory.flush()
        lines = memory.user("k").recall("What medication does my mum take?").text.splitlines()
    assert "- Mum's medication: insulin (since 2 January 2026; before: metformin)" in lines


@pytest.mark.parametrize(
    "said",
    [
        "The user's mum's diabetic review is 5 June.",
        "The user's grandad's asthmatic clinic is on Tuesday.",
        "The user's dad's vegan cookbook is new.",
    ],
)
def test_what_is_for_an_illness_or_a_diet_says_not_who_has_it(said: str) -> None:
    assert {slot.attribute for slot in slots_of(said)}.isdisjoint(("condition", "diet"))


@pytest.mark.parametrize(
    "behind",
    [
        "unfortunately", "then", "btw", "while she grows", "although mild", "though", "this month",
        "which means no bread", "– type 2", "- no gluten", "I think", "and 12",
    ],
)  # fmt: skip
def test_whatever_stands_behind_an_illness_it_is_that_of_the_person(behind: str) -> None:
    told = slots_of(f"The user's daughter's coeliac {behind}.")
    assert [slot.value for slot in told if slot.attribute == "allergy"] == ["gluten (coeliac)"]


def test_an_illness_that_somebody_has_is_theirs() -> None:
    told = [slots_of(said)[0].value for said in ("The user's mum's diabetic.", "The user's dad's asthmatic and 70.")]
    assert told == ["diabetic", "asthmatic"]
