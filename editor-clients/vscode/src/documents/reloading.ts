/**
 * `dsh/reloadDocument`: a document without unsaved typing is to have the text that the disk has.
 *
 * VS Code reloads such a document by itself when it notices the change, and has no way to be told to, except for the
 * editor that has the focus. So this waits for it to notice, and says whether it did.
 */
import * as vscode from 'vscode';

import { openDocument } from './applying';
import type { Sent } from './sent';

const PATIENCE = 1_300;
const LOOK = 40;

/** Whether the document has what the disk has, within the time that the server waits. */
export async function reloadDocument(uri: vscode.Uri, sent: Sent): Promise<{ reloaded: boolean }> {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const document = openDocument(uri);
    if (document === undefined || document.isDirty) {
      return { reloaded: false };
    }
    if (await isSameOnDisk(document)) {
      await sent.until(uri, document.version);
      return { reloaded: true };
    }
    if (Date.now() >= deadline) {
      return { reloaded: false };
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK));
  }
}

async function isSameOnDisk(document: vscode.TextDocument): Promise<boolean> {
  try {
    const bytes = await vscode.workspace.fs.readFile(document.uri);
    const text = await vscode.workspace.decode(bytes, { uri: document.uri });
    return withoutMark(text) === document.getText();
  } catch {
    return false;
  }
}

function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
