/** Whether anybody can see the page. */

/** Calls `then` once the page has been hidden for so long; gives what ends that. */
export function hiddenFor(milliseconds, signal, then) {
  let timer = 0;
  const watch = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(then, milliseconds);
  };
  document.addEventListener("visibilitychange", watch, { signal });
  watch();
  return () => clearTimeout(timer);
}

/** Waits until the page is shown, for so long at most. */
export async function shownWithin(milliseconds) {
  if (!document.hidden) return;
  const done = new AbortController();
  await new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) return;
      clearTimeout(timer);
      resolve(undefined);
    }, { signal: done.signal });
  });
  done.abort();
}
