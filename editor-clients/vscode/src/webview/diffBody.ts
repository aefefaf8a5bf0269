/** A diff in a card: blocks with their places, line numbers on both sides, and the words that changed. */
import { diffLines, type DiffLine, linesOf } from './diffLines';
import { el, text } from './dom';
import { folded, withNumbers } from './folding';
import { integer, items, type Members, members, string } from './members';

const HEAD = 240;
const MARKS = { context: ['l', ' ', 'code'], removed: ['l del', '-', 'del'], added: ['l add', '+', 'ins'] } as const;

interface Block {
  readonly at: string | undefined;
  readonly lines: readonly DiffLine[];
}

/** The blocks of a diff view. */
export function diffBody(view: Members, label: string): HTMLElement[] {
  const unchanged = view['operation'] === 'unchanged';
  const whole = unchanged || view['operation'] === 'created';
  const blocks = items(view, 'diffs').map((diff) => block(members(diff), whole, unchanged));
  const numbers = blocks.flatMap((each) => each.lines.flatMap((line) => [line.old ?? 0, line.new ?? 0]));
  const largest = numbers.reduce((most, number) => Math.max(most, number), 0);
  const rows = blocks.flatMap((each, index) => [
    ...(each.at !== undefined || index > 0 ? [el('div', 'at', each.at ?? '\u22ef')] : []),
    ...each.lines.map((line) => row(line, largest > 0)),
  ]);
  if (rows.length === 0) {
    return [el('p', 'quiet', 'No lines.')];
  }
  const kind = largest > 0 ? 'code diff' : 'code diff bare';
  return withNumbers(folded(rows, kind, label, unchanged ? 6 : HEAD), largest);
}

function block(diff: Members, whole: boolean, unchanged: boolean): Block {
  const after = linesOf(string(diff, 'newText'));
  const positions = items(diff, 'hunks');
  const at = positions.length === 1 ? members(positions[0]) : undefined;
  const [oldStart, newStart] = at === undefined ? [] : [integer(at, 'oldStart'), integer(at, 'newStart')];
  const header =
    at === undefined
      ? undefined
      : `@@ -${oldStart ?? '?'},${integer(at, 'oldLines') ?? '?'} +${newStart ?? '?'},${integer(at, 'newLines') ?? '?'} @@`;
  if (typeof diff['oldText'] !== 'string') {
    const first = newStart ?? (whole ? 1 : undefined);
    const kind = unchanged ? 'context' : 'added';
    return {
      at: header,
      lines: after.map((line, index) => ({ kind, text: line, new: first === undefined ? undefined : first + index })),
    };
  }
  const before = linesOf(diff['oldText']);
  const firstOld = oldStart === undefined ? undefined : before.length > 0 ? oldStart : oldStart + 1;
  const firstNew = newStart === undefined ? undefined : after.length > 0 ? newStart : newStart + 1;
  return { at: header, lines: diffLines(before, after, firstOld, firstNew) };
}

function row(line: DiffLine, numbered: boolean): HTMLElement {
  const [className, mark, element] = MARKS[line.kind];
  const places = numbered ? [el('i', '', String(line.old ?? '')), el('i', '', String(line.new ?? ''))] : [];
  return el('div', className, ...places, el('b', '', mark), el(element, '', marked(line)));
}

function marked(line: DiffLine): DocumentFragment {
  if (line.changed === undefined) {
    return text(line.text);
  }
  const [start, end] = line.changed;
  const fragment = text(line.text.slice(0, start));
  if (end > start) {
    fragment.append(el('mark', '', line.text.slice(start, end)));
  }
  fragment.append(text(line.text.slice(end)));
  return fragment;
}
