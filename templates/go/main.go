// A bot for Buraco (UFRN course project) in Go. It takes the pile when the top card fits, lays down runs, with a wild 2 if it must, adds
// cards to its runs, and discards the card that is least likely to become part of one.
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

// A run on the table: its suit, and its lowest and highest rank. An ace above the king has rank 13.
type run struct{ suit, low, high int }

type bot struct {
	input *bufio.Scanner
	out   *bufio.Writer
	hand  map[card]int
	// The own runs, in the order in which they were laid down.
	runs []run
	// The discard pile, the oldest card first.
	pile []card
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

// Prints a command with cards of the hand.
func (b *bot) lay(command string, cards ...card) {
	words := []string{}
	for _, c := range cards {
		words = append(words, c.String())
		b.hand[c]--
	}
	fmt.Fprintf(b.out, "%s [ %s ]\n", command, strings.Join(words, " "))
}

// Takes the pile if its top card makes a run with two cards of the hand.
func (b *bot) takePile() bool {
	if len(b.pile) == 0 {
		return false
	}
	top := b.pile[len(b.pile)-1]
	for low := max(0, top.rank-2); low <= top.rank && low <= 10; low++ {
		others := []card{}
		for rank := low; rank < low+3; rank++ {
			if c := (card{rank, top.suit}); rank != top.rank && b.hand[c] > 0 {
				others = append(others, c)
			}
		}
		if len(others) < 2 {
			continue
		}
		b.lay("GET_DISCARD", others...)
		b.out.Flush()
		// The answer is the pile; some referees leave out its top card. The bot knows the pile.
		b.line()
		for _, c := range b.pile[:len(b.pile)-1] {
			b.hand[c]++
		}
		b.pile = nil
		b.runs = append(b.runs, run{top.suit, low, low + 2})
		return true
	}
	return false
}

// Lays down two cards of a suit that are close to each other with a 2, which stands for the third.
func (b *bot) meldWithTwo() {
	for wild := range suits {
		for suit := range suits {
			for low := 2; low <= 11; low++ {
				for _, high := range []int{low + 1, low + 2} {
					a, c, w := card{low, suit}, card{high, suit}, card{two, wild}
					if high > 12 || b.hand[a] == 0 || b.hand[c] == 0 || b.hand[w] == 0 {
						continue
					}
					b.lay("MELD_NEW", a, c, w)
					first := min(low, 10)
					b.runs = append(b.runs, run{suit, first, first + 2})
				}
			}
		}
	}
}

// Adds single cards to the runs on the table as long as that works.
func (b *bot) join() {
	for again := true; again; {
		again = false
		for i := range b.runs {
			r := &b.runs[i]
			if c := (card{r.low - 1, r.suit}); b.hand[c] > 0 {
				b.lay(fmt.Sprintf("MELD_JOIN %d", i), c)
				r.low--
				again = true
			}
			if c := (card{(r.high + 1) % 13, r.suit}); r.high < 13 && b.hand[c] > 0 {
				b.lay(fmt.Sprintf("MELD_JOIN %d", i), c)
				r.high++
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
			cards := []card{}
			for rank := low; rank < high; rank++ {
				cards = append(cards, card{rank, suit})
			}
			b.lay("MELD_NEW", cards...)
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
	b := &bot{bufio.NewScanner(os.Stdin), bufio.NewWriter(os.Stdout), map[card]int{}, nil, nil}
	b.line()
	own := b.line()
	b.draw(b.line())
	b.pile = cardsOf(b.line())
	for {
		line := b.line()
		if line != own {
			// The other player's turn.
			if strings.HasPrefix(line, "GET_DISCARD") {
				b.pile = nil
			} else if card, found := strings.CutPrefix(line, "DISCARD"); found {
				b.pile = append(b.pile, cardsOf(card)...)
			}
			continue
		}
		if !b.takePile() {
			fmt.Fprintln(b.out, "GET_STOCK")
			b.out.Flush() // Without this the referee waits for a line that is still in the buffer.
			b.draw(b.line())
		}
		b.meld()
		b.join()
		b.meldWithTwo()
		b.join()
		// An empty hand ends the match without a discard.
		if b.held() > 0 {
			c := b.worst()
			b.hand[c]--
			fmt.Fprintf(b.out, "DISCARD %v\n", c)
			b.pile = append(b.pile, c)
		}
		b.out.Flush()
	}
}
