"""Rules of recall: which units answer a question, and how they become a prompt within a budget."""
