"""Speed and strength measurements; nothing in the packages imports from here."""
