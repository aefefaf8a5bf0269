/** Ranges of the wire as VS Code has them. */
import * as vscode from 'vscode';

import type { Hunk } from './wire';

/** A range of the wire, in the same units. */
export function rangeOf(range: Hunk['range']): vscode.Range {
  return new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
}

/** The lines that a hunk stands on, for painting and for the cursor; of a deletion, the line beside it. */
export function linesOf(hunk: Hunk, lineCount: number): { first: number; last: number } {
  const first = Math.min(hunk.range.start.line, lineCount - 1);
  return { first, last: Math.min(first + Math.max(hunk.addedLines, 1), lineCount) - 1 };
}

/** Whether a deletion stands behind the last line, and not before a line. */
export function isBehindLastLine(hunk: Hunk): boolean {
  return hunk.addedLines === 0 && hunk.range.start.character > 0;
}
