// What the browser tests need to know of Take-away; server/tests/browser/game-data.js describes each part. Not served.

export const edit = null;

export const pictures = { parts: '.counter' };
