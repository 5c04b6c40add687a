// Reads lines from the body of an answer as they arrive.

import { Unreachable } from './errors.js';

// The server sends an empty line every 10 s on a stream that has nothing to say.
const SILENCE_MS = 35_000;

/** Cuts a stream of texts into lines. What follows the last line break waits for more. */
export class LineSplitter {
  private rest = '';

  /** The lines that the next part completes, without their line breaks. */
  lines(part: string): string[] {
    const lines = (this.rest + part).split('\n');
    this.rest = lines.pop() ?? '';
    return lines;
  }
}

/**
 * The lines of an answer, empty ones left out.
 * @throws {Unreachable} if the body breaks off, or nothing arrives for too long.
 */
export async function* readLines(response: Response, abort: AbortController): AsyncGenerator<string, void, undefined> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const splitter = new LineSplitter();
  let watchdog: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => abort.abort(new Unreachable('the stream is silent')), SILENCE_MS);
      const { done, value } = await reader.read();
      if (done) return;
      yield* splitter.lines(decoder.decode(value, { stream: true })).filter((line) => line !== '');
    }
  } catch (error) {
    if (error instanceof Unreachable) throw error;
    throw new Unreachable('the stream broke off', { cause: error });
  } finally {
    clearTimeout(watchdog);
    abort.abort();
  }
}
