/**
 * Whether the user has said that a document is not to be changed. VS Code holds people to that, and not extensions.
 *
 * What can't be seen from here: an editor that was made read-only for the session alone.
 */
import { accessSync, constants } from 'node:fs';

import * as vscode from 'vscode';

/** Whether a document is read-only by the settings `files.readonly…`. */
export function isReadonly(document: vscode.TextDocument): boolean {
  const files = vscode.workspace.getConfiguration('files', document.uri);
  const isNamedBy = (setting: string): boolean =>
    Object.entries(files.get<Record<string, boolean>>(setting, {})).some(
      ([glob, isOn]) => isOn && vscode.languages.match({ pattern: pattern(glob, document.uri) }, document) > 0,
    );
  if (isNamedBy('readonlyExclude')) {
    return false;
  }
  return isNamedBy('readonlyInclude') || (files.get('readonlyFromPermissions', false) && !isWritable(document.uri));
}

/** A glob means what is below the document's folder, unless it says otherwise. */
function pattern(glob: string, uri: vscode.Uri): vscode.GlobPattern {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  return folder === undefined || glob.startsWith('/') ? glob : new vscode.RelativePattern(folder, glob);
}

function isWritable(uri: vscode.Uri): boolean {
  try {
    accessSync(uri.fsPath, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
