/** Lines of a diff block, from the two texts that the wire has: which were removed, added, or stayed. Pure. */

/** One line, with its numbers where they are known. */
export interface DiffLine {
  readonly kind: 'context' | 'removed' | 'added';
  readonly text: string;
  readonly old?: number | undefined;
  readonly new?: number | undefined;
  /** Where it differs from the line that it replaces or is replaced by. */
  readonly changed?: readonly [number, number];
}

/** Cells of the table of common lines; more, and all old lines are shown before all new ones. */
const MOST_CELLS = 4_000_000;
const ALIKE = 0.3;

/** A text's lines, without their ends. */
export function linesOf(text: string): string[] {
  if (text === '') {
    return [];
  }
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

/** The lines of both sides in the order of a unified diff. Numbers are counted from the given first ones. */
export function diffLines(before: string[], after: string[], firstOld?: number, firstNew?: number): DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) {
    start += 1;
  }
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) {
    end += 1;
  }
  const kinds: DiffLine['kind'][] = [
    ...Array<DiffLine['kind']>(start).fill('context'),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...Array<DiffLine['kind']>(end).fill('context'),
  ];
  return pointedOut(numbered(kinds, before, after, firstOld, firstNew));
}

function numbered(
  kinds: DiffLine['kind'][],
  before: string[],
  after: string[],
  firstOld?: number,
  firstNew?: number,
): DiffLine[] {
  let [old, now] = [0, 0];
  return kinds.map((kind) => {
    const text = (kind === 'added' ? after[now] : before[old]) ?? '';
    const line: DiffLine = {
      kind,
      text,
      old: kind === 'added' || firstOld === undefined ? undefined : firstOld + old,
      new: kind === 'removed' || firstNew === undefined ? undefined : firstNew + now,
    };
    old += kind === 'added' ? 0 : 1;
    now += kind === 'removed' ? 0 : 1;
    return line;
  });
}

/** By the longest common subsequence; removed lines stand before added ones. */
function middle(before: string[], after: string[]): DiffLine['kind'][] {
  const [rows, columns] = [before.length, after.length];
  if (rows * columns > MOST_CELLS) {
    return [...Array<'removed'>(rows).fill('removed'), ...Array<'added'>(columns).fill('added')];
  }
  const width = columns + 1;
  const common = new Uint32Array((rows + 1) * width);
  const cell = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        before[row] === after[column]
          ? cell(row + 1, column + 1) + 1
          : Math.max(cell(row + 1, column), cell(row, column + 1));
    }
  }
  const kinds: DiffLine['kind'][] = [];
  let [row, column] = [0, 0];
  while (row < rows || column < columns) {
    if (row < rows && column < columns && before[row] === after[column]) {
      kinds.push('context');
      row += 1;
      column += 1;
    } else if (column >= columns || (row < rows && cell(row + 1, column) >= cell(row, column + 1))) {
      kinds.push('removed');
      row += 1;
    } else {
      kinds.push('added');
      column += 1;
    }
  }
  return kinds;
}

/** The same lines; where as many were removed as were added, each pair says where it differs. */
function pointedOut(lines: DiffLine[]): DiffLine[] {
  const done = [...lines];
  for (let at = 0; at < lines.length; ) {
    const removed = run(lines, at, 'removed');
    const added = run(lines, at + removed, 'added');
    if (removed > 0 && removed === added) {
      for (let each = at; each < at + removed; each += 1) {
        pair(done, each, each + removed);
      }
    }
    at += Math.max(removed + added, 1);
  }
  return done;
}

function run(lines: DiffLine[], from: number, kind: DiffLine['kind']): number {
  let end = from;
  while (lines[end]?.kind === kind) {
    end += 1;
  }
  return end - from;
}

function pair(lines: DiffLine[], removed: number, added: number): void {
  const [old, now] = [lines[removed], lines[added]];
  if (old === undefined || now === undefined) {
    return;
  }
  const [a, b] = [old.text, now.text];
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) {
    start += 1;
  }
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end]) {
    end += 1;
  }
  if (start + end >= ALIKE * Math.max(a.length, b.length)) {
    lines[removed] = { ...old, changed: [start, a.length - end] };
    lines[added] = { ...now, changed: [start, b.length - end] };
  }
}
