/**
 * Painting hunks in every editor that shows their document: lines, words, the gutter, the overview ruler, and the text
 * from before behind a line's end.
 *
 * A note is painted if it is about the version that is shown; VS Code moves what is painted until the next one comes.
 */
import * as vscode from 'vscode';

import type { Noted, Pending } from './pending';
import { BASE } from './review/diffs';
import { isBehindLastLine, linesOf, rangeOf } from './ranges';
import { oneLine } from './visible';
import { author, cut, lineEnd, many } from './wording';
import type { Hunk } from './wire';

/** Above so many hunks, the text from before is not shown behind the lines: each is a style of its own to VS Code. */
const MOST_TEXTS = 400;
const TEXT = 90;

/** Ranges by kind: line, character, line, character; and the texts behind the ends of lines. */
export type Painted = Partial<Record<Kind, [number, number, number, number][]>> & { texts?: [number, string][] };

export type Kind = 'added' | 'modified' | 'deletedAbove' | 'deletedBelow' | 'words' | 'before';

/** Paints, until it is disposed of. */
export class Painter implements vscode.Disposable {
  private readonly types: Record<Kind, vscode.TextEditorDecorationType>;
  private readonly subscriptions: vscode.Disposable[];
  private readonly last = new WeakMap<vscode.TextEditor, Painted>();

  constructor(
    private readonly pending: Pending,
    extension: vscode.Uri,
  ) {
    this.types = decorationTypes(extension);
    this.subscriptions = [
      pending.onDidNote((uri) => this.paintDocument(uri)),
      vscode.window.onDidChangeVisibleTextEditors(() => this.paintAll()),
      vscode.window.tabGroups.onDidChangeTabs(() => this.paintAll()),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration('dsh.paint') && this.paintAll()),
    ];
    this.paintAll();
  }

  /** What was painted last in an editor of a document; nothing where none is visible. */
  painted(uri: vscode.Uri): Painted {
    const wanted = uri.toString();
    const editor = vscode.window.visibleTextEditors.find((each) => each.document.uri.toString() === wanted);
    return (editor && this.last.get(editor)) ?? {};
  }

  dispose(): void {
    this.subscriptions.forEach((each) => each.dispose());
    Object.values(this.types).forEach((type) => type.dispose());
  }

  private paintDocument(uri: vscode.Uri): void {
    const wanted = uri.toString();
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.toString() === wanted) {
        this.paint(editor);
      }
    }
  }

  private paintAll(): void {
    vscode.window.visibleTextEditors.forEach((editor) => this.paint(editor));
  }

  private paint(editor: vscode.TextEditor): void {
    const noted = isInOurDiff(editor) ? undefined : this.pending.of(editor.document.uri);
    const settings = vscode.workspace.getConfiguration('dsh.paint', editor.document.uri);
    if (noted === undefined || !settings.get('enabled', true)) {
      this.set(editor, new Map());
    } else if (noted.version === editor.document.version) {
      this.set(editor, painted(editor.document, noted, settings));
    }
  }

  private set(editor: vscode.TextEditor, found: ReadonlyMap<Kind, vscode.DecorationOptions[]>): void {
    for (const [kind, type] of Object.entries(this.types)) {
      editor.setDecorations(type, found.get(kind as Kind) ?? []);
    }
    const ranges = [...found].map(([kind, options]) => [kind, options.map(({ range }) => numbers(range))] as const);
    const texts = (found.get('before') ?? []).map(textOf);
    this.last.set(editor, { ...Object.fromEntries(ranges), ...(texts.length > 0 ? { texts } : {}) });
  }
}

/**
 * The right side of a comparison with the text from before: VS Code paints the same changes there. An editor inside a
 * diff editor has no column of its own.
 */
function isInOurDiff(editor: vscode.TextEditor): boolean {
  return (
    editor.viewColumn === undefined &&
    vscode.window.tabGroups.all.some(({ activeTab }) => {
      const input = activeTab?.input;
      return (
        input instanceof vscode.TabInputTextDiff &&
        input.original.scheme === BASE &&
        input.modified.toString() === editor.document.uri.toString()
      );
    })
  );
}

