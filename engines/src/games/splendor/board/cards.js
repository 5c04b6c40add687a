// The cards and nobles of Splendor: the tables of cards.csv and nobles.csv in the game's folder, word for word (a test
// of the engine compares them). The ids in positions are those of the tables.

export const COLOURS = ['red', 'green', 'blue', 'white', 'black'];
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

// The rows of a table by their ids.
function read(table) {
  const [head, ...rows] = table.trim().split('\n').map((row) => row.split(','));
  return rows.map((row) => {
    const field = (name) => row[head.indexOf(name)];
    const amounts = (what) => Object.fromEntries(COLOURS.map((colour) => [colour, Number(field(`${what}_${colour}`))]));
    const [id, points] = [Number(field('id')), Number(field('points'))];
    return head.includes('bonus')
      ? { id, points, level: Number(field('level')), bonus: field('bonus'), cost: amounts('cost') }
      : { id, points, needs: amounts('needs') };
  });
}

const cards = read(CARDS);
const nobles = read(NOBLES);

export const card = (id) => cards[id - 1];
export const noble = (id) => nobles[id - 1];
