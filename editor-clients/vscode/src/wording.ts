/** Hunks in words, for people. What comes from agents is shown with nothing hidden in it, on one line. */
import { oneLine, visible } from './visible';
import type { Hunk } from './wire';

const NAME = 40;
const LINES = 40;
const CHARACTERS = 4_000;

/** `1 line`, `2 lines`. */
export function many(count: number, thing: string): string {
  return `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`;
}

/** The name of a hunk's agent. */
export function author(hunk: Hunk): string {
  return hunk.author === undefined || hunk.author === '' ? 'an agent' : cut(oneLine(hunk.author), NAME);
}

/** Added and removed lines. */
export function counts(hunks: readonly Hunk[]): string {
  const added = hunks.reduce((sum, hunk) => sum + hunk.addedLines, 0);
  const removed = hunks.reduce((sum, hunk) => sum + hunk.removedLines, 0);
  return `+${added} \u2212${removed}`;
}

/** What a hunk did, without its author: `changed 2 lines`. */
export function deed(hunk: Hunk): string {
  const end = lineEnd(hunk);
  if (hunk.addedLines === 0 && hunk.removedLines === 0) {
    return end ?? 'changed nothing';
  }
  const lines = {
    added: `added ${many(hunk.addedLines, 'line')}`,
    deleted: `removed ${many(hunk.removedLines, 'line')}`,
    modified: `changed ${many(hunk.addedLines, 'line')}`,
  }[hunk.kind];
  return end === undefined ? lines : `${lines} and ${end}`;
}

/** What a hunk did to the line end behind the last line, if it did anything. */
export function lineEnd(hunk: Hunk): string | undefined {
  if (hunk.noNewlineAtEnd === undefined) {
    return undefined;
  }
  return `${hunk.noNewlineAtEnd.old ? 'added' : 'removed'} the line end at the end of the file`;
}

/** The old lines of a hunk as a diff has them, and what is left out of them. */
export function removedLines(hunk: Hunk): { lines: string[]; left: number } {
  const all = hunk.removedLines > 0 ? hunk.removedText.split('\n') : [];
  const lines: string[] = [];
  let room = CHARACTERS;
  for (const line of all.slice(0, LINES)) {
    if (room <= 0) {
      break;
    }
    lines.push(visible(cut(line, room)));
    room -= line.length;
  }
  return { lines, left: all.length - lines.length };
}

/** A text for a notification, where VS Code makes links of `[words](command:…)`: they stay the words that they are. */
export function unlinked(text: string): string {
  return text.replaceAll('](', ']\u2060(');
}

/** A text for a place in which VS Code makes icons of `$(name)`. */
export function iconless(text: string): string {
  return text.replaceAll('$(', '\\$(');
}

/** A text, cut between characters where it is long. */
export function cut(text: string, most: number): string {
  if (text.length <= most) {
    return text;
  }
  const end = /[\ud800-\udbff]/.test(text.charAt(most - 1)) ? most - 1 : most;
  return `${text.slice(0, end)}\u2026`;
}
