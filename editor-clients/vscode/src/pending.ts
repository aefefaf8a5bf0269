/**
 * What is pending: by document, as the server paints it, and in all files, as it lists it.
 *
 * Held: the latest note for each open document, and the list. Deliberately absent: any change of them; the server
 * decides, and tells.
 */
import * as vscode from 'vscode';

import type { Connection } from './connection';
import { openDocument } from './documents/applying';
import { moved, moveLines } from './review/moving';
import type { DecorationsNote, Hunk, ReviewedHunk } from './wire';

const QUIET = 150;

/** A document's hunks, and the version of the document that their ranges are of: told by the server, or moved to it. */
export interface Noted {
  readonly version: number;
  /** The version of the server's note that they come from. */
  readonly told: number;
  readonly hunks: readonly Hunk[];
}

/** The hunks that wait for a decision. */
export class Pending implements vscode.Disposable {
  private readonly notes = new Map<string, Noted>();
  private list: readonly ReviewedHunk[] = [];
  private timer: NodeJS.Timeout | undefined;
  private readonly noted = new vscode.EventEmitter<vscode.Uri>();
  private readonly listed = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable[];

  /** The hunks of a document have changed, or moved. */
  readonly onDidNote = this.noted.event;
  /** The list of all has been read again. */
  readonly onDidList = this.listed.event;

  constructor(private readonly connection: Connection) {
    this.subscriptions = [
      connection.onDecorations((note) => this.take(note)),
      connection.onToolResult(() => this.refreshSoon()),
      connection.onDidChangeState((state) => this.follow(state)),
      vscode.workspace.onDidChangeTextDocument((event) => this.move(event)),
      vscode.workspace.onDidCloseTextDocument((document) => this.forget(document.uri)),
      vscode.window.onDidChangeWindowState((state) => state.focused && this.refreshSoon()),
    ];
  }

  /** Those of a document, in order. */
  of(uri: vscode.Uri): Noted | undefined {
    return this.notes.get(uri.toString());
  }

  /** All, file by file, in order. */
  get all(): readonly ReviewedHunk[] {
    return this.list;
  }

  /** Read the list again, once, soon. */
  refreshSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), QUIET);
  }

  /** Read the list again. */
  async refresh(): Promise<void> {
    clearTimeout(this.timer);
    if (this.connection.state !== 'running') {
      return;
    }
    const { hunks } = await this.connection.request<{ hunks: ReviewedHunk[] }>('dsh/review/list', {});
    this.list = hunks;
    this.tell();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscriptions.forEach((each) => each.dispose());
    this.noted.dispose();
    this.listed.dispose();
  }

  private take(note: DecorationsNote): void {
    const uri = this.connection.uri(note.uri);
    const document = openDocument(uri);
    if (document === undefined || this.isOutOfDate(note, uri, document)) {
      return; // of a text that is not there any more; another one follows
    }
    const version = note.hunks.length > 0 ? note.version : document.version;
    this.notes.set(uri.toString(), { version, told: note.version, hunks: note.hunks });
    this.tellContext();
    this.noted.fire(uri);
    this.refreshSoon();
  }

  /** That nothing is pending any more is true of the typing since then as well, and nothing may follow. */
  private isOutOfDate(note: DecorationsNote, uri: vscode.Uri, document: vscode.TextDocument): boolean {
    const known = this.of(uri);
    if (known === undefined || document.version <= note.version) {
      return false;
    }
    return note.hunks.length > 0 || note.version < known.told;
  }

  private move({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const noted = this.of(document.uri);
    if (noted !== undefined && noted.hunks.length > 0 && contentChanges.length > 0) {
      const hunks = moved(noted.hunks, contentChanges);
      this.notes.set(document.uri.toString(), { ...noted, version: document.version, hunks });
      if (moveLines(contentChanges)) {
        this.noted.fire(document.uri);
      }
    } else if (noted !== undefined) {
      this.notes.set(document.uri.toString(), { ...noted, version: document.version });
    }
  }

  private forget(uri: vscode.Uri): void {
    if (this.notes.delete(uri.toString())) {
      this.noted.fire(uri);
    }
  }

  private follow(state: string): void {
    if (state === 'running') {
      this.refreshSoon();
      return;
    }
    for (const key of [...this.notes.keys()]) {
      this.notes.delete(key);
      this.noted.fire(vscode.Uri.parse(key));
    }
    this.list = [];
    this.tell();
  }

  private tell(): void {
    this.tellContext();
    this.listed.fire();
  }
  /** For menus and keys: the files in which something is pending, by what is known best of each. */
  private tellContext(): void {
    const uris = this.list.map((hunk) => this.connection.uri(hunk.uri)).filter((uri) => !this.notes.has(uri.toString()));
    for (const [key, { hunks }] of this.notes) {
      if (hunks.length > 0) {
        uris.push(vscode.Uri.parse(key));
      }
    }
    // In a remote window, a file has another scheme to VS Code's menus and keys than to its extensions; not its path.
    const paths = new Set(uris.flatMap((uri) => [uri.path, uri.fsPath]));
    void vscode.commands.executeCommand('setContext', 'dsh.pendingPaths', [...paths]);
    void vscode.commands.executeCommand('setContext', 'dsh.hasPending', paths.size > 0);
  }
}
