// Which words of a text another one does not have at their place. Runs beside the page, so that it never waits.
//
// Source: Myers, An O(ND) Difference Algorithm and Its Variations, 1986.

const editLimit = 2000;

/** The words of a text, with where they stand. */
export function words(text) {
  return Array.from(text.matchAll(/[\p{L}\p{N}\p{M}]+(?:['’][\p{L}]+)*|[^\s\p{L}\p{N}\p{M}]/gu), (match) => (
    { text: match[0], start: match.index, end: match.index + match[0].length }));
}

/** Of each of two lists, whether an entry stands in the other one, too. */
export function common(first, second) {
  const kept = [new Uint8Array(first.length), new Uint8Array(second.length)];
  let [start, firstEnd, secondEnd] = [0, first.length, second.length];
  while (start < firstEnd && start < secondEnd && first[start] === second[start]) {
    kept[0][start] = kept[1][start] = 1;
    start += 1;
  }
  while (firstEnd > start && secondEnd > start && first[firstEnd - 1] === second[secondEnd - 1]) {
    kept[0][firstEnd -= 1] = 1;
    kept[1][secondEnd -= 1] = 1;
  }
  const [n, m] = [firstEnd - start, secondEnd - start];
  const limit = Math.min(n + m, editLimit);
  const furthest = new Int32Array(2 * limit + 3);
  const middle = limit + 1;
  const steps = [];
  for (let d = 0; d <= limit; d += 1) {
    steps.push(furthest.slice(middle - d - 1, middle + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && furthest[middle + k - 1] < furthest[middle + k + 1]);
      let x = down ? furthest[middle + k + 1] : furthest[middle + k - 1] + 1;
      let y = x - k;
      while (x < n && y < m && first[start + x] === second[start + y]) { x += 1; y += 1; }
      furthest[middle + k] = x;
      if (x < n || y < m) continue;
      for (let e = d; e >= 0; e -= 1) {
        const before = (diagonal) => steps[e][diagonal + e + 1];
        const diagonal = x - y;
        const wasDown = diagonal === -e || (diagonal !== e && before(diagonal - 1) < before(diagonal + 1));
        const from = wasDown ? diagonal + 1 : diagonal - 1;
        const [px, py] = e === 0 ? [0, 0] : [before(from), before(from) - from];
        while (x > px && y > py) {
          x -= 1;
          y -= 1;
          kept[0][start + x] = kept[1][start + y] = 1;
        }
        [x, y] = [px, py];
      }
      return kept;
    }
  }
  return kept;
}

/** Where words of `second` stand that `first` does not have there, and how many words there are. */
export function marks(first, second) {
  const [ours, theirs] = [words(first), words(second)];
  const kept = common(ours.map((word) => word.text), theirs.map((word) => word.text))[1];
  const found = theirs.filter((_, index) => !kept[index]);
  return { ranges: found.map(({ start, end }) => [start, end]), count: found.length, of: theirs.length };
}

if (typeof WorkerGlobalScope !== "undefined" && globalThis instanceof WorkerGlobalScope) {
  onmessage = ({ data: { id, first, second } }) => postMessage({ id, ...marks(first, second) });
}
