// The cards and nobles of Splendor: exact copies of the tables cards.csv and nobles.csv in the game's folder (a test of
// the engine compares them). Positions use the ids of these tables.

/** @typedef {'red' | 'green' | 'blue' | 'white' | 'black'} Colour */
/** @typedef {Colour | 'gold'} ChipColour */
/** @typedef {Record<Colour, number>} Amounts */
/** @typedef {{id: number, points: number, level: number, bonus: Colour, cost: Amounts}} Card */
/** @typedef {{id: number, points: number, needs: Amounts}} Noble */

/** @type {Colour[]} */
export const COLOURS = ['red', 'green', 'blue', 'white', 'black'];
/** @type {ChipColour[]} */
export const KINDS = [...COLOURS, 'gold'];

const CARDS = `\
id,level,bonus,points,cost_red,cost_green,cost_blue,cost_white,cost_black
1,1,red,0,0,0,0,3,0
2,1,green,0,3,0,0,0,0
3,1,blue,0,0,0,0,0,3
4,1,white,0,0,0,3,0,0
5,1,black,0,0,3,0,0,0
6,1,red,0,0,1,2,0,0
7,1,green,0,0,0,1,2,0
8,1,blue,0,0,0,0,1,2
9,1,white,0,2,0,0,0,1
10,1,black,0,1,2,0,0,0
11,1,red,1,0,0,0,4,0
12,1,green,1,0,0,0,0,4
13,1,blue,1,4,0,0,0,0
14,1,white,1,0,4,0,0,0
15,1,black,1,0,0,4,0,0
16,1,red,0,2,0,0,2,0
17,1,green,0,2,0,2,0,0
18,1,blue,0,0,2,0,0,2
19,1,white,0,0,0,2,0,2
20,1,black,0,0,2,0,2,0
21,1,red,0,0,1,1,1,1
22,1,green,0,1,0,1,1,1
23,1,blue,0,1,1,0,1,1
24,1,white,0,1,1,1,0,1
25,1,black,0,1,1,1,1,0
26,1,red,0,0,1,1,2,1
27,1,green,0,1,0,1,1,2
28,1,blue,0,2,1,0,1,1
29,1,white,0,1,2,1,0,1
30,1,black,0,1,1,2,1,0
31,1,red,0,0,1,0,2,2
32,1,green,0,2,0,1,0,2
33,1,blue,0,2,2,0,1,0
34,1,white,0,0,2,2,0,1
35,1,black,0,1,0,2,2,0
36,1,red,0,1,0,0,1,3
37,1,green,0,0,1,3,1,0
38,1,blue,0,1,3,1,0,0
39,1,white,0,0,0,1,3,1
40,1,black,0,3,1,0,0,1
41,2,red,2,0,0,0,0,5
42,2,green,2,0,5,0,0,0
43,2,blue,2,0,0,5,0,0
44,2,white,2,5,0,0,0,0
45,2,black,2,0,0,0,5,0
46,2,red,3,6,0,0,0,0
47,2,green,3,0,6,0,0,0
48,2,blue,3,0,0,6,0,0
49,2,white,3,0,0,0,6,0
50,2,black,3,0,0,0,0,6
51,2,red,2,0,0,0,3,5
52,2,green,2,0,3,5,0,0
53,2,blue,2,0,0,3,5,0
54,2,white,2,5,0,0,0,3
55,2,black,2,3,5,0,0,0
56,2,red,2,0,2,4,1,0
57,2,green,2,0,0,2,4,1
58,2,blue,2,1,0,0,2,4
59,2,white,2,4,1,0,0,2
60,2,black,2,2,4,1,0,0
61,2,red,1,2,0,0,2,3
62,2,green,1,0,0,3,2,2
63,2,blue,1,3,2,2,0,0
64,2,white,1,2,3,0,0,2
65,2,black,1,0,2,2,3,0
66,2,red,1,2,0,3,0,3
67,2,green,1,3,2,0,3,0
68,2,blue,1,0,3,2,0,3
69,2,white,1,3,0,3,2,0
70,2,black,1,0,3,0,3,2
71,3,red,4,0,7,0,0,0
72,3,green,4,0,0,7,0,0
73,3,blue,4,0,0,0,7,0
74,3,white,4,0,0,0,0,7
75,3,black,4,7,0,0,0,0
76,3,red,5,3,7,0,0,0
77,3,green,5,0,3,7,0,0
78,3,blue,5,0,0,3,7,0
79,3,white,5,0,0,0,3,7
80,3,black,5,7,0,0,0,3
81,3,red,4,3,6,3,0,0
82,3,green,4,0,3,6,3,0
83,3,blue,4,0,0,3,6,3
84,3,white,4,3,0,0,3,6
85,3,black,4,6,3,0,0,3
86,3,red,3,0,3,5,3,3
87,3,green,3,3,0,3,5,3
88,3,blue,3,3,3,0,3,5
89,3,white,3,5,3,3,0,3
90,3,black,3,3,5,3,3,0
`;

const NOBLES = `\
id,points,needs_red,needs_green,needs_blue,needs_white,needs_black
1,3,4,4,0,0,0
2,3,0,4,4,0,0
3,3,0,0,4,4,0
4,3,0,0,0,4,4
5,3,4,0,0,0,4
6,3,3,3,3,0,0
7,3,0,3,3,3,0
8,3,0,0,3,3,3
9,3,3,0,0,3,3
10,3,3,3,0,0,3
`;

/**
 * The rows of a table, in the order of their ids.
 * @template T
 * @param {string} table
 * @param {(field: (name: string) => string, amounts: (prefix: string) => Amounts) => T} row
 */
function read(table, row) {
  const [head, ...rows] = table.trim().split('\n').map((line) => line.split(','));
  return rows.map((values) => {
    const field = (/** @type {string} */ name) => values[head.indexOf(name)];
    return row(field, (prefix) => {
      const amount = (/** @type {Colour} */ colour) => Number(field(`${prefix}_${colour}`));
      return {
        red: amount('red'), green: amount('green'), blue: amount('blue'), white: amount('white'), black: amount('black'),
      };
    });
  });
}

/** @type {Card[]} */
const cards = read(CARDS, (field, amounts) => ({
  id: Number(field('id')), points: Number(field('points')), level: Number(field('level')),
  bonus: /** @type {Colour} */ (field('bonus')), cost: amounts('cost'),
}));
/** @type {Noble[]} */
const nobles = read(NOBLES, (field, amounts) => ({
  id: Number(field('id')), points: Number(field('points')), needs: amounts('needs'),
}));

export const card = (/** @type {number} */ id) => cards[id - 1];
export const noble = (/** @type {number} */ id) => nobles[id - 1];
