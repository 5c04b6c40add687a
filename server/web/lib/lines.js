// Reads a response that is one JSON value per line, as the lines arrive. Empty lines are heartbeats.

/**
 * The values of a response. A caller that stops reading ends the response.
 * @param {Response} answer
 * @returns {AsyncGenerator<any, void, void>}
 */
export async function* lines(answer) {
  if (!answer.body) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const parts = (rest + value).split('\n');
      rest = parts.pop() ?? '';
      for (const part of parts) if (part.trim()) yield JSON.parse(part);
    }
    if (rest.trim()) yield JSON.parse(rest);
  } finally {
    // The response may have ended or failed already; then there is nothing to cancel.
    reader.cancel().catch(() => {});
  }
}
