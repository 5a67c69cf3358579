"""How networks are started and searched: one idea a file."""
