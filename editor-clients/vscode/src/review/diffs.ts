/**
 * The native diff editor: the text from before on the left, the file itself on the right. A text from before is a
 * document of the scheme `dsh-base`, made from the file as it is now and the hunks that are pending in it.
 */
import * as vscode from 'vscode';

import type { Connection } from '../connection';
import { openDocument } from '../documents/applying';
import type { Pending } from '../pending';
import type { Hunk } from '../wire';
import { baseText } from './baseText';

export const BASE = 'dsh-base';

/** Provides texts from before, and compares with them. */
export class Diffs implements vscode.TextDocumentContentProvider, vscode.QuickDiffProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly asked = new Map<string, vscode.Uri>();
  private readonly subscriptions: vscode.Disposable[];

  readonly onDidChange = this.changed.event;

  constructor(
    private readonly connection: Connection,
    private readonly pending: Pending,
  ) {
    this.subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(BASE, this),
      pending.onDidList(() => this.asked.forEach((uri) => this.changed.fire(uri))),
      vscode.workspace.onDidCloseTextDocument((document) => this.asked.delete(document.uri.toString())),
    ];
  }

  /** Compare a file with its text from before. */
  async open(file: vscode.Uri, line?: number): Promise<void> {
    const options: vscode.TextDocumentShowOptions = { preview: true };
    if (line !== undefined) {
      options.selection = new vscode.Range(line, 0, line, 0);
    }
    const title = `${vscode.workspace.asRelativePath(file)} (before agents \u2194 now)`;
    await vscode.commands.executeCommand('vscode.diff', baseUri(file), file, title, options);
  }

  /** The file that a text from before is of. */
  originalOf(uri: vscode.Uri): vscode.Uri | undefined {
    return uri.scheme === BASE ? vscode.Uri.parse(uri.query, true) : undefined;
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const file = this.originalOf(uri);
    this.asked.set(uri.toString(), uri);
    if (file === undefined) {
      return '';
    }
    const document = openDocument(file);
    const noted = this.pending.of(file);
    if (document !== undefined && noted?.version === document.version) {
      return baseText(document.getText(), noted.hunks);
    }
    return baseText(document?.getText() ?? (await textOnDisk(file)), await this.listed(file));
  }

  provideOriginalResource(uri: vscode.Uri): vscode.Uri | undefined {
    const hasHunks = uri.scheme === 'file' && (this.pending.of(uri)?.hunks.length ?? 0) > 0;
    return hasHunks ? baseUri(uri) : undefined;
  }

  dispose(): void {
    this.subscriptions.forEach((each) => each.dispose());
    this.changed.dispose();
  }

  private async listed(file: vscode.Uri): Promise<readonly Hunk[]> {
    const params = { uri: this.connection.spelled(file) };
    return (await this.connection.request<{ hunks: Hunk[] }>('dsh/review/list', params)).hunks;
  }
}

/** The text from before of a file: named like it, so that it has its language. */
export function baseUri(file: vscode.Uri): vscode.Uri {
  return vscode.Uri.from({ scheme: BASE, path: file.path, query: file.toString() });
}

async function textOnDisk(file: vscode.Uri): Promise<string> {
  try {
    return await vscode.workspace.decode(await vscode.workspace.fs.readFile(file), { uri: file });
  } catch {
    return '';
  }
}
