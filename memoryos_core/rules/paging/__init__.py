"""Rules of short-term and mid-term memory: pages, topics and heat."""
