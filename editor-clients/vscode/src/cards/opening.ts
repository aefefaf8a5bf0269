/** A click on a path in a card: show that file at that line. Only files, and only because the user asked for it. */
import * as vscode from 'vscode';

import { goTo } from '../review/navigating';
import { oneLine } from '../visible';
import { unlinked } from '../wording';
import type { FromPage } from './card';

/** Open what a card names. */
export async function openFromCard(message: Extract<FromPage, { type: 'open' }>): Promise<void> {
  const file = await found(message);
  if (file === undefined) {
    void vscode.window.showInformationMessage(unlinked(`dsh: ${oneLine(message.path)} is not there any more.`));
    return;
  }
  await goTo(file, Math.max((message.line ?? 1) - 1, 0));
}

async function found(message: Extract<FromPage, { type: 'open' }>): Promise<vscode.Uri | undefined> {
  const named = message.uri === undefined ? [] : [vscode.Uri.parse(message.uri)];
  const inFolders = (vscode.workspace.workspaceFolders ?? []).map((folder) =>
    message.path.startsWith('/') ? vscode.Uri.file(message.path) : vscode.Uri.joinPath(folder.uri, message.path),
  );
  for (const uri of [...named, ...inFolders]) {
    if (uri.scheme === 'file' && (await isFile(uri))) {
      return uri;
    }
  }
  return undefined;
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  try {
    return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.File) !== 0;
  } catch {
    return false;
  }
}
