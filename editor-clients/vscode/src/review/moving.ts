/**
 * Hunks while the user types, until the server tells of them again: those below a change move, one that is typed in
 * grows or shrinks. Pure, and an estimate: the next note is the truth.
 */
import type * as vscode from 'vscode';

import type { Hunk } from '../wire';

/** A change of a document, as VS Code tells of it. */
type Change = Pick<vscode.TextDocumentContentChangeEvent, 'range' | 'text'>;

/** The hunks after the changes of one event. (VS Code tells of them from the last in the text to the first.) */
export function moved(hunks: readonly Hunk[], changes: readonly Change[]): readonly Hunk[] {
  const place = ({ range }: Change): [number, number] => [range.start.line, range.start.character];
  const ordered = changes.toSorted((one, other) => {
    const [[line, character], [otherLine, otherCharacter]] = [place(one), place(other)];
    return otherLine - line || otherCharacter - character;
  });
  return ordered.reduce<readonly Hunk[]>((now, change) => now.map((hunk) => movedBy(hunk, change)), hunks);
}

/** Whether changes make lines move, so that what is painted must be painted again. */
export function moveLines(changes: readonly Change[]): boolean {
  return changes.some((change) => change.range.start.line !== change.range.end.line || change.text.includes('\n'));
}

function movedBy(hunk: Hunk, { range, text }: Change): Hunk {
  const lines = text.split('\n').length - 1 - (range.end.line - range.start.line);
  const first = hunk.range.start.line;
  const behind = first + hunk.addedLines;
  const isAbove = range.end.line < first || (range.end.line === first && range.end.character === 0);
  if (isAbove) {
    return lines === 0 ? hunk : down(hunk, lines);
  }
  if (range.start.line >= behind) {
    return hunk;
  }
  const words = (hunk.words ?? [])
    .filter((word) => word.end.line < range.start.line || word.start.line > range.end.line)
    .map((word) => (word.start.line > range.end.line ? downBy(word, lines) : word));
  const { start, end } = hunk.range;
  const addedLines = Math.max(hunk.addedLines + lines, 0);
  return { ...hunk, addedLines, words, range: { start, end: { ...end, line: Math.max(end.line + lines, start.line) } } };
}

function down(hunk: Hunk, lines: number): Hunk {
  const range = downBy(hunk.range, lines);
  return hunk.words === undefined
    ? { ...hunk, range }
    : { ...hunk, range, words: hunk.words.map((word) => downBy(word, lines)) };
}

function downBy({ start, end }: Hunk['range'], lines: number): Hunk['range'] {
  return { start: { ...start, line: start.line + lines }, end: { ...end, line: end.line + lines } };
}
