"""The parts of `kibitz.online`: how a bot is asked, one seat, and the control connection."""
