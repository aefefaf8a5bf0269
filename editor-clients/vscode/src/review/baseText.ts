/** The text of a file before the agents' pending changes: its text now, with the hunks put back. Pure. */
import { isBehindLastLine } from '../ranges';
import type { Hunk } from '../wire';

/** The text from before, with line feeds. */
export function baseText(text: string, hunks: readonly Hunk[]): string {
  const lines = text.split(/\r\n|\n/);
  const ended = lines.at(-1) === '';
  if (ended) {
    lines.pop();
  }
  let wasEnded = ended;
  for (const hunk of hunks.toReversed()) {
    const first = isBehindLastLine(hunk) ? lines.length : hunk.range.start.line;
    const before = hunk.removedLines > 0 ? hunk.removedText.split('\n') : [];
    lines.splice(first, hunk.addedLines, ...before);
    if (hunk.noNewlineAtEnd !== undefined) {
      wasEnded = !hunk.noNewlineAtEnd.old;
    }
  }
  return lines.join('\n') + (wasEnded && lines.length > 0 ? '\n' : '');
}