function painted(
  document: vscode.TextDocument,
  noted: Noted,
  settings: vscode.WorkspaceConfiguration,
): Map<Kind, vscode.DecorationOptions[]> {
  const found = new Map<Kind, vscode.DecorationOptions[]>();
  const add = (kind: Kind, option: vscode.DecorationOptions): void => {
    const kept = found.get(kind);
    if (kept === undefined) {
      found.set(kind, [option]);
    } else {
      kept.push(option);
    }
  };
  const words = settings.get('words', true);
  const texts = settings.get('removedText', 'lineEnd') === 'lineEnd' && noted.hunks.length <= MOST_TEXTS;
  for (const hunk of noted.hunks) {
    const { first, last } = linesOf(hunk, document.lineCount);
    const kind = lineKind(hunk);
    if (kind !== undefined) {
      add(kind, { range: new vscode.Range(first, 0, last, document.lineAt(last).text.length) });
    }
    if (words) {
      hunk.words?.forEach((word) => add('words', { range: rangeOf(word) }));
    }
    const text = texts ? textBefore(hunk) : undefined;
    if (text !== undefined) {
      const end = document.lineAt(first).range.end;
      add('before', { range: new vscode.Range(end, end), renderOptions: { after: { contentText: text } } });
    }
  }
  return found;
}

function textOf({ range, renderOptions }: vscode.DecorationOptions): [number, string] {
  return [range.start.line, renderOptions?.after?.contentText ?? ''];
}

function numbers({ start, end }: vscode.Range): [number, number, number, number] {
  return [start.line, start.character, end.line, end.character];
}

/** How a hunk's lines are painted; one that is about the last line end alone has none. */
function lineKind(hunk: Hunk): Kind | undefined {
  if (hunk.addedLines > 0) {
    return hunk.kind === 'added' ? 'added' : 'modified';
  }
  if (hunk.removedLines === 0) {
    return undefined;
  }
  return isBehindLastLine(hunk) ? 'deletedBelow' : 'deletedAbove';
}

/** What stands behind the end of a hunk's first line. */
function textBefore(hunk: Hunk): string | undefined {
  const end = lineEnd(hunk);
  if (hunk.removedLines === 0) {
    return end;
  }
  const [line = ''] = hunk.removedText.split('\n');
  const more = hunk.removedLines > 1 ? ` (+${hunk.removedLines - 1} more)` : '';
  const text = `${cut(oneLine(line.trim()), TEXT)}${more}${end === undefined ? '' : `; ${end}`}`;
  if (hunk.addedLines > 0) {
    return `was: ${text}`;
  }
  const where = isBehindLastLine(hunk) ? 'below' : 'above';
  return `${author(hunk)} removed ${many(hunk.removedLines, 'line')} ${where}: ${text}`;
}

function decorationTypes(extension: vscode.Uri): Record<Kind, vscode.TextEditorDecorationType> {
  const create = vscode.window.createTextEditorDecorationType;
  const icons = (name: string): Pick<vscode.DecorationRenderOptions, 'light' | 'dark'> => ({
    light: { gutterIconPath: vscode.Uri.joinPath(extension, 'media', 'gutter', `${name}-light.svg`) },
    dark: { gutterIconPath: vscode.Uri.joinPath(extension, 'media', 'gutter', `${name}-dark.svg`) },
  });
  const whole = (name: string, background?: string): vscode.DecorationRenderOptions => ({
    isWholeLine: true,
    ...(background === undefined ? {} : { backgroundColor: new vscode.ThemeColor(background) }),
    borderStyle: 'solid',
    overviewRulerColor: new vscode.ThemeColor(`dsh.${name}Border`),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    gutterIconSize: 'contain',
    ...icons(name),
  });
  const lineBorder = (colour: string, borderWidth: string): vscode.DecorationRenderOptions => ({
    borderColor: new vscode.ThemeColor(colour),
    borderWidth,
  });
  return {
    added: create({ ...whole('added', 'dsh.addedLineBackground'), ...lineBorder('dsh.addedLineBorder', '1px 0') }),
    modified: create({
      ...whole('modified', 'dsh.modifiedLineBackground'),
      ...lineBorder('dsh.modifiedLineBorder', '1px 0'),
    }),
    deletedAbove: create({ ...whole('deleted'), ...lineBorder('dsh.deletedBorder', '1px 0 0 0') }),
    deletedBelow: create({ ...whole('deleted'), ...lineBorder('dsh.deletedBorder', '0 0 1px 0') }),
    words: create({
      backgroundColor: new vscode.ThemeColor('dsh.changedTextBackground'),
      border: '1px solid',
      borderColor: new vscode.ThemeColor('dsh.changedTextBorder'),
      borderRadius: '2px',
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    }),
    before: create({
      after: {
        color: new vscode.ThemeColor('dsh.removedTextForeground'),
        margin: '0 0 0 2ch',
        fontStyle: 'italic',
      },
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    }),
  };
}
