"""Shared by the test programs: starting a server, signed requests, one output line per check."""
