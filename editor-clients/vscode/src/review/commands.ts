/**
 * The commands of a review. Each takes what a lens, a hover or a row of the tree gives it; without, it means what is at
 * the cursor. The keys of the tree say `selected`.
 */
import * as vscode from 'vscode';

import type { Connection } from '../connection';
import type { Pending } from '../pending';
import type { Place } from '../views/places';
import type { ReviewedHunk, Selection } from '../wire';
import type { Deciding, Verb } from './deciding';
import type { Diffs } from './diffs';
import { goTo, hunkAt, nextHunk } from './navigating';

const SELECTED = 'selected';

/** What the commands work with. */
export interface Desk {
  readonly connection: Connection;
  readonly pending: Pending;
  readonly deciding: Deciding;
  readonly diffs: Diffs;
  /** The row that is selected in the tree of changes. */
  selected(): Place | undefined;
}

/** Register them. */
export function reviewCommands(desk: Desk): vscode.Disposable[] {
  const register = vscode.commands.registerCommand;
  return [
    register('dsh.nextHunk', () => nextHunk(desk.pending, 1)),
    register('dsh.previousHunk', () => nextHunk(desk.pending, -1)),
    ...(['keep', 'undo'] as const).flatMap((verb) => [
      register(`dsh.${verb}Hunk`, (at?: unknown) => decideHunk(desk, verb, at)),
      register(`dsh.${verb}Selection`, () => decideSelection(desk, verb)),
      register(`dsh.${verb}File`, (at?: unknown) => decideFile(desk, verb, at)),
      register(`dsh.${verb}Session`, (at?: unknown) => decideHunk(desk, verb, isPlace(at) ? at : SELECTED)),
      register(`dsh.${verb}All`, () => decideMany(desk, verb, { all: true }, desk.pending.all)),
    ]),
    register('dsh.openDiff', (at?: unknown) => openDiff(desk, at)),
    register('dsh.openChange', (at?: unknown, how?: unknown) => openChange(desk, at, how === 'stay')),
  ];
}

async function decideHunk(desk: Desk, verb: Verb, at: unknown): Promise<void> {
  const place = at === SELECTED ? desk.selected() : isPlace(at) ? at : undefined;
  if (place !== undefined) {
    await decidePlace(desk, verb, place);
    return;
  }
  const id = typeof at === 'string' && at !== SELECTED ? at : hunkAtCursor(desk);
  if (id === undefined) {
    vscode.window.setStatusBarMessage('dsh: no change of an agent is at the cursor', 4_000);
    return;
  }
  await desk.deciding.decide(verb, { hunkIds: [id] });
}

async function decidePlace(desk: Desk, verb: Verb, place: Place): Promise<void> {
  const { hunk, uri, sessionId } = place;
  if (hunk !== undefined) {
    await desk.deciding.decide(verb, { hunkIds: [hunk.id] });
  } else if (uri !== undefined) {
    await desk.deciding.decide(verb, { uri: desk.connection.spelled(uri), sessionId });
  } else {
    await decideMany(desk, verb, { sessionId }, place.hunks);
  }
}

async function decideSelection(desk: Desk, verb: Verb): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    return;
  }
  const uri = desk.connection.spelled(editor.document.uri);
  // From the last to the first: an undo moves the lines below it.
  for (const { start, end } of editor.selections.toSorted((one, other) => other.start.compareTo(one.start))) {
    const range = { start: { line: start.line, character: 0 }, end: { line: end.line, character: end.character } };
    await desk.deciding.decide(verb, { uri, range });
  }
}

async function decideFile(desk: Desk, verb: Verb, at: unknown): Promise<void> {
  if (isPlace(at)) {
    await decidePlace(desk, verb, at);
    return;
  }
  const uri = uriOf(desk, at);
  if (uri !== undefined) {
    await desk.deciding.decide(verb, { uri: desk.connection.spelled(uri) });
  }
}

async function decideMany(desk: Desk, verb: Verb, selection: Selection, meant: readonly ReviewedHunk[]): Promise<void> {
  const files = new Set(meant.map((hunk) => hunk.uri)).size;
  if (verb === 'keep' || (await desk.deciding.isMeant(files, meant.length))) {
    await desk.deciding.decide(verb, selection);
  }
}

async function openDiff(desk: Desk, at: unknown): Promise<void> {
  const place = isPlace(at) ? at : undefined;
  const uri = uriOf(desk, at);
  if (uri !== undefined) {
    const line = place?.hunk?.range.start.line ?? lineOfHunk(desk, uri, at);
    await desk.diffs.open(uri, line);
  }
}

/** `stays`: the focus stays in the tree, so that its keys go on working. */
async function openChange(desk: Desk, at: unknown, stays: boolean): Promise<void> {
  const place = isPlace(at) ? at : desk.selected();
  if (place?.uri !== undefined) {
    await goTo(place.uri, place.hunk?.range.start.line ?? 0, stays);
  }
}

function uriOf(desk: Desk, at: unknown): vscode.Uri | undefined {
  if (isPlace(at)) {
    return at.uri;
  }
  if (at instanceof vscode.Uri) {
    return desk.diffs.originalOf(at) ?? at;
  }
  if (typeof at === 'string') {
    const hunk = desk.pending.all.find((each) => each.id === at);
    if (hunk !== undefined) {
      return desk.connection.uri(hunk.uri);
    }
  }
  return vscode.window.activeTextEditor?.document.uri;
}

function lineOfHunk(desk: Desk, uri: vscode.Uri, at: unknown): number | undefined {
  if (typeof at === 'string') {
    return desk.pending.all.find((each) => each.id === at)?.range.start.line;
  }
  const editor = vscode.window.activeTextEditor;
  return editor?.document.uri.toString() === uri.toString() ? editor.selection.active.line : undefined;
}

function hunkAtCursor(desk: Desk): string | undefined {
  const editor = vscode.window.activeTextEditor;
  return editor === undefined ? undefined : hunkAt(desk.pending, editor)?.id;
}

function isPlace(value: unknown): value is Place {
  return typeof value === 'object' && value !== null && 'place' in value;
}
