/** The three things that the server may ask of this client about an open document. */
import type * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';

import type { ApplyEditParams, SaveDocumentParams } from '../wire';
import { applyEdit } from './applying';
import { reloadDocument } from './reloading';
import { saveDocument } from './saving';
import type { Sent } from './sent';

/** Answer `dsh/applyEdit`, `dsh/saveDocument` and `dsh/reloadDocument` of a server. */
export function answerEdits(client: LanguageClient, sent: Sent, log: vscode.LogOutputChannel): void {
  const uriOf = (uri: string): vscode.Uri => client.protocol2CodeConverter.asUri(uri);
  client.onRequest('dsh/applyEdit', async (params: ApplyEditParams) => {
    const edits = await client.protocol2CodeConverter.asTextEdits(params.edits);
    const answer = await applyEdit(uriOf(params.uri), params, edits, sent);
    if (!answer.applied) {
      log.info(`an edit was refused: ${answer.reason}`);
    }
    return answer;
  });
  client.onRequest('dsh/saveDocument', async (params: SaveDocumentParams) =>
    saveDocument(uriOf(params.uri), params.version, sent),
  );
  client.onRequest('dsh/reloadDocument', async (params: { uri: string }) => reloadDocument(uriOf(params.uri), sent));
}
