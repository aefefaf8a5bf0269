/**
 * `dsh/applyEdit`: an edit for exactly one version and one content of an open document, or a refusal.
 *
 * Two things look at the version: this host, which may be behind, and VS Code's window, which refuses when the user has
 * typed meanwhile. Nothing here opens a document, shows one, or moves the focus.
 */
import * as vscode from 'vscode';

import { contentVersion } from '../contentVersion';
import type { ApplyEditParams } from '../wire';
import { isReadonly } from './readonly';
import type { Sent } from './sent';

/** What became of it. */
export type ApplyEditResult = { applied: true } | { applied: false; reason: string };

/** Apply to that version with that content; the change has been sent before the answer. */
export async function applyEdit(
  uri: vscode.Uri,
  params: ApplyEditParams,
  edits: vscode.TextEdit[],
  sent: Sent,
): Promise<ApplyEditResult> {
  const document = openDocument(uri);
  if (document === undefined) {
    return refused('the document is not open');
  }
  if (isReadonly(document)) {
    return refused('the document is read-only by a setting of the user');
  }
  if (document.version !== params.version) {
    return refused(`the document is at version ${document.version}, not ${params.version}`);
  }
  if (contentVersion(document.getText()) !== params.contentVersion) {
    return refused('the document has another content at that version');
  }
  if (!edits.every((edit) => document.validateRange(edit.range).isEqual(edit.range))) {
    return refused('a range does not lie in the document');
  }
  const before = document.version;
  const edit = new vscode.WorkspaceEdit();
  edit.set(uri, edits);
  if (!(await vscode.workspace.applyEdit(edit))) {
    return refused('the user typed meanwhile, or the document can not be edited');
  }
  if (edits.length > 0) {
    await sent.until(uri, before + 1);
  }
  return { applied: true };
}

/** An open document. */
export function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  const wanted = uri.toString();
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === wanted && !document.isClosed);
}

function refused(reason: string): ApplyEditResult {
  return { applied: false, reason };
}
