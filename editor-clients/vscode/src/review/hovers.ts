/** A hover over a hunk: what was there before, as a diff, and what can be done. */
import * as vscode from 'vscode';

import type { Pending } from '../pending';
import { linesOf } from '../ranges';
import { author, counts, deed, many, removedLines } from '../wording';
import type { Hunk } from '../wire';

const COMMANDS = ['dsh.keepHunk', 'dsh.undoHunk', 'dsh.openDiff'];

/** Provides the hovers. */
export function hovers(pending: Pending): vscode.Disposable {
  return vscode.languages.registerHoverProvider(
    { scheme: 'file' },
    {
      provideHover(document, position) {
        const noted = pending.of(document.uri);
        if (noted?.version !== document.version) {
          return undefined;
        }
        const hunk = noted.hunks.find((each) => {
          const { first, last } = linesOf(each, document.lineCount);
          return first <= position.line && position.line <= last;
        });
        return hunk === undefined ? undefined : new vscode.Hover(markdown(hunk));
      },
    },
  );
}

function markdown(hunk: Hunk): vscode.MarkdownString {
  const text = new vscode.MarkdownString(undefined, true);
  text.isTrusted = { enabledCommands: COMMANDS };
  text.appendText(`${author(hunk)} ${deed(hunk)} (${counts([hunk])})`);
  const { lines, left } = removedLines(hunk);
  if (lines.length > 0) {
    text.appendMarkdown('\n\nBefore:\n');
    text.appendCodeblock(lines.map((line) => `-${line}`).join('\n'), 'diff');
  }
  if (left > 0) {
    text.appendMarkdown(`\n\n${many(left, 'line')} from before not shown here.`);
  }
  const link = (title: string, command: string): string =>
    `[${title}](command:${command}?${encodeURIComponent(JSON.stringify([hunk.id]))})`;
  text.appendMarkdown(
    `\n\n${link('$(check) Keep', 'dsh.keepHunk')} \u00a0 ${link('$(discard) Undo', 'dsh.undoHunk')} \u00a0 ` +
      link('$(diff) Diff', 'dsh.openDiff'),
  );
  return text;
}
