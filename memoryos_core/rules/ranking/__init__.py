"""Rules of recall: the choice of units that answer a question, and their packing into a budget."""
