"""A bot that plays each legal move with the same probability: kibitz check-bot GAME -- python random_bot.py GAME"""

import sys

import kibitz

if __name__ == "__main__":
    kibitz.run(kibitz.RandomBot(sys.argv[1]))
