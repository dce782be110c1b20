"""Rules of text: words, terms, sentences, and letters that look alike."""
