"""What the test programs share: starting a server, signed requests, one line a check."""
