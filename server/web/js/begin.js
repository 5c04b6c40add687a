// Begins a page. Where the server does not answer, the page says so and stays as the server has sent it.

import { Refused } from './api.js';

// `work()`: what makes the page live.
export async function begin(work) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    document.getElementById('unfinished').hidden = false;
  }
}
