/** The tree "Agent Changes": session, file, hunk, with counts, and a badge with how many wait for a decision. */
import * as vscode from 'vscode';

import type { Connection } from '../connection';
import type { Pending } from '../pending';
import { oneLine, visible } from '../visible';
import { author, counts, cut, deed, many } from '../wording';
import type { ReviewedHunk } from '../wire';
import type { Place } from './places';

const LINE = 80;

/** The view. */
export class ChangesView implements vscode.TreeDataProvider<Place>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly view: vscode.TreeView<Place>;
  private readonly subscription: vscode.Disposable;
  private shown = '';

  readonly onDidChangeTreeData = this.changed.event;

  constructor(
    private readonly connection: Connection,
    private readonly pending: Pending,
  ) {
    this.view = vscode.window.createTreeView('dsh.changes', { treeDataProvider: this, showCollapseAll: true });
    this.subscription = pending.onDidList(() => this.show());
    this.show();
  }

  /** The row that is selected. */
  get selected(): Place | undefined {
    return this.view.selection[0];
  }

  getChildren(place?: Place): Place[] {
    if (place === undefined) {
      return groups(this.pending.all, (hunk) => hunk.sessionId).map(([sessionId, hunks]) => ({
        place: 'session',
        sessionId,
        hunks,
      }));
    }
    const { sessionId } = place;
    if (place.place === 'session') {
      return groups(place.hunks, (hunk) => hunk.uri).map(([uri, hunks]) => ({
        place: 'file',
        sessionId,
        uri: this.connection.uri(uri),
        hunks,
      }));
    }
    const { uri } = place;
    if (place.place === 'hunk' || uri === undefined) {
      return [];
    }
    return place.hunks.map((hunk) => ({ place: 'hunk', sessionId, uri, hunk, hunks: [hunk] }));
  }

  getTreeItem(place: Place): vscode.TreeItem {
    switch (place.place) {
      case 'session':
        return sessionItem(place);
      case 'file':
        return fileItem(place);
      case 'hunk':
        return hunkItem(place);
    }
  }

  dispose(): void {
    this.subscription.dispose();
    this.view.dispose();
    this.changed.dispose();
  }

  private show(): void {
    const { all } = this.pending;
    const seen = JSON.stringify(all.map(({ id, uri, range, kind, addedLines }) => [id, uri, range, kind, addedLines]));
    if (seen === this.shown) {
      return; // rows that are drawn again get no clicks meanwhile
    }
    this.shown = seen;
    const count = all.length;
    this.view.badge = count === 0 ? undefined : { value: count, tooltip: `${many(count, 'agent change')} pending` };
    this.changed.fire(undefined);
  }
}

function sessionItem(place: Place): vscode.TreeItem {
  const [first] = place.hunks;
  const name = first === undefined ? 'an agent' : author(first);
  const item = new vscode.TreeItem(name, vscode.TreeItemCollapsibleState.Expanded);
  item.id = place.sessionId;
  item.iconPath = new vscode.ThemeIcon('hubot');
  item.description = counts(place.hunks);
  item.contextValue = 'dsh.session';
  item.tooltip = `${name}, session ${place.sessionId}: ${many(place.hunks.length, 'change')} pending`;
  return item;
}

function fileItem(place: Place): vscode.TreeItem {
  const item = new vscode.TreeItem(place.uri ?? vscode.Uri.file('/'), vscode.TreeItemCollapsibleState.Expanded);
  const path = place.uri === undefined ? '' : vscode.workspace.asRelativePath(place.uri);
  item.id = `${place.sessionId} ${place.uri?.toString() ?? ''}`;
  item.iconPath = vscode.ThemeIcon.File;
  item.description = `${path.includes('/') ? `${path.slice(0, path.lastIndexOf('/'))} ` : ''}${counts(place.hunks)}`;
  item.contextValue = 'dsh.file';
  item.tooltip = `${path}: ${many(place.hunks.length, 'change')} pending`;
  return item;
}

function hunkItem(place: Place): vscode.TreeItem {
  const { hunk } = place;
  if (hunk === undefined) {
    return new vscode.TreeItem('');
  }
  const line = hunk.range.start.line + 1;
  const item = new vscode.TreeItem(`Line ${line}: ${deed(hunk)}`);
  item.id = `${place.sessionId} ${hunk.id}`;
  item.iconPath = icon(hunk);
  item.description = hunk.removedLines > 0 ? cut(oneLine(hunk.removedText.trim()), LINE) : '';
  item.contextValue = 'dsh.hunk';
  item.tooltip = visible(cut(hunk.removedText, 1_000)) || deed(hunk);
  item.command = { command: 'dsh.openChange', title: 'Go to Agent Change', arguments: [place, 'stay'] };
  item.accessibilityInformation = { label: `Line ${line}, ${author(hunk)} ${deed(hunk)}, pending` };
  return item;
}

function icon(hunk: ReviewedHunk): vscode.ThemeIcon {
  const name = { added: 'diff-added', modified: 'diff-modified', deleted: 'diff-removed' }[hunk.kind];
  return new vscode.ThemeIcon(name, new vscode.ThemeColor(`dsh.${hunk.kind}Border`));
}

function groups(hunks: readonly ReviewedHunk[], by: (hunk: ReviewedHunk) => string): [string, ReviewedHunk[]][] {
  const found = new Map<string, ReviewedHunk[]>();
  for (const hunk of hunks) {
    const group = found.get(by(hunk));
    if (group === undefined) {
      found.set(by(hunk), [hunk]);
    } else {
      group.push(hunk);
    }
  }
  return [...found];
}
