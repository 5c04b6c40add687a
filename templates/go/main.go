// A bot for Buraco (UFRN course project) in Go. It draws from the stock, lays down runs, adds cards to its runs, and discards the card
// that is least likely to become part of one.
//
// The dialogue, from the course's text: four lines at the start (all ids, the own id, the hand, the top of the pile). Then each turn
// begins with the id of the player to move. In its own turn the bot prints commands; in that of the other it reads them.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

var ranks = strings.Fields("A 2 3 4 5 6 7 8 9 10 J Q K")
var suits = strings.Fields("♥ ♦ ♣ ♠")

const two = 1

// A card as a rank and a suit. The ace has rank 0.
type card struct{ rank, suit int }

func (c card) String() string { return ranks[c.rank] + suits[c.suit] }

// All cards of a line, with or without brackets.
func cardsOf(line string) []card {
	var cards []card
	for _, word := range strings.Fields(line) {
		for suit, sign := range suits {
			name, found := strings.CutSuffix(word, sign)
			for rank := 0; found && rank < len(ranks); rank++ {
				if ranks[rank] == name {
					cards = append(cards, card{rank, suit})
				}
			}
		}
	}
	return cards
}

// A run on the table: its suit, and its lowest and highest rank.
type run struct{ suit, low, high int }

type bot struct {
	input *bufio.Scanner
	out   *bufio.Writer
	hand  map[card]int
	// The own runs, in the order in which they were laid down.
	runs []run
}

// The next line. At the end of the match the input ends, and so does the bot.
func (b *bot) line() string {
	if !b.input.Scan() {
		os.Exit(0)
	}
	return strings.TrimSpace(b.input.Text())
}

func (b *bot) draw(line string) {
	for _, c := range cardsOf(line) {
		b.hand[c]++
	}
}

func (b *bot) held() int {
	sum := 0
	for _, count := range b.hand {
		sum += count
	}
	return sum
}

// Adds single cards to the runs on the table as long as that works.
func (b *bot) join() {
	for again := true; again; {
		again = false
		for i := range b.runs {
			r := &b.runs[i]
			for _, c := range []card{{r.low - 1, r.suit}, {r.high + 1, r.suit}} {
				// A 2 is a wild card where it is not in its place; this bot leaves it out.
				if b.hand[c] == 0 {
					continue
				}
				b.hand[c]--
				fmt.Fprintf(b.out, "MELD_JOIN %d [ %v ]\n", i, c)
				r.low, r.high = min(r.low, c.rank), max(r.high, c.rank)
				again = true
			}
		}
	}
}

// Lays down each run of three or more cards of a suit.
func (b *bot) meld() {
	for suit := range suits {
		for low := 0; low < len(ranks); low++ {
			high := low
			for high < len(ranks) && b.hand[card{high, suit}] > 0 {
				high++
			}
			if high-low < 3 {
				continue
			}
			words := []string{}
			for rank := low; rank < high; rank++ {
				words = append(words, card{rank, suit}.String())
				b.hand[card{rank, suit}]--
			}
			fmt.Fprintf(b.out, "MELD_NEW [ %s ]\n", strings.Join(words, " "))
			b.runs = append(b.runs, run{suit, low, high - 1})
			low = high - 1
		}
	}
}

// The card with the fewest neighbours in the hand; a 2 only if there is nothing else.
func (b *bot) worst() card {
	found, least := card{}, 1000
	for suit := range suits {
		for rank := range ranks {
			c := card{rank, suit}
			if b.hand[c] == 0 {
				continue
			}
			use := 0
			if rank == two {
				use = 100
			}
			for _, step := range []int{-2, -1, 1, 2} {
				if b.hand[card{rank + step, suit}] > 0 {
					use += 3 - max(step, -step)
				}
			}
			if b.hand[c] > 1 {
				use-- // The second one of the same card is in the way.
			}
			if use < least {
				found, least = c, use
			}
		}
	}
	return found
}

func main() {
	b := &bot{bufio.NewScanner(os.Stdin), bufio.NewWriter(os.Stdout), map[card]int{}, nil}
	b.line()
	own := b.line()
	b.draw(b.line())
	b.line()
	for {
		// The other player's turns and commands do not matter to this bot.
		if b.line() != own {
			continue
		}
		fmt.Fprintln(b.out, "GET_STOCK")
		b.out.Flush() // Without this the referee waits for a line that is still in the buffer.
		b.draw(b.line())
		b.meld()
		b.join()
		// An empty hand ends the match without a discard.
		if b.held() > 0 {
			c := b.worst()
			b.hand[c]--
			fmt.Fprintf(b.out, "DISCARD %v\n", c)
		}
		b.out.Flush()
	}
}
