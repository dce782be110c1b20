"""The answer to `page_out`."""

from __future__ import annotations

from memoryos_core.extract.answers import Flag, Number, Numbers, StructuredAnswer, Text, Texts


class ChainAnswer(StructuredAnswer):
    """A line of talk that starts at page number `first`."""

    first: Number
    summary: Text = ""


class TopicAnswer(StructuredAnswer):
    """Page numbers on one subject."""

    pages: Numbers
    summary: Text = ""
    keywords: Texts = ()


class PageOutAnswer(StructuredAnswer):
    """The shape the model is asked for; what is missing in it is filled without the model."""

    continues_previous: Flag = False
    chains: tuple[ChainAnswer, ...]
    topics: tuple[TopicAnswer, ...]
