"""`marias play`: the table in a terminal, for one person, agents in the other chairs."""
