/** From one change to the next, in a document; the cursor moves because the user asked for it. */
import * as vscode from 'vscode';

import type { Pending } from '../pending';
import { linesOf } from '../ranges';
import type { Hunk } from '../wire';

/** Go to the next (1) or the previous (-1) change; from the last one to the first. */
export function nextHunk(pending: Pending, step: 1 | -1): void {
  const editor = vscode.window.activeTextEditor;
  const hunks = editor === undefined ? undefined : pending.of(editor.document.uri)?.hunks;
  if (editor === undefined || hunks === undefined || hunks.length === 0) {
    vscode.window.setStatusBarMessage('dsh: no change of an agent is pending in this editor', 4_000);
    return;
  }
  const at = editor.selection.active.line;
  const line = (hunk: Hunk): number => linesOf(hunk, editor.document.lineCount).first;
  const next = step > 0 ? hunks.find((hunk) => line(hunk) > at) : hunks.findLast((hunk) => line(hunk) < at);
  const hunk = next ?? hunks.at(step > 0 ? 0 : -1);
  if (hunk !== undefined) {
    reveal(editor, line(hunk));
  }
}

/** The change at an editor's cursor. */
export function hunkAt(pending: Pending, editor: vscode.TextEditor): Hunk | undefined {
  const at = editor.selection.active.line;
  return pending.of(editor.document.uri)?.hunks.find((hunk) => {
    const { first, last } = linesOf(hunk, editor.document.lineCount);
    return first <= at && at <= last;
  });
}

/**
 * Show a line of a file, because the user asked for it. By the command: a document that an extension opens itself stays
 * open for minutes after its tab was closed.
 */
export async function goTo(uri: vscode.Uri, line: number, preserveFocus = false): Promise<void> {
  const place = new vscode.Range(line, 0, line, 0);
  await vscode.commands.executeCommand('vscode.open', uri, { preview: true, preserveFocus, selection: place });
}

function reveal(editor: vscode.TextEditor, line: number): void {
  const place = new vscode.Position(line, 0);
  editor.selection = new vscode.Selection(place, place);
  editor.revealRange(new vscode.Range(place, place), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
