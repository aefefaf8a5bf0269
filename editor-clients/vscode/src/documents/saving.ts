/** `dsh/saveDocument`: save a document that is still at a version. Formatters that run on a save do so here too. */
import type * as vscode from 'vscode';

import { openDocument } from './applying';
import type { Sent } from './sent';

/** Save, or say why not; what a formatter changed has been sent before the answer. */
export async function saveDocument(
  uri: vscode.Uri,
  version: number,
  sent: Sent,
): Promise<{ saved: boolean; reason?: string }> {
  const document = openDocument(uri);
  if (document === undefined) {
    return { saved: false, reason: 'the document is not open' };
  }
  if (document.version !== version) {
    return { saved: false, reason: `the document is at version ${document.version}, not ${version}` };
  }
  // Without a change since it was loaded, there is nothing to write.
  const saved = await document.save();
  await sent.until(uri, document.version);
  return saved ? { saved } : { saved, reason: 'the file has changed on the disk, or can not be written' };
}
