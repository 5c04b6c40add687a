// Reads an answer that is JSON line by line, as it comes. Empty lines are signs of life.

export async function* lines(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const parts = (rest + value).split('\n');
      rest = parts.pop();
      for (const part of parts) if (part.trim()) yield JSON.parse(part);
    }
    if (rest.trim()) yield JSON.parse(rest);
  } finally {
    // Whoever stops reading ends the answer.
    reader.cancel().catch(() => {});
  }
}
