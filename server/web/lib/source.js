// Follows a public stream of server-sent events, as long as the page is visible: browsers allow few open requests to one
// server, over all tabs.

/**
 * Calls `heard` with the type and content of each event of these types. `ended`: the types after which nothing more comes.
 * @param {string} path
 * @param {string[]} types
 * @param {(type: string, content: any) => void} heard
 * @param {string[]} [ended]
 */
export function follow(path, types, heard, ended = []) {
  /** @type {EventSource | null} */
  let source = null;
  let over = false;
  const stop = () => {
    source?.close();
    source = null;
  };
  const start = () => {
    if (source || over) return;
    const opened = new EventSource(path);
    source = opened;
    for (const type of types) {
      opened.addEventListener(type, (event) => {
        heard(type, JSON.parse(event.data));
        if (!ended.includes(type)) return;
        over = true;
        stop();
      });
    }
    opened.addEventListener('error', () => {
      // A refusal by the server closes the source for good: try again later.
      if (opened.readyState !== EventSource.CLOSED || source !== opened) return;
      stop();
      setTimeout(() => { if (!document.hidden) start(); }, 2000);
    });
  };
  document.addEventListener('visibilitychange', () => (document.hidden ? stop() : start()));
  addEventListener('pagehide', stop);
  if (!document.hidden) start();
}
