"""The way out: a question becomes ranked context within a budget.

The retriever, the index it searches, reranking and the answer. Nothing here writes to a store.
"""
